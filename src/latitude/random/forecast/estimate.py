"""Mean, standard deviation and quantiles of T from samples, each with a 95 % interval."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95 % interval; the ends are infinite where samples are too few for one."""

    value: float
    low: float
    high: float

    def minus(self, shift: float) -> "Estimate":
        """Of the figure less a known number."""
        return Estimate(self.value - shift, self.low - shift, self.high - shift)


def mean(T: Floats) -> Estimate:
    """By Student's t, which needs means of n samples to be nearly normal."""
    from scipy import stats  # noqa: PLC0415 - slow to import

    value = float(T.mean())
    if T.size == 1:
        return Estimate(value, -math.inf, math.inf)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, T.size - 1)) * _sd(T) / math.sqrt(T.size)
    return Estimate(value, value - half, value + half)


def spread(T: Floats) -> Estimate:
    """The standard deviation; the interval is that of ln sd, from the fourth moment."""
    if T.size == 1:
        return Estimate(0.0, 0.0, math.inf)
    sd = _sd(T)
    if sd == 0:
        return Estimate(0.0, 0.0, 0.0)
    kurtosis = float(np.mean(((T - T.mean()) / sd) ** 4))
    half = 1.96 * math.sqrt(max(kurtosis - 1, 0.0) / (4 * T.size))
    return Estimate(sd, sd * math.exp(-half), sd * math.exp(half))


def quantile(ordered: Floats, probability: float) -> Estimate:
    """The order statistic, between two others: exact whatever the distribution (binomial)."""
    from scipy import stats  # noqa: PLC0415 - slow to import

    n = ordered.size
    at = min(n - 1, math.ceil(probability * n) - 1)
    outside = (1 - CONFIDENCE) / 2
    low = int(stats.binom.ppf(outside, n, probability)) - 1
    high = int(stats.binom.ppf(1 - outside, n, probability))
    return Estimate(
        float(ordered[at]),
        float(ordered[low]) if low >= 0 else -math.inf,
        float(ordered[high]) if high < n else math.inf,
    )


def share(count: int, n: int) -> Estimate:
    """A share of samples (Clopper and Pearson)."""
    from scipy import stats  # noqa: PLC0415 - slow to import

    outside = (1 - CONFIDENCE) / 2
    low = float(stats.beta.ppf(outside, count, n - count + 1)) if count else 0.0
    high = float(stats.beta.ppf(1 - outside, count + 1, n - count)) if count < n else 1.0
    return Estimate(count / n, low, high)


def _sd(T: Floats) -> float:
    return float(T.std(ddof=1))
