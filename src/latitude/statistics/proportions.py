"""Shares of a sample with intervals."""

import scipy

from latitude.statistics.conventions import CONFIDENCE


def share_interval(hits: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share (Biometrika 26, 1934): never too short.

    SciPy's `binomtest` searches for the same ends to 2e-12, which is not enough for the shares
    that a tail holds; here they are quantiles of the beta distribution.
    """
    tail = (1 - confidence) / 2
    low = float(scipy.stats.beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
    high = float(scipy.stats.beta.isf(tail, hits + 1, n - hits)) if hits < n else 1.0
    return low, high
