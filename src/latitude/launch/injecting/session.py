"""One run under injected latency, from the command to the ranks' counts."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from types import MappingProxyType

import numpy as np

from latitude.distributions.table import table_text
from latitude.files.writing import write_new
from latitude.launch import launcher as launchers
from latitude.launch import mpi, preflight
from latitude.launch.application import Application, application
from latitude.launch.child import Ended
from latitude.launch.directory import RunFiles, alone_in, prepare
from latitude.launch.injecting.compiler import injector
from latitude.launch.injecting.latency import InjectedLatency
from latitude.launch.injecting.recorded import PATTERN, Counted, Delays, read_counts
from latitude.launch.launcher import Job, Launcher
from latitude.launch.side import side_of
from latitude.results.injection import OFF, Layer

TABLE_FILE, SEED_FILE = "table.dist", "table.seed"
DESCRIPTION = "inject.json"
_RESULTS = RunFiles("the results of a run", PATTERN, "rank-{}*.inj", (DESCRIPTION,))

# Ranks of a node use UCX or libfabric only if an option of their MPI selects it.
_MPICH_THROUGH_NETWORK = {"MPIR_CVAR_NOLOCAL": "1", "I_MPI_FABRICS": "ofi"}
_OPENMPI_THROUGH_UCX = {
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
}


@dataclass(frozen=True, slots=True)
class InjectionRequest:
    """The request for a run."""

    command: Sequence[str]
    directory: Path
    """Directory for the table and the ranks' counts, writable by all ranks."""
    layer: Layer
    latency: InjectedLatency | None
    """Injected latency; None with OFF."""
    intra_node: bool = False
    per_wr: bool = False
    go_on: bool = False
    """Whether the program continues even if MPI has started and no message can be delayed."""
    force: bool = False
    """Whether to replace results in `directory`."""
    stdout: Path | None = None
    """File for the program's output, in place of our own stdout."""
    stderr: Path | None = None
    limit_s: float | None = None
    """Seconds after which the command gets a signal to end."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Variables of a library that is preloaded before the injector, e.g. the tracer's."""


@dataclass(frozen=True, slots=True)
class Injected:
    """The outcome of a run."""

    request: InjectionRequest
    application: Application | None
    ended: Ended
    counts: list[Counted]

    @property
    def hooked(self) -> bool:
        """Whether messages or posts were delayed, if only by 0; with OFF: was the run timed?"""
        if self.request.layer == OFF:
            return self.runtime_ns is not None
        return any(counted.delayed for counted in self.counts)

    @property
    def in_vain(self) -> bool:
        """Whether the injector ended the program after MPI's start: it could delay no message."""
        return any(counted.in_vain for counted in self.counts)

    @property
    def totals(self) -> tuple[Delays, Delays]:
        """Delays requested and delays achieved, over all processes."""
        if not self.counts:
            none = Delays(np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.uint64))
            return none, none
        asked = reduce(Delays.merged, (each.asked for each in self.counts))
        return asked, reduce(Delays.merged, (each.achieved for each in self.counts))

    @property
    def runtime_ns(self) -> int | None:
        """The longest time of a rank from MPI_Init to MPI_Finalize; None without such a rank."""
        return max((each.runtime_ns for each in self.counts if each.runtime_ns), default=None)

    @property
    def span_ns(self) -> int | None:
        """Time from the last rank's return from MPI_Init to the last call of MPI_Finalize, ns.

        Ranks that leave MPI_Init early only wait for the others. The time is taken per host,
        because each host has one clock; the longest time counts.
        """
        hosts: dict[str, list[tuple[int, int]]] = {}
        for each in self.counts:
            if each.started_ns is not None and each.runtime_ns is not None:
                end = each.started_ns + each.runtime_ns
                hosts.setdefault(each.host, []).append((each.started_ns, end))
        spans = (max(e for _, e in ranks) - max(s for s, _ in ranks) for ranks in hosts.values())
        return max(spans, default=None)


