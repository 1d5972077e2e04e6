"""Result of `latitude validate`: predicted and measured runtime over added latency.

Times are ns.
"""

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
"""Largest difference of predictions from both ends that counts as agreement, as a share of T."""


class AtDelta(Part, frozen=True, kw_only=True):
    """Results at one ΔL."""

    delta_L_ns: Count
    placed: bool
    """Whether this ΔL was chosen from the prediction, to measure a tolerance; the RRMSE is over all
    other ΔL."""
    injected_delta_L_ns: Annotated[float, column("injected", TIME)]
    """Latency that was actually injected: ΔL, plus the mean lateness of messages, less the mean
    lateness at ΔL = 0."""
    predicted_ns: float
    """Prediction at the injected latency."""
    predicted_low_ns: Unbounded
    predicted_high_ns: Unbounded
    """Upper end of the 90 % interval that contains the median of these runs if the model is right.
    It covers the differences between whole runs, and the intervals of the network's parameters.
    null if both are unknown."""
    predicted_least_ns: float
    """Least prediction of the traces."""
    predicted_most_ns: float
    lambda_L: Annotated[float, column("λ_L", number(",.0f"))]
    lambda_L_low: Unbounded
    lambda_L_high: Unbounded
    """Upper end of the 90 % interval of λ_L."""
    measured_ns: list[int]
    """Runtime of each run."""
    median_ns: Annotated[Unbounded, column("measured", time(5))]
    error: Annotated[Unbounded, column("error", Form("{:+.2%}".format, style="strong"))]
    """Relative error: predicted / median − 1."""
    spread: Annotated[Unbounded, column("sd of runs", number(".2%"))]
    inside: bool
    """Whether the prediction is within the range of the runs."""


class TolerancePair(Part, frozen=True, kw_only=True):
    """Predicted and measured latency at which the program has become slower by this share."""

    degradation: float
    predicted_delta_L_ns: Unbounded
    """Predicted tolerance; null if unbounded."""
    predicted_low_ns: Unbounded
    predicted_high_ns: Unbounded
    """Upper end of the predicted tolerance's 90 % interval, from the same sources as the interval
    of T; null also if unbounded."""
    measured_delta_L_ns: float | None
    """ΔL at which a rising convex curve through the runs exceeds the limit; null if no runs lie
    close to this ΔL on both sides."""
    measured_low_ns: float
    measured_high_ns: Unbounded
    """Upper end of the measured tolerance's 90 % interval, by bootstrap over blocks of runs; null
    if no runs bound the tolerance."""
    below_ns: float | None
    above_ns: float | None
    """The nearest ΔL with runs above the measured tolerance (`below_ns`: below the tolerance); null
    without such runs."""
    repetitions_needed: Annotated[int | None, column("runs for", COUNT)]
    """Repetitions that would make the interval as narrow as requested, from the spread of the
    present repetitions; null if not known."""

    @property
    def agrees(self) -> bool | None:
        """Whether the prediction is in the measured interval.

        None if nothing was measured, or the interval reaches 0, so that any prediction would be
        inside.
        """
        if self.measured_delta_L_ns is None or self.measured_low_ns == 0:
            return None
        return self.measured_low_ns <= self.predicted_delta_L_ns <= self.measured_high_ns


class OwnError(Part, frozen=True, kw_only=True):
    """The prediction from one run's trace compared with that run's time, without sampling."""

    delta_L_ns: Count
    """ΔL at which the run was traced."""
    repetition: Annotated[int, Meta(ge=1)]
    recorded_ns: float
    """Recorded time of the run."""
    predicted_ns: float
    """Prediction from the run's own trace, at its latency."""
    error: float
    """Relative error: predicted / recorded − 1."""
    growth_ns: float
    """Growth from ΔL = 0 to the largest ΔL, by the run's own trace. Runs traced at the largest ΔL
    predict backward."""


class AtEnd(Part, frozen=True, kw_only=True):
    """Own errors of the runs that were traced at one ΔL."""

    delta_L_ns: Count
    runs: Annotated[int, column("traced", COUNT)]
    error: Annotated[float, column("own error", Form("{:+.2%}".format, style="strong"))]
    """Mean error of these runs."""
    low: Unbounded
    high: Unbounded
    """Upper end of the mean error's 90 % interval, by Student's t; null for one run."""
    growth_ns: Annotated[float, column("growth to the largest ΔL", TIME)]
    """Median of the runs' growth."""


class PerfectModel(Part, frozen=True, kw_only=True):
    """RRMSE that a model without error would have with the same number of runs."""

    rrmse: float
    """Median RRMSE."""
    rrmse_p90: float
    """RRMSE that chance exceeds in one of ten campaigns."""
    runs_needed: int | None
    """Number of runs per ΔL, and of traces, that brings rrmse_p90 below the limit; null if the
    present number does."""


