"""Scores the forecast on unseen runs: it learns from older runs and is tested on newer runs."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from latitude._types import Floats
from latitude.lab.cluster.advice.model import Model, train
from latitude.lab.results.background import CalibrationBin, TailScore

if TYPE_CHECKING:
    import pandas as pd

TRAINED = 0.7
"""Share of the runs, oldest first, from which the scored model learns."""
LEAST_TESTED = 20
LEAST_TAIL_TESTED = 3
_BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
"""Edges of the calibration's bins, narrow where forecasts of a rare event lie."""


def split(runs: "pd.DataFrame") -> tuple["pd.DataFrame", "pd.DataFrame"]:
    """Older and newer runs; runs with equal times stay together."""
    ordered = runs.sort_values("time", kind="stable")
    edge = ordered["time"].iloc[min(int(len(ordered) * TRAINED), len(ordered) - 1)]
    return ordered[ordered["time"] < edge], ordered[ordered["time"] >= edge]


def score(older: "pd.DataFrame", newer: "pd.DataFrame", wait_above: float) -> TailScore | None:
    """The score; None if there are too few newer runs, or too few in the tail."""
    model = train(older)
    known, seen = model.thresholds.of(newer)
    if len(known) < LEAST_TESTED or int(seen.sum()) < LEAST_TAIL_TESTED:
        return None
    forecast = model.probability(known)
    base = np.full(len(known), model.base_rate)
    placement = _placement_rate(model, older, known)
    errors, base_errors, placement_errors = (
        (said - seen) ** 2 for said in (forecast, base, placement)
    )
    better = min(base_errors, placement_errors, key=np.mean)
    gain, low, high = _gain(better - errors, known["time"].dt.floor("h").to_numpy())
    waiting = forecast >= wait_above
    hits = float(seen[waiting].sum())
    brier_base, brier_placement = float(base_errors.mean()), float(placement_errors.mean())
    baseline = min(brier_base, brier_placement)
    return TailScore(
        trained=model.runs,
        tested=len(known),
        tail_tested=int(seen.sum()),
        mean_forecast=float(forecast.mean()),
        brier=float(errors.mean()),
        brier_base=brier_base,
        brier_placement=brier_placement,
        gain=gain,
        gain_low=low,
        gain_high=high,
        wait_above=wait_above,
        called=int(waiting.sum()),
        precision=hits / float(waiting.sum()) if waiting.any() else None,
        recall=hits / float(seen.sum()),
        calibration=calibration(forecast, seen),
        skill=gain / baseline if baseline else 0.0,
        useful=low > 0,
    )


def _placement_rate(model: Model, older: "pd.DataFrame", known: "pd.DataFrame") -> Floats:
    """The older runs' share in the tail, by placement."""
    past, inside = model.thresholds.of(older)
    rates = past.assign(tail=inside).groupby("placement")["tail"].mean()
    found: Floats = known["placement"].map(rates).fillna(model.base_rate).to_numpy(np.float64)
    return found


def _gain(gains: Floats, when: "NDArray[Any]") -> tuple[float, float, float]:
    """Mean, and 95 % interval by Student's t over hours, whose runs share one network state."""
    _, hour = np.unique(when, return_inverse=True)
    count = int(hour.max()) + 1
    mean = float(gains.mean())
    if count < 2:  # noqa: PLR2004 - no spread to be seen
        return mean, -np.inf, np.inf
    residual = np.bincount(hour, weights=gains - mean)
    error = float(np.sqrt(np.sum(residual**2) * count / (count - 1)) / gains.size)
    half = float(scipy.stats.t.ppf(0.975, count - 1)) * error
    return mean, mean - half, mean + half


def calibration(forecast: Floats, seen: Floats) -> tuple[CalibrationBin, ...]:
    """Forecasts in bins, with their outcomes."""
    found = []
    for low, high in pairwise(_BINS):
        inside = (forecast >= low) & ((forecast < high) | (high == 1))
        count, hits = int(inside.sum()), float(seen[inside].sum())
        if count:
            jeffreys = scipy.stats.beta(hits + 0.5, count - hits + 0.5)
            lowest = 0.0 if hits == 0 else float(jeffreys.ppf(0.025))
            highest = 1.0 if hits == count else float(jeffreys.ppf(0.975))
            found.append(
                CalibrationBin(
                    runs=count,
                    forecast=float(forecast[inside].mean()),
                    seen=hits / count,
                    low=lowest,
                    high=highest,
                )
            )
    return tuple(found)
