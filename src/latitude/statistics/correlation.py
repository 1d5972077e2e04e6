"""Correlation of two columns with an interval ([U] §7, [B] §5.2)."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from latitude._types import Floats
from latitude.statistics.sample import pairs

LEAST = 4
"""Fisher's interval needs n > 3."""
CONFIDENCE = 0.95
_EXACT = 9
"""Up to so many pairs Spearman's p-value comes from all n! orders."""


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

    Assumes pairs drawn independently from a bivariate normal distribution; one outlier can make or
    break it. InputError for fewer than 4 pairs, or when a column is constant.
    """
    first, second = pairs(x, y, LEAST)
    r = _r(first, second)
    low, high = interval(r, first.size)
    return Correlation(r, low, high, _p(r, first.size), first.size)


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Spearman's ρ: Pearson's r of the ranks (ties get their mean rank).

    Interval by Fisher's z with standard error √((1+ρ²/2)/(n−3)) (Bonett & Wright, Psychometrika
    65, 2000). The p-value is exact up to 9 pairs without ties, by Student's t otherwise. Assumes
    independent pairs and no distribution. InputError as `pearson`.
    """
    first, second = pairs(x, y, LEAST)
    ranks = stats.rankdata(first), stats.rankdata(second)
    rho, n = _r(*ranks), first.size
    low, high = interval(rho, n, 1 + rho * rho / 2)
    untied = np.unique(first).size == n and np.unique(second).size == n
    p = _exact_p(ranks[0], ranks[1]) if untied and n <= _EXACT else _p(rho, n)
    return Correlation(rho, low, high, p, n)


def interval(
    r: float, n: int, variance: float = 1.0, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Interval of a correlation by Fisher's z: tanh(artanh r ± z·√(variance/(n−3)))."""
    if abs(r) >= 1:
        return r, r
    half = float(stats.norm.ppf(0.5 + confidence / 2)) * math.sqrt(variance / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _r(first: Floats, second: Floats) -> float:
    """Centred and scaled before the product, so that large means cost no digits."""
    a, b = first - first.mean(), second - second.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    r = float(np.dot(a, b) / math.sqrt(np.dot(a, a) * np.dot(b, b)))
    return 1.0 if r > 1 - 1e-15 else -1.0 if r < -1 + 1e-15 else r


def _p(r: float, n: int) -> float:
    """Two-sided, by Student's t with n−2 degrees of freedom."""
    if abs(r) >= 1:
        return 0.0
    t = abs(r) * math.sqrt((n - 2) / (1 - r * r))
    return float(2 * stats.t.sf(t, n - 2))


def _exact_p(first: Floats, second: Floats) -> float:
    """Share of all orders whose ρ is as far from 0; ranks without ties."""
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
