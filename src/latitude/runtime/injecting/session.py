"""One run under injected latency, from the command to what the ranks counted."""

import os
import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.distributions.table import Table, table_text
from latitude.files import write_new
from latitude.runtime import launcher as launchers
from latitude.runtime import mpi
from latitude.runtime.application import Application, application
from latitude.runtime.injecting.compiler import injector
from latitude.runtime.injecting.recorded import PATTERN, Counted, read_counts
from latitude.runtime.launcher import Launcher
from latitude.runtime.tracing import child
from latitude.runtime.tracing.child import Ended

FLOW, VERBS = "flow", "verbs"
TABLE, SEED = "table.dist", "table.seed"
DESCRIPTION = "inject.json"

# Ranks of a node talk through UCX only when their MPI is told to.
_MPICH_THROUGH_UCX = {"MPIR_CVAR_NOLOCAL": "1"}
_OPENMPI_THROUGH_UCX = {
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for."""

    command: Sequence[str]
    directory: Path
    layer: str
    """FLOW or VERBS."""
    table: Table
    seed: int = 1
    intra_node: bool = False
    per_wr: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class Injected:
    """What came of it."""

    request: Request
    application: Application | None
    ended: Ended
    counts: list[Counted]

    @property
    def hooked(self) -> bool:
        """Whether a single message or post was delayed."""
        return any(counted.delayed for counted in self.counts)


def inject(request: Request) -> Injected:
    """Runs the command under injected latency. InputError when it cannot be started."""
    launcher = launchers.find(request.command)
    if launcher is None and launchers.rank_of_this_process():
        raise InputError(
            "put `latitude inject` left of the launcher: latitude inject … -- mpirun -n 8 ./app"
        )
    path = injector()
    _prepare(request)
    values = variables(path, request, launcher, os.environ)
    job = launchers.job(request.command, launcher, values, os.environ)
    ended = child.run(job.command, job.environment, death=signal.SIGTERM)
    counts = read_counts(request.directory)
    return Injected(request, application(request.command), ended, counts)


def variables(
    path: Path, request: Request, launcher: Launcher | None, environment: Mapping[str, str]
) -> dict[str, str]:
    """What switches the injector on in a process."""
    values = {
        "LD_PRELOAD": launchers.preloaded(path, environment),
        "LATITUDE_INJECT": request.layer,
        "LATITUDE_INJECT_DIR": str(request.directory.absolute()),
    }
    if request.per_wr:
        values["LATITUDE_INJECT_PER_WR"] = "1"
    if request.intra_node:
        values["LATITUDE_INJECT_INTRA"] = "1"
        values |= _through_ucx(request.command, launcher, environment)
    return values


def _through_ucx(
    command: Sequence[str], launcher: Launcher | None, environment: Mapping[str, str]
) -> dict[str, str]:
    abi = launcher.abi if launcher is not None else ""
    wanted = {} if abi == mpi.OPENMPI else dict(_MPICH_THROUGH_UCX)
    if abi != mpi.MPICH and "pml" not in command:  # the user's own --mca pml stays
        wanted |= _OPENMPI_THROUGH_UCX
    return {name: value for name, value in wanted.items() if name not in environment}


def _prepare(request: Request) -> None:
    directory = request.directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
        results = [*directory.glob(PATTERN), *directory.glob(DESCRIPTION)]
        if results and not request.force:
            raise InputError(
                f"{directory}: holds the results of a run; pass --force to overwrite them, or "
                "another -o"
            )
        for path in results:
            path.unlink(missing_ok=True)
    except FileExistsError as error:
        raise InputError(f"{directory}: is a file; give a directory to -o") from error
    except OSError as error:
        raise InputError(
            f"{directory}: cannot be written: {error.strerror or error}; give -o a directory that "
            "all ranks can write"
        ) from error
    write_new(directory / TABLE, table_text(request.table), force=True)
    write_new(directory / SEED, f"{request.seed}\n", force=True)
