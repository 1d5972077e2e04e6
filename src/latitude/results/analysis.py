"""What an analysis found. Times are ns; T is a runtime; θ the parameter that was varied.

θ is the latency L unless something else was asked for; what is a function of θ has attributes
and keys that bear L's name too.
"""

from collections.abc import Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from latitude import _core
from latitude._types import Floats, Integers
from latitude.files.provenance import Provenance
from latitude.files.text import csv_text, finite
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import NAMED, UNITS, Theta
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.cpu_order import CpuOrder
from latitude.results.critical_path import (
    ByRank,
    CallShare,
    CallSiteShare,
    NearPath,
    SiteOnPath,
    Stay,
    WholePath,
)
from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Count,
    Hidden,
    Nanoseconds,
    Part,
    Unbounded,
    UnboundedColumn,
    called,
)
from latitude.results.efficiency import OF_THETA, Efficiency, PredictedEfficiency
from latitude.results.iterations import Iterations
from latitude.results.left_out import LeftOut
from latitude.results.link_loads import LinkLoads
from latitude.results.messages import PairBlocks, Pairs, Slack
from latitude.results.over_runs import OverRuns
from latitude.results.reported import Reported
from latitude.results.waits import Waits
from latitude.trace.program import TraceInfo, Wildcards
from latitude.units.quantities import format_count, format_time

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

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
        """Of a graph."""
        return cls(
            vertices=graph.vertices, edges=graph.edges, messages=graph.messages, bytes=graph.bytes
        )


class Baseline(Part, frozen=True, kw_only=True):
    """The program on the network as it is ([S] §II.B, §II.D.1)."""

    L_ns: Nanoseconds
    """Latency of a message; where links differ, between the nearest nodes."""
    T_ns: Nanoseconds
    lambda_L: Amount
    """dT/dL towards higher latency: what one more ns of latency on every message between nodes
    costs. Equals lambda_L_right."""
    lambda_L_left: Amount
    """dT/dL towards lower latency: what one ns less would save."""
    lambda_L_right: Amount
    rho_L: Amount
    """Share of the runtime that is latency on the critical path: L·λ_L/T with one latency."""
    lambda_G: Amount
    """Bytes on the critical path (dT/dG), of one critical path where several tie."""
    lambda_o: Amount
    """Overheads on the critical path (dT/do), of one critical path where several tie."""
    calc_ns: float
    """The first of the four parts of T on that critical path."""
    overhead_ns: Nanoseconds
    latency_ns: Nanoseconds
    bandwidth_ns: Nanoseconds


class Sensitivity(Part, frozen=True, kw_only=True):
    """What was varied, and how T depends on it at the baseline; λ_L and ρ_L where θ is L."""

    name: ThetaName
    meaning: str
    unit: ThetaUnit
    base: Amount
    """Its value in the network."""
    slope: Amount = msgspec.field(name="lambda")
    """λ = dT/dθ at the base towards higher values. Equals lambda_right."""
    slope_left: Amount = msgspec.field(name="lambda_left")
    slope_right: Amount = msgspec.field(name="lambda_right")
    share: Amount = msgspec.field(name="rho")
    """ρ = θ·λ/T: share of the runtime that is θ's."""
    theta: Annotated[Theta, Hidden]

    @classmethod
    def of(cls, theta: Theta, runtime: float, left: float, right: float) -> "Sensitivity":
        """Of θ at its baseline, where T is `runtime` ns and its slopes are `left` and `right`."""
        return cls(
            name=theta.name,
            meaning=theta.meaning,
            unit=theta.unit,
            base=theta.base,
            slope=right,
            slope_left=left,
            slope_right=right,
            share=theta.base * right / runtime if runtime > 0 else 0.0,
            theta=theta,
        )


class Interval(Part, frozen=True, kw_only=True):
    """An interval of θ."""

    low: Annotated[Amount, called("low_ns")]
    high: Annotated[Amount, called("high_ns")]


