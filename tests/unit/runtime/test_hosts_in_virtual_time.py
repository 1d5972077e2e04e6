"""Alignment of many hosts' clocks in virtual time, where each clock's truth is known."""

from pathlib import Path

import pytest

from support.compiling import STRICT, built
from support.needed import needed
from support.paths import RUNTIME
from support.virtual import building

TRACER = RUNTIME / "tracer"
PROGRAM = TRACER / "tests" / "virtual" / "virtual_hosts.c"
MPICC = "mpicc.mpich"
"""Only its mpi.h is used: the functions are the program's own."""
SECONDS, US, SECOND = 60, 1_000, 1_000_000_000
PPM = 1_000
"""ns per second."""
HOUR = 3_600 * SECOND

Point = tuple[int, int, int]
"""A time of a rank's clock, what to add to it for rank 0's, and how far off that may be, ns."""


@pytest.fixture(scope="session")
def program() -> Path:
    needed(MPICC, "need-mpi.sh")
    flags = [*STRICT, "-O1", "-g", *building.declared_flags(MPICC)]
    return built("hosts", *flags, PROGRAM, building.CLOCK, compiler=MPICC)


def compared(
    program: Path, ranks: int, latency: int, jitter: int, ahead: int, fast: int
) -> list[tuple[Point, Point]]:
    """Clocks that each rank has written down at the start and after a minute."""
    found: list[list[Point]] = [[] for _ in range(ranks)]
    for line in building.ran(program, ranks, SECONDS, latency, jitter, ahead, fast):
        rank, own, offset, error = map(int, line.split())
        found[rank].append((own, offset, error))
    assert [len(points) for points in found] == [2] * ranks
    return [(first, last) for first, last in found]


@pytest.mark.parametrize("ppm", [-50, 0, 50])
@pytest.mark.parametrize("ahead", [0, 10 * SECOND, HOUR])
@pytest.mark.parametrize(("latency", "jitter"), [(2 * US, 0), (20 * US, 50 * US)])
@pytest.mark.parametrize("ranks", [2, 5, 16])
def test_a_drift_is_corrected_to_one_in_a_million(
    program: Path, ranks: int, latency: int, jitter: int, ahead: int, ppm: int
) -> None:
    """The line between both points is off by what is stated at most, at any time of the minute."""
    points = compared(program, ranks, latency, jitter, ahead, ppm * PPM)
    assert points[0] == ((points[0][0][0], 0, 0), (points[0][1][0], 0, 0))
    for rank, ((own, offset, error), (later, last, error_then)) in enumerate(points[1:], start=1):
        sign = 1 if rank % 2 else -1
        drift = (last - offset) / (later - own)
        assert drift == pytest.approx(-sign * ppm * 1e-6, abs=1e-6)
        most = max(error, error_then)
        # A hop in the tree of hosts adds half of the least round trip of 50.
        assert most <= (ranks - 1).bit_length() * (latency + jitter / 4 + 2 * US)
        for second in range(1, SECONDS + 1):
            rank_0 = SECOND + second * SECOND
            shown = rank_0 + rank * ahead + sign * second * ppm * PPM
            corrected = shown + offset + drift * (shown - own)
            assert abs(corrected - rank_0) <= most + 1
