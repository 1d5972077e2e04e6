"""Reports of `latitude trace` on messages that would arrive before they left."""

from pathlib import Path

import pytest

from latitude.launch.tracing import clocks
from latitude.launch.tracing.clocks import ClockCheck, check_clocks
from latitude.trace.recorded_run import read_run
from support.native_trace import MESSAGES, RANKS, rank_file, write

MS = 1_000_000
APART = 10 * MS
"""Time from the begin of a send to that of its receive, in the ring, by right clocks; nearly."""


def checked(directory: Path, *offsets: int, error: int = 1000, **more: int) -> ClockCheck:
    """The check of a ring with one rank per host, given an error on each host's clock."""
    files = {
        rank: rank_file(rank, host=f"n{rank}", clock=(offset, error), **more)  # type: ignore[arg-type]
        for rank, offset in enumerate(offsets)
    }
    write(directory / "run", files)
    return check_clocks(read_run(directory / "run"), directory / "run")


def test_of_one_host_nothing_is_looked_at(tmp_path: Path) -> None:
    run = write(tmp_path / "run", {rank: rank_file(rank) for rank in range(RANKS)})
    assert check_clocks(read_run(run), run) == ClockCheck()


@pytest.mark.parametrize("offset", [-9 * MS, 0, 9 * MS])
def test_messages_that_arrive_later_than_they_left_are_in_order(
    tmp_path: Path, offset: int
) -> None:
    found = checked(tmp_path, 0, offset, 0)
    assert found.problem is None
    assert found.order is not None
    assert (found.order.messages, found.order.reversed) == (RANKS * MESSAGES, 0)
    assert found.order.worst_ns == 0


@pytest.mark.parametrize(("offset", "ranks"), [(-11 * MS, (0, 1)), (11 * MS, (1, 2))])
def test_reversed_ones_are_counted_and_named(
    tmp_path: Path, offset: int, ranks: tuple[int, int]
) -> None:
    """Both clocks may be 1 µs off; each of the five messages is reversed by a millisecond."""
    found = checked(tmp_path, 0, offset, 0)
    assert found.order is not None
    assert (found.order.messages, found.order.reversed) == (RANKS * MESSAGES, MESSAGES)
    assert 0.99 * MS <= found.order.worst_ns <= 1.01 * MS
    assert (found.order.source, found.order.destination) == ranks
    assert found.problem is not None
    assert found.problem.startswith(
        "by the hosts' clocks, 5 of 15 messages arrive before they leave"
    )
    assert f"from rank {ranks[0]} to rank {ranks[1]}" in found.problem


def test_what_clocks_may_be_off_is_no_reversal(tmp_path: Path) -> None:
    found = checked(tmp_path, 0, -11 * MS, 0, error=MS)
    assert found.order is not None
    assert found.order.reversed == 0


def test_a_run_that_broke_off_is_not_looked_at(tmp_path: Path) -> None:
    assert checked(tmp_path, 0, 0, 0, events=5) == ClockCheck()


def test_a_run_that_is_too_large_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "_MOST_EVENTS", 10)
    found = checked(tmp_path, 0, 0, 0)
    assert found.order is None
    assert found.problem is not None
    assert "36 events it was not looked at" in found.problem


def test_clocks_that_were_set_are_told(tmp_path: Path) -> None:
    files = {rank: rank_file(rank, host=f"n{rank}", clock=(0, 1)) for rank in range(RANKS - 1)}
    files[2] = rank_file(2, host="n2", clock=(10**12, 1))
    run = write(tmp_path / "run", files)
    found = check_clocks(read_run(run), run)
    assert found.order is None
    assert found.problem is not None
    assert "the clock of rank 2 is another one" in found.problem
