"""Factors by which values differ between groups, or change from first to last, with intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from latitude._core import InputError
from latitude._types import Floats, Unbounded
from latitude.statistics.conventions import CONFIDENCE


@dataclass(frozen=True, slots=True)
class Contrast:
    """A product of powers of the groups' geometric means, e.g. the ratio of two of them."""

    factor: float
    low: Unbounded
    high: Unbounded
    """Upper end of the 95 % interval; NaN if a group has one value, or all values within groups are
    equal."""
    p: Unbounded
    """Two-sided p-value against a factor of 1; NaN if `high` is NaN."""


def contrast(groups: Sequence[Floats], weights: Sequence[float]) -> Contrast:
    """exp(Σ weight · mean log value), interval and p by Welch and Satterthwaite.

    `[b, a]` with `[1, -1]` is b's mean over a's. `[c, b, a]` with `[1, -2, 1]` tests if the step
    from b to c is larger than the step from a to b. Assumes independent values whose logarithms are
    about normal; spreads may differ. Interval and p are NaN if a group has a single value, or no
    group has spread. InputError: a group is empty, or a value is not positive.
    """
    if any(group.size == 0 or group.min() <= 0 for group in groups):
        raise InputError("contrast: every group needs values, and all must be positive")
    logs = [np.log(group) for group in groups]
    middle = sum(w * float(log.mean()) for w, log in zip(weights, logs, strict=True))
    if any(log.size == 1 for log in logs):
        return Contrast(math.exp(middle), math.nan, math.nan, math.nan)
    parts = [
        w * w * float(log.var(ddof=1)) / log.size for w, log in zip(weights, logs, strict=True)
    ]
    variance = sum(parts)
    if variance == 0:
        return Contrast(math.exp(middle), math.nan, math.nan, math.nan)
    free = variance**2 / sum(v * v / (log.size - 1) for v, log in zip(parts, logs, strict=True))
    error = math.sqrt(variance)
    half = float(scipy.stats.t.ppf(0.5 + CONFIDENCE / 2, free)) * error
    return Contrast(
        math.exp(middle),
        math.exp(middle - half),
        math.exp(middle + half),
        float(2 * scipy.stats.t.sf(abs(middle) / error, free)),
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """Factor of change from the first place to the last, after subtracting groups' means."""

    factor: float
    low: float
    high: float
    """Upper end of the 95 % interval."""
    p: Unbounded
    """Two-sided p-value against a factor of 1."""
    n: int


def drift(places: Sequence[Floats], values: Sequence[Floats]) -> Drift | None:
    """A common slope of log value against place within groups; None if it cannot be estimated.

    Each group has its own mean (the within estimator of a fixed-effects regression), with n −
    groups − 1 degrees of freedom. Assumes independent residuals of equal relative spread, and
    positive values.
    """
    held = [(x, np.log(y)) for x, y in zip(places, values, strict=True) if x.size > 1]
    if not held:
        return None
    x = np.concatenate([place - place.mean() for place, _ in held])
    y = np.concatenate([log - log.mean() for _, log in held])
    square, free = float(x @ x), x.size - len(held) - 1
    if square == 0 or free < 1:
        return None
    slope = float(x @ y) / square
    error = math.sqrt(float(np.square(y - slope * x).sum()) / free / square)
    everything = np.concatenate(list(places))
    span = float(np.ptp(everything))
    half = float(scipy.stats.t.ppf(0.5 + CONFIDENCE / 2, free)) * error
    return Drift(
        math.exp(slope * span),
        math.exp((slope - half) * span),
        math.exp((slope + half) * span),
        float(2 * scipy.stats.t.sf(abs(slope) / error, free)) if error > 0 else math.nan,
        x.size,
    )
