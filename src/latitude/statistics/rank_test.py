"""Mann and Whitney's test: which of two samples is larger, and by how much."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from latitude._types import Floats, Share
from latitude.statistics.conventions import CONFIDENCE, LEAST, Assumption
from latitude.statistics.corrections import Corrected
from latitude.statistics.intervals import share_interval
from latitude.statistics.sample import numbers
from latitude.statistics.statistic import PairTest
from latitude.units.quantities import format_p, format_share, signed

_EXACT = 50
"""Number of values per sample below which, without ties, the distribution of U is exact."""


@dataclass(frozen=True, slots=True)
class RankTest(PairTest):
    """Test of sample A against sample B; null hypothesis: neither tends to larger values."""

    ASSUMPTIONS: ClassVar = (
        Assumption(
            "Mann–Whitney U",
            "independent samples, within and between groups; the null hypothesis is that neither "
            "tends to be larger",
            "the groups differ in spread: a small p then does not mean that their medians differ",
        ),
        Assumption(
            "Hodges–Lehmann shift",
            "the two distributions have the same shape and differ by a shift",
            "their shapes differ, as with a longer tail: compare percentiles instead",
        ),
    )
    HEAD: ClassVar = ("larger", "rank-biserial", "shift", "p", "p (Holm)", "p (BH)")

    u: float
    """Number of pairs (a, b) with a > b; ties count half."""
    exact: bool
    """Whether p and the shift's interval come from U's exact distribution."""
    larger: Share
    """P(a > b) + P(a = b)/2, the common-language effect size; 0.5 means no effect."""
    larger_low: Share
    larger_high: Share
    rank_biserial: float
    """2·larger − 1, from −1 (every a below every b) to 1."""
    shift_ns: float
    """Hodges and Lehmann's estimate: the median of all a − b, ns."""
    shift_low_ns: float
    shift_high_ns: float
    p: Corrected
    """Two-sided p-value."""

    @classmethod
    def of(cls, first: Floats, second: Floats) -> "RankTest":
        """The result of `rank_test`."""
        return rank_test(first, second)

    def cells(self) -> Sequence[str]:
        """Effect, shift and p-values, as table cells."""
        low, high = format_share(self.larger_low), format_share(self.larger_high)
        shift, start, end = map(signed, (self.shift_ns, self.shift_low_ns, self.shift_high_ns))
        p_values = map(format_p, (self.p.p, self.p.holm, self.p.bh))
        larger = f"{format_share(self.larger)} ({low} – {high})"
        return (larger, f"{self.rank_biserial:+.3f}", f"{shift} ({start} … {end})", *p_values)


def rank_test(a: ArrayLike, b: ArrayLike) -> RankTest:
    """Mann & Whitney's U with effect sizes and the Hodges–Lehmann shift, 95 % intervals.

    p is exact if both samples have fewer than 50 values and no ties; otherwise it is normal with
    corrections for ties and continuity. The interval of `larger` is a logit interval with the
    variance of the placements (DeLong et al., Biometrics 44, 1988). The interval of the shift comes
    from order statistics of the differences (Hollander & Wolfe, Nonparametric Statistical Methods,
    §4.3), and assumes that the two distributions differ only by a shift. All intervals assume
    independent samples.
    """
    first = np.sort(numbers(a, LEAST, "first sample"))
    second = np.sort(numbers(b, LEAST, "second sample"))
    together = np.concatenate([first, second])
    untied = np.unique(together).size == together.size
    exact = untied and max(first.size, second.size) < _EXACT
    if together.min() == together.max():
        p = 1.0
    else:
        found = scipy.stats.mannwhitneyu(first, second, method="exact" if exact else "asymptotic")
        p = float(found.pvalue)
    wins = _placements(first, second)
    u = round(2 * float(wins.sum()) * second.size) / 2
    larger = u / (first.size * second.size)
    low, high = _larger_interval(larger, wins, 1 - _placements(second, first))
    depth = _depth(first.size, second.size, together, exact=exact)
    count = first.size * second.size
    middle = (count + 1) // 2, count // 2 + 1
    return RankTest(
        u=u,
        exact=exact,
        larger=larger,
        larger_low=low,
        larger_high=high,
        rank_biserial=2 * larger - 1,
        shift_ns=sum(_difference(first, second, rank) for rank in middle) / 2,
        shift_low_ns=_difference(first, second, depth),
        shift_high_ns=_difference(first, second, count + 1 - depth),
        p=Corrected.alone(p),
    )


def _placements(first: Floats, second: Floats) -> Floats:
    """For each value of `first`, the share of smaller values in `second`; ties count half."""
    left = np.searchsorted(second, first, side="left")
    right = np.searchsorted(second, first, side="right")
    placed: Floats = (left + right) / (2 * second.size)
    return placed


def _larger_interval(larger: float, first: Floats, second: Floats) -> tuple[float, float]:
    error = math.sqrt(first.var(ddof=1) / first.size + second.var(ddof=1) / second.size)
    if error == 0 or not 0 < larger < 1:
        # One sample lies wholly over the other. The interval is that of a share of 0 or 1 among n
        # values; n is the size of the smaller sample.
        n = min(first.size, second.size)
        return share_interval(round(larger * n), n)
    centre = math.log(larger / (1 - larger))
    half = float(scipy.stats.norm.ppf(0.5 + CONFIDENCE / 2)) * error / (larger * (1 - larger))
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
    return max(math.floor(n * m / 2 - float(scipy.stats.norm.isf(tail)) * spread), 1)


def u_counts(n: int, m: int) -> Floats:
    """Number of the (n+m choose n) orders with U = 0, 1, … n·m."""
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
    """The difference a − b with this rank, from ascending samples, without listing all differences.

    The function bisects the value: counting the differences up to d takes one search per a.
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
    """The difference a − b closest to `value`, which undoes the bisection's last rounding."""
    above = np.searchsorted(second, first - value)
    beside = np.clip(np.stack([above - 1, above]), 0, second.size - 1)
    differences = (first - second[beside]).ravel()
    return float(differences[np.abs(differences - value).argmin()])
