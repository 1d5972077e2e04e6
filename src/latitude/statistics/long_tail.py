"""How much lies over the 85th percentile, where [B] §1.1 begins the long tail.

15 % of any sample lie over its own 85th percentile: the share says something only against another
sample's (`threshold_ns`). What a sample's own tail is worth is the share of time it holds.
"""

from dataclasses import dataclass

from scipy import stats

SHARE = 0.85
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class LongTail:
    """Samples over a threshold, their share with its 95 % interval, and their share of the time."""

    threshold_ns: float
    own: bool
    """Whether the threshold is this sample's own 85th percentile."""
    share: float
    low: float
    high: float
    time_share: float
    """Share of all latency, added up, that these samples hold."""


def long_tail(
    n: int, total_ns: float, over: tuple[int, float], threshold_ns: float, *, own: bool
) -> LongTail:
    """Of n latencies with that sum, of which `over` (count and sum, ns) are over the threshold.

    The interval is Clopper and Pearson's; for a sample's own 85th percentile it says nothing.
    """
    count, beyond_ns = over
    low, high = share_interval(count, n)
    return LongTail(
        threshold_ns,
        own,
        count / n,
        low,
        high,
        beyond_ns / total_ns if total_ns > 0 else 0.0,
    )


def share_interval(hits: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share (Biometrika 26, 1934): never too short."""
    tail = (1 - confidence) / 2
    low = float(stats.beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
    high = float(stats.beta.isf(tail, hits + 1, n - hits)) if hits < n else 1.0
    return low, high
