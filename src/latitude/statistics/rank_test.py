"""Which of two samples is larger, and by how much: Mann and Whitney's test ([U] §6)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from latitude._types import Floats
from latitude.statistics.long_tail import share_interval
from latitude.statistics.sample import numbers

LEAST = 4
CONFIDENCE = 0.95
_EXACT = 50
"""Below so many values each, and without ties, the distribution of U is exact."""


@dataclass(frozen=True, slots=True)
class RankTest:
    """Sample A against sample B; the null hypothesis: neither tends to larger values."""

    u: float
    """Pairs (a, b) with a > b; ties count half."""
    p: float
    """Two-sided."""
    exact: bool
    """Whether p and the shift's interval come from U's exact distribution."""
    larger: float
    """P(a > b) + P(a = b)/2, the common-language effect size; 0.5 is no effect."""
    larger_low: float
    larger_high: float
    rank_biserial: float
    """2·larger − 1: from −1, every a below every b, to 1."""
    shift: float
    """Hodges and Lehmann's estimate: median of all a − b, in the samples' unit."""
    shift_low: float
    shift_high: float


def rank_test(a: ArrayLike, b: ArrayLike) -> RankTest:
    """Mann & Whitney's U with effect sizes and the Hodges–Lehmann shift, 95 % intervals.

    p: exact below 50 values each without ties, otherwise normal with corrections for ties and
    continuity. Interval of `larger`: logit, variance of the placements (DeLong et al., Biometrics
    44, 1988). Interval of the shift: order statistics of the differences (Hollander & Wolfe,
    Nonparametric Statistical Methods, §4.3); it assumes that the two distributions differ by a
    shift alone. Assumes independent samples.
    """
    first = np.sort(numbers(a, LEAST, "first sample"))
    second = np.sort(numbers(b, LEAST, "second sample"))
    together = np.concatenate([first, second])
    untied = np.unique(together).size == together.size
    exact = untied and max(first.size, second.size) < _EXACT
    if together.min() == together.max():
        p = 1.0
    else:
        found = stats.mannwhitneyu(first, second, method="exact" if exact else "asymptotic")
        p = float(found.pvalue)
    wins = _placements(first, second)
    u = round(2 * float(wins.sum()) * second.size) / 2
    larger = u / (first.size * second.size)
    low, high = _larger_interval(larger, wins, 1 - _placements(second, first))
    depth = _depth(first.size, second.size, together, exact=exact)
    count = first.size * second.size
    return RankTest(
        u,
        p,
        exact,
        larger,
        low,
        high,
        2 * larger - 1,
        (_difference(first, second, (count + 1) // 2) + _difference(first, second, count // 2 + 1))
        / 2,
        _difference(first, second, depth),
        _difference(first, second, count + 1 - depth),
    )


def _placements(first: Floats, second: Floats) -> Floats:
    """For each value of `first`, the share of `second` below it; ties count half."""
    left = np.searchsorted(second, first, side="left")
    right = np.searchsorted(second, first, side="right")
    placed: Floats = (left + right) / (2 * second.size)
    return placed


def _larger_interval(larger: float, first: Floats, second: Floats) -> tuple[float, float]:
    error = math.sqrt(first.var(ddof=1) / first.size + second.var(ddof=1) / second.size)
    if error == 0 or not 0 < larger < 1:
        # One sample lies wholly over the other: as for a share of 0 or 1 among the smaller n.
        n = min(first.size, second.size)
        return share_interval(round(larger * n), n)
    centre = math.log(larger / (1 - larger))
    half = float(stats.norm.ppf(0.5 + CONFIDENCE / 2)) * error / (larger * (1 - larger))
    return 1 / (1 + math.exp(-(centre - half))), 1 / (1 + math.exp(-(centre + half)))


def _depth(n: int, m: int, together: Floats, *, exact: bool) -> int:
    """Rank of the difference that ends the shift's interval, from either side."""
    tail = (1 - CONFIDENCE) / 2
    if exact:
        below = np.cumsum(u_counts(n, m)) / math.comb(n + m, n)
        return max(int(np.searchsorted(below, tail, side="left")), 1)
    ties = np.unique(together, return_counts=True)[1].astype(np.float64)
    total = n + m
    loose = float((ties**3 - ties).sum()) / (total * (total - 1))
    spread = math.sqrt(n * m / 12 * max(total + 1 - loose, 0.0))
    return max(math.floor(n * m / 2 - float(stats.norm.isf(tail)) * spread), 1)


def u_counts(n: int, m: int) -> Floats:
    """In how many of the (n+m choose n) orders U is 0, 1, … n·m."""
    ways = np.zeros((n + 1, n * m + 1))
    ways[0, 0] = 1
    for place in range(n + m):
        for taken in range(min(place, n - 1), -1, -1):
            wins = place - taken
            if wins <= m:
                ways[taken + 1, wins:] += ways[taken, : n * m + 1 - wins]
    counts: Floats = ways[n]
    return counts


def _difference(first: Floats, second: Floats, rank: int) -> float:
    """The rank-th smallest of all differences a − b of ascending samples, without listing them.

    Bisection on the value: how many differences are at most d takes one search per a.
    """
    low, high = float(first[0] - second[-1]), float(first[-1] - second[0])
    while True:
        middle = low + (high - low) / 2
        if middle in (low, high):
            break
        reach = second.size - np.searchsorted(second, first - middle, side="left")
        if int(reach.sum()) >= rank:
            high = middle
        else:
            low = middle
    return _nearest(first, second, high)


def _nearest(first: Floats, second: Floats, value: float) -> float:
    """The difference a − b that is closest to `value`: undoes the bisection's last rounding."""
    above = np.searchsorted(second, first - value)
    beside = np.clip(np.stack([above - 1, above]), 0, second.size - 1)
    differences = (first - second[beside]).ravel()
    return float(differences[np.abs(differences - value).argmin()])
