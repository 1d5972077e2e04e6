"""A program in Latitude: the execution graph and its origin."""

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
    """How a rank's time went between MPI_Init and MPI_Finalize, by the wall clock; means."""

    computing_ns: float
    """Between calls of MPI, by the clock that computation is measured by."""
    without_core_ns: float | None
    """Between calls while the rank had no core; null where that was not recorded."""
    tracer_ns: float
    """The tracer at work."""
    calls_ns: float
    """In calls of MPI."""


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """The input as read. Fields of calls and of the run are None or empty for a GOAL file."""

    format: str
    ranks: Count
    events: Count | None = None
    """MPI calls recorded; null for GOAL files."""
    wall_ns: float | None = None
    """How long the run took: from the last rank's return from MPI_Init to the first one's entry
    into MPI_Finalize, where one clock gave the times of all ranks; else the longest of their
    own."""
    wall: WallTimes | None = None
    """Where that time went; null where the format does not tell."""
    cores: CoreTimes | None = None
    """How much of it the ranks had a core; null where that is not known, as of an archive."""
    calls: dict[str, Count] = field(default_factory=dict)
    """How often each MPI call occurred, all ranks together, most frequent first."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """How long the run took that was recorded."""

    runtime_ns: float
    """From the first rank's return from MPI_Init to the last one's entry into MPI_Finalize, if one
    clock gave the times of all ranks. Otherwise the longest time of one rank, or the length of the
    trace if everything outside MPI counts as computation."""
    useful_ns: Floats | None = None
    """(ranks,) computation of each rank, if the format records it; None if the time between calls
    counts, which is the computation in the graph."""


@dataclass(frozen=True, slots=True)
class Wildcards:
    """Choices that a trace leaves open.

    What receives from any source received, and which calls completed a request.
    """

    assumed: str
    """arrival: what comes first, and is done first, in a simulation at the baseline network."""
    choices: Count
    """Receives from any source, where more than one rank could have sent a message to them."""
    otherwise: Count
    """How many of them take another rank's message when all latencies are half, or one and a half
    times, as long."""
    completions: Count = 0
    """Requests that several calls (MPI_Test, MPI_Waitany and their like) may have completed."""
    completions_otherwise: Count = 0
    """How many of them another call completes with such latencies."""


@dataclass(frozen=True, slots=True)
class Program:
    """The result of `latitude.load`: one run of a program as an execution graph."""

    path: Path
    graph: _core.Graph
    trace: TraceInfo
    digest: Digest
    collectives: str
    """The algorithms collectives were expanded to, in words."""
    reduce_ns_per_byte: float
    warnings: list[Notice]
    cpu_order: str | None = None
    """Order of the operations of a GOAL file's CPU that the file leaves independent: baseline, file
    or none. None for a trace, whose calls have an order."""
    wildcards: Wildcards | None = None
    """Assumed sources of receives from any source, and assumed completions; None without
    assumptions."""
    async_progress: bool | None = None
    """Whether receives meet the requests of rendezvous while their rank computes; None of a GOAL
    file, whose dependencies say when a receive is posted."""
    run: RecordedRun | None = None
    """None if the graph lacks the recorded run's computation, as for a GOAL file or after a
    replay."""
    job: RecordedJob | None = None
    """Groups and collectives of a job; None of an MPI program."""
    cpu_gaps: float = 1.0
    """By which what a job's CPUs take between launches is multiplied."""
    through: tuple[str, ...] = ()
    """Source files and libraries that wrap MPI, in addition to known ones (`trace.wrappers`)."""
    costs: RecordedCosts | None = None
    """Costs of calls in the graph, in place of o and O; None for the network's."""

    @property
    def ranks(self) -> int:
        """Number of MPI processes."""
        return self.graph.ranks

    def refuse_job(self, what: str) -> None:
        """For those who ask about single messages. InputError: the program is a job."""
        if self.job is not None:
            raise InputError(
                f"{self.path}: {what} needs single messages, and a job's collectives have recorded "
                "costs; use latitude analyze"
            )

    def __repr__(self) -> str:
        """The program's origin and size."""
        size = f"{self.ranks:,} ranks, {self.graph.messages:,} messages"
        return f"<Program of {self.path.name}: {size}, {self.trace.format}>"

    def provenance(self) -> Provenance:
        """Provenance of a result computed from it now."""
        return provenance(self.path, self.digest, recorded_program(self.path))
