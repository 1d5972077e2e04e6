"""Mean, standard deviation and quantiles of T from samples, each with a 95 % interval."""

import math

import numpy as np

from latitude._types import Floats
from latitude.results.forecast import Estimate
from latitude.statistics.conventions import CONFIDENCE
from latitude.statistics.intervals import share_interval
from latitude.statistics.percentiles import ranks
from latitude.statistics.quantiles import student_t


def mean(T: Floats) -> Estimate:
    """The mean, with an interval by Student's t, which needs nearly normal means of n samples."""
    value = float(T.mean())
    if T.size == 1:
        return Estimate(value, -math.inf, math.inf)
    half = student_t((1 + CONFIDENCE) / 2, T.size - 1) * _sd(T) / math.sqrt(T.size)
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
    """The order statistic, with two others as interval, exact for any distribution (binomial)."""
    n = ordered.size
    at = min(n - 1, math.ceil(probability * n) - 1)
    low, high = ranks(probability, n)
    return Estimate(
        float(ordered[at]),
        float(ordered[low - 1]) if low >= 1 else -math.inf,
        float(ordered[high - 1]) if high <= n else math.inf,
    )


def share(count: int, n: int) -> Estimate:
    """A share of samples, with the interval of Clopper and Pearson."""
    return Estimate(count / n, *share_interval(count, n))


def _sd(T: Floats) -> float:
    return float(T.std(ddof=1))
