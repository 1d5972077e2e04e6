"""Calls the graph cannot hold: recorded all, carried out rightly, refused by name."""

from collections import Counter
from pathlib import Path

import pytest

from latitude import InputError, load
from support.mpi.traced import Mpi, Traced


def _right(tracer: Mpi, directory: Path, source: str, *arguments: str) -> Traced:
    """A run whose program found its data right, and whose calls were all recorded."""
    traced = tracer.trace(directory, 2, source, *arguments)
    assert traced.done.returncode == 0, traced.done.stderr
    assert traced.done.stdout == "right\n"
    assert len(traced.counted) == 2
    for rank, counted in zip(traced.ranks, traced.counted, strict=True):
        recorded = Counter(event.call for event in rank.mpi)
        unseen = {"MPI_Comm_rank", "MPI_Comm_group", "MPI_Group_incl", "MPI_Group_free"}
        unseen |= {"MPI_File_seek"}  # moves nothing and meets nobody
        unseen |= {"MPI_Request_free"}  # of requests that are not followed
        wanted = {name: count for name, count in counted.items() if name not in unseen}
        assert recorded == wanted
    return traced


def _refused_by_name(directory: Path, call: str) -> None:
    with pytest.raises(InputError, match=r" supported in an execution graph: \d+ MPI_") as refused:
        load(directory / "trace")
    program = load(directory / "trace", skip_unsupported=True)
    assert program.ranks == 2
    (notice,) = (each for each in program.warnings if each.code == "unsupported-skipped")
    listed = notice.message.partition(" are not known: ")[2]
    assert f" MPI_{call} " in listed
    # The refusal names those with most time, whichever these are, in the same order.
    said = str(refused.value).partition(" supported in an execution graph: ")[2]
    named, others, _ = said.rsplit("; ", 2)
    assert listed.startswith(f"{named}; ")
    assert others.endswith(" more functions")


def test_one_sided_calls(tracer: Mpi, tmp_path: Path) -> None:
    _right(tracer, tmp_path, "one_sided.c")
    _refused_by_name(tmp_path, "Win_create")


def test_file_calls(tracer: Mpi, tmp_path: Path) -> None:
    _right(tracer, tmp_path, "files.c", str(tmp_path / "data"))
    _refused_by_name(tmp_path, "File_open")
