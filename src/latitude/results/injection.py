"""The result of `latitude inject`: requested and achieved latencies."""

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
"""No delays: the injector only measures run times."""


class InjectedTable(Part, frozen=True, kw_only=True):
    """Table of delays."""

    source: str
    mean_ns: Nanoseconds
    sd_ns: Nanoseconds
    p999_ns: Nanoseconds


class DelayFigures(Part, frozen=True, kw_only=True):
    """Mean and quantiles of delays; null if nothing was delayed."""

    mean_ns: Nanoseconds | None = None
    p1_ns: Nanoseconds | None = None
    p50_ns: Nanoseconds | None = None
    p95_ns: Nanoseconds | None = None
    p99_ns: Nanoseconds | None = None
    p999_ns: Nanoseconds | None = msgspec.field(default=None, name="p99.9_ns")

    def known(self) -> list[float]:
        """The figures in order; empty if nothing was delayed."""
        return [value for value in self.plain().values() if value is not None]


class DelayHistogram(Part, frozen=True, kw_only=True):
    """Cells with delays: their ends in ns, and counts."""

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
    """Whether the process lived until the end of its program."""
    runtime_ns: Count | None
    """Time from the return of MPI_Init to the call of MPI_Finalize."""
    hooked: Count
    """Number of interfaces, endpoints or queue pairs with delays."""
    delayed: Count
    passed: Count
    loads: Count
    """Number of times that the injector was loaded."""
    asked_mean_ns: Nanoseconds | None
    achieved_mean_ns: Nanoseconds | None
    late_mean_ns: Nanoseconds | None
    """Mean lateness of the process's messages, with the definition for the whole run."""
    delayed_transports: tuple[str, ...]
    other_transports: tuple[str, ...]
    """Transports whose messages were not delayed."""
    off: str | None
    """Reason why the delays are off."""


class Injection(Result, frozen=True, kw_only=True):
    """Result of `latitude inject`. Times are ns unless a name has another unit."""

    SCHEMA: ClassVar[str] = "latitude.inject/1"

    provenance: Made
    command: tuple[str, ...]
    """The command that was run."""
    layer: Layer
    intra_node: bool
    """Whether messages within a node are delayed, too."""
    per_wr: bool
    """Whether each work request has a delay."""
    seed: Count | None
    """null with --off."""
    table: InjectedTable | None
    """null with --off."""
    exit_status: Count
    """Exit status in the form of a shell."""
    signal: Signal | None
    """Number of the signal that ended the command."""
    timed_out: bool
    seconds: Annotated[float, Meta(ge=0)]
    """Duration from the command's start to its end."""
    runtime_ns: Count | None
    """Longest time of a rank from MPI_Init to MPI_Finalize; null if no rank called both functions.
    """
    delayed: Count
    """Number of delayed messages, or posts."""
    passed: Count
    """Number of messages without delay, which set up connections, or were sent while delays were
    off."""
    asked: DelayFigures
    achieved: DelayFigures
    late: Count
    """Number of messages, or posts, that came late while their rank waited."""
    late_mean_ns: Nanoseconds | None
    """Mean lateness over all delayed messages: latency that the machine has added. A message for
    which no rank waited counts as punctual. null if nothing was delayed."""
    histogram: DelayHistogram
    processes: tuple[InjectedProcess, ...]
    warnings: tuple[Notice, ...] = ()