class Tolerance(Part, frozen=True, kw_only=True):
    """The highest θ at which T stays within a limit ([S] §II.D.2)."""

    degradation: Unbounded
    """The limit as a share of the baseline's T: 0.01 is 1 % slower."""
    T_limit_ns: Nanoseconds
    value: Annotated[Unbounded, called("L_ns")]
    """Of θ; infinite when no value reaches the limit."""
    delta: Annotated[Unbounded, called("delta_L_ns")]
    """That value above the baseline's."""

    @property
    def L_ns(self) -> float:
        """`value`, by its name where θ is L."""
        return self.value

    @property
    def delta_L_ns(self) -> float:
        """`delta`, by its name where θ is L."""
        return self.delta


class WhatIf(Part, frozen=True, kw_only=True):
    """The same program, were its computation otherwise."""

    computation: str
    """`balanced`, or a place and the factor on what is computed before its calls of MPI."""
    scaled_ns: Nanoseconds
    """How much recorded computation, of all ranks, was given another duration."""
    T_ns: Nanoseconds
    slope: Amount = msgspec.field(name="lambda")
    """dT/dθ towards higher values."""
    share: Amount = msgspec.field(name="rho")
    """Share of the runtime that is θ's."""
    parallel: Amount
    """Parallel efficiency."""
    tolerance: list[Tolerance]
    """At the same degradations, of this T."""


class Curve(Part, frozen=True, kw_only=True):
    """T and its slope at evenly spaced values of θ; arrays of equal length."""

    value: Annotated[AmountColumn, called("L_ns")]
    """Of θ."""
    T_ns: AmountColumn
    slope: Annotated[AmountColumn, called("lambda_L")] = msgspec.field(name="lambda")
    """λ = dT/dθ towards higher θ."""
    share: Annotated[AmountColumn, called("rho_L")] = msgspec.field(name="rho")
    """ρ = θ·λ/T."""

    @property
    def L_ns(self) -> Floats:
        """`value`, by its name where θ is L."""
        return self.value

    @property
    def lambda_L(self) -> Floats:
        """`slope`, by its name where θ is L."""
        return self.slope

    @property
    def rho_L(self) -> Floats:
        """`share`, by its name where θ is L."""
        return self.share


class Breakpoints(Columns, frozen=True, kw_only=True):
    """The critical values of θ in the interval ([S] §II.B), where λ changes: all, or the lowest."""

    value: Annotated[AmountColumn, called("L_ns")]
    """Of θ."""
    T_ns: AmountColumn
    lambda_left: AmountColumn
    lambda_right: AmountColumn

    @property
    def L_ns(self) -> Floats:
        """`value`, by its name where θ is L."""
        return self.value


class Tangents(Columns, frozen=True, kw_only=True):
    """Points of T with a slope there: the line through one is nowhere above T."""

    value: Annotated[AmountColumn, called("L_ns")]
    """Of θ."""
    T_ns: AmountColumn
    slope: Annotated[AmountColumn, called("lambda_L")] = msgspec.field(name="lambda")


class Critical(Part, frozen=True, kw_only=True):
    """How much of the interval the list of critical values covers, and T beyond it."""

    complete: bool
    """Whether `breakpoints` has all of the interval."""
    listed: Count
    until: Annotated[Amount, called("until_ns")]
    """Up to this value of θ it has all."""
    bound: Amount
    """Beyond it T is nowhere above the straight lines between `beyond`'s points, and below them by
    this share of T at most."""
    beyond: Tangents
    """From the last of `breakpoints` to the end of the interval; empty where the list is
    complete."""


class Bounds(Part, frozen=True, kw_only=True):
    """An interval; null at an end that is infinite."""

    low: Unbounded
    high: Unbounded


class ToleranceBounds(Part, frozen=True, kw_only=True):
    """Between which values the tolerated Δθ lies."""

    degradation: float
    delta: Annotated[Bounds, called("delta_L_ns")]


class Intervals(Part, frozen=True, kw_only=True):
    """How far the predictions may be off, by what is known to be uncertain."""

    confidence: float
    not_known: list[str]
    """What may make them be off, too, and is in no interval for want of knowledge."""
    T_ns: Bounds | None
    """At the baseline; null, as all that follows, where the network's parameters have no draws."""
    slope: Bounds | None = msgspec.field(name="lambda")
    """dT/dθ there, towards higher values."""
    tolerance: list[ToleranceBounds]
    """By rising degradation."""
    low_T_ns: UnboundedColumn
    high_T_ns: UnboundedColumn
    """Of the curve, at each of its values; Δθ counts from a baseline that is itself uncertain."""


