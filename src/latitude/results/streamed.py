"""What an analysis found of a trace that was read while it was evaluated. Times are ns.

What is a function of θ has keys that bear L's name where θ is L, as in `results.analysis`.
"""

from typing import Annotated, ClassVar

import msgspec
import numpy as np

from latitude.files.provenance import Provenance
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.notices.notice import Notice
from latitude.results.analysis import (
    Breakpoints,
    Critical,
    Curve,
    GraphInfo,
    Interval,
    Sensitivity,
    Tangents,
    Tolerance,
)
from latitude.results.assumptions import Assumptions
from latitude.results.critical_path import ByRank, CallShare, SiteOnPath
from latitude.results.declared import Count, Hidden, Nanoseconds, Part, Result
from latitude.results.efficiency import PredictedEfficiency
from latitude.results.left_out import LeftOut
from latitude.results.messages import PairsOnPath, StreamedSlack
from latitude.results.waits import Waits
from latitude.trace.program import TraceInfo

LEFT_OUT = (
    "the critical path in time",
    "near-critical paths",
    "efficiency of the recorded run, and up to which θ an efficiency holds",
    "iterations",
    "what crosses each link between nodes",
    "intervals by what the network's parameters were measured with",
)
"""Parts of an analysis that need the whole graph."""
LEFT_OUT_WITH_PATH = (
    "what the critical path consists of, by kind, rank, MPI call, call site and pair of ranks",
    "where each rank's time goes, why it waits, and for whom",
    "efficiencies",
)
"""Parts that come of the pass along the critical path."""


def left_out(*, path: bool, critical: bool, slack: bool) -> list[LeftOut]:
    """All that is left out, by whether the path, critical values and slack were looked for."""
    whole = "needs the whole graph in memory (--in-memory)"
    asked = () if path else LEFT_OUT_WITH_PATH
    listed = LeftOut(
        what="critical latencies", why="take passes of their own (--critical N, or all)"
    )
    written = LeftOut(
        what="slack of messages", why="takes a pass and room on a disk (--scratch FOLDER)"
    )
    return [
        *(LeftOut(what=what, why="left out by --no-path") for what in asked),
        *(() if critical else (listed,)),
        *(() if slack else (written,)),
        *(LeftOut(what=what, why=whole) for what in LEFT_OUT),
    ]


class Passes(Part, frozen=True, kw_only=True):
    """How the trace was gone through."""

    why: str
    """Why the trace was not read into memory as a whole."""
    passes: Count
    """How often it was read."""
    bytes_read: Count
    """In all passes together."""
    joins: Count
    """Maxima that a pass computed, for each value of θ."""
    operations_held: Count
    """Operations of the graph that were in memory at a time, at most."""
    paths_held: Count
    """Stretches of paths that may have become the critical one, in memory at a time, at most; 0
    where the critical path was not followed."""


class PathParts(Part, frozen=True, kw_only=True):
    """What a critical path at the baseline consists of, of one of them where several tie."""

    latencies: Count
    """Of messages: λ_L of this path."""
    overheads: Count
    """Its λ_o."""
    bytes: Count
    """Its λ_G."""
    calc_ns: Nanoseconds
    """The first of the four parts of T."""
    overhead_ns: Nanoseconds
    """o, and what O costs."""
    latency_ns: Nanoseconds
    bandwidth_ns: Nanoseconds


class StreamedAnalysis(Result, frozen=True, kw_only=True):
    """Result of `latitude analyze` where the trace is evaluated while it is read.

    Times are ns and sizes bytes. null stands for infinite: no latency reaches the limit.
    """

    SCHEMA: ClassVar[str] = "latitude.streamed/1"

    provenance: Provenance
    trace: TraceInfo
    graph: GraphInfo
    model: Assumptions
    streamed: Passes
    T_ns: Nanoseconds
    """Runtime on the network as it is."""
    sensitivity: Sensitivity = msgspec.field(name="theta")
    """The parameter that interval, tolerance and curve are functions of."""
    span: Interval = msgspec.field(name="interval")
    """Values of θ that the curve covers."""
    tolerance: list[Tolerance]
    """By rising limit."""
    curve: Curve
    tangents: Tangents
    """All of the interval at which a pass has found T, with λ towards higher θ; T is nowhere above
    the straight lines between them."""
    listed_values: Breakpoints | None = msgspec.field(name="breakpoints", default=None)
    """The critical values that were asked for (--critical); null where none were."""
    listed_until: Critical | None = msgspec.field(name="critical", default=None)
    """How much of the interval these cover; null where none were asked for."""
    efficiency: PredictedEfficiency | None = None
    """Null, as all that comes of the critical path, where that was not followed (--no-path)."""
    path: PathParts | None = None
    by_rank: ByRank | None = None
    waits: Waits | None = None
    by_call: list[CallShare] | None = None
    """Time and latencies of the critical path by MPI call, costliest first."""
    by_call_site: list[SiteOnPath] | None = None
    """Most latency first. Empty when the trace records no call sites."""
    listed_pairs: PairsOnPath | None = msgspec.field(name="pairs", default=None)
    """Where there are more than 10,000: those with most latencies on the critical path, then with
    most bytes."""
    slack: StreamedSlack | None = None
    """What messages can take; null where that was not asked for (--scratch)."""
    left_out: list[LeftOut]
    warnings: list[Notice]

    network: Annotated[Network, Hidden]
    links: Annotated[Links, Hidden]
    pairs: Annotated[PairsOnPath | None, Hidden] = msgspec.field(name="all_pairs", default=None)

    @property
    def theta(self) -> Theta:
        """What was varied."""
        return self.sensitivity.theta

    @property
    def interval(self) -> tuple[float, float]:
        """Values of θ that the curve covers."""
        return self.span.low, self.span.high

    @property
    def breakpoints(self) -> Breakpoints:
        """The critical values that were asked for."""
        if self.listed_values is not None:
            return self.listed_values
        none = np.empty(0)
        return Breakpoints(value=none, T_ns=none, lambda_left=none, lambda_right=none)

    @property
    def critical(self) -> Critical:
        """How far critical values are listed; else what the tangents say of T between points."""
        if self.listed_until is not None:
            return self.listed_until
        points = self.tangents
        straight = bool((points.slope == points.slope[0]).all())
        kept = np.arange(1, 1 if straight else len(points))
        return Critical(
            complete=straight,
            listed=0,
            until=self.span.high if straight else self.span.low,
            bound=0.0 if straight else _below_chords(points),
            beyond=points.at(kept),
        )

    @property
    def intervals(self) -> None:
        """What draws of the network's parameters would say is left out."""

    def renames(self) -> bool:
        """Functions of L have its name in their keys."""
        return self.sensitivity.name == "L"


def _below_chords(points: Tangents) -> float:
    """By which share of T it may be below straight lines between points, at most.

    Between two points T is nowhere below where their tangents meet.
    """
    width, rise = np.diff(points.value), np.diff(points.T_ns)
    left, right = points.slope[:-1], points.slope[1:]
    bent = right > left
    width, rise, left, right = (each[bent] for each in (width, rise, left, right))
    along = (right * width - rise) / (right - left)
    lowest = points.T_ns[:-1][bent] + left * along
    below = (rise / width - left) * along
    return float((below / lowest).max(initial=0.0))
