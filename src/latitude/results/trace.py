"""The file trace.json of `latitude trace` (docs/internals/trace-format.md)."""

from typing import Annotated, ClassVar

from msgspec import Meta

from latitude.results.declared import Count, Instant, Nanoseconds, Part, Result

Signal = Annotated[int, Meta(ge=1)]


class MessageOrder(Part, frozen=True, kw_only=True):
    """Whether messages arrive after they have left, by the hosts' clocks made one."""

    messages: Count
    """Point-to-point ones between ranks that were looked at."""
    reversed: Count
    """That would arrive before they left, by more than both clocks may be off."""
    worst_ns: Nanoseconds
    """By how much the one that is off by most would; 0: none is."""
    source: Count
    """Its sender's rank, and its receiver's; 0 where there is none."""
    destination: Count


class TracedRun(Result, frozen=True, kw_only=True):
    """trace.json: how a trace came about."""

    SCHEMA: ClassVar[str] = "latitude.trace/1"

    version: str
    command: tuple[str, ...]
    started: Instant
    seconds: Annotated[float, Meta(ge=0)]
    """How long it took."""
    exit_status: Count
    """As a shell reports it."""
    signal: Signal | None
    """Number of the one that ended it."""
    host: str
    """Where it was started."""
    mpi: str
    """MPI for which the tracer was built."""
    mpicc: str
    tracer: str | None
    """Its version."""
    clock: str | None
    ranks: Annotated[int, Meta(ge=1)]
    complete: bool
    """Whether every rank's file has its end."""
    message_order: MessageOrder | None = None
    """Of a run on several hosts; null where clocks are not compared, or not looked at."""
