"""Tests whether a sample is normal (Kolmogorov), and which values are outliers (Grubbs)."""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from latitude._core import InputError
from latitude._types import Floats
from latitude.lab.statistics.null_distribution import null_table
from latitude.statistics.conventions import LEAST, Assumption
from latitude.statistics.sample import numbers

ASSUMPTION = Assumption(
    "normality (Kolmogorov–Smirnov)",
    "independent samples; mean and sd come from the sample, so p is Lilliefors's; the plain p, as "
    "in Underwood et al., §6, takes them as known and is too large",
    "n is large: any latency is then found not to be normal, however close it is",
)


@dataclass(frozen=True, slots=True)
class Normality:
    """Largest distance D between the sample's distribution and the normal with its mean and sd."""

    n: int
    distance: float
    p_plain: float
    """p-value for a known mean and sd: too large, because both come from the sample."""
    p: float
    """Lilliefors's p-value, corrected for the estimation, from 5e-4 to 0.99, the simulated range.
    """


def normality(values: ArrayLike) -> Normality:
    """Tests against a normal distribution with estimated mean and sd (n − 1).

    The plain p-value uses D's distribution for a known mean and sd. Lilliefors (JASA 62, 1967)
    simulated D's distribution for estimated mean and sd; `tests/support/null_tables.py` does the
    same. Assumes independent samples; ties (a coarse clock) make D larger. InputError: the sample
    is constant.
    """
    ordered = np.sort(numbers(values, LEAST, "samples"))
    if ordered[0] == ordered[-1]:
        raise InputError("a constant sample is neither normal nor not: its spread is 0")
    distance, n = normal_distance(ordered), ordered.size
    return Normality(
        n,
        distance,
        float(scipy.stats.kstwo.sf(distance, n)),
        null_table("lilliefors").p_value(distance, n),
    )


def normal_distance(ordered: Floats) -> float:
    """Largest |F − Φ((x − mean)/sd)| of values in ascending order."""
    n = ordered.size
    model = scipy.special.ndtr((ordered - ordered.mean()) / ordered.std(ddof=1))
    steps = np.arange(n + 1) / n
    return float(max((steps[1:] - model).max(), (model - steps[:-1]).max()))


def critical(level: float, n: int) -> float:
    """D that a normal sample of size n exceeds with probability `level`."""
    table = null_table("lilliefors")
    row = [float(np.interp(1 - level, table.shares, q)) for q in table.quantiles]
    return float(np.interp(math.log(n), np.log(table.sizes), row)) / math.sqrt(n)


LEVEL = 0.01
"""Probability of finding an outlier in a normal sample without outliers."""


def apart(values: Floats) -> NDArray[np.bool_]:
    """Whether each value is too far from the others for a normal sample; false below 4 values.

    This is Grubbs's test (Technometrics 11, 1969) of every value. The statistic is a value's
    distance from the mean of the other values, in units of this distance's standard error. The test
    is Student's t with n − 2 degrees of freedom, at 1 % over all n. Two outliers on one side may
    hide each other.
    """
    n = values.size
    if n < LEAST:
        return np.zeros(n, dtype=bool)
    others = np.array([np.delete(values, i) for i in range(n)])
    error = others.std(axis=1, ddof=1) * np.sqrt(n / (n - 1))
    limit = float(scipy.stats.t.isf(LEVEL / (2 * n), n - 2))
    found: NDArray[np.bool_] = np.abs(values - others.mean(axis=1)) > limit * error
    return found
