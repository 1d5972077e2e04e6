"""Whole programs under the tracer: nothing is missed, nothing is seen twice, sites are right."""

import re
import subprocess
from pathlib import Path

import pytest

from support.mpi.lat_format import Rank, read_run
from support.mpi.traced import PROGRAMS, Mpi

RANKS = {
    "messages.c": 2,
    "completions.c": 2,
    "collectives.c": 4,
    "neighbours.c": 4,
    "communicators.c": 4,
    "threads.c": 2,
    "mpif.f90": 3,
    "usempi.f90": 3,
    "f08.f90": 3,
}
# Calls that neither communicate, nor complete, nor test: the tracer does not see them.
LOCAL = re.compile(
    r"MPI_(\w+_(c2f|f2c|rank|size|group|shift|free|incl)|Buffer_\w+|Type_\w+|Get_\w+|Query_\w+)"
)
FORTRAN = ["mpif.f90", "usempi.f90", "f08.f90"]


@pytest.mark.parametrize("source", RANKS)
def test_calls_recorded_are_calls_made(tracer: Mpi, tmp_path: Path, source: str) -> None:
    traced = tracer.trace(tmp_path, RANKS[source], source)
    assert traced.done.returncode == 0, traced.done.stderr
    assert len(traced.ranks) == len(traced.counted) == RANKS[source]
    for rank, counted in zip(traced.ranks, traced.counted, strict=True):
        unseen = set(counted) - set(rank.counts)
        assert all(LOCAL.fullmatch(name) for name in unseen), unseen
        assert rank.counts == {name: counted[name] for name in counted if name not in unseen}
        events = {e.call for e in rank.mpi}
        for name in events - {"MPI_Test", "MPI_Testany", "MPI_Testsome", "MPI_Testall"}:
            if name != "MPI_Improbe":
                assert rank.counts[name] == len(rank.named(name.removeprefix("MPI_")))


def test_threads_have_each_their_own_order(tracer: Mpi, tmp_path: Path) -> None:
    rounds, threads = 300, 4
    traced = tracer.trace(tmp_path, 2, "threads.c")
    for rank in traced.ranks:
        assert rank.meta["thread_level"] == "multiple"
        by_thread: dict[int, list[tuple[str, int]]] = {}
        for event in rank.mpi:
            if event.all("t"):
                by_thread.setdefault(event.thread, []).append((event.call, event["t"]))
        assert len(by_thread) == threads
        for events in by_thread.values():
            expected = [(c, t) for t in range(rounds) for c in ("MPI_Irecv", "MPI_Isend")]
            assert events == expected
        posted = [e["q"] for e in rank.named("Irecv", "Isend")]
        completed = [number for e in rank.named("Waitall") for number, _ in e["Q"]]
        assert sorted(posted) == sorted(completed)
        assert all(len(e["Q"]) == 2 for e in rank.named("Waitall"))
        for thread in {event.thread for event in rank.events}:
            times = [t for e in rank.events if e.thread == thread for t in (e.enter, e.leave)]
            assert times == sorted(times)


def _lines(rank: Rank, program: Path) -> dict[str, set[int]]:
    """Source lines of each call, looked up in the program's debug information."""
    found: dict[str, set[int]] = {}
    for event in rank.mpi:
        address = rank.sites[event.site - 1]
        (module,) = [m for m in rank.modules if m[0] <= address < m[1]]
        assert Path(module[3]).resolve() == program.resolve()
        inside = hex(address - module[2] - 1)  # within the call, not after it
        command = ["addr2line", "-e", str(program), inside]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        line = int(text.split(":")[1].split()[0])
        found.setdefault(event.call.removeprefix("MPI_"), set()).add(line)
    return found


@pytest.mark.parametrize("source", FORTRAN)
def test_a_fortran_call_site_is_the_programs_line(tracer: Mpi, tmp_path: Path, source: str) -> None:
    done = tracer.run(
        2, source, LD_PRELOAD=str(tracer.tracer), LATITUDE_TRACE_DIR=str(tmp_path / "trace")
    )
    assert done.returncode == 0, done.stderr

    lines = (PROGRAMS / source).read_text().splitlines()
    named = {line.split("! ")[1]: n for n, line in enumerate(lines, 1) if ")  ! " in line}
    assert len(named) == 9  # gfortran 12 gives calls after these the program's first line
    for rank in read_run(tmp_path / "trace"):
        found = _lines(rank, tracer.program(source))
        assert {call: found[call] for call in named} == {c: {n} for c, n in named.items()}


@pytest.mark.parametrize("source", FORTRAN)
def test_fortran_constants_reach_the_trace_as_symbols(
    tracer: Mpi, tmp_path: Path, source: str
) -> None:
    traced = tracer.trace(tmp_path, 3, source)
    for me, rank in enumerate(traced.ranks):
        last = (me + 2) % 3
        assert [(e["p"], e["b"]) for e in rank.named("Irecv")] == [(-1, 4)] * 3
        assert [e["Q"][0][1] for e in rank.named("Waitall")] == [(last, 5, 4)] * 3
        assert rank.named("Recv")[0]["s"] == (last, 6, 4)
        assert rank.named("Allreduce")[0]["f"] == 2  # IN_PLACE
        assert (
            rank.communicators[rank.named("Comm_split")[0]["N"]].group == [[0, 2], [1], [0, 2]][me]
        )
        assert rank.named("Bcast")[0]["c"] == rank.named("Comm_split")[0]["N"]
