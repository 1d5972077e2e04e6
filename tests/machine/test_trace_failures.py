"""`latitude trace` of what goes wrong: the program unharmed, a clear message, the rest readable."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from latitude.trace.recorded_run import RankFile
from support.callsites import run
from support.command import Run
from support.mpi.hindrances import (
    WITHOUT_MPI,
    on_a_small_disk,
    privileged_copy,
    sanitized_program,
    static_program,
)
from support.mpi.library import PROGRAMS, mpich
from support.mpi.tracing import Tracing, said

SIDES = pytest.mark.parametrize("side", ["left", "right"])


def test_a_killed_rank_leaves_readable_files_and_its_status(tracing: Tracing) -> None:
    words = tracing.mpi.run(3, tracing.mpi.program("behave.c"), "killed")
    plain = tracing.start(words)
    done = tracing.start(tracing.words(*words))
    assert done.returncode == plain.returncode != 0
    files = tracing.files()
    assert [file.rank for file in files] == [0, 1, 2]
    assert files[2].ending is None
    assert files[2].meta["cores"] == len(os.sched_getaffinity(0))
    (line,) = (text for text in said(done) if "killed, or crashed: " in text)
    assert "rank 2 was computing after MPI_Sendrecv_replace from 1 at behave.c:" in line
    assert line.endswith(_left(files))
    assert tracing.described()["complete"] is False
    assert tracing.described()["exit_status"] == done.returncode


def _left(files: Sequence[RankFile]) -> str:
    if any(file.events for file in files):
        return "; complete parts are readable"
    return "; no rank wrote a call to its file"


def _line(mark: str) -> str:
    text = (PROGRAMS / "crash.c").read_text(encoding="utf-8").splitlines()
    (number,) = (i for i, words in enumerate(text, 1) if words.endswith(f"// {mark}"))
    return f"crash.c:{number}"


def test_what_ranks_were_at_when_one_fell_is_told(tracing: Tracing, latitude: Run) -> None:
    program = tracing.mpi.program("crash.c")
    plain = tracing.start(tracing.mpi.run(2, program, "falls"))
    done = tracing.left(2, program, "falls")
    assert done.returncode == plain.returncode != 0
    (line,) = (text for text in said(done) if "SIGSEGV" in text)
    assert f"rank 1 ended by SIGSEGV after MPI_Barrier at {_line('barrier')}" in line
    # The launcher may end rank 0 before it has begun to wait.
    waits = f"rank 0 was in MPI_Recv from 1 at {_line('receive')}"
    assert waits in line or f"rank 0 was computing after MPI_Barrier at {_line('barrier')}" in line
    assert not list(tracing.run.glob("*.last"))
    proposed = [text for text in said(done) if text.startswith("Next: ")]
    assert line.endswith(_left(tracing.files()))
    refused = latitude("analyze", "--incomplete", tracing.run)
    assert bool(proposed) == (refused.returncode == 0)
    # Such a file stays where latitude itself was killed.
    (tracing.run / "rank-0000000.last").write_bytes(b"LATLAST1")
    plain_answer = latitude("analyze", tracing.run)
    assert plain_answer.returncode == 2
    assert "is incomplete, as when a job is killed" in plain_answer.stderr
    assert ("--incomplete" in plain_answer.stderr) == bool(proposed)
    assert all("--incomplete" in text for text in proposed)


def test_what_ranks_are_at_in_a_deadlock_is_told(open_mpi: Tracing) -> None:
    program = open_mpi.mpi.program("crash.c")
    words = ["timeout", "-s", "INT", "3", *open_mpi.mpi.run(2, program, "waits")]
    done = open_mpi.start(open_mpi.words(*words))
    assert done.returncode != 0
    (line,) = (text for text in said(done) if "MPI_Recv" in text)
    where = _line("receive")
    assert f"rank 0 was in MPI_Recv from 1 at {where}; rank 1 was in MPI_Recv from 0 at" in line


@SIDES
def test_mpi_abort_is_told(tracing: Tracing, side: str) -> None:
    done = tracing.side(side, 2, tracing.mpi.program("behave.c"), "abort")
    assert done.returncode == 7
    assert {file.rank: file.ending for file in tracing.files()}[1] == "abort"
    if side == "left":  # right of it, the launcher may kill rank 0's latitude
        assert "latitude: warning: rank 1 called MPI_Abort" in said(done)


def test_exit_without_finalize_is_told(tracing: Tracing) -> None:
    done = tracing.start(tracing.words(tracing.mpi.program("behave.c"), "exit"))
    assert tracing.files()[0].ending == "exit"
    assert "latitude: warning: rank 0 exited without MPI_Finalize" in said(done)


def test_a_signal_becomes_128_and_its_number(open_mpi: Tracing) -> None:
    done = open_mpi.start(open_mpi.words("sh", "-c", "kill -SEGV $$"))
    assert done.returncode == 139


def test_a_program_that_forks_is_recorded_once(tracing: Tracing) -> None:
    done = tracing.left(2, tracing.mpi.program("behave.c"), "fork")
    assert done.returncode == 0, done.stderr
    assert [(file.rank, file.ending, file.calls) for file in tracing.files()] == [
        (0, "finalised", 42),
        (1, "finalised", 42),
    ]


@SIDES
def test_a_program_without_mpi_runs_and_is_told_apart(tracing: Tracing, side: str) -> None:
    done = tracing.side(side, 2, *WITHOUT_MPI)
    assert done.returncode == 5
    assert "hello" in done.stdout
    (line,) = said(done)
    assert line.startswith("latitude: warning: nothing was recorded: `")
    assert "never got through MPI_Init" in line
    assert not tracing.run.exists() or not any(tracing.run.iterdir())


def test_a_program_that_never_starts_mpi_is_told_apart(open_mpi: Tracing) -> None:
    done = open_mpi.left(1, open_mpi.mpi.program("idle.c"))
    assert done.returncode == 0
    (line,) = said(done)
    assert line.endswith("ended before MPI_Init returned, or did not call it")


def test_a_static_program_is_told_apart(open_mpi: Tracing) -> None:
    done = open_mpi.left(1, static_program())
    assert done.returncode == 0
    (line,) = said(done)
    assert "static is statically linked, so no library can be preloaded into it" in line


def test_a_privileged_program_is_told_apart(open_mpi: Tracing) -> None:
    program = privileged_copy(open_mpi.mpi.program("idle.c"), open_mpi.directory)
    done = open_mpi.start(open_mpi.words(program))
    (line,) = said(done)
    assert "set-user-ID rights or capabilities, with which the loader ignores LD_PRELOAD" in line


@SIDES
def test_a_directory_that_cannot_be_written_is_refused(open_mpi: Tracing, side: str) -> None:
    (open_mpi.directory / "run").write_text("a file, not a directory")
    done = open_mpi.side(side, 2, open_mpi.mpi.program("behave.c"), "environment")
    assert done.returncode == 2
    assert said(done) == ["latitude: error: run: is a file; give a directory"]
    open_mpi.options += ["-o", "/proc/run"]
    done = open_mpi.side(side, 2, open_mpi.mpi.program("behave.c"), "environment")
    assert done.returncode == 2
    (line,) = said(done)
    assert line.startswith("latitude: error: /proc/run: cannot be written: ")
    assert "traced" not in done.stdout


def test_a_command_that_is_not_there_is_wrong_use(open_mpi: Tracing) -> None:
    done = open_mpi.start(open_mpi.words("no-such-program"))
    assert done.returncode == 2
    assert said(done) == [
        "latitude: error: no-such-program: cannot be started: No such file or directory"
    ]
    done = open_mpi.start(open_mpi.words())
    assert done.returncode == 2
    assert said(done)[0].startswith("latitude: error: no command; write e.g. latitude trace")


def test_a_second_run_into_one_directory_is_refused(open_mpi: Tracing) -> None:
    """The second run starts inside the first, so both are active whatever the load."""
    second = open_mpi.words("true")
    first = open_mpi.mpi.run(2, open_mpi.mpi.program("behave.c"), "environment")
    done = open_mpi.start(open_mpi.words("sh", "-c", f"{' '.join(second)} && {' '.join(first)}"))
    assert done.returncode == 2
    assert said(done)[0] == (
        "latitude: error: run: another run is writing into it; wait for its end, or give another -o"
    )
    assert not open_mpi.run.exists()


def test_a_directory_removed_in_mid_run_is_told(open_mpi: Tracing) -> None:
    words = open_mpi.mpi.run(2, open_mpi.mpi.program("behave.c"), "environment")
    done = open_mpi.start(open_mpi.words("sh", "-c", f"{' '.join(words)}; rm -r run"))
    assert done.returncode == 0, done.stderr
    (line,) = said(done)
    assert "nothing was recorded: the directory run was removed while the command ran; give" in line


def test_a_program_that_the_launcher_does_not_find_is_told(tracing: Tracing) -> None:
    done = tracing.left(2, "./no-such-program", "20")
    assert done.returncode != 0
    (line,) = said(done)
    assert line == "latitude: warning: nothing was recorded: ./no-such-program: no such program"
    done = tracing.left(2, "no-such-program")
    (line,) = said(done)
    assert "no word of `-n 2 no-such-program` is a program that can be found; give its" in line


@pytest.mark.skipif(os.geteuid() != 0, reason="it is root that Open MPI refuses")
def test_what_a_launcher_refuses_is_told_before_the_run(open_mpi: Tracing) -> None:
    program = open_mpi.mpi.program("behave.c")
    plain = {"OMPI_ALLOW_RUN_AS_ROOT": "", "OMPI_MCA_rmaps_base_oversubscribe": ""}
    ranks = 4 * (os.cpu_count() or 1)
    done = open_mpi.left(ranks, program, "environment", environment=plain)
    assert done.returncode == 2
    (line,) = said(done)
    path = shutil.which(open_mpi.mpi.launcher)
    flags = "--allow-run-as-root --oversubscribe"
    assert line == (
        f"latitude: error: {path} does not start programs for root; {path} has fewer slots here "
        f"than the {ranks:,} ranks; add {flags}: {open_mpi.mpi.launcher} {flags} -n {ranks} "
        f"{program} environment"
    )
    assert not open_mpi.run.exists()
    words = open_mpi.words(
        open_mpi.mpi.launcher, *flags.split(), "-n", ranks, program, "environment"
    )
    done = open_mpi.start(words, plain)
    assert done.returncode == 0, done.stderr
    assert len(open_mpi.files()) == ranks


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_launcher_of_another_mpi_is_refused(open_mpi: Tracing, builds: Path, side: str) -> None:
    program = mpich(builds).needed().program("behave.c")
    done = open_mpi.side(side, 2, program, "environment")
    assert done.returncode == 2
    (line,) = said(done)
    assert f"'s, and {program} is linked to MPICH (" in line
    assert "each process would be rank 0 of 1; start it with /" in line
    assert "traced" not in done.stdout


def test_processes_that_were_each_a_run_are_told(open_mpi: Tracing, builds: Path) -> None:
    """The program is inside a Python script, so the command does not show it."""
    foreign = Tracing(mpich(builds).needed(), open_mpi.directory)
    script = open_mpi.directory / "app.py"
    script.write_text("from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\n")
    foreign.options += ["--mpicc", open_mpi.mpi.mpicc]
    done = foreign.left(2, "/usr/bin/python3", script, environment=open_mpi.mpi.environment)
    assert done.returncode == 2
    (line,) = said(done)
    assert "error: 2 processes were started, and each was rank 0 of 1: " in line
    assert "is not of the same MPI as the program's MPI (Open MPI v" in line
    assert "start it with /" in line


def test_a_program_without_debug_information_is_told_before_the_run(open_mpi: Tracing) -> None:
    program = open_mpi.directory / "app"
    source = open_mpi.mpi.program("behave.c")
    run("strip", "--strip-debug", source, "-o", program)
    done = open_mpi.left(2, program, "environment")
    assert done.returncode == 0, done.stderr
    first, *_ = said(done)
    assert first.startswith(f"latitude: warning: {program} has no debug information: the report")


@pytest.mark.parametrize("side", ["left", "right", "alone"])
def test_a_program_under_a_sanitizer_is_traced(tracing: Tracing, side: str) -> None:
    """The sanitizer's runtime is preloaded first, and only into the ranks."""
    program = sanitized_program(tracing.mpi.mpicc)
    quiet = {"ASAN_OPTIONS": "detect_leaks=0"}  # MPIs leak
    if side == "alone":
        done = tracing.start(tracing.words(program), quiet)
    else:
        done = tracing.side(side, 2, program, environment=quiet)
    assert done.returncode == 0, done.stderr
    assert len(tracing.files()) == (1 if side == "alone" else 2)
    assert all(file.ending == "finalised" for file in tracing.files())