class Analysis(Reported, frozen=True, kw_only=True):
    """Result of `latitude analyze`.

    Times are ns and sizes bytes. null stands for infinite (no latency reaches the limit) or for not
    recorded.
    """

    SCHEMA: ClassVar[str] = "latitude.analysis/1"
    DOCUMENT: ClassVar[str] = "latitude.render.documents.analysis:analysis_document"

    provenance: Provenance
    trace: TraceInfo
    graph: GraphInfo
    model: Assumptions
    cpu_order: CpuOrder | None
    wildcards: Wildcards | None
    """Of a GOAL file; null of a trace, whose calls have an order."""
    baseline: Baseline
    sensitivity: Sensitivity = msgspec.field(name="theta")
    """The parameter that interval, tolerance, curve and breakpoints are functions of. Where it is
    not L these call its values value and delta, its slope lambda and its share rho."""
    span: Interval = msgspec.field(name="interval")
    """Values of θ that curve and breakpoints cover."""
    tolerance: list[Tolerance]
    """By rising limit."""
    curve: Curve
    breakpoints: Breakpoints
    critical: Critical
    efficiency: Efficiency
    intervals: Intervals
    what_if: list[WhatIf]
    """Were computation otherwise, as asked for."""
    critical_path: list[Stay]
    """Stays of the critical path on ranks, in time order; paths of more than 20,000 stays are
    merged evenly."""
    by_rank: ByRank
    waits: Waits | None
    """Null where left out."""
    by_call: list[CallShare]
    """Time and latencies of the critical path by MPI call, costliest first."""
    by_call_site: list[CallSiteShare]
    """Most latency first. Empty when the input records no call sites (liballprof, GOAL)."""
    iterations: Iterations | None
    """Null where the ranks' calls do not repeat, or none are recorded."""
    listed_pairs: Pairs = msgspec.field(name="pairs")
    """Where there are more than 10,000: those with most latencies on the critical path, then with
    least slack."""
    pair_blocks: PairBlocks | None
    """All pairs by blocks of neighbouring ranks; null where `pairs` has all."""
    link_loads: LinkLoads | None
    """Null where messages cross no links that are known: without topology and placement, where a
    matrix says only how far nodes are apart, and of networks with very many cables."""
    slack: Slack | None
    """Null where left out."""
    near_paths: list[NearPath]
    """The longest paths that differ in the messages they wait for, the critical one first."""
    left_out: list[LeftOut]
    """Sections that this result does not have: their keys are null or empty."""
    warnings: list[Notice]
    over_runs: OverRuns | None = None
    """Of `latitude run --traces N`: how the answers differ between the runs."""

    network: Annotated[Network, Hidden]
    links: Annotated[Links, Hidden]
    """The network's links between this program's ranks."""
    pairs: Annotated[Pairs, Hidden] = msgspec.field(name="all_pairs")
    path: Annotated[WholePath, Hidden]
    path_call_site: Annotated[Integers, Hidden]
    """Of each step of `path`: index into by_call_site, −1 where no call site is known."""

    @property
    def theta(self) -> Theta:
        """What was varied: L unless something else was asked for."""
        return self.sensitivity.theta

    @property
    def T_ns(self) -> float:
        """Runtime on the network as it is."""
        return self.baseline.T_ns

    @property
    def interval(self) -> tuple[float, float]:
        """Values of θ that curve and breakpoints cover."""
        return self.span.low, self.span.high

    @property
    def interval_ns(self) -> tuple[float, float]:
        """`interval`, by its name where θ is a time."""
        return self.interval

    @property
    def collectives(self) -> str:
        """The algorithms that collectives were expanded to, in words."""
        return self.model.collectives

    @property
    def reduce_ns_per_byte(self) -> float:
        """What combining a byte costs in a reduction."""
        return self.model.reduce_ns_per_byte

    @property
    def name(self) -> str:
        """What to call the program."""
        return self.provenance.name

    def renames(self) -> bool:
        """Functions of L have its name in their keys."""
        return self.theta.name == "L"

    def curve_columns(self) -> dict[str, Floats]:
        """The curve by column: L_ns, delta_L_ns, T_ns, lambda_L, rho_L, or those of another θ."""
        curve, theta = self.curve, self.theta
        return {
            theta.column: curve.value,
            f"delta_{theta.column}": curve.value - theta.base,
            "T_ns": curve.T_ns,
            f"lambda_{theta.symbol}": curve.slope,
            f"rho_{theta.symbol}": curve.share,
        }

    def to_dataframe(self) -> "pd.DataFrame":
        """The curve: one row per value of θ.

        Columns are L_ns, delta_L_ns, T_ns, lambda_L and rho_L, or those of another θ.
        """
        import pandas as pd  # noqa: PLC0415 - takes half a second to import

        return pd.DataFrame(self.curve_columns())

    def to_xarray(self) -> "xr.Dataset":
        """The curve over θ (L_ns), with units as attributes (needs xarray)."""
        import xarray as xr  # noqa: PLC0415 - optional

        theta = self.theta
        value, *names = columns = self.curve_columns()
        described = (
            (theta.unit, f"{theta.meaning} above the baseline's"),
            ("ns", "runtime"),
            ("1" if theta.unit == "ns" else "B", f"dT/d{theta.symbol} towards higher values"),
            ("1", f"share of the runtime that is {theta.symbol}'s on the critical path"),
        )
        about = {"units": theta.unit, "long_name": theta.meaning}
        return xr.Dataset(
            {
                name: (value, columns[name], {"units": unit, "long_name": meaning})
                for name, (unit, meaning) in zip(names, described, strict=True)
            },
            coords={value: (value, columns[value], about)},
            attrs={"input": self.provenance.input, "latitude_version": self.provenance.version},
        )

    def plot(self) -> Any:
        """T against ΔL with the tolerance zones, as a plotly figure ([S] Fig. 1)."""
        return resolve_name("latitude.render.documents.analysis:runtime_figure")(self)

    def __repr__(self) -> str:
        base, theta = self.baseline, self.theta
        limits = "".join(
            f", {t.degradation:.3g} slower at +{theta.difference(t.delta)}" for t in self.tolerance
        )
        at = f"{theta.symbol}={theta.text(theta.base)}"
        slope = format_count(self.sensitivity.slope)
        return f"<Analysis of {self.name}: T={format_time(base.T_ns)} at {at}, λ={slope}{limits}>"