class Conclusion(Part, frozen=True, kw_only=True):
    """The verdict on the predictions."""

    verdict: Literal["right", "wrong", "unknown"]
    share: Unbounded
    """Share within which the predictions are right, or by which they are wrong; null if not known.
    """
    by: Literal["own errors", "medians"]
    """Basis of the verdict: the error of each traced run, or the RRMSE of medians."""
    limit: float
    """Largest accepted error."""
    why: list[str]
    """Reasons for the verdict unknown."""

    @property
    def words(self) -> str:
        """The verdict in one line."""
        if self.verdict == "right":
            return f"right within {format_share(self.share)}"
        if self.verdict == "wrong":
            return f"wrong by {format_share(self.share)}"
        return f"cannot tell, because {'; '.join(self.why)}"


class ModelAlone(Part, frozen=True, kw_only=True):
    """Predictions by the model without the traced runs' excess time."""

    rrmse: Unbounded
    predicted_ns: list[float]
    """Predicted runtime at each ΔL."""


class TracedThere(Part, frozen=True, kw_only=True):
    """T at the largest requested ΔL, from runs traced there and from runs traced at ΔL = 0.

    Both predictions are by the model alone. Their difference shows that the program behaves
    differently if messages come later, which a trace at ΔL = 0 cannot show. The remaining error is
    the model's.
    """

    delta_L_ns: Count
    traces: Count
    """Number of traces at the largest ΔL; the prediction is their median."""
    predicted_ns: float
    predicted_least_ns: float
    predicted_most_ns: float
    """Greatest prediction of these traces."""
    lambda_L: float
    error: Unbounded
    """Relative error: predicted / median of the runs at this ΔL − 1."""
    at_zero_predicted_ns: float
    """Prediction from traces made at ΔL = 0."""
    at_zero_least_ns: float
    at_zero_most_ns: float
    at_zero_lambda_L: float
    at_zero_error: Unbounded

    @property
    def alike(self) -> bool:
        """Whether both predictions agree within 5 %, or within the spread of the traces."""
        if abs(self.predicted_ns / self.at_zero_predicted_ns - 1) <= _ALIKE:
            return True
        return (
            self.predicted_least_ns <= self.at_zero_most_ns
            and self.at_zero_least_ns <= self.predicted_most_ns
        )


class PredictedCurve(Part, frozen=True, kw_only=True):
    """Predicted T at evenly spaced ΔL."""

    delta_L_ns: FloatColumn
    T_ns: FloatColumn
    low_T_ns: UnboundedColumn
    high_T_ns: UnboundedColumn
    """Upper end of the 90 % interval of T."""


class FailedRun(Part, frozen=True, kw_only=True):
    """A failed run, which does not count."""

    delta_L_ns: Count
    repetition: Annotated[int, Meta(ge=1)]
    why: Annotated[str, column("why it failed")]
    exit_status: int
    output: Annotated[str, column("what it printed", CODE)]
    """File with the program's output."""


class Validation(Result, frozen=True, kw_only=True):
    """Result of `latitude validate`. Times are ns, errors and spreads shares (0.01 is 1 %)."""

    SCHEMA: ClassVar[str] = "latitude.validation/1"

    provenance: Provenance
    """Provenance; the input is the (first) trace."""
    program: str
    """File name of the program."""
    command: Annotated[list[str], Meta(min_length=1)]
    """Command of the program."""
    intra_node: bool
    base_L_ns: Count
    """Latency added in every run, including traced runs and ΔL = 0."""
    order_seed: int
    trace: TraceInfo
    traces: Annotated[int, Meta(ge=1)]
    """Number of traced runs; for several, predictions are medians."""
    conclusion: Conclusion
    perfect: PerfectModel | None
    """RRMSE of a perfect model; null without repetitions or without traced runs."""
    model: Assumptions
    network_source: str
    rrmse: Unbounded
    """Root of the mean of ((predicted − median) / median)² over the requested ΔL; null if every run
    failed."""
    rmse_ns: Unbounded
    spread: Unbounded
    """Root of the mean of (sd / mean)² of the runs over ΔL; null without repetitions."""
    shifted_rrmse: Unbounded
    """RRMSE of the sum of measured T(0) and predicted growth; this sum is not a prediction."""
    model_alone: ModelAlone | None
    """Predictions without the traced runs' excess time; null if `rrmse` already excludes this time.
    """
    traced_there: TracedThere | None
    """Results of runs traced at the largest ΔL; otherwise null."""
    own: list[OwnError]
    """Own errors of all traced runs; empty if no run was traced."""
    ends: list[AtEnd]
    """Own errors by the ΔL at which runs were traced."""
    levels: list[AtDelta]
    """Results by rising ΔL; the first is 0."""
    tolerance: list[TolerancePair]
    precision: float
    """Half the width of a tolerance's interval, as a share of the tolerance, for which
    `repetitions_needed` is given."""
    not_known: list[str]
    """Sources of error that no interval covers, in words."""
    curve: PredictedCurve
    failures: list[FailedRun]
    warnings: list[Notice]
    network: Annotated[Network, Hidden]

    @property
    def measured(self) -> list[AtDelta]:
        """Levels with at least one successful run."""
        return [level for level in self.levels if level.measured_ns]

    @property
    def compared(self) -> list[AtDelta]:
        """Requested levels with at least one successful run."""
        return [level for level in self.measured if not level.placed]

    def to_csv(self) -> str:
        """One row per run, with the prediction for its ΔL."""
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