def test_a_script_around_a_sanitizers_program_is_refused(open_mpi: Tracing) -> None:
    program = sanitized_program(open_mpi.mpi.mpicc)
    done = open_mpi.start(open_mpi.words("sh", "-c", f"{program}"))
    assert done.returncode == 2
    (line,) = said(done)
    assert "is built with a sanitizer (libasan.so" in line
    assert line.endswith("would be into sh, too; put latitude right before the program instead")


def test_a_full_disk_ends_the_trace_and_not_the_program(tracing: Tracing) -> None:
    words = tracing.words(*tracing.mpi.run(2, tracing.mpi.program("behave.c"), "long"))
    done = tracing.start(on_a_small_disk(words, tracing.directory))
    assert done.returncode == 0, done.stderr
    lines = "\n".join(done.stderr.splitlines())
    assert "No space left on device" in lines
    assert "the file system of run is full; complete parts are readable" in lines
    files = tracing.files()
    assert {file.rank for file in files} == {0, 1}
    assert sum(file.events for file in files) > 1000
    described = tracing.run / "trace.json"
    assert not described.exists() or json.loads(described.read_text())["complete"] is False


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_spawned_processes_leave_their_parents_trace_alone(
    open_mpi: Tracing, force: list[str]
) -> None:
    tracing = open_mpi  # Debian's MPICH cannot spawn, with or without the tracer
    tracing.options = force
    done = tracing.left(1, tracing.mpi.program("spawns.c"))
    assert done.returncode == 0, done.stderr
    assert "got 7" in done.stdout
    (file,) = tracing.files()
    assert file.counts is not None
    assert file.counts["MPI_Comm_spawn"] == 1
    assert file.counts["MPI_Recv"] == 1
    assert "LATITUDE_TRACE_FORCE" not in done.stderr
    told = "latitude: rank 0: was started by MPI_Comm_spawn; such processes are not traced"
    assert done.stderr.count(told) == 1


def test_a_program_of_sessions_alone_is_told_why(builds: Path, tmp_path: Path) -> None:
    tracing = Tracing(mpich(builds), tmp_path)  # Open MPI 4 has no sessions
    program = tracing.mpi.program("sessions.c")
    done = tracing.left(2, program)
    assert done.returncode == 0, done.stderr
    (line,) = said(done)
    assert f"{program} begins by MPI_Session_init alone" in line
    assert "call MPI_Init first" in line
