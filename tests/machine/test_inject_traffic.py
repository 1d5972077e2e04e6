"""Programs under injected latency compute what they compute without."""

import pytest

from support.mpi.injecting import Injecting


@pytest.mark.parametrize(
    ("pattern", "ranks", "messages", "latency"),
    [
        ("rendezvous", 2, 3, "lognormal(p50=50us,p99=2ms)"),
        ("collectives", 4, 20, "lognormal(p50=50us,p99=2ms)"),
        ("collectives", 8, 5, "200us"),
        ("any_source", 4, 500, "lognormal(p50=50us,p99=2ms)"),
        ("threads", 2, 100, "lognormal(p50=50us,p99=2ms)"),
    ],
)
def test_content_and_order_are_right(
    injecting: Injecting, pattern: str, ranks: int, messages: int, latency: str
) -> None:
    program = injecting.mpi.program("traffic.c", "-pthread")
    done = injecting.flow(latency, ranks, program, pattern, messages)
    assert done.stdout.splitlines()[-1] == "right"
    result = injecting.result()
    assert len(result["processes"]) == ranks
    assert all(process["ended"] for process in result["processes"])
    assert result["delayed"] >= messages
    assert result["achieved"]["p1_ns"] >= 0.99 * result["asked"]["p1_ns"]


def test_through_shared_memory(injecting: Injecting) -> None:
    program = injecting.mpi.program("traffic.c", "-pthread")
    environment = {"UCX_TLS": "posix,self"}
    done = injecting.flow("300us", 2, program, "rendezvous", 2, environment=environment)
    assert done.stdout.splitlines()[-1] == "right"
    assert "posix" in injecting.result()["processes"][0]["delayed_transports"]


def test_a_million_messages_a_thousand_at_a_time_take_no_more_memory(injecting: Injecting) -> None:
    """Each of two ranks sends to the other, and checks all messages."""
    messages = 1_000_000
    program = injecting.mpi.program("traffic.c", "-pthread")
    done = injecting.flow("1ms", 2, program, "window", messages)
    *grown, right = done.stdout.splitlines()
    assert right == "right"
    assert injecting.result()["delayed"] >= 2 * messages
    assert len(grown) == 2
    for line in grown:
        _, more_kib, _, most_kib = line.split()
        assert int(more_kib) < 1024
        assert int(most_kib) < 64 * 1024