def curve_csv(analysis: Analysis) -> str:
    """The curve as CSV: one row per value of θ."""
    columns = analysis.curve_columns()
    return csv_text(tuple(columns), zip(*(c.tolist() for c in columns.values()), strict=True))


def breakpoints_csv(found: Breakpoints, theta: Theta) -> str:
    """The critical values as CSV: one row each."""
    return csv_text((theta.column, *list(found.columns())[1:]), found.rows())


def efficiency_csv(efficiency: PredictedEfficiency, theta: Theta) -> str:
    """The predicted efficiencies as CSV: one row per value of θ."""
    of, curve = efficiency.predicted, efficiency.curve
    constant = (of.load_balance, of.serialisation)
    header = (theta.column, *OF_THETA, "load_balance", "serialisation")
    return csv_text(header, ((*row, *constant) for row in curve.rows()))


def call_sites_csv(shares: Sequence[SiteOnPath]) -> str:
    """What each call site has on the critical path as CSV: one row each, most latency first."""
    whole = all(isinstance(share, CallSiteShare) for share in shares)
    header = (
        "where", "function", "file", "line", "module", "calls", "count", "lambda_L", "latency_ns",
        "network_ns", "overhead_ns", "calc_ns", "before_ns", "share", "bytes_sent",
        "bytes_received", *(("least_slack_ns",) if whole else ()), "sent_from", "call_path",
        "call_paths",
    )  # fmt: skip
    rows = [
        {
            **finite(share.plain()),
            "calls": " ".join(share.calls),
            "sent_from": share.sent_from.where if share.sent_from else None,
            "call_path": " < ".join(share.paths[0].frames) if share.paths else None,
            "call_paths": len(share.paths) or None,
        }
        for share in shares
    ]
    return csv_text(header, ([row[name] for name in header] for row in rows))
