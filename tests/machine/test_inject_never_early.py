"""Properties of injected latencies that load cannot break: nothing is earlier than asked.

All times are on one clock of this machine, and each is a least of several. That nothing is much
later either is in tests/timing; to the nanosecond both are in tests/unit/runtime, in virtual time.
"""

from pathlib import Path

import numpy as np
import pytest

from support.mpi.injecting import Injecting
from support.mpi.stacks import STACKS, UCX, stack
from support.namespaces import in_time_namespace

US, MS = 1_000, 1_000_000


@pytest.fixture(params=STACKS)
def injecting(request: pytest.FixtureRequest, builds: Path, tmp_path: Path) -> Injecting:
    """Each MPI over each of what the flow injector delays."""
    return Injecting(stack(request.param, builds), tmp_path)


@pytest.fixture(params=UCX)
def over_ucx(request: pytest.FixtureRequest, builds: Path, tmp_path: Path) -> Injecting:
    """Each MPI over UCX."""
    return Injecting(stack(request.param, builds), tmp_path)


def instants(output: str, kind: str) -> list[int]:
    """Gives the times at which sends returned, or receives completed: ns after the first send
    began.
    """
    rows = [line.split() for line in output.splitlines()]
    return [int(ns) for what, _, ns in rows if what == kind]


@pytest.mark.parametrize("late_ms", [0, 1])
def test_every_message_of_a_window_waits_for_its_latency(
    injecting: Injecting, late_ms: int
) -> None:
    """Messages of a late receiver wait, too; and no send is later than a latency because of it."""
    words = (8, 8, 2, late_ms)
    done = injecting.flow("5ms", 2, injecting.mpi.program("window.c"), *words)
    sent, received = instants(done.stdout, "sent"), instants(done.stdout, "received")
    assert len(sent) == len(received) == 8
    begun = [0, *sent]
    assert all(received[m] >= begun[m] + 5 * MS for m in range(8))
    assert sent == sorted(sent)
    assert received == sorted(received)


@pytest.mark.essential
def test_half_a_round_trip_takes_a_latency(injecting: Injecting) -> None:
    """Several latencies come in turn, and the table is read again in between."""
    asked = (0, 10 * US, 1 * MS)
    words = (injecting.mpi.program("pingpong.c"), injecting.directory / "run", 1, 8, *asked)
    done = injecting.flow("0", 2, *words)
    least = {int(line.split()[0]): float(line.split()[1]) for line in done.stdout.splitlines()}
    assert set(least) == set(asked)
    assert all(least[ns] >= ns for ns in asked)
    assert all(process["loads"] == 4 for process in injecting.result()["processes"])


@pytest.mark.parametrize(
    ("transports", "latencies"), [("tcp,self", 5), ("posix,cma,self", 3), ("posix,self", 3)]
)
def test_a_large_message_takes_every_latency_of_its_protocol(
    over_ucx: Injecting, transports: str, latencies: int
) -> None:
    """Requests, answers, data, acknowledgements: tests/timing says which."""
    words = (over_ucx.mpi.program("pingpong.c"), over_ucx.directory / "run", 1, 512 << 10, 1 * MS)
    done = over_ucx.flow("0", 2, *words, environment={"UCX_TLS": transports})
    assert float(done.stdout.split()[1]) >= latencies * MS


@pytest.mark.parametrize("size", [1_000, 1_000_000])
def test_messages_to_oneself_are_not_delayed(over_ucx: Injecting, size: int) -> None:
    """The program has few messages between ranks, many to itself, and few are delayed."""
    program, count = over_ucx.mpi.program("to_itself.c"), 200
    done = over_ucx.flow("1s", 2, program, count, size)
    assert int(done.stdout) >= 1_000 * MS
    assert 2 <= over_ucx.result()["delayed"] < count  # large ones, too, that UCX puts through TCP


@pytest.mark.parametrize("hours", [0, 1], ids=["one clock", "an hour apart"])
def test_an_answer_takes_two_latencies_whatever_the_clocks(over_ucx: Injecting, hours: int) -> None:
    late = [str(over_ucx.mpi.program("late.c")), "3", "4"]
    other = in_time_namespace(hours, *late)
    done = over_ucx.flow("2ms", 1, *late, ":", "-n", 1, *other)
    took = [float(word) for word in done.stdout.split()]
    assert len(took) == 4  # at once and late, of each rank
    # The receiver knows when a message was sent to what clocks drift apart in a second.
    assert min(took) >= 3_990


def test_a_table_is_drawn_from_and_kept(over_ucx: Injecting) -> None:
    """Requested delays depend only on the seed; no message is earlier than the least delay."""
    messages = 4_000
    program, out = over_ucx.mpi.program("one_way.c"), over_ucx.directory / "took"
    words = ("lognormal(p50=100us,p99=400us)", 2, program, out, messages)
    over_ucx.flow(*words, options=("--seed", "3"))
    values, result = over_ucx.table(), over_ucx.result()
    took = np.concatenate([np.fromfile(f"{out}.{rank}", dtype=np.uint64) for rank in (0, 1)])
    assert took.size == messages
    assert took.min() >= values[0]
    histogram = result["histogram"]
    asked, achieved = np.array(histogram["asked"]), np.array(histogram["achieved"])
    assert asked.sum() == achieved.sum() == result["delayed"] >= messages
    # Of both at the cells' boundaries: the seed's draws are the table's (Kolmogorov, 0.1 %), and
    # nothing was kept shorter than asked for.
    of_table = np.searchsorted(values, np.array(histogram["to_ns"])) / values.size
    share = np.cumsum(asked) / asked.sum()
    assert np.abs(share - of_table).max() < 1.95 / messages**0.5
    assert (np.cumsum(achieved) <= np.cumsum(asked)).all()
