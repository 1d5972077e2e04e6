"""However a program ends, it is unharmed, and what was written whole can be read; both MPIs."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.hanging import HANG_S
from support.mpi.lat_format import read_rank, read_run
from support.mpi.library import mpich, openmpi
from support.mpi.traced import Mpi

FINALISED, EXITED, ABORTED = 0, 1, 2
CHUNK = 72 << 10
"""No chunk of events is longer: 64 KiB, and the event that no longer fits."""


def test_a_finished_run_ends_with_how_and_with_every_count(tracer: Mpi, tmp_path: Path) -> None:
    traced = tracer.trace(tmp_path, 2, "endings.c")
    for rank in traced.ranks:
        assert rank.how == FINALISED
        assert rank.chunks[-1] == "end"
        assert rank.torn == 0
        assert rank.counts["MPI_Sendrecv_replace"] == 100
        assert rank.meta["null_gap_ns"] < 1000
        # Which may have taken so long that what was recorded until then is written.
        assert rank.mpi[-1].call == "MPI_Finalize"


def test_the_exit_status_is_the_programs(tracer: Mpi, tmp_path: Path) -> None:
    assert tracer.trace(tmp_path, 1, "endings.c", "code").done.returncode == 9


def test_after_mpi_abort_the_aborting_ranks_trace_is_whole(tracer: Mpi, tmp_path: Path) -> None:
    traced = tracer.trace(tmp_path, 2, "endings.c", "abort")
    assert traced.done.returncode != 0
    assert traced.ranks[0].how == ABORTED
    assert len(traced.ranks[0].named("Sendrecv_replace")) == 100
    assert traced.ranks[0].counts["MPI_Abort"] == 1
    assert traced.ranks[1].how is None


def test_exit_without_finalize_leaves_a_whole_trace(tracer: Mpi, tmp_path: Path) -> None:
    traced = tracer.trace(tmp_path, 2, "endings.c", "exit")
    # A launcher may kill the other rank as soon as one is gone.
    exited = [rank for rank in traced.ranks if rank.how == EXITED]
    assert exited
    for rank in exited:
        assert len(rank.named("Sendrecv_replace")) == 100


def test_kill_9_leaves_all_but_the_last_second(tracer: Mpi, tmp_path: Path) -> None:
    process = tracer.launch(
        1, "endings.c", "kill", LD_PRELOAD=str(tracer.tracer), LATITUDE_TRACE_DIR=str(tmp_path)
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    file = tmp_path / "rank-0000000.lat"
    while file.stat().st_size < 300_000:  # several chunks
        assert process.poll() is None
    os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=HANG_S)
    rank = read_rank(file)
    assert rank.how is None
    assert rank.chunks.count("events") >= 4
    assert rank.torn < CHUNK  # each is one write, of which the kernel may do a part when it kills


@pytest.mark.parametrize("stacks", [0, 4])
def test_a_call_that_is_left_by_longjmp_is_over(tracer: Mpi, tmp_path: Path, stacks: int) -> None:
    traced = tracer.trace(tmp_path, 2, "left.c", LATITUDE_STACKS=str(stacks))
    assert traced.done.returncode == 0, traced.done.stderr
    for rank in traced.ranks:
        assert rank.how == FINALISED
        assert len(rank.named("Sendrecv_replace")) == 30
        assert len(rank.named("Barrier")) == 1
        assert not rank.named("Send")
        assert rank.counts["MPI_Send"] == 5
        assert "MPI_Error_class" not in rank.counts  # the error handler's, within the call


def test_a_forked_child_leaves_the_trace_alone(tracer: Mpi, tmp_path: Path) -> None:
    traced = tracer.trace(tmp_path, 2, "endings.c", "fork")
    assert traced.done.returncode == 0, traced.done.stderr
    for rank in traced.ranks:
        assert rank.how == FINALISED
        assert len(rank.named("Sendrecv_replace")) == 200


def test_a_program_without_mpi_is_left_alone(tracer: Mpi, tmp_path: Path) -> None:
    program = str(tracer.program("endings.c"))
    environment = {
        **os.environ,
        "LD_PRELOAD": str(tracer.tracer),
        "LATITUDE_TRACE_DIR": str(tmp_path),
    }
    for command, code in (([program, "no-mpi"], 3), (["/bin/sh", "-c", "exit 4"], 4)):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
    assert list(tmp_path.iterdir()) == []


def test_without_a_directory_nothing_is_written_or_said(tracer: Mpi, tmp_path: Path) -> None:
    done = tracer.run(1, "endings.c", LD_PRELOAD=str(tracer.tracer), PWD=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    directory = tmp_path / "small"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(directory)]
    subprocess.run(mount, check=True)
    yield directory
    subprocess.run(["/bin/umount", str(directory)], check=True)


def test_a_full_disk_ends_the_trace_at_a_whole_chunk_and_not_the_program(
    tracer: Mpi, small_disk: Path
) -> None:
    done = tracer.run(
        2, "endings.c", "long", LD_PRELOAD=str(tracer.tracer), LATITUDE_TRACE_DIR=str(small_disk)
    )
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if line.startswith("latitude")]
    assert 1 <= len(said) <= 2, "one line from each rank that could not write"
    assert "No space left on device; its trace ends here, the program continues" in said[0]
    for rank in read_run(small_disk):
        assert rank.torn == 0
        assert rank.how is None or len(said) == 1
        assert "events" in rank.chunks


def test_a_file_size_limit_does_not_kill_the_program(tracer: Mpi, tmp_path: Path) -> None:
    done = tracer.run(
        1, "endings.c", "limit", LD_PRELOAD=str(tracer.tracer), LATITUDE_TRACE_DIR=str(tmp_path)
    )
    assert done.returncode == 0
    assert "File too large; its trace ends here" in done.stderr
    rank = read_rank(tmp_path / "rank-0000000.lat")
    assert rank.torn == 0
    assert 0 < rank.bytes <= 100 * 1024


def test_an_unwritable_directory_is_said_once_by_each_rank(tracer: Mpi, tmp_path: Path) -> None:
    place = tmp_path / "file" / "below"
    (tmp_path / "file").write_text("not a directory")
    done = tracer.run(
        2, "communicators.c", LD_PRELOAD=str(tracer.tracer), LATITUDE_TRACE_DIR=str(place)
    )
    said = [line for line in done.stderr.splitlines() if line.startswith("latitude")]
    assert len(said) == 2
    assert f"cannot write {place}/rank-0000000.lat: Not a directory" in "".join(said)


def test_a_trace_that_exists_is_kept_unless_forced(tracer: Mpi, tmp_path: Path) -> None:
    variables = {"LD_PRELOAD": str(tracer.tracer), "LATITUDE_TRACE_DIR": str(tmp_path)}
    assert tracer.run(1, "endings.c", **variables).stderr == ""
    before = (tmp_path / "rank-0000000.lat").read_bytes()
    again = tracer.run(1, "endings.c", **variables)
    assert again.returncode == 0
    assert "exists and is kept" in again.stderr
    assert (tmp_path / "rank-0000000.lat").read_bytes() == before
    forced = tracer.run(1, "endings.c", LATITUDE_TRACE_FORCE="1", **variables)
    assert (forced.returncode, forced.stderr) == (0, "")
    assert (tmp_path / "rank-0000000.lat").read_bytes() != before


def test_the_wrong_mpi_is_named_instead_of_crashing(
    tracer: Mpi, builds: Path, tmp_path: Path
) -> None:
    other = Mpi({"openmpi": mpich, "mpich": openmpi}[tracer.name](builds))
    done = tracer.run(
        1, "endings.c", LD_PRELOAD=str(other.tracer), LATITUDE_TRACE_DIR=str(tmp_path)
    )
    assert done.returncode != 0
    assert "latitude: the tracer was built for" in done.stderr


@pytest.mark.parametrize(("asked", "expected"), [("wall", 0), ("cpu", 1), ("auto", None)])
def test_the_clock_is_chosen_alike_on_all_ranks(
    tracer: Mpi, tmp_path: Path, asked: str, expected: int | None
) -> None:
    n = 3
    for rank in tracer.trace(tmp_path, n, "endings.c", LATITUDE_CLOCK=asked).ranks:
        assert rank.meta["ranks_on_host"] == n
        oversubscribed = int(n > rank.meta["cores"])
        assert rank.flags == (oversubscribed if expected is None else expected)
        assert rank.meta["clock"] == ("cpu" if rank.flags else "wall")
        assert (rank.meta["null_cpu_gap_ns"] > 0) == bool(rank.flags)
        assert all((event.cpu_gap is None) == (not rank.flags) for event in rank.events)
