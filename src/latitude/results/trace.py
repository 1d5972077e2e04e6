"""What `latitude trace` writes beside the ranks' files: trace.json (docs/trace-format.md)."""

from typing import Annotated, ClassVar

from msgspec import Meta

from latitude.results.declared import Count, Instant, Result

Signal = Annotated[int, Meta(ge=1)]


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
    """What the tracer was built for."""
    mpicc: str
    tracer: str | None
    """Its version."""
    clock: str | None
    ranks: Annotated[int, Meta(ge=1)]
    complete: bool
    """Whether every rank's file has its end."""
