"""Predicted against measured runtime over added latency: `latitude validate`. Times are ns."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from latitude.files.provenance import Provenance
from latitude.files.text import csv_text
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.declared import Count, FloatColumn, Hidden, Part, Result, Unbounded
from latitude.trace.program import TraceInfo


class AtDelta(Part, frozen=True, kw_only=True):
    """One ΔL."""

    delta_L_ns: Count
    predicted_ns: float
    predicted_least_ns: float
    """Of the traces."""
    predicted_most_ns: float
    lambda_L: float
    measured_ns: list[int]
    """Of each run."""
    median_ns: Unbounded
    error: Unbounded
    """predicted / median − 1."""
    spread: Unbounded
    inside: bool
    """The prediction lies among the runs."""


class TolerancePair(Part, frozen=True, kw_only=True):
    """How much latency the program takes before it is so much slower."""

    degradation: float
    predicted_delta_L_ns: Unbounded
    """null when unbounded."""
    measured_delta_L_ns: float | None
    """Where the line through the medians passes the limit; null when it does not."""


class ModelAlone(Part, frozen=True, kw_only=True):
    """By the model without what the traced runs took beyond it."""

    rrmse: Unbounded
    predicted_ns: list[float]
    """At each ΔL."""


class PredictedCurve(Part, frozen=True, kw_only=True):
    """T predicted at evenly spaced ΔL."""

    delta_L_ns: FloatColumn
    T_ns: FloatColumn


class FailedRun(Part, frozen=True, kw_only=True):
    """A run that does not count."""

    delta_L_ns: Count
    repetition: Annotated[int, Meta(ge=1)]
    why: str
    exit_status: int
    output: str
    """File with what the program printed."""


class Validation(Result, frozen=True, kw_only=True):
    """Result of `latitude validate`. Times are ns, errors and spreads shares (0.01 is 1 %)."""

    SCHEMA: ClassVar[str] = "latitude.validation/1"

    provenance: Provenance
    """The input is the (first) trace."""
    program: str
    """Its file name."""
    command: Annotated[list[str], Meta(min_length=1)]
    """The program's."""
    intra_node: bool
    base_L_ns: Count
    """Latency added in every run, traced ones and ΔL = 0 included."""
    order_seed: int
    trace: TraceInfo
    traces: Annotated[int, Meta(ge=1)]
    """Traced runs; of several, medians are predicted."""
    model: Assumptions
    network_source: str
    rrmse: Unbounded
    """Root of the mean over ΔL of ((predicted − median) / median)²; null when every run failed."""
    rmse_ns: Unbounded
    spread: Unbounded
    """Root of the mean over ΔL of (sd / mean)² of the runs; null without repetitions."""
    shifted_rrmse: Unbounded
    """RRMSE of the measured T(0) plus the predicted growth: not a prediction."""
    model_alone: ModelAlone | None
    """By the model without what the traced runs took beyond it; null where rrmse is that."""
    levels: list[AtDelta]
    """By rising ΔL, the first is 0."""
    tolerance: list[TolerancePair]
    curve: PredictedCurve
    failures: list[FailedRun]
    warnings: list[Notice]
    network: Annotated[Network, Hidden]

    @property
    def measured(self) -> list[AtDelta]:
        """Levels with at least one run that ended well."""
        return [level for level in self.levels if level.measured_ns]

    def to_csv(self) -> str:
        """One row per run, with what was predicted for its ΔL."""
        rows: list[Sequence[Any]] = [
            (
                level.delta_L_ns,
                measured,
                f"{level.predicted_ns:.1f}",
                f"{level.predicted_ns / measured - 1:.6f}",
            )
            for level in self.levels
            for measured in level.measured_ns
        ]
        return csv_text(("delta_L_ns", "measured_ns", "predicted_ns", "error"), rows)
