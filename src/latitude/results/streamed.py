"""What an analysis found of a trace that was read while it was evaluated. Times are ns.

What is a function of θ has keys that bear L's name where θ is L, as in `results.analysis`.
"""

from typing import ClassVar

import msgspec

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.results.analysis import Curve, GraphInfo, Interval, Sensitivity, Tolerance
from latitude.results.assumptions import Assumptions
from latitude.results.declared import Count, Nanoseconds, Part, Result
from latitude.trace.program import TraceInfo

LEFT_OUT = (
    "critical path and call sites",
    "pairs of ranks",
    "waits and delays",
    "slack of messages",
    "critical latencies",
    "near-critical paths",
    "efficiency and iterations",
)
"""Parts of an analysis that need the whole graph."""


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
    left_out: list[str]
    """What an analysis in memory has besides."""
    warnings: list[Notice]

    def renames(self) -> bool:
        """Functions of L have its name in their keys."""
        return self.sensitivity.name == "L"
