"""Intervals: from resamples, of what is uncertain for two reasons, and of shares."""

import math

import numpy as np
import scipy

from latitude._types import Floats
from latitude.statistics.conventions import BOOTSTRAP_SEED, CONFIDENCE, PREDICTED_CONFIDENCE


def expanded_shares(n: int, confidence: float = PREDICTED_CONFIDENCE) -> tuple[float, float]:
    """Which quantiles of a bootstrap's resamples bound an interval, for `n` samples.

    A bootstrap's spread is too small by √((n − 1)/n), and knows nothing of Student's t: with five
    samples its plain percentiles are far too narrow. The expanded percentile interval takes
    Φ(−√(n/(n − 1)) · t) in place of α/2 (Hesterberg, The American Statistician 69:4, 2015, §4.3).
    (0, 1) for fewer than two.
    """
    if n < 2:  # noqa: PLR2004 - a spread takes two
        return 0.0, 1.0
    t = float(scipy.stats.t.isf((1 - confidence) / 2, n - 1))
    tail = float(scipy.stats.norm.sf(math.sqrt(n / (n - 1)) * t))
    return tail, 1 - tail


def reflected_interval(
    estimate: float, resampled: Floats, n: int, confidence: float = PREDICTED_CONFIDENCE
) -> tuple[float, float]:
    """The interval of a positive estimate, from what it is in resamples of `n` samples.

    The basic bootstrap interval of its logarithm: resamples are off from the estimate as that is
    from the truth, so their quantiles are reflected at it (Davison & Hinkley, Bootstrap Methods and
    their Application, 1997, §5.2), which takes out a bias, too. Quantiles are the expanded ones.
    Estimates may be infinite, where a resample has none; the interval then may be. Without
    resamples it is all there is.
    """
    if not resampled.size:
        return 0.0, math.inf
    shares = expanded_shares(n, confidence)
    ordered = np.sort(resampled)
    # Between order statistics nothing is interpolated: one of them may be infinite.
    least, most = (float(ordered[round(share * (ordered.size - 1))]) for share in shares)
    if math.isinf(estimate):
        return least, math.inf
    return estimate**2 / most, estimate**2 / least if least > 0 else math.inf


_DRAWS = 2000


def combined_intervals(
    values: Floats, deviations: Floats, confidence: float = PREDICTED_CONFIDENCE
) -> tuple[Floats, Floats]:
    """Intervals of medians whose samples are few, and whose parameters are uncertain, too.

    The median's standard error is that of a bootstrap; with Student's t of n − 1 degrees of freedom
    it gives what samples leave open (Efron & Tibshirani, An Introduction to the Bootstrap, 1993,
    §12.5), to which one of the parameters' deviations is added, both drawn many times. NaN where
    there are neither two samples nor deviations. Where a sample is infinite there is no error: the
    interval then reaches from the least to infinity.

    Args:
        values: [sample, quantity].
        deviations: [draw, quantity]: by how much each is another for other parameters; no rows
            where nothing is known of these.
        confidence: of the intervals.
    """
    n, count = values.shape
    if n < 2 and not len(deviations):  # noqa: PLR2004 - a spread takes two
        return np.full(count, np.nan), np.full(count, np.nan)
    random = np.random.default_rng(BOOTSTRAP_SEED)
    finite = np.isfinite(values).all(axis=0) & np.isfinite(deviations).all(axis=0)
    held = np.where(finite, values, 0.0)
    drawn = np.repeat(np.median(held, axis=0)[None], _DRAWS, axis=0)
    if n > 1:
        chosen = random.integers(n, size=(_DRAWS, n))
        error = np.median(held[chosen], axis=1).std(axis=0)
        drawn += random.standard_t(n - 1, _DRAWS)[:, None] * error
    if len(deviations):
        drawn += np.where(finite, deviations, 0.0)[random.integers(len(deviations), size=_DRAWS)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    least = np.concatenate([values, values[:1] + deviations]).min(axis=0)
    return np.where(finite, low, least), np.where(finite, high, np.inf)


def share_interval(hits: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share (Biometrika 26, 1934): never too short.

    SciPy's `binomtest` searches for the same ends to 2e-12, which is not enough for the shares
    that a tail holds; here they are quantiles of the beta distribution.
    """
    tail = (1 - confidence) / 2
    low = float(scipy.stats.beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
    high = float(scipy.stats.beta.isf(tail, hits + 1, n - hits)) if hits < n else 1.0
    return low, high
