"""The file trace.json of `latitude trace` (docs/internals/trace-format.md)."""

from typing import Annotated, ClassVar

from msgspec import Meta

from latitude.results.declared import Count, Instant, Nanoseconds, Part, Result

Signal = Annotated[int, Meta(ge=1)]


class MessageOrder(Part, frozen=True, kw_only=True):
    """Check that messages arrive after they have left, by the hosts' aligned clocks."""

    messages: Count
    """Number of checked point-to-point messages between ranks."""
    reversed: Count
    """Number of messages that would arrive before they left, by more than the errors of both
    clocks."""
    worst_ns: Nanoseconds
    """Time by which the worst message would arrive early; 0 if none would."""
    source: Count
    """Rank of the worst message's sender; otherwise 0."""
    destination: Count


class TracedRun(Result, frozen=True, kw_only=True):
    """trace.json: the facts of a traced run."""

    SCHEMA: ClassVar[str] = "latitude.trace/1"

    version: str
    command: tuple[str, ...]
    started: Instant
    seconds: Annotated[float, Meta(ge=0)]
    """Duration of the run."""
    exit_status: Count
    """Exit status in the form of a shell."""
    signal: Signal | None
    """Number of the signal that ended the run."""
    host: str
    """Host on which the run was started."""
    mpi: str
    """MPI for which the tracer was built."""
    mpicc: str
    tracer: str | None
    """Version of the tracer."""
    clock: str | None
    ranks: Annotated[int, Meta(ge=1)]
    complete: bool
    """Whether every rank's file is complete."""
    message_order: MessageOrder | None = None
    """Check of the messages of a run on several hosts; null if clocks were not compared or messages
    not checked."""
