"""Runs a program of runtime/bench, from the launch line to its results."""

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from latitude._core import InputError
from latitude.files.writing import refuse_existing
from latitude.launch import child
from latitude.launch import launcher as launchers
from latitude.launch.build import program
from latitude.launch.child import Ended
from latitude.launch.choose import Choice, choose
from latitude.launch.directory import made
from latitude.launch.mpi import Mpi
from latitude.launch.transports import telling
from latitude.measure.results import BenchResults, read
from latitude.trace.transports import Transports, gathered

SUFFIX = ".bench"


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """The request for a run."""

    program: str
    """Name of a directory of runtime/bench."""
    launch: Sequence[str]
    """The launch line of the program: `mpirun -n 2`."""
    arguments: Mapping[str, str | float] = field(default_factory=dict)
    """Options of the program, except `out`, which Latitude sets."""
    mpi: Choice | Path | None = None
    """The MPI of the program: the result of `built`, a compiler wrapper, or None for that of the
    launch line."""
    force: bool = False
    """Whether to replace existing results."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of a measurement."""

    request: BenchRequest
    choice: Choice
    seconds: float
    """Duration of all starts together, s."""
    results: tuple[BenchResults, ...]
    """Results of each start."""
    interrupted: bool
    """Whether Ctrl-C interrupted the measurement after the first start."""
    transports: Transports | None
    """Transports of the program's ranks; None if not reported."""


def measure(
    request: BenchRequest,
    directory: Path,
    starts: int,
    begins: Callable[[], None],
    enough: Callable[[BenchResults], bool],
) -> Ran:
    """Builds the program, starts it `starts` times, leaves results in `directory`/PROGRAM.bench.

    Args:
        request: the request.
        directory: a directory in which rank 0 can write.
        starts: number of successive starts, at least 1.
        begins: function that is called after the build, before the first start.
        enough: function that is called with the results of each start; True means no further start.

    Raises:
        InputError: the program cannot be built or started, fails, or leaves no results.
    """
    name = f"{request.program}{SUFFIX}"
    refuse_existing([directory / name], force=request.force)
    with scratch_in(directory) as scratch:
        choice, command = command_of(request, scratch)
        child.refuse_unknown(command)
        told = telling(scratch, os.environ, choice.application)
        job = launchers.job(command, launchers.find(command), told, os.environ)
        begins()
        seconds, whole, transports = 0.0, scratch / f"all{SUFFIX}", None
        results: list[BenchResults] = []
        interrupted = False
        while len(results) < starts and not interrupted:
            ended = child.run(job.command, job.environment)
            seconds += ended.seconds
            interrupted = ended.interrupted
            found = scratch / name
            # A file is there only when it is whole. Latitude ignores how the launcher ended after
            # that: ranks under MPICH 4.0 may wait in MPI_Finalize forever, and bench_end() then
            # ends them.
            if found.is_file():
                results.append(read(found))
                with whole.open("ab") as file:
                    file.write(found.read_bytes())
                found.unlink()
            elif not interrupted:
                raise InputError(reason(request.launch, choice.mpi, ended, directory))
            elif not results:
                raise KeyboardInterrupt
            transports = gathered(scratch) or transports
            if results and enough(results[-1]):
                break
        whole.replace(directory / name)
    return Ran(request, choice, seconds, tuple(results), interrupted, transports)


def built(name: str, launch: Sequence[str], mpicc: Path | None) -> Choice:
    """Chooses the MPI of a launch line, and builds the program of that name."""
    launcher = launchers.find(launch)
    if launcher is None and launchers.rank_of_this_process():
        raise InputError("put `latitude measure` left of the launcher: … -- mpirun -n 2")
    choice = choose(launch, launcher, mpicc)
    program(name, choice.mpi)
    return choice


def command_of(request: BenchRequest, out: Path) -> tuple[Choice, list[str]]:
    """The command that starts the program, built if necessary, with its results in `out`."""
    choice = request.mpi
    if not isinstance(choice, Choice):
        choice = built(request.program, request.launch, choice)
    path = program(request.program, choice.mpi)
    words = {**request.arguments, "out": str(out.absolute())}
    return choice, [*request.launch, str(path), *(f"{k}={_word(v)}" for k, v in words.items())]


@contextmanager
def scratch_in(directory: Path) -> Iterator[Path]:
    """A temporary directory for the program's file, inside one in which rank 0 can write."""
    with made(directory):
        pass
    with tempfile.TemporaryDirectory(prefix=".measuring-", dir=directory) as scratch:
        yield Path(scratch)


def _word(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.17g}"


def reason(launch: Sequence[str], mpi: Mpi, ended: Ended, directory: Path) -> str:
    """The reason why results are missing."""
    line = shlex.join(launch)
    if ended.signal is not None:
        return f"{line}: ended by signal {ended.signal}"
    if ended.status:
        return (
            f"{line}: the measurement ended with exit status {ended.status}; see above. It was "
            f"compiled by {mpi.mpicc} for {mpi}; give --mpicc if the launcher is another MPI's"
        )
    return (
        f"{directory}: the measurement left nothing there; give -o a directory that rank 0 of "
        f"'{line}' can write"
    )
