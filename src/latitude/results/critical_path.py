"""What a result says of the critical path and those next to it. Times are ns."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, Protocol

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from latitude._types import Floats, Numbers
from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Count,
    FloatColumn,
    IntegerColumn,
    Nanoseconds,
    NumberColumn,
    Part,
    Unbounded,
)
from latitude.trace.symbols import Frame

BLOCK = 1 << 18
"""Steps of a path that are looked at together: it may have tens of millions."""

_Line = Annotated[int, Meta(ge=1)]
_Times = Annotated[int, Meta(ge=1)]


@dataclass(frozen=True, slots=True)
class FewValues:
    """A long column of few different values: NumPy takes it for the array of its values."""

    code: NDArray[np.uint16]
    """(rows,) indices into `value`."""
    value: Floats
    """Each different value once."""

    def __len__(self) -> int:
        return self.code.size

    def __getitem__(self, rows: Any) -> Floats:
        values: Floats = self.value[self.code[rows]]
        return values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.value[self.code], dtype=dtype)


class Values(Protocol):
    """The values of a long column: an array, or FewValues."""

    def __getitem__(self, rows: Any, /) -> Any: ...

    def __array__(self) -> NDArray[Any]: ...


class Steps(Columns, frozen=True, kw_only=True):
    """Steps of the critical path, vertex by vertex.

    Each step begins where the one before ends. A receive's step holds the message's way to it.
    """

    vertex: NumberColumn
    rank: NumberColumn
    start: FloatColumn
    end: FloatColumn
    calc: FloatColumn
    overhead: FloatColumn
    """o, and what g and O cost."""
    network: FloatColumn
    """Latency and bandwidth."""
    latency: FloatColumn
    """Of that, latency."""
    latencies: FloatColumn
    """Message latencies in the step; their sum is λ_L."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePath:
    """The steps of the whole critical path, of which there may be tens of millions.

    Its columns are those of Steps.
    """

    vertex: Numbers
    rank: Numbers
    start: Floats
    end: Floats
    calc: Values
    overhead: Values
    network: Values
    latency: Values
    latencies: Values

    def __len__(self) -> int:
        return self.vertex.size

    def blocks(self) -> Iterator[tuple[slice, Steps]]:
        """The steps in time order, so many at a time that what is computed of them stays small.

        With the place of each block; none of a path without steps.
        """
        for place in self.places():
            yield place, self.part(place)

    def places(self) -> list[slice]:
        """Where the blocks are, in time order."""
        size = len(self)
        return [slice(first, min(first + BLOCK, size)) for first in range(0, size, BLOCK)]

    def part(self, place: slice) -> Steps:
        """Some of the steps."""
        return Steps(**{each.name: getattr(self, each.name)[place] for each in fields(self)})


class Stay(Part, frozen=True, kw_only=True):
    """A stretch of the critical path on one rank, and how it got there."""

    rank: Count
    start_ns: float
    end_ns: float
    calc_ns: float
    overhead_ns: float
    network_ns: float
    """Latency and bandwidth on the way to the rank (and inside, where stays were merged)."""
    vertices: Count


class ByRank(Columns, frozen=True, kw_only=True):
    """Where each rank's time goes at the baseline."""

    rank: IntegerColumn
    calc_ns: AmountColumn
    overhead_ns: AmountColumn
    wait_ns: AmountColumn
    end_ns: AmountColumn
    path_ns: FloatColumn
    """Time the critical path spends on the rank."""


class CallShare(Part, frozen=True, kw_only=True):
    """What one MPI call has on the critical path."""

    call: str
    count: int | None
    """How often the program called it, all ranks together; null when not recorded."""
    path_vertices: Count
    calc_ns: float
    overhead_ns: float
    network_ns: float
    """Latency and bandwidth of the messages that arrive in this call."""
    lambda_L: Amount
    """Latencies of these messages: this call's part of λ_L."""


class Sender(Part, frozen=True, kw_only=True):
    """The place that sends most of what a call site waits for."""

    where: str
    function: str | None
    file: str | None
    line: _Line | None
    lambda_L: Amount
    """Latencies on the critical path of messages from there."""


class CallPath(Part, frozen=True, kw_only=True):
    """A way on which a program comes to a place that calls MPI."""

    frames: tuple[str, ...]
    """The call of MPI, then its callers, outermost last, as people read them."""
    count: _Times
    """How often it was taken, all ranks together."""
    lambda_L: Amount
    """Latencies on the critical path of messages that are received by these calls."""


class SiteOnPath(Part, frozen=True, kw_only=True):
    """What one place in the source that calls MPI has on the critical path."""

    where: str
    """For people: `comm.c:88`, `exchange+0x1f` without line numbers, `libcomm.so+0x5a10` without
    symbols."""
    function: str | None
    file: str | None
    """Full path, as the compiler wrote it."""
    line: _Line | None
    inlined_into: tuple[Frame, ...]
    """Functions this call was inlined into, and the lines where; innermost first."""
    module: str
    """Path of the executable or library."""
    offsets: Annotated[tuple[Count, ...], Meta(min_length=1)]
    """Return addresses, in the module's own numbering."""
    calls: dict[str, _Times]
    """MPI calls made there that communicate, and how often, all ranks together."""
    path_vertices: Count
    before_ns: float
    """Computation on the path just before these calls."""
    calc_ns: float
    """Computation inside them (reductions)."""
    overhead_ns: float
    latency_ns: float
    network_ns: float
    """Latency and bandwidth of the messages that these calls receive."""
    lambda_L: Amount
    """Latencies of these messages: this place's part of λ_L."""
    share: float
    """calc_ns, overhead_ns and network_ns as a share of T."""
    bytes_sent: Count
    bytes_received: Count
    sent_from: Sender | None
    """Where most of the latencies come from, when that is another place."""
    count: _Times
    """How often the place was passed, all ranks together."""
    paths: list[CallPath]
    """Where callers were recorded, the ways to it: most latencies first."""

    @property
    def on_path(self) -> bool:
        """Whether the critical path spends time there."""
        return self.share > 0

    @property
    def name(self) -> str:
        """A place in the source: `comm.c:88 in exchange`, or what is known of it."""
        if self.function is None or self.line is None:
            return self.where
        return f"{self.where} in {self.function}"


class CallSiteShare(SiteOnPath, frozen=True, kw_only=True):
    """What one place in the source that calls MPI has on the critical path, and its slack."""

    least_slack_ns: Unbounded
    """Extra latency the tightest message sent or received there can take alone; null if none."""


class Waypoint(Part, frozen=True, kw_only=True):
    """A message that a path waits for."""

    source: Count
    destination: Count
    call: str
    """That posted the receive; `recv` where it is not recorded."""
    bytes: Count


class NearPath(Part, frozen=True, kw_only=True):
    """One of the longest paths; they differ in the messages they wait for."""

    length_ns: Nanoseconds
    shorter_ns: Nanoseconds
    """Than the critical path."""
    messages: Count
    """How many it waits for."""
    others: Count
    """Of these, messages that the critical path does not wait for."""
    skipped: Count
    """Messages of the critical path that it does not wait for."""
    through: list[Waypoint]
    """The first 100 of these others, in time order."""