def inject(request: InjectionRequest) -> Injected:
    """Runs the command under injected latency, left or right of its launcher; in the main thread.

    Right of the launcher only rank 0 returns. InputError: the command cannot start, or `directory`
    holds results and `force` is not given.
    """
    side = side_of(request.command)
    with ExitStack() as until_read:
        with side.errors_said_once():
            program = _reached(request.command, side.launcher)
            preflight.refuse(request.command, side.launcher, program, os.environ)
            path = injector()
            until_read.enter_context(alone_in(request.directory, side.rank))
            prepare(request.directory, _RESULTS, side.rank, force=request.force)
            _write_latency(request)
        ours = variables(path, request, side.launcher, program, os.environ)
        values = launchers.together(request.beside, ours)
        job = launchers.job(request.command, side.launcher, values, os.environ)
        ended = side.run(job, stdout=request.stdout, stderr=request.stderr, limit_s=request.limit_s)
        counts = side.when_complete(lambda: read_counts(request.directory), _complete, ended)
        if side.rank is not None:
            counts = _of_this_run(counts)
        return Injected(request, program, ended, counts)


def _reached(command: Sequence[str], launcher: Launcher | None) -> Application | None:
    """The program in the command. InputError: a preload cannot reach this program alone."""
    program = application(command)
    if program is not None:
        launchers.check_reached(command, launcher, program)
    return program


def prepared(
    request: InjectionRequest,
    environment: Mapping[str, str],
    given: Mapping[str, str] = MappingProxyType({}),
) -> Job:
    """The command with the injector's variables, for callers that start the command; see `inject`.

    `given` are additional variables for the ranks. This function also writes the files that the
    ranks read.
    """
    launcher = launchers.find(request.command)
    program = _reached(request.command, launcher)
    path = injector()
    prepare(request.directory, _RESULTS, None, force=request.force)
    _write_latency(request)
    known = {**environment, **given}
    ours = variables(path, request, launcher, program, known)
    values = {**given, **launchers.together(request.beside, ours)}
    return launchers.job(request.command, launcher, values, known)


def _ranks(counts: list[Counted]) -> int | None:
    """Number of ranks in the run to which rank 0 belongs."""
    return next((each.ranks for each in counts if each.rank == 0), None)


def _complete(counts: list[Counted]) -> bool:
    ranks = _ranks(counts)
    return ranks is None or sum(each.ended for each in counts) >= ranks


def _of_this_run(counts: list[Counted]) -> list[Counted]:
    """This run's counts; removes files of an earlier, larger run.

    Such files exist because each rank clears only its own file.
    """
    ranks = _ranks(counts)
    if not ranks:
        return counts
    for each in counts:
        if each.rank is not None and each.rank >= ranks:
            each.path.unlink(missing_ok=True)
    return [each for each in counts if each.rank is not None and each.rank < ranks]


def variables(
    path: Path,
    request: InjectionRequest,
    launcher: Launcher | None,
    program: Application | None,
    environment: Mapping[str, str],
) -> dict[str, str]:
    """Variables that switch the injector on in a process of `program`."""
    values = {
        "LD_PRELOAD": launchers.preloaded(path, environment, program),
        "LATITUDE_INJECT": request.layer,
        "LATITUDE_INJECT_DIR": str(request.directory.absolute()),
    }
    if request.per_wr:
        values["LATITUDE_INJECT_PER_WR"] = "1"
    if request.go_on:
        values["LATITUDE_INJECT_GO_ON"] = "1"
    if request.intra_node:
        values["LATITUDE_INJECT_INTRA"] = "1"
        values |= _through_network(request.command, launcher, environment)
    return values


def _through_network(
    command: Sequence[str], launcher: Launcher | None, environment: Mapping[str, str]
) -> dict[str, str]:
    abi = launcher.abi if launcher is not None else launchers.abi_of_this_process()
    wanted = {} if abi == mpi.OPENMPI else dict(_MPICH_THROUGH_NETWORK)
    if abi != mpi.MPICH and "pml" not in command:  # the user's own --mca pml stays
        wanted |= _OPENMPI_THROUGH_UCX
    return {name: value for name, value in wanted.items() if name not in environment}


def _write_latency(request: InjectionRequest) -> None:
    """Writes table and seed.

    Right of a launcher each rank writes them, because nodes may not share the directory.
    """
    if request.latency is not None:
        directory = request.directory
        write_new(directory / TABLE_FILE, table_text(request.latency.table), force=True)
        write_new(directory / SEED_FILE, f"{request.latency.seed}\n", force=True)
