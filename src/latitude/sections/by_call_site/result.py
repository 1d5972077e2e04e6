"""Places in the source, and their part of the critical path."""

from typing import Annotated

from msgspec import Meta

from latitude.results.declared import Amount, Count, Part, Unbounded
from latitude.trace.symbols import Frame
from latitude.units.columns import AMOUNT, SHARE, TIME, column

_Line = Annotated[int, Meta(ge=1)]


_Times = Annotated[int, Meta(ge=1)]


class Sender(Part, frozen=True, kw_only=True):
    """The place that sends most of the messages for which a call site waits."""

    where: str
    function: str | None
    file: str | None
    line: _Line | None
    lambda_L: Amount
    """Number of latencies on the critical path in messages from this place."""


class CallPath(Part, frozen=True, kw_only=True):
    """A call path to a place that calls MPI."""

    frames: tuple[str, ...]
    """The MPI call, then its callers; the outermost is last."""
    count: _Times
    """Number of calls on this path, over all ranks."""
    lambda_L: Amount
    """Number of latencies on the critical path in messages that these calls receive."""


class CallSiteShare(Part, frozen=True, kw_only=True):
    """Parts of the critical path by call site."""

    where: str
    """Name for people: `comm.c:88`, `exchange+0x1f` without line numbers, `libcomm.so+0x5a10`
    without symbols."""
    function: str | None
    file: str | None
    """Full path, as the compiler wrote it."""
    line: _Line | None
    inlined_into: tuple[Frame, ...]
    """Functions into which this call was inlined, with lines; innermost first."""
    module: str
    """Path of the executable or library."""
    offsets: Annotated[tuple[Count, ...], Meta(min_length=1)]
    """Return addresses, in the module's own numbering."""
    calls: dict[str, _Times]
    """MPI calls at the place that communicate, with their numbers over all ranks."""
    path_vertices: Count
    before_ns: Annotated[float, column("before", TIME)]
    """Computation on the path just before these calls."""
    calc_ns: float
    """Computation inside these calls (reductions)."""
    overhead_ns: Annotated[float, column("overhead", TIME)]
    latency_ns: float
    network_ns: Annotated[float, column("network", TIME)]
    """Time of latency and transfer of the messages that these calls receive."""
    lambda_L: Annotated[Amount, column("latencies λ", AMOUNT)]
    """Latencies of the messages that these calls receive: the place's part of λ_L."""
    share: Annotated[float, column("of T", SHARE)]
    """calc_ns, overhead_ns and network_ns as a share of T."""
    bytes_sent: Count
    bytes_received: Count
    sent_from: Sender | None
    """The place that sends most of the latencies, if it is another place."""
    count: _Times
    """Number of calls at the place, over all ranks."""
    paths: list[CallPath]
    """Call paths to the place if callers were recorded, most latencies first."""
    least_slack_ns: Unbounded
    """Extra latency that the tightest message sent or received at the place can take alone; null
    without such a message, or if slack is left out.
    """

    @property
    def on_path(self) -> bool:
        """Whether the critical path spends time at this place."""
        return self.share > 0

    @property
    def name(self) -> Annotated[str, column("line")]:
        """The place: `comm.c:88 in exchange`, or its known parts."""
        if self.function is None or self.line is None:
            return self.where
        return f"{self.where} in {self.function}"
