"""The answer of an analysis. Times are ns; T is a runtime; θ is the varied parameter."""

import math
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.files.provenance import Provenance
from latitude.files.text import csv_text
from latitude.model.theta import NAMED, UNITS, Theta, VariedParameter
from latitude.results.assumptions import Assumptions
from latitude.results.cpu_order import CpuOrder
from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Count,
    Nanoseconds,
    Part,
    Unbounded,
    UnboundedColumn,
)
from latitude.results.reported import Reported
from latitude.trace.program import TraceInfo, Wildcards
from latitude.units.quantities import format_share

ThetaName = Annotated[str, Meta(pattern=NAMED)]
ThetaUnit = Annotated[str, Meta(extra_json_schema={"enum": list(UNITS)})]


class GraphInfo(Part, frozen=True, kw_only=True):
    """Size of the execution graph."""

    vertices: Count
    edges: Count
    messages: Count
    bytes: Count

    @classmethod
    def of(cls, graph: _core.Graph) -> "GraphInfo":
        """Sizes of a graph."""
        return cls(
            vertices=graph.vertices, edges=graph.edges, messages=graph.messages, bytes=graph.bytes
        )


class PathParts(Part, frozen=True, kw_only=True):
    """Parts of one critical path."""

    lambda_G: Amount
    """Number of bytes on the path (dT/dG)."""
    lambda_o: Amount
    """Number of overheads on the path (dT/do)."""
    calc_ns: float
    """Time of computation on the path, the first of the four parts of T."""
    overhead_ns: Nanoseconds
    """Time that o, g and O take on the path."""
    latency_ns: Nanoseconds
    bandwidth_ns: Nanoseconds


class Baseline(Part, frozen=True, kw_only=True):
    """The program on the unchanged network (Shen et al. 2024, §II.B and §II.D.1)."""

    L_ns: Nanoseconds
    """Latency of a message; if links differ, that between the nearest nodes."""
    T_ns: Nanoseconds
    lambda_L: Amount | None = None
    """dT/dL towards higher latency: the cost per ns of extra latency on every message between
    nodes. Equal to lambda_L_right. Like the following fields, null if Latitude neither varied L nor
    followed the critical path."""
    lambda_L_left: Amount | None = None
    """dT/dL towards lower latency: the gain per ns of less latency."""
    lambda_L_right: Amount | None = None
    rho_L: Amount | None = None
    """Share of the runtime that is latency on the critical path: L·λ_L/T if all links have one
    latency."""
    path: PathParts | None = None
    """Parts of one critical path; null if Latitude did not follow the path."""


class Sensitivity(VariedParameter, Part, frozen=True, kw_only=True):
    """The varied parameter, and the dependence of T on it at the baseline."""

    name: ThetaName
    meaning: str
    unit: ThetaUnit
    base: Amount
    """Value of θ in the network."""
    slope: Amount = msgspec.field(name="lambda")
    """λ = dT/dθ at the base towards higher values. Equal to lambda_right."""
    slope_left: Amount = msgspec.field(name="lambda_left")
    slope_right: Amount = msgspec.field(name="lambda_right")
    share: Amount = msgspec.field(name="rho")
    """ρ = θ·λ/T: share of the runtime that is due to θ."""

    @classmethod
    def of(cls, theta: Theta, runtime: float, left: float, right: float) -> "Sensitivity":
        """Sensitivity of θ at its baseline, where T is `runtime` ns with these slopes."""
        return cls(
            name=theta.name,
            meaning=theta.meaning,
            unit=theta.unit,
            base=theta.base,
            slope=right,
            slope_left=left,
            slope_right=right,
            share=theta.base * right / runtime if runtime > 0 else 0.0,
        )


class Interval(Part, frozen=True, kw_only=True):
    """An interval of θ."""

    low: Amount
    high: Amount


class Tolerance(Part, frozen=True, kw_only=True):
    """The highest θ at which T stays within a limit (Shen et al. 2024, §II.D.2)."""

    degradation: Unbounded
    """The limit as a share of the baseline's T; 0.01 means 1 % slower."""
    T_limit_ns: Nanoseconds
    value: Unbounded
    """Value of θ; infinite if no value reaches the limit."""
    delta: Unbounded
    """The value of θ minus the baseline's."""


