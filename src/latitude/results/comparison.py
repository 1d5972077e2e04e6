"""The result of a comparison: alternatives side by side. Times are ns."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from latitude.files.provenance import Provenance
from latitude.files.text import csv_text
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.notices.notice import Notice
from latitude.results.answer import (
    Curve,
    GraphInfo,
    Interval,
    PathParts,
    ThetaName,
    ThetaUnit,
    Tolerance,
)
from latitude.results.declared import Amount, Count, Hidden, Nanoseconds, Part
from latitude.results.map import MapOver
from latitude.results.reported import Reported
from latitude.trace.program import TraceInfo
from latitude.units.columns import AMOUNT, SHARE, TIME, column


class Compared(Part, frozen=True, kw_only=True):
    """One alternative."""

    label: str
    choices: dict[str, str]
    """Compared thing → its value, as given."""
    graph: GraphInfo
    collectives: Annotated[str, column("collectives")]
    parameters: dict[str, str] = msgspec.field(name="network")
    """Parameters by symbol, for people."""
    topology: str | None
    placement: str | None
    nodes_used: Count | None
    """Number of nodes with ranks; null if all links are equal."""
    nodes: Count | None
    """Number of the topology's nodes; null without a topology."""
    base: Amount
    """Value of θ in this alternative's network."""
    T_ns: Annotated[Nanoseconds, column("T", TIME)]
    slope: Annotated[Amount, column("λ", AMOUNT)] = msgspec.field(name="lambda")
    """dT/dθ towards higher values."""
    share: Annotated[Amount, column("ρ", SHARE)] = msgspec.field(name="rho")
    """Share of the runtime that is due to θ."""
    path: PathParts
    """The parts of the critical path."""
    tolerance: list[Tolerance]
    """Tolerances by rising T_limit_ns; value is null if unbounded."""
    curve: Curve

    network: Annotated[Network, Hidden] = msgspec.field(name="on")
    theta: Annotated[Theta, Hidden]


class ComparedTheta(Part, frozen=True, kw_only=True):
    """The parameter on which tolerances and curves depend."""

    name: ThetaName
    meaning: str
    unit: ThetaUnit


class Comparison(Reported, frozen=True, kw_only=True):
    """Result of `latitude analyze --compare`.

    Times are ns and sizes bytes. null means infinite (no value reaches the limit) or absent.
    """

    SCHEMA: ClassVar[str] = "latitude.comparison/1"
    DOCUMENT: ClassVar[str] = "latitude.render.documents.comparison:comparison_document"

    provenance: Provenance
    trace: TraceInfo
    varied: ComparedTheta = msgspec.field(name="theta")
    span: Interval = msgspec.field(name="interval")
    """Values of θ that all curves cover."""
    alternatives: Annotated[list[Compared], Meta(min_length=2)]
    """Every combination of the compared things; the first one is the base of comparison."""
    sliders: MapOver | None
    """T over several parameters at once; null if that takes too many sweeps (with a warning) or the
    program takes no time."""
    warnings: list[Notice]

    @property
    def theta(self) -> Theta:
        """The varied parameter of the curves; its base is the first alternative's."""
        return self.alternatives[0].theta

    @property
    def interval(self) -> tuple[float, float]:
        """Values of θ that all curves cover."""
        return self.span.low, self.span.high

    @property
    def name(self) -> str:
        """Name of the program."""
        return self.provenance.name


def table_csv(comparison: Comparison) -> str:
    """One row per alternative."""
    theta, first = comparison.theta, comparison.alternatives[0]
    header = [
        "alternative", *first.choices, theta.column, "T_ns", f"lambda_{theta.symbol}",
        f"rho_{theta.symbol}",
        *(f"delta_{theta.column}_at_{t.degradation:g}" for t in first.tolerance),
    ]  # fmt: skip
    rows = [
        (
            found.label,
            *found.choices.values(),
            found.base,
            found.T_ns,
            found.slope,
            found.share,
            *(tolerance.delta for tolerance in found.tolerance),
        )
        for found in comparison.alternatives
    ]
    return csv_text(header, rows)


def curves_csv(comparison: Comparison) -> str:
    """T of every alternative (ns): one row per value of θ, one column per alternative."""
    curves = [found.curve for found in comparison.alternatives]
    header = [comparison.theta.column, *(found.label for found in comparison.alternatives)]
    columns = (curves[0].value.tolist(), *(curve.T_ns.tolist() for curve in curves))
    return csv_text(header, zip(*columns, strict=True))
