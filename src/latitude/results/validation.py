"""Predicted against measured runtime over added latency: `latitude validate`. Times are ns."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from latitude.files.provenance import Provenance
from latitude.files.text import csv_text
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.declared import (
    Count,
    FloatColumn,
    Hidden,
    Part,
    Result,
    Unbounded,
    UnboundedColumn,
)
from latitude.trace.program import TraceInfo
from latitude.units.columns import CODE, COUNT, TIME, Form, column, number, time
from latitude.units.quantities import format_share

_ALIKE = 0.05
"""Share of T: computing from colder caches makes less of it."""


class AtDelta(Part, frozen=True, kw_only=True):
    """One ΔL."""

    delta_L_ns: Count
    placed: bool
    """By the prediction, to measure a tolerance; the RRMSE is that of the others."""
    injected_delta_L_ns: Annotated[float, column("injected", TIME)]
    """What was really injected: ΔL, and by how much more than at ΔL = 0 messages were late for
    ranks that waited for them."""
    predicted_ns: float
    """At what was injected."""
    predicted_low_ns: Unbounded
    predicted_high_ns: Unbounded
    """The 90 % interval in which the median of these runs lies if the model is right. It holds how
    runs differ, each as a whole, and the intervals of the network's parameters. null where both are
    unknown."""
    predicted_least_ns: float
    """Of the traces."""
    predicted_most_ns: float
    lambda_L: Annotated[float, column("λ_L", number(",.0f"))]
    lambda_L_low: Unbounded
    lambda_L_high: Unbounded
    """Its interval, likewise."""
    measured_ns: list[int]
    """Of each run."""
    median_ns: Annotated[Unbounded, column("measured", time(5))]
    error: Annotated[Unbounded, column("error", Form("{:+.2%}".format, style="strong"))]
    """predicted / median − 1."""
    spread: Annotated[Unbounded, column("sd of runs", number(".2%"))]
    inside: bool
    """The prediction lies among the runs."""


class TolerancePair(Part, frozen=True, kw_only=True):
    """How much latency the program takes before it is so much slower."""

    degradation: float
    predicted_delta_L_ns: Unbounded
    """null when unbounded."""
    predicted_low_ns: Unbounded
    predicted_high_ns: Unbounded
    """Its 90 % interval, as that of T; null also when unbounded."""
    measured_delta_L_ns: float | None
    """Where a rising convex curve through the runs passes the limit; null where no runs near to it
    on both sides bracket it."""
    measured_low_ns: float
    measured_high_ns: Unbounded
    """Its 90 % interval, by bootstrap over blocks of runs; null: no runs bound it."""
    below_ns: float | None
    above_ns: float | None
    """The nearest ΔL with runs to both sides of where the curve passes the limit; null where there
    is none."""
    repetitions_needed: Annotated[int | None, column("runs for", COUNT)]
    """That would make the interval as narrow as was asked for, by the spread of these; null where
    that is not known."""

    @property
    def agrees(self) -> bool | None:
        """Whether the prediction lies in the measured interval.

        None where nothing was measured, or the interval reaches 0, so that any prediction would.
        """
        if self.measured_delta_L_ns is None or self.measured_low_ns == 0:
            return None
        return self.measured_low_ns <= self.predicted_delta_L_ns <= self.measured_high_ns


class OwnError(Part, frozen=True, kw_only=True):
    """The model on the trace of one run against the time of that same run, without any sampling."""

    delta_L_ns: Count
    """At which it was traced."""
    repetition: Annotated[int, Meta(ge=1)]
    recorded_ns: float
    """Time of the run."""
    predicted_ns: float
    """By its own trace, at the latency that it had."""
    error: float
    """predicted / recorded − 1."""
    growth_ns: float
    """By its own trace, from ΔL = 0 to the largest ΔL: forward of runs traced at 0, backward of
    those traced at the largest."""


class AtEnd(Part, frozen=True, kw_only=True):
    """Own errors of the runs that were traced at one ΔL."""

    delta_L_ns: Count
    runs: Annotated[int, column("traced", COUNT)]
    error: Annotated[float, column("own error", Form("{:+.2%}".format, style="strong"))]
    """Their mean."""
    low: Unbounded
    high: Unbounded
    """Its 90 % interval, by Student's t; null of one run."""
    growth_ns: Annotated[float, column("growth to the largest ΔL", TIME)]
    """Median."""


class PerfectModel(Part, frozen=True, kw_only=True):
    """RRMSE that a model without any error would have shown with as many runs."""

    rrmse: float
    """Median."""
    rrmse_p90: float
    """In nine of ten campaigns at most."""
    runs_needed: int | None
    """Runs of each ΔL, and traces, that bring rrmse_p90 below the limit; null where these do."""


