"""Clocks of a traced run on a disturbed machine: other programs, polls, late messages."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import latitude
from latitude import Network
from latitude.render.documents.analysis import analysis_document
from support.mpi.injecting import POLLING, Injecting
from support.mpi.library import openmpi
from support.mpi.outcome import succeeded
from support.mpi.tracing import Tracing
from support.paths import EXAMPLE_PROGRAMS
from support.timing import SHARP, Machine

MS = 1_000_000
HALO = ("--iterations", "100", "--compute", "3ms", "--bytes", "1024")
NETWORK = Network(L=15_000, o=2_000, G=0.6, S=8192)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def tolerance(run: Path) -> tuple[float, bool]:
    """The tolerance at 1 %, and whether the first lines report that the machine was not quiet."""
    analysis = latitude.analyze(latitude.load(run), NETWORK)
    value = analysis.tolerance[0].value
    assert value is not None
    return value, any("without a core" in each for each in analysis_document(analysis).doubts)


def test_a_program_beside_busy_loops_tolerates_as_much_as_alone(
    machine: Machine, builds: Path, tmp_path: Path
) -> None:
    """Found: another tolerance by more than 10 %, of which the first lines say nothing."""
    mpi = openmpi(builds)
    halo = mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    count = 0

    def traced() -> tuple[float, bool]:
        nonlocal count
        count += 1
        directory = tmp_path / str(count)
        directory.mkdir()
        tracing = Tracing(mpi, directory)
        succeeded(tracing.left(2, halo, *HALO))
        return tolerance(tracing.run)

    def block() -> Mapping[str, float]:
        alone, noisy = traced()
        assert not noisy
        with busy_loops(3):
            beside, said = traced()
        return {"apart, unsaid": 0.0 if said else abs(beside / alone - 1)}

    machine.holds(block, {"apart, unsaid": (0, 0.1)}, stray=SHARP)


def test_a_program_that_polls_is_predicted_from_late_messages(
    machine: Machine, builds: Path, tmp_path: Path
) -> None:
    """Traced where messages come 4 ms later, T without that is the one of a run without it.

    Found: polls that are computation, which makes T twice as long.
    """
    injecting = Injecting(openmpi(builds), tmp_path, transports=POLLING)
    polls = injecting.mpi.program("polls.c")
    count = 0

    def traced(latency: str) -> latitude.Analysis:
        nonlocal count
        count += 1
        run = tmp_path / f"run{count}"
        words = [*injecting.words("--flow", latency, "--intra-node", "-o", f"inject{count}")]
        trace = Tracing(injecting.mpi, tmp_path).words()[:-3]
        command = [*trace, "-o", run, "--", polls, "60", "2000", "0"]
        succeeded(injecting.start([*words, *injecting.mpi.run(2, *command)]))
        return latitude.analyze(latitude.load(run), NETWORK)

    def block() -> Mapping[str, float]:
        few, many = traced("0ns"), traced("4ms")
        return {"T": many.T_ns / few.T_ns - 1}

    machine.holds(block, {"T": (-0.1, 0.1)}, stray=SHARP)