class Cost(Part, frozen=True, kw_only=True):
    """Cost of an extra amount of θ."""

    delta: Amount
    """Extra amount above the baseline's θ."""
    T_ns: Nanoseconds
    """T with the extra amount."""
    share: Amount
    """Growth of T as a share of the baseline's T."""


class WhatIf(Part, frozen=True, kw_only=True):
    """Answers for the same program after a change of its computation, algorithms or nodes."""

    computation: str
    """The change: `balanced`, a place and a factor on its computation, a kind of a job's
    collectives and their algorithm, `nccl` and a latency, or `ranks-per-node`."""
    scaled_ns: Nanoseconds
    """Recorded computation, over all ranks, whose duration was changed."""
    collectives: Count = 0
    """Number of a job's collectives that use another algorithm or other links."""
    T_ns: Nanoseconds
    slope: Amount = msgspec.field(name="lambda")
    """dT/dθ towards higher values."""
    share: Amount = msgspec.field(name="rho")
    """Share of the runtime that is due to θ."""
    parallel: Amount
    """Parallel efficiency."""
    tolerance: list[Tolerance]
    """Tolerances at the same degradations, relative to this T."""


class Curve(Part, frozen=True, kw_only=True):
    """T and its slope at evenly spaced values of θ; arrays of equal length."""

    value: AmountColumn
    """Value of θ."""
    T_ns: AmountColumn
    slope: AmountColumn = msgspec.field(name="lambda")
    """λ = dT/dθ towards higher θ."""
    share: AmountColumn = msgspec.field(name="rho")
    """ρ = θ·λ/T."""


class Breakpoints(Columns, frozen=True, kw_only=True):
    """Breakpoints (Shen et al. 2024, §II.B) in the interval: all, or the lowest."""

    value: AmountColumn
    """Value of θ."""
    T_ns: AmountColumn
    lambda_left: AmountColumn
    lambda_right: AmountColumn


class Tangents(Columns, frozen=True, kw_only=True):
    """Points of T with tangents; the tangent of T at a point is nowhere above T."""

    value: AmountColumn
    """Value of θ."""
    T_ns: AmountColumn
    slope: AmountColumn = msgspec.field(name="lambda")


class Critical(Part, frozen=True, kw_only=True):
    """Part of the interval that the list of breakpoints covers, and T beyond this part."""

    complete: bool
    """Whether `breakpoints` covers the whole interval."""
    listed: Count
    until: Amount
    """Value of θ up to which `breakpoints` has all breakpoints."""
    bound: Amount
    """Beyond `until`, T is nowhere above the straight lines between the points of `beyond`, and
    below these lines by at most this share of T."""
    beyond: Tangents
    """Points from the last of `breakpoints` to the end of the interval; empty if the list is
    complete."""


class Bounds(Part, frozen=True, kw_only=True):
    """An interval; null at an infinite end."""

    low: Unbounded
    high: Unbounded


class ToleranceBounds(Part, frozen=True, kw_only=True):
    """The interval of the tolerated Δθ."""

    degradation: float
    delta: Bounds


class Intervals(Part, frozen=True, kw_only=True):
    """Intervals of the predictions, from the known uncertainties."""

    confidence: float
    not_known: list[str]
    """Other sources of error, which the intervals do not contain."""
    T_ns: Bounds | None
    """T at the baseline; like all following fields, null if the network's parameters have no draws.
    """
    slope: Bounds | None = msgspec.field(name="lambda")
    """dT/dθ at the baseline, towards higher values."""
    tolerance: list[ToleranceBounds]
    """Tolerances by rising degradation."""
    low_T_ns: UnboundedColumn
    high_T_ns: UnboundedColumn
    """Upper end of T at each value of the curve; Δθ counts from the baseline, which is itself
    uncertain."""


class Passes(Part, frozen=True, kw_only=True):
    """Passes over a streamed trace."""

    why: str
    """Reason for which Latitude did not read the whole trace into memory."""
    passes: Count
    """Number of times that Latitude read the files."""
    bytes_read: Count
    """Bytes read in all passes together."""
    joins: Count
    """Number of maxima that a pass computed per value of θ."""
    operations_held: Count
    """Largest number of operations of the graph in memory at a time."""
    paths_held: Count
    """Largest number of stretches of possibly critical paths in memory at a time; 0 if Latitude did
    not follow the critical path."""
    written_bytes: Count
    """Largest space on disk at a time, bytes, for the way back over the messages (--scratch); 0 if
    Latitude did not go back."""


