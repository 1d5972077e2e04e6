"""Percentiles with intervals that assume no distribution."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scipy import stats

SHARES = (0.5, 0.75, 0.85, 0.9, 0.95, 0.99, 0.999, 0.9999)
"""p50 … p99.99; p85 is where [B] §1.1 begins the long tail."""
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile of latency in ns with its 95 % interval; None where n is too small for an end.

    The interval lies between two order statistics whose ranks are binomial quantiles (David &
    Nagaraja, Order Statistics, 3rd ed., §7.1): it holds for every continuous distribution, if the
    samples are independent.
    """

    share: float
    """0.99 is p99."""
    value_ns: float
    low_ns: float | None
    high_ns: float | None
    needed: int
    """Least n for which both ends exist."""

    @property
    def name(self) -> str:
        """`p99.9`."""
        return f"p{self.share * 100:g}"


def ranks(share: float, n: int, confidence: float = CONFIDENCE) -> tuple[int, int]:
    """Ranks (1 … n) of the order statistics that bound the percentile; 0 or n+1 where none does.

    P(X(low) ≤ quantile) ≥ 1 − α/2 and P(quantile ≤ X(high)) ≥ 1 − α/2, with the number of samples
    below the quantile binomial(n, share).
    """
    tail = (1 - confidence) / 2
    low = int(stats.binom.ppf(tail, n, share))
    high = int(stats.binom.isf(tail, n, share)) + 1
    return low, high


def needed(share: float, confidence: float = CONFIDENCE) -> int:
    """Least n for which the sample's extremes bound the percentile on both sides."""
    tail, rarer = (1 - confidence) / 2, max(share, 1 - share)
    return math.ceil(math.log(tail) / math.log(rarer))


def percentile(at_rank: Callable[[int], float], n: int, share: float) -> Percentile:
    """Of n latencies in ns, given as rank (1 … n) → latency; linear between two ranks."""
    position = share * (n - 1)
    below = int(position)
    first, second = at_rank(below + 1), at_rank(min(below + 2, n))
    low, high = ranks(share, n)
    return Percentile(
        share,
        first + (position - below) * (second - first),
        at_rank(low) if low >= 1 else None,
        at_rank(high) if high <= n else None,
        needed(share),
    )


def percentiles(
    at_rank: Callable[[int], float], n: int, shares: Sequence[float] = SHARES
) -> tuple[Percentile, ...]:
    """The percentiles of n latencies in ns, given as rank (1 … n) → latency."""
    return tuple(percentile(at_rank, n, share) for share in shares)
