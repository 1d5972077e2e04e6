"""Kolmogorov and Smirnov's test of whether two samples differ at all, exact with ties."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from latitude._types import Floats, Integers, Share
from latitude.statistics.conventions import Assumption
from latitude.statistics.corrections import Corrected
from latitude.statistics.statistic import PairTest
from latitude.units.quantities import format_p

MOST = 5_000
"""Largest number of values per sample for an exact p-value."""


@dataclass(frozen=True, slots=True)
class DistributionDistance(PairTest):
    """Two-sample Kolmogorov–Smirnov test."""

    ASSUMPTIONS: ClassVar = (
        Assumption(
            "two-sample Kolmogorov–Smirnov",
            "independent samples; any difference counts; p is exact, with ties too, up to "
            f"{MOST:,} values each",
            f"there are over {MOST:,} values, and many are tied (p is then too large), or so many "
            "that everything differs",
        ),
    )
    HEAD: ClassVar = ("KS D", "p (Holm)")

    distance: Share
    """Largest distance D between the two distribution functions."""
    p: Corrected

    @classmethod
    def of(cls, first: Floats, second: Floats) -> "DistributionDistance":
        """SciPy's `ks_2samp`; if values are tied, p is exact over the orders that ties allow."""
        together = np.concatenate([first, second])
        _, ties = np.unique(together, return_counts=True)
        exact = max(first.size, second.size) <= MOST and ties.size < together.size
        # SciPy's own exact p may fail with a warning if values are tied, so Latitude does not ask
        # for it.
        found = scipy.stats.ks_2samp(first, second, method="asymp" if exact else "auto")
        steps = math.lcm(first.size, second.size)
        distance = round(float(found.statistic) * steps) / steps
        p = tied_p(distance, first.size, second.size, ties) if exact else found.pvalue
        return cls(distance, Corrected.alone(float(p)))

    def cells(self) -> Sequence[str]:
        """D, and the p-value corrected over all pairs, as table cells."""
        return f"{self.distance:.3f}", format_p(self.p.holm)


def tied_p(distance: float, n: int, m: int, ties: Integers) -> float:
    """Share of the (n+m choose n) orders of pooled values that reach this distance.

    The distributions are compared only where the pooled value changes (Schröer & Trenkler,
    Computational Statistics & Data Analysis 20, 1995). The algorithm goes through orders value by
    value: `reach[i]` is the share of orders that have not yet reached the distance, with i of the n
    values so far.

    Args:
        distance: D.
        n: values of the first sample.
        m: values of the second sample.
        ties: number of occurrences of each different value in both samples, ascending.
    """
    taken = np.arange(n + 1)
    reach = np.zeros(n + 1)
    reach[0] = 1.0
    ends = set(np.cumsum(ties).tolist())
    reached = 0.0
    limit = round(distance * n * m) - 0.5
    for place in range(1, n + m + 1):
        before = place - 1
        low, high = max(0, before - m), min(n, before)
        span = slice(low, high + 1)
        first = reach[span] * ((n - taken[span]) / (n + m - before))
        reach[span] -= first
        reach[low + 1 : high + 2] += first[: n - low]
        if place in ends:
            away = np.abs(taken * m - (place - taken) * n) > limit
            reached += float(reach[away].sum())
            reach[away] = 0.0
    return min(reached, 1.0)
