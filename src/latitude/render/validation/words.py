"""A validation in words: for the terminal and the page."""

import math

from latitude.experiments.validation.result import Level, Tolerated, Validation
from latitude.units.quantities import counted, format_share, format_time


def headline(result: Validation) -> str:
    """The answer in a sentence."""
    found = result.measured
    if not found:
        return "No run succeeded, so there is nothing to compare."
    span = format_time(float(found[-1].delta_ns), 3)
    return (
        f"Predictions are off by {percent(result.rrmse)} (RRMSE) over ΔL = 0 … {span}; "
        f"runs differ by {percent(result.spread)} among themselves."
    )


def worst(result: Validation) -> str:
    """Where the prediction is worst, and what is off without any latency."""
    level = max(result.measured, key=lambda each: abs(each.error))
    alone = result.model_alone_rrmse
    replay = (
        ""
        if alone is None
        else "The prediction keeps what the traced runs took beyond the model; the model alone "
        f"would be off by {percent(alone)}. "
    )
    return (
        f"The largest error is {signed(level.error)} at ΔL = {delta(level)}. {replay}Were T(0) "
        f"taken from the measurement, the RRMSE would be {percent(result.shifted_rrmse)}."
    )


def delta(level: Level) -> str:
    """ΔL for people."""
    return "0" if not level.delta_ns else format_time(float(level.delta_ns), 4)


def percent(share: float) -> str:
    """A share of two significant digits at most after the point; – for NaN."""
    return "–" if math.isnan(share) else f"{100 * share:.2f}%"


def signed(share: float) -> str:
    """The same with its sign."""
    return "–" if math.isnan(share) else f"{100 * share:+.2f}%"


def tolerated(each: Tolerated) -> tuple[str, str]:
    """Predicted and measured tolerance."""
    predicted = "any" if math.isinf(each.predicted_ns) else f"+{format_time(each.predicted_ns, 3)}"
    measured = "not reached" if each.measured_ns is None else f"+{format_time(each.measured_ns, 3)}"
    return predicted, measured


def slower(each: Tolerated) -> str:
    """The degradation."""
    return f"{format_share(each.degradation)} slower"


def parameters(result: Validation) -> str:
    """The network in a line."""
    values = ", ".join(f"{name} = {value}" for name, value in result.network.describe().items())
    return f"{values}, rendezvous {result.network.rendezvous} ({result.network_source})"


def base(result: Validation) -> str:
    """What every run has; empty when that is nothing."""
    if not result.base_ns:
        return ""
    return f"{format_time(float(result.base_ns), 4)} more in every run, ΔL = 0 and traces included"


def failed(result: Validation) -> list[str]:
    """A line for each run that failed."""
    return [
        f"ΔL = {format_time(float(run.delta_ns), 4)} #{run.repetition}: {run.failure}; "
        f"see {run.output}"
        for run in result.failures
    ]


def runs(result: Validation) -> str:
    """How many there were."""
    done = sum(len(level.measured_ns) for level in result.levels)
    lost = f", {len(result.failures):,} failed" if result.failures else ""
    return f"{counted(done, 'run')}{lost}, {counted(result.traces, 'trace')}"
