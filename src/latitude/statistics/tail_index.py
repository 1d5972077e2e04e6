"""How fast the tail falls: Hill's estimate of the tail index."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from latitude._types import Floats

LEAST_TAIL = 10
"""Fewer values in the tail say nothing about its shape."""
LEAST = 40
"""Samples for which `tail_size` reaches LEAST_TAIL."""
MOST_TAIL = 16_000
"""More than enough, and a stream keeps twice as many of its largest values."""
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class TailIndex:
    """α of a tail P(X > x) ∝ x^−α with its 95 % interval; a smaller α is a heavier tail.

    The variance is infinite for α ≤ 2, the mean for α ≤ 1. The interval is exact if the k largest
    values beyond the threshold are Pareto; see `settled`.
    """

    alpha: float
    low: float
    high: float
    k: int
    """Values the estimate is made of."""
    threshold_ns: float
    """They lie above this latency."""
    half_k: float
    double_k: float
    """α from k/2 and from 2k values; where they differ from α the tail is no power law yet."""

    @property
    def settled(self) -> bool:
        """Whether half and twice as many values give an α inside the interval."""
        return all(self.low <= other <= self.high for other in (self.half_k, self.double_k))


def tail_size(n: int) -> int:
    """Values in the tail: n^(2/3)/ln ln n (Loretan & Phillips, J. Empirical Finance 1, 1994)."""
    if n < LEAST:
        return 0
    return min(int(n ** (2 / 3) / math.log(math.log(n))), MOST_TAIL)


def hill(ordered: Floats, n: int | None = None, k: int | None = None) -> TailIndex | None:
    """Hill (Annals of Statistics 3, 1975) on latencies in ascending order, ns.

    α = k / Σ ln(X(n−i+1)/X(n−k)), i = 1 … k; 2k·(true α)/α̂ is χ² with 2k degrees of freedom for
    a Pareto tail. `ordered` may be only the top of a sample of `n`. None when there are too few
    samples, or when the tail is one value, or 0 ns.
    """
    size = tail_size(n or ordered.size) if k is None else k
    if size < LEAST_TAIL or 2 * size >= ordered.size or ordered[-size - 1] <= 0:
        return None
    alpha = _alpha(ordered, size)
    if not math.isfinite(alpha):
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(stats.chi2.ppf(q, 2 * size)) * alpha / (2 * size) for q in (tail, 1 - tail))
    halves = _alpha(ordered, size // 2), _alpha(ordered, 2 * size)
    return TailIndex(alpha, low, high, size, float(ordered[-size - 1]), *halves)


def _alpha(ordered: Floats, k: int) -> float:
    threshold = ordered[-k - 1]
    if threshold <= 0:
        return math.inf
    excess = float(np.mean(np.log(ordered[-k:] / threshold)))
    return 1 / excess if excess > 0 else math.inf


def hill_curve(ordered: Floats, sizes: Sequence[int]) -> list[tuple[int, float]]:
    """(k, α) for each k that the sample allows: the Hill plot."""
    found = ((k, _alpha(ordered, k)) for k in sizes if 1 < k < ordered.size)
    return [(k, alpha) for k, alpha in found if math.isfinite(alpha)]
