"""Intervals for two kinds of uncertainty: few samples, and parameters known as draws.

Every analysis imports this file, so it does not use SciPy, which takes 0.1 s to import.
"""

from dataclasses import dataclass

import numpy as np

from latitude._types import Floats
from latitude.statistics.conventions import BOOTSTRAP_SEED, PREDICTED_CONFIDENCE

_DRAWS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class KnownError:
    """Standard errors that are known from more runs than the samples."""

    error: Floats
    """Error of each quantity; NaN if not known."""
    degrees: int
    """Degrees of freedom of the spread."""


def combined_intervals(
    values: Floats,
    deviations: Floats,
    confidence: float = PREDICTED_CONFIDENCE,
    known: "KnownError | None" = None,
) -> tuple[Floats, Floats]:
    """Intervals of medians of few samples, with uncertain parameters.

    The median's standard error comes from a bootstrap. With Student's t of n − 1 degrees of freedom
    it gives the uncertainty of the samples (Efron & Tibshirani, An Introduction to the Bootstrap,
    1993, §12.5). A deviation of the parameters is added; both are drawn many times. NaN if there
    are neither two samples nor deviations. If a sample is infinite, its median has no standard
    error, and the interval reaches from the least sample to infinity.

    Args:
        values: [sample, quantity].
        deviations: [draw, quantity] deviations of each quantity with other parameters; without rows
            if not known.
        confidence: confidence of the intervals.
        known: standard errors of the medians, if they are known from more runs than the samples.
    """
    n, count = values.shape
    if n < 2 and not len(deviations) and known is None:  # noqa: PLR2004 - a spread takes two
        return np.full(count, np.nan), np.full(count, np.nan)
    random = np.random.default_rng(BOOTSTRAP_SEED)
    finite = np.isfinite(values).all(axis=0) & np.isfinite(deviations).all(axis=0)
    held = np.where(finite, values, 0.0)
    drawn = np.repeat(np.median(held, axis=0)[None], _DRAWS, axis=0)
    error = np.zeros(count)
    if n > 1:
        chosen = random.integers(n, size=(_DRAWS, n))
        error = np.median(held[chosen], axis=1).std(axis=0)
    if known is not None:
        told = ~np.isnan(known.error)
        drawn += random.standard_t(known.degrees, _DRAWS)[:, None] * np.where(told, known.error, 0)
        error[told] = 0
    if n > 1:
        drawn += random.standard_t(n - 1, _DRAWS)[:, None] * error
    if len(deviations):
        drawn += np.where(finite, deviations, 0.0)[random.integers(len(deviations), size=_DRAWS)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    least = np.concatenate([values, values[:1] + deviations]).min(axis=0)
    return np.where(finite, low, least), np.where(finite, high, np.inf)