class Conclusion(Part, frozen=True, kw_only=True):
    """Whether the predictions are right."""

    verdict: Literal["right", "wrong", "unknown"]
    share: Unbounded
    """Within which they are right, or by which they are wrong; null where that is not known."""
    by: Literal["own errors", "medians"]
    """The basis of the verdict, which is each traced run's own error or the RRMSE of medians."""
    limit: float
    """That errors may have."""
    why: list[str]
    """Reasons for the verdict unknown."""

    @property
    def words(self) -> str:
        """In a line."""
        if self.verdict == "right":
            return f"right within {format_share(self.share)}"
        if self.verdict == "wrong":
            return f"wrong by {format_share(self.share)}"
        return f"cannot tell, because {'; '.join(self.why)}"


class ModelAlone(Part, frozen=True, kw_only=True):
    """By the model without what the traced runs took beyond it."""

    rrmse: Unbounded
    predicted_ns: list[float]
    """At each ΔL."""


class TracedThere(Part, frozen=True, kw_only=True):
    """T at the largest ΔL that was asked for, of runs traced there and of runs traced at ΔL = 0.

    Both by the model alone. What they differ by is what the run does otherwise when messages come
    later, which a trace made at ΔL = 0 cannot tell; what is left of the error is the model's.
    """

    delta_L_ns: Count
    traces: Count
    """That were made there; their median is predicted."""
    predicted_ns: float
    predicted_least_ns: float
    predicted_most_ns: float
    """Of the traces."""
    lambda_L: float
    error: Unbounded
    """predicted / median of the runs there − 1."""
    at_zero_predicted_ns: float
    """The same, of traces made at ΔL = 0."""
    at_zero_least_ns: float
    at_zero_most_ns: float
    at_zero_lambda_L: float
    at_zero_error: Unbounded

    @property
    def alike(self) -> bool:
        """Whether both say the same but for 5 %, or but for what traces differ by."""
        if abs(self.predicted_ns / self.at_zero_predicted_ns - 1) <= _ALIKE:
            return True
        return (
            self.predicted_least_ns <= self.at_zero_most_ns
            and self.at_zero_least_ns <= self.predicted_most_ns
        )


class PredictedCurve(Part, frozen=True, kw_only=True):
    """T predicted at evenly spaced ΔL."""

    delta_L_ns: FloatColumn
    T_ns: FloatColumn
    low_T_ns: UnboundedColumn
    high_T_ns: UnboundedColumn
    """Its 90 % interval."""


class FailedRun(Part, frozen=True, kw_only=True):
    """A run that does not count."""

    delta_L_ns: Count
    repetition: Annotated[int, Meta(ge=1)]
    why: Annotated[str, column("why it failed")]
    exit_status: int
    output: Annotated[str, column("what it printed", CODE)]
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
    conclusion: Conclusion
    perfect: PerfectModel | None
    """null without repetitions, or where nothing was traced here."""
    model: Assumptions
    network_source: str
    rrmse: Unbounded
    """Root of the mean over ΔL of ((predicted − median) / median)², of those ΔL that were asked
    for; null when every run failed."""
    rmse_ns: Unbounded
    spread: Unbounded
    """Root of the mean over ΔL of (sd / mean)² of the runs; null without repetitions."""
    shifted_rrmse: Unbounded
    """RRMSE of the measured T(0) plus the predicted growth: not a prediction."""
    model_alone: ModelAlone | None
    """By the model without what the traced runs took beyond it; null where rrmse is that."""
    traced_there: TracedThere | None
    """At the largest ΔL; null where nothing was traced there."""
    own: list[OwnError]
    """Own errors of all traced runs; empty where nothing was traced here."""
    ends: list[AtEnd]
    """The same by the ΔL at which runs were traced."""
    levels: list[AtDelta]
    """By rising ΔL, the first is 0."""
    tolerance: list[TolerancePair]
    precision: float
    """Half the width of a tolerance's interval, as a share of it, that `repetitions_needed` is
    for."""
    not_known: list[str]
    """Sources of error that no interval covers, in words."""
    curve: PredictedCurve
    failures: list[FailedRun]
    warnings: list[Notice]
    network: Annotated[Network, Hidden]

    @property
    def measured(self) -> list[AtDelta]:
        """Levels with at least one run that ended well."""
        return [level for level in self.levels if level.measured_ns]

    @property
    def compared(self) -> list[AtDelta]:
        """Those of them that were asked for."""
        return [level for level in self.measured if not level.placed]

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
