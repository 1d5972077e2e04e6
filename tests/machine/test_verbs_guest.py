"""The verbs injector on a real RDMA stack: soft-RoCE in an emulated machine, one boot for all.

What holds at any load: content, counts, what was asked, and that nothing is earlier. That little is
later is in tests/timing.
"""

from pathlib import Path

import pytest

from support.guest.machine import GuestError, Step, run
from support.guest.steps import (
    FEW,
    LONG_MS,
    MPIS,
    REQUESTS,
    TO_ITSELF,
    Results,
    boot,
    counted,
    done,
    perftest_us,
    pingpong_us,
    post_us,
)

STEPS = (
    *("write-100", "write-1000", "send-100", "send-1000", "table"),
    *("post-1000", "post-1000-each", "wr-1000", "wr-1000-each"),
    *("openmpi-tables", "mpich-tables", "flow", "flow-itself", "stuck"),
)
LEAST = 0.95
"""The guest's programs tell the time by a counter whose rate they measure."""


@pytest.fixture(scope="module")
def guest(builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Results of all programs in the guest."""
    return boot(builds, tmp_path_factory.mktemp("guest"), STEPS, FEW)


@pytest.mark.parametrize("kind", ["write", "send"])
@pytest.mark.parametrize("asked_us", [100, 1000])
def test_perftest_takes_what_was_asked(guest: Results, kind: str, asked_us: int) -> None:
    name = f"{kind}-{asked_us}"
    assert perftest_us(guest, name) >= LEAST * asked_us
    result = counted(guest, name)
    assert result["delayed"] == FEW.runs * 2 * FEW.posts  # client and server
    assert result["asked"]["p50_ns"] == pytest.approx(1000 * asked_us, rel=0.01)
    assert result["achieved"]["p50_ns"] >= LEAST * 1000 * asked_us


def test_a_table_is_achieved(guest: Results) -> None:
    """Uniform from 100 to 200 µs; the half round trip's least is that of the least two delays."""
    assert perftest_us(guest, "table") >= LEAST * 100
    result = counted(guest, "table")
    assert result["seed"] == 7
    for share, expected in (("p1", 101_000), ("p50", 150_000), ("p95", 195_000)):
        assert result["asked"][f"{share}_ns"] == pytest.approx(expected, rel=0.05)
    assert result["achieved"]["p50_ns"] >= LEAST * result["asked"]["p50_ns"]


@pytest.mark.parametrize("how", ["post", "wr"])
@pytest.mark.parametrize(("option", "delays"), [("", 1), ("-each", REQUESTS)])
def test_the_post_of_a_batch_waits_once_or_for_each_request(
    guest: Results, how: str, option: str, delays: int
) -> None:
    name = f"{how}-1000{option}"
    assert post_us(guest, name) >= LEAST * 1000 * delays
    result = counted(guest, name)
    assert result["delayed"] == FEW.runs * FEW.batches * delays
    kinds = {"post": "(post_send)", "wr": "(post_send, wr_start)"}
    assert f"posts delayed {kinds[how]}" in done(guest, name).stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_mpi_over_ucx_takes_what_was_asked(guest: Results, mpi: str) -> None:
    times = pingpong_us(guest, f"{mpi}-tables")
    assert times[100] >= LEAST * 100
    assert times[1000] >= LEAST * 1000
    # Three delays, 170 round trips each.
    assert counted(guest, f"{mpi}-tables")["delayed"] >= FEW.rounds * 3 * 170 * 2


def test_the_flow_injector_delays_what_goes_over_rdma(guest: Results) -> None:
    times = pingpong_us(guest, "flow")
    assert times[1000] >= LEAST * 1000
    transports = counted(guest, "flow")["processes"][0]["delayed_transports"]
    assert "rc_verbs" in transports


def test_large_messages_to_oneself_are_not_delayed_over_rdma(guest: Results) -> None:
    assert int(done(guest, "flow-itself").stdout) > 3e6 * LONG_MS  # a rendezvous
    assert 3 <= counted(guest, "flow-itself")["delayed"] < TO_ITSELF


def test_a_step_that_hangs_is_stopped(guest: Results) -> None:
    assert guest["stuck"].status is None
    assert guest["stuck"].stdout == "before\n"


def test_a_guest_that_hangs_is_stopped_with_its_console(tmp_path: Path) -> None:
    with pytest.raises(GuestError, match="stopped after 1 s, before 'never' was done"):
        run([Step("never", ["true"], {})], tmp_path, limit_s=1)