class AnalysisAnswer(Reported, frozen=True, kw_only=True):
    """Answers of every analysis: T, λ, ρ, the curve, tolerances and critical latencies."""

    provenance: Provenance
    trace: TraceInfo
    graph: GraphInfo
    model: Assumptions
    streamed: Passes | None = None
    """Passes over a streamed trace; null if the graph was in memory."""
    cpu_order: CpuOrder | None
    """Order of operations that a GOAL file leaves open; null for a trace, whose calls are in order.
    """
    wildcards: Wildcards | None
    """Choices that the trace leaves open, decided by the order of arrival; null if Latitude decided
    none."""
    baseline: Baseline
    sensitivity: Sensitivity = msgspec.field(name="theta")
    """The parameter on which interval, tolerance, curve and breakpoints depend."""
    span: Interval = msgspec.field(name="interval")
    """Values of θ that curve and breakpoints cover."""
    tolerance: list[Tolerance]
    """Tolerances by rising limit."""
    cost: list[Cost]
    """Costs of the requested amounts."""
    curve: Curve
    breakpoints: Breakpoints
    """Breakpoints; empty if a trace was streamed and they were not requested."""
    critical: Critical
    intervals: Intervals | None
    """Intervals of the answers; null if the trace was streamed."""

    @property
    def theta(self) -> Sensitivity:
        """The varied parameter: L unless another was requested."""
        return self.sensitivity

    @property
    def T_ns(self) -> float:  # noqa: N802 - its symbol
        """Runtime on the network as it is."""
        return self.baseline.T_ns

    @property
    def interval(self) -> tuple[float, float]:
        """Values of θ that curve and breakpoints cover."""
        return self.span.low, self.span.high

    @property
    def collectives(self) -> str:
        """The algorithms that replace collectives, in words."""
        return self.model.collectives

    @property
    def reduce_ns_per_byte(self) -> float:
        """Cost of combining one byte in a reduction, ns."""
        return self.model.reduce_ns_per_byte

    @property
    def name(self) -> str:
        """Name of the program."""
        return self.provenance.name

    def line(self) -> tuple[Floats, Floats]:
        """θ and T of the interval's ends, breakpoints and points beyond these, in order.

        T is on the lines between breakpoints. Beyond them, T is below the lines by at most the
        share `critical.bound` of T.
        """
        curve, bends, beyond = self.curve, self.breakpoints, self.critical.beyond
        end = slice(-1, None if self.critical.complete else -1)  # `beyond` has the end
        value = (curve.value[:1], bends.value, beyond.value, curve.value[end])
        runtime = (curve.T_ns[:1], bends.T_ns, beyond.T_ns, curve.T_ns[end])
        return np.concatenate(value), np.concatenate(runtime)

    def runtime_at(self, value: float) -> float:
        """T at this value of θ, or slightly above T. InputError: outside the interval."""
        theta, runtime = self.line()
        if not theta[0] <= value <= theta[-1]:
            varied = self.theta
            raise InputError(
                f"{self.provenance.input}: {varied.difference(value)} of {varied.name} is outside "
                f"the analysed interval, {varied.difference(float(theta[0]))} to "
                f"{varied.difference(float(theta[-1]))}; give the trace, or analyse it with a "
                "wider --latency"
            )
        return float(np.interp(value, theta, runtime))

    def tolerated(self, degradation: float) -> float:
        """Growth of θ at which T has grown by this share.

        InputError: the result lacks this growth.
        """
        for known in self.tolerance:
            if math.isclose(known.degradation, degradation):
                return known.delta
        limit = self.T_ns * (1 + degradation)
        theta, runtime = self.line()
        after = int(np.searchsorted(runtime, limit, side="right"))
        if after == runtime.size or theta[0] > self.theta.base:
            raise InputError(
                f"{self.provenance.input}: the tolerance at {format_share(degradation)} is not in "
                f"this result; give the trace, or analyse it with --tolerance {degradation:g}"
            )
        share = (limit - runtime[after - 1]) / (runtime[after] - runtime[after - 1])
        value = theta[after - 1] + share * (theta[after] - theta[after - 1])
        return float(value) - self.theta.base


def breakpoints_csv(found: Breakpoints, theta: VariedParameter) -> str:
    """The breakpoints as CSV, one row per value."""
    return csv_text((theta.column, *list(found.columns())[1:]), found.rows())
