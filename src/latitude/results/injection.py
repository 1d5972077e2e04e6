"""The result of `latitude inject`: asked and achieved latencies."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from latitude.files.provenance import Made
from latitude.notices.notice import Notice
from latitude.results.declared import Count, Nanoseconds, Part, Result
from latitude.results.trace import Signal

Layer = Literal["flow", "verbs", "off"]
FLOW: Layer = "flow"
VERBS: Layer = "verbs"
OFF: Layer = "off"
"""Nothing is delayed; run times are measured."""


class InjectedTable(Part, frozen=True, kw_only=True):
    """Table of delays."""

    source: str
    mean_ns: Nanoseconds
    sd_ns: Nanoseconds
    p999_ns: Nanoseconds


class DelayFigures(Part, frozen=True, kw_only=True):
    """Mean and quantiles of delays; null where nothing was delayed."""

    mean_ns: Nanoseconds | None = None
    p1_ns: Nanoseconds | None = None
    p50_ns: Nanoseconds | None = None
    p95_ns: Nanoseconds | None = None
    p99_ns: Nanoseconds | None = None
    p999_ns: Nanoseconds | None = msgspec.field(default=None, name="p99.9_ns")

    def known(self) -> list[float]:
        """The figures in order, where something was delayed."""
        return [value for value in self.plain().values() if value is not None]


class DelayHistogram(Part, frozen=True, kw_only=True):
    """Cells that hold delays: their ends in ns, and counts."""

    from_ns: tuple[Nanoseconds, ...]
    to_ns: tuple[Nanoseconds, ...]
    asked: tuple[Count, ...]
    achieved: tuple[Count, ...]


class InjectedProcess(Part, frozen=True, kw_only=True):
    """Counts of one process."""

    rank: Count | None
    host: str
    pid: Count
    ended: bool
    """Whether it lived to the end of its program."""
    runtime_ns: Count | None
    """From the return of MPI_Init to the call of MPI_Finalize."""
    hooked: Count
    """Interfaces, endpoints or queue pairs that are delayed."""
    delayed: Count
    passed: Count
    loads: Count
    """Times the injector was loaded."""
    asked_mean_ns: Nanoseconds | None
    achieved_mean_ns: Nanoseconds | None
    late_mean_ns: Nanoseconds | None
    """As of the whole run."""
    delayed_transports: tuple[str, ...]
    other_transports: tuple[str, ...]
    """Not delayed."""
    off: str | None
    """Why the delays are off."""


class Injection(Result, frozen=True, kw_only=True):
    """Result of `latitude inject`. Times are ns where no other unit is named."""

    SCHEMA: ClassVar[str] = "latitude.inject/1"

    provenance: Made
    command: tuple[str, ...]
    """The command."""
    layer: Layer
    intra_node: bool
    """Messages within a node are delayed, too."""
    per_wr: bool
    """A delay for each work request."""
    seed: Count | None
    """null with --off."""
    table: InjectedTable | None
    """null with --off."""
    exit_status: Count
    """As a shell reports it."""
    signal: Signal | None
    """Number of the one that ended the command."""
    timed_out: bool
    seconds: Annotated[float, Meta(ge=0)]
    """From its start to its end."""
    runtime_ns: Count | None
    """From MPI_Init to MPI_Finalize, of the rank that took longest; null when none did both."""
    delayed: Count
    """Messages, or posts."""
    passed: Count
    """Let through: connections being set up, and what was sent while delays were off."""
    asked: DelayFigures
    achieved: DelayFigures
    late: Count
    """Messages, or posts, that came after they were due while their rank waited."""
    late_mean_ns: Nanoseconds | None
    """By how much, as a mean over all delayed ones: what the machine has added to each. A rank that
    computed when its message was due did not wait, and does not count. null where nothing was
    delayed."""
    histogram: DelayHistogram
    processes: tuple[InjectedProcess, ...]
    warnings: tuple[Notice, ...] = ()
