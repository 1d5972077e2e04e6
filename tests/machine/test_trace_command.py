"""`latitude trace`: left and right of the launcher, streams, statuses, what it says and leaves."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.command import LATITUDE
from support.hanging import HANG_S
from support.mpi.tracing import Tracing, said

SIDES = pytest.mark.parametrize("side", ["left", "right"])
TALK = 20
"""Calls of behave.c between MPI_Init and MPI_Finalize."""


@pytest.mark.essential
@SIDES
def test_both_sides_of_the_launcher_record_every_rank(tracing: Tracing, side: str) -> None:
    done = tracing.side(side, 3, tracing.mpi.program("behave.c"))
    assert done.returncode == 0, done.stderr
    files = tracing.files()
    assert [file.rank for file in files] == [0, 1, 2]
    assert {file.ranks for file in files} == {3}
    assert {file.ending for file in files} == {"finalised"}
    assert {file.calls for file in files} == {TALK + 2}
    assert len({file.run for file in files}) == 1
    summary, following = said(done)
    assert re.fullmatch(
        r"latitude: run: 3 ranks, 66 MPI calls, [\d.]+ KiB \([\d.]+ B per event\); the command "
        r"took [\d.]+ m?s with start and end of MPI; "
        r"tracing added (under 0\.01%|about [\d.]+%) \(\d+ ns per call\)",
        summary,
    )
    assert following == "Next: latitude analyze run"
    described = tracing.described()
    assert described["ranks"] == 3
    assert described["complete"] is True
    assert described["exit_status"] == 0
    assert described["mpi"].startswith("Open MPI" if tracing.mpi.name == "openmpi" else "MPICH")
    assert described["seconds"] > 0


@SIDES
@pytest.mark.parametrize("status", [0, pytest.param(3, marks=pytest.mark.essential)])
def test_stdin_stdout_and_status_are_the_programs(tracing: Tracing, side: str, status: int) -> None:
    how = "echo" if status == 0 else "status"
    text = (
        "".join(f"line {n} of what rank 0 is told\n" for n in range(500)) if how == "echo" else ""
    )
    done = tracing.side(side, 2, tracing.mpi.program("behave.c"), how, input=text)
    assert done.returncode == status
    assert done.stdout.startswith(text)  # Open MPI has something to say about status 3
    assert tracing.described()["exit_status"] == status


@SIDES
def test_a_trace_is_not_overwritten_without_force(tracing: Tracing, side: str) -> None:
    program = tracing.mpi.program("behave.c")
    assert tracing.left(3, program).returncode == 0
    before = {path.name: path.read_bytes() for path in tracing.run.iterdir()}
    refused = tracing.side(side, 2, program)
    assert refused.returncode == 2
    assert said(refused) == [
        "latitude: error: run: holds a trace already; pass --force to overwrite it, or another -o"
    ]
    assert {path.name: path.read_bytes() for path in tracing.run.iterdir()} == before
    tracing.options.append("--force")
    done = tracing.side(side, 2, program)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tracing.run.iterdir()) == [
        "places.json",
        "rank-0000000.lat",
        "rank-0000001.lat",
        "trace.json",
        "transports.json",
    ]
    assert len({file.run for file in tracing.files()}) == 1


@pytest.mark.parametrize(
    "wrapped",
    [
        ["env", "GREETING=hello"],
        ["nice", "-n", "1"],
        ["sh", "-c", 'GREETING=hello; export GREETING; "$0" "$@"; exit 4'],
    ],
    ids=["env", "nice", "script"],
)
def test_wrapped_launchers_are_traced(open_mpi: Tracing, wrapped: list[str]) -> None:
    program = open_mpi.mpi.program("behave.c")
    words = [*wrapped, *open_mpi.mpi.run(2, program, "environment")]
    done = open_mpi.start(open_mpi.words(*words))
    assert done.returncode == (4 if wrapped[0] == "sh" else 0), done.stderr
    greeting = "-" if wrapped[0] == "nice" else "hello"
    assert sorted(done.stdout.splitlines()) == [f"{rank} {greeting} traced" for rank in (0, 1)]
    assert len(open_mpi.files()) == 2


@pytest.mark.essential
def test_one_process_without_a_launcher_is_traced(tracing: Tracing) -> None:
    done = tracing.start(tracing.words(tracing.mpi.program("behave.c")))
    assert done.returncode == 0, done.stderr
    assert [file.ranks for file in tracing.files()] == [1]


def test_the_signal_that_ended_the_command_is_told(open_mpi: Tracing) -> None:
    done = open_mpi.start(open_mpi.words(open_mpi.mpi.program("behave.c"), "killed"))
    assert done.returncode == 128 + signal.SIGKILL
    described = open_mpi.described()
    assert (described["exit_status"], described["signal"]) == (done.returncode, signal.SIGKILL)
    assert not described["complete"]


@pytest.mark.parametrize("clock", ["wall", "cpu"])
def test_the_clock_is_passed_on(open_mpi: Tracing, clock: str) -> None:
    open_mpi.options += ["--clock", clock]
    ranks = 2 * len(os.sched_getaffinity(0))
    done = open_mpi.left(ranks, open_mpi.mpi.program("behave.c"))
    assert open_mpi.described()["clock"] == clock
    crowded = any("by the wall clock, computation is overestimated" in line for line in said(done))
    assert crowded == (clock == "wall")


def test_the_launchers_own_variables_options_are_kept(tracing: Tracing) -> None:
    program = tracing.mpi.program("behave.c")
    option = ["-x", "GREETING=hi"] if tracing.mpi.name == "openmpi" else ["-genv", "GREETING", "hi"]
    launcher, *rest = tracing.mpi.run(1, program, "environment")
    several = [launcher, *option, *rest, ":", *option, *rest]
    done = tracing.start(tracing.words(*several))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0 hi traced", "1 hi traced"]
    assert len(tracing.files()) == 2


def test_shells_and_launchers_are_not_disturbed(tracing: Tracing) -> None:
    """Preloaded into everything, the tracer changes nothing that any of them prints."""
    program = tracing.mpi.program("behave.c")
    script = f"bash -c 'echo $((1 + 1))'; true | cat; {' '.join(tracing.mpi.run(1, program))}"
    plain = tracing.start(["bash", "-c", script])
    done = tracing.start(tracing.words("bash", "-c", script))
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) == (0, "2\n")
    theirs = [line for line in done.stderr.splitlines() if line not in said(done)]
    assert theirs == plain.stderr.splitlines()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_job_ends_and_keeps_what_it_recorded(
    tracing: Tracing, number: signal.Signals
) -> None:
    words = tracing.mpi.run(2, tracing.mpi.program("behave.c"), "sleep", "pids")
    process = subprocess.Popen(
        tracing.words(*words),
        cwd=tracing.directory,
        env=tracing.mpi.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    pids = _started(tracing.directory / "pids", 2)
    process.send_signal(number)
    _, told = process.communicate(timeout=HANG_S)
    assert not [pid for pid in pids if _alive(pid)]
    assert "latitude: run: 2 ranks" in told
    assert [file.meta["ranks_on_host"] for file in tracing.files()] == [2, 2]
    assert tracing.described()["exit_status"] == process.returncode


def test_ctrl_c_reaches_the_job_once(open_mpi: Tracing) -> None:
    """The launcher gets the signal from the terminal; a second one would make it hurry."""
    script = (
        "import os, signal, sys, time\n"
        "told = []\n"
        "signal.signal(signal.SIGINT, lambda *_: told.append(1))\n"
        "open('pids', 'w').write(f'{os.getpid()}\\n')\n"
        "end = time.monotonic() + 600\n"
        "while not told and time.monotonic() < end: time.sleep(0.01)\n"
        "time.sleep(0.5)\n"
        "sys.exit(40 + len(told))\n"
    )
    inner = [*LATITUDE, "trace", "-o", "run", "--", "/usr/bin/python3", "-c", script]
    terminal = (
        "import os, pty, sys, time\n"
        "pid, fd = pty.fork()\n"
        "if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])\n"
        "while not os.path.exists('pids') or not open('pids').read(): time.sleep(0.01)\n"
        "os.write(fd, b'\\x03')\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    done = open_mpi.start(["/usr/bin/python3", "-c", terminal, *inner])
    assert done.returncode == 41, done.stderr


def _started(path: Path, count: int) -> list[int]:
    end = time.monotonic() + HANG_S
    while time.monotonic() < end:
        if path.exists() and len(lines := path.read_text().split()) == count:
            return [int(line) for line in lines]
        time.sleep(0.05)
    raise AssertionError(f"{count} ranks did not start")


def _alive(pid: int) -> bool:
    """Running, and not only waiting to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
