"""A program in Latitude: its execution graph and the graph's origin."""

from dataclasses import dataclass, field
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude._types import Count, Floats
from latitude.files.provenance import Digest, Provenance, provenance
from latitude.notices.notice import Notice
from latitude.trace.cores import CoreTimes
from latitude.trace.costs import RecordedCosts
from latitude.trace.jobs.job import RecordedJob
from latitude.trace.recorded_run import recorded_program


@dataclass(frozen=True, slots=True)
class WallTimes:
    """Parts of a rank's wall time between MPI_Init and MPI_Finalize, means over ranks."""

    computing_ns: float
    """Time between MPI calls, by the clock of computation."""
    without_core_ns: float | None
    """Time between MPI calls in which the rank had no core; null if not recorded."""
    tracer_ns: float
    """Time of the tracer's own work."""
    calls_ns: float
    """Time in MPI calls."""


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """The input as read. Fields of calls and of the run are None or empty for a GOAL file."""

    format: str
    ranks: Count
    events: Count | None = None
    """Number of recorded MPI calls; null for GOAL files."""
    wall_ns: float | None = None
    """Duration of the run: from the last rank's return from MPI_Init to the first rank's entry into
    MPI_Finalize, if one clock gave the times of all ranks. Otherwise the longest time of one rank.
    """
    wall: WallTimes | None = None
    """Parts of the recorded time; null if the format does not tell."""
    cores: CoreTimes | None = None
    """Part of the time in which the ranks had a core; null if not known, as for an archive."""
    calls: dict[str, Count] = field(default_factory=dict)
    """Number of calls of each MPI function over all ranks, most frequent first."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """Duration and computation of the recorded run."""

    runtime_ns: float
    """Time from the first rank's return from MPI_Init to the last rank's entry into MPI_Finalize,
    if one clock gave the times of all ranks. Otherwise the longest time of one rank, or the length
    of the trace if everything outside MPI counts as computation."""
    useful_ns: Floats | None = None
    """(ranks,) computation of each rank, if the format records it; None if the time between calls
    counts, as in the graph."""


@dataclass(frozen=True, slots=True)
class Wildcards:
    """Choices that a trace leaves open.

    They are the messages of receives from any source, and the calls that completed requests.
    """

    assumed: str
    """arrival: the first message to arrive, and the first request to be done, in a simulation on
    the baseline network."""
    choices: Count
    """Receives from any source for which more than one rank could have sent a message."""
    otherwise: Count
    """Number of these receives that take another rank's message if all latencies are 0.5 or 1.5
    times as long."""
    completions: Count = 0
    """Requests that several calls (MPI_Test, MPI_Waitany and similar) may have completed."""
    completions_otherwise: Count = 0
    """Number of these requests that another call completes if all latencies are 0.5 or 1.5 times as
    long.
    """


@dataclass(frozen=True, slots=True)
class Program:
    """The result of `latitude.load`: one run of a program as an execution graph."""

    path: Path
    graph: _core.Graph
    trace: TraceInfo
    digest: Digest
    collectives: str
    """The algorithms that replace collectives, in words."""
    reduce_ns_per_byte: float
    warnings: list[Notice]
    cpu_order: str | None = None
    """Order of independent operations on a GOAL file's CPU: baseline, file or none. None for a
    trace, whose calls have an order."""
    wildcards: Wildcards | None = None
    """Assumed sources of receives from any source, and assumed completions; None without
    assumptions."""
    async_progress: bool | None = None
    """Whether receives answer rendezvous requests while their rank computes; None for a GOAL file,
    whose dependencies tell when a receive is posted."""
    run: RecordedRun | None = None
    """None if the graph lacks the recorded run's computation, as for a GOAL file or after a
    replay."""
    job: RecordedJob | None = None
    """Groups and collectives of a job; None for an MPI program."""
    cpu_gaps: float = 1.0
    """Factor on the time of a job's CPUs between launches."""
    through: tuple[str, ...] = ()
    """Source files and libraries that wrap MPI, in addition to the known ones (`trace.wrappers`).
    """
    costs: RecordedCosts | None = None
    """Costs of calls in the graph, which replace o and O; None for the network's costs."""

    @property
    def ranks(self) -> int:
        """Number of MPI processes."""
        return self.graph.ranks

    def refuse_job(self, what: str) -> None:
        """InputError, for questions about single messages: the program is a job."""
        if self.job is not None:
            raise InputError(
                f"{self.path}: {what} needs single messages, and a job's collectives have recorded "
                "costs; use latitude analyze"
            )

    def __repr__(self) -> str:
        """Origin and size of the program."""
        size = f"{self.ranks:,} ranks, {self.graph.messages:,} messages"
        return f"<Program of {self.path.name}: {size}, {self.trace.format}>"

    def provenance(self) -> Provenance:
        """Provenance of a result that is computed now from this program."""
        return provenance(self.path, self.digest, recorded_program(self.path))
