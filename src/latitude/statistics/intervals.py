"""Intervals from resamples, for few independent samples, and of shares."""

import math

import numpy as np

from latitude._types import Floats
from latitude.statistics.conventions import CONFIDENCE, PREDICTED_CONFIDENCE


def expanded_shares(n: int, confidence: float = PREDICTED_CONFIDENCE) -> tuple[float, float]:
    """Quantiles of a bootstrap's resamples that bound an interval, for `n` samples.

    A bootstrap's spread is too small by √((n − 1)/n), and does not have the tails of Student's t.
    So with five samples a bootstrap's plain percentiles are far too narrow. The expanded percentile
    interval takes Φ(−√(n/(n − 1)) · t) in place of α/2 (Hesterberg, The American Statistician 69:4,
    2015, §4.3). The result is (0, 1) for fewer than two samples.
    """
    if n < 2:  # noqa: PLR2004 - a spread takes two
        return 0.0, 1.0
    import scipy  # noqa: PLC0415 - slow to import

    t = float(scipy.stats.t.isf((1 - confidence) / 2, n - 1))
    tail = float(scipy.stats.norm.sf(math.sqrt(n / (n - 1)) * t))
    return tail, 1 - tail


def reflected_interval(
    estimate: float, resampled: Floats, n: int, confidence: float = PREDICTED_CONFIDENCE
) -> tuple[float, float]:
    """The interval of a positive estimate, from its values in resamples of `n` samples.

    It is the basic bootstrap interval of the logarithm. Resamples differ from the estimate as the
    estimate differs from the truth. So their quantiles are reflected at the estimate, which also
    removes a bias (Davison & Hinkley, Bootstrap Methods and their Application, 1997, §5.2). The
    quantiles are expanded. A resample without an estimate counts as infinite, and the interval may
    then be infinite. Without resamples the interval is (0, ∞).
    """
    if not resampled.size:
        return 0.0, math.inf
    shares = expanded_shares(n, confidence)
    ordered = np.sort(resampled)
    # Quantiles are not interpolated, because an order statistic may be infinite.
    least, most = (float(ordered[round(share * (ordered.size - 1))]) for share in shares)
    if math.isinf(estimate):
        return least, math.inf
    return estimate**2 / most, estimate**2 / least if least > 0 else math.inf


def share_interval(hits: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share (Biometrika 26, 1934): never too short.

    SciPy's `binomtest` searches for the same ends to 2e-12, which is too coarse for the shares in a
    tail. Here the ends are quantiles of the beta distribution.
    """
    import scipy  # noqa: PLC0415 - as above

    tail = (1 - confidence) / 2
    low = float(scipy.stats.beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
    high = float(scipy.stats.beta.isf(tail, hits + 1, n - hits)) if hits < n else 1.0
    return low, high
