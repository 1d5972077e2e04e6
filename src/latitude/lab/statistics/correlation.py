"""Correlation of two columns with an interval."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from latitude._types import Floats
from latitude.statistics.conventions import CONFIDENCE, LEAST, Assumption
from latitude.statistics.sample import paired

PEARSON = Assumption(
    "Pearson's r",
    "independent runs, bivariate normal; interval by Fisher's z",
    "the scatter is curved or one point stands far out",
)
SPEARMAN = Assumption(
    "Spearman's ρ",
    "independent runs; interval by Fisher's z with Bonett & Wright's variance",
    "many values are tied, or |ρ| is over 0.95: the interval is then rough",
)
_EXACT = 9
"""Largest number of pairs for which Spearman's p-value comes from all n! orders."""
_STRAIGHT = 1e-15
"""Largest rounding error in the r of points on a straight line."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation coefficient, its 95 % interval and its two-sided p-value against 0."""

    r: float
    low: float
    high: float
    p: float
    n: int


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Pearson's r; interval by Fisher's z, standard error 1/√(n−3), p by Student's t, n−2 d.f.

    Assumes independent pairs from a bivariate normal distribution; one outlier can change r
    completely. InputError: there are fewer than 4 pairs, or a column is constant.
    """
    first, second = paired(x, y, LEAST)
    r, p = _coefficient(first, second)
    low, high = interval(r, first.size)
    return Correlation(r, low, high, p, first.size)


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Spearman's ρ: Pearson's r of the ranks (ties get their mean rank).

    Interval by Fisher's z with standard error √((1+ρ²/2)/(n−3)) (Bonett & Wright, Psychometrika 65,
    2000). The p-value is exact up to 9 pairs without ties, otherwise by Student's t. Assumes
    independent pairs, of any distribution. InputError as for `pearson`.
    """
    first, second = paired(x, y, LEAST)
    ranks = scipy.stats.rankdata(first), scipy.stats.rankdata(second)
    (rho, p), n = _coefficient(*ranks), first.size
    low, high = interval(rho, n, 1 + rho * rho / 2)
    untied = np.unique(first).size == n and np.unique(second).size == n
    if untied and n <= _EXACT:
        p = _exact_p(*ranks)
    return Correlation(rho, low, high, p, n)


def interval(
    r: float, n: int, variance: float = 1.0, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Interval of a correlation by Fisher's z: tanh(artanh r ± z·√(variance/(n−3)))."""
    if abs(r) >= 1:
        return r, r
    half = float(scipy.stats.norm.ppf(0.5 + confidence / 2)) * math.sqrt(variance / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _coefficient(first: Floats, second: Floats) -> tuple[float, float]:
    """SciPy's r and its two-sided p by Student's t, n − 2 d.f.; exactly ±1 for a straight line."""
    found = scipy.stats.pearsonr(first, second)
    r = float(found.statistic)
    if abs(r) > 1 - _STRAIGHT:
        return math.copysign(1.0, r), 0.0
    return r, float(found.pvalue)


def _exact_p(first: Floats, second: Floats) -> float:
    """Share of all orders whose ρ is at least as far from 0 as this ρ, for ranks without ties."""
    centre = (first.size + 1) / 2
    reached = abs(float(np.dot(first - centre, second - centre)))
    every = _all_products(first.size)
    return float(1 - np.searchsorted(every, reached - 1e-9) / every.size)


@cache
def _all_products(n: int) -> Floats:
    """|Σ (i − mean)(π(i) − mean)| for every order π of the ranks 1 … n, ascending."""
    centred = np.arange(1, n + 1) - (n + 1) / 2
    orders = np.array(list(permutations(centred.tolist())))
    return np.sort(np.abs(orders @ centred))
