"""Dependence of latency on b, by collective and size (Salimi Beni and Cosenza §5.2, §5.3)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import scipy

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.provenance import made_now
from latitude.lab.cluster.advice.advice import WAIT_ABOVE
from latitude.lab.cluster.history import History
from latitude.lab.results.background import (
    AdjustedCorrelation,
    BackgroundCorrelation,
    BackgroundPanel,
    RunDistribution,
    RunPoints,
    TailScore,
)
from latitude.lab.statistics.correlation import pearson, spearman
from latitude.lab.statistics.modes import modes
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.statistics.conventions import LEAST

if TYPE_CHECKING:
    from latitude.lab.statistics.correlation import Correlation

LEAST_SAMPLES = 20
"""Fewest samples of a run for drawing its distribution."""


def correlate(history: History, *, placement: str | None = None) -> BackgroundCorrelation:
    """Correlates b with latency in the runs of one placement; by default the most frequent one.

    Only runs with the history's most frequent number of ranks count.

    The forecast of the tail is tested on the newest runs of all placements.
    """
    if history.runs.empty:
        raise InputError(f"{history.name}: no runs in it")
    ranks = int(history.runs["ranks"].mode().iloc[0])
    there = sorted(map(str, history.runs["placement"].unique()))
    chosen = placement or str(history.runs["placement"].mode().iloc[0])
    if chosen not in there:
        raise InputError(
            f"{history.name}: no runs with placement '{chosen}'; it has {', '.join(there)}"
        )
    part = history.select((history.runs["placement"] == chosen) & (history.runs["ranks"] == ranks))
    forecast, untested = _forecast_score(history)
    return BackgroundCorrelation(
        provenance=made_now(),
        history=history.name,
        placement=chosen,
        ranks=ranks,
        runs=len(part.runs),
        synthetic=history.synthetic,
        panels=tuple(_panels(part)),
        distributions=tuple(_shapes(part)),
        warnings=(*history.warnings, *_others(history, part, chosen, ranks)),
        forecast=forecast,
        forecast_untested=untested,
    )


def _forecast_score(history: History) -> tuple[TailScore | None, str | None]:
    """The forecast's score on the newest runs, or the reason why there is none."""
    from latitude.lab.cluster.advice.model import NotEnoughHistoryError  # noqa: PLC0415
    from latitude.lab.cluster.advice.score import score, split  # noqa: PLC0415

    if not history.timed:
        return None, "The forecast was not tested: the runs have no times."
    try:
        found = score(*split(history.runs), WAIT_ABOVE)
    except NotEnoughHistoryError as error:
        return None, f"The forecast was not tested, not enough history: {error}."
    if found is None:
        return None, "The forecast was not tested: too few of the newest runs are in the tail."
    return found, None


def _others(history: History, part: History, placement: str, ranks: int) -> Iterable[Notice]:
    left = len(history.runs) - len(part.runs)
    if left:
        yield kinds.OTHER_RUNS(
            f"{left:,} runs with another placement or number of ranks are not shown: a mixture "
            f"would hide the effect of b (shown: {placement}, {ranks} ranks)"
        )


def _panels(part: History) -> Iterable[BackgroundPanel]:
    """One panel per collective and size; p-values are adjusted over all tests."""
    groups = [
        (
            str(collective),
            int(str(size)),
            runs["b"].to_numpy(float),
            runs["mean_ns"].to_numpy(float),
        )
        for (collective, size), runs in part.runs.groupby(["collective", "bytes"])
    ]
    found = [_correlations(b, mean) for _, _, b, mean in groups]
    tested = [both for both in found if not isinstance(both, str)]
    raw = [linear.p for linear, _ in tested] + [monotone.p for _, monotone in tested]
    adjusted = scipy.stats.false_discovery_control(raw).tolist() if raw else []
    linear_p, monotone_p = iter(adjusted[: len(tested)]), iter(adjusted[len(tested) :])
    for (collective, size, b, mean), both in zip(groups, found, strict=True):
        known = not isinstance(both, str)
        slope, at_zero = np.polyfit(b, mean, 1).tolist() if known else (None, None)
        yield BackgroundPanel(
            collective=collective,
            bytes=size,
            runs=b.size,
            pearson=None if isinstance(both, str) else _adjusted(both[0], next(linear_p)),
            spearman=None if isinstance(both, str) else _adjusted(both[1], next(monotone_p)),
            slope_ns=slope,
            at_zero_ns=at_zero,
            reason=both if isinstance(both, str) else None,
            points=RunPoints(b=b, mean_ns=mean),
        )


def _correlations(b: Floats, mean: Floats) -> "tuple[Correlation, Correlation] | str":
    """Pearson's and Spearman's coefficients, or the reason why they do not exist."""
    try:
        return pearson(b, mean), spearman(b, mean)
    except InputError as error:
        return f"only {b.size} runs" if b.size < LEAST else str(error)


def _adjusted(found: "Correlation", p: float) -> AdjustedCorrelation:
    return AdjustedCorrelation(r=found.r, low=found.low, high=found.high, p=found.p, p_adjusted=p)


def _shapes(part: History) -> Iterable[RunDistribution]:
    """The runs with the lowest, middle and highest b, of the largest size of each collective."""
    for collective, runs in part.runs.groupby("collective"):
        largest = runs[(runs["bytes"] == runs["bytes"].max()) & (runs["samples"] >= LEAST_SAMPLES)]
        if largest.empty:
            continue
        order = largest.sort_values("b").index
        for index in dict.fromkeys([order[0], order[len(order) // 2], order[-1]]):
            values = np.sort(part.samples[index])
            shape = modes(values)
            yield RunDistribution(
                collective=str(collective),
                bytes=int(runs["bytes"].max()),
                b=float(part.runs.loc[index, "b"]),
                samples=values.size,
                mean_ns=float(values.mean()),
                modes_ns=tuple(shape.locations_ns),
                dip=shape.dip,
                dip_p_value=shape.dip_p,
                multimodal=shape.multimodal,
                samples_ns=values,
            )
