"""Intervals of what is uncertain for two reasons: few samples, and parameters known in draws.

Every analysis imports this file; it does without SciPy, which takes a tenth of a second to import.
"""

from dataclasses import dataclass

import numpy as np

from latitude._types import Floats
from latitude.statistics.conventions import BOOTSTRAP_SEED, PREDICTED_CONFIDENCE

_DRAWS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class KnownError:
    """Standard errors that more runs tell than the samples."""

    error: Floats
    """Error of each quantity; NaN leaves a quantity to the samples alone."""
    degrees: int
    """Degrees of freedom of their spread."""


def combined_intervals(
    values: Floats,
    deviations: Floats,
    confidence: float = PREDICTED_CONFIDENCE,
    known: "KnownError | None" = None,
) -> tuple[Floats, Floats]:
    """Intervals of medians whose samples are few, and whose parameters are uncertain, too.

    The median's standard error is that of a bootstrap. With Student's t of n − 1 degrees of freedom
    it gives the uncertainty of the samples (Efron & Tibshirani, An Introduction to the Bootstrap,
    1993, §12.5). To it one of the parameters' deviations is added; both are drawn many times. NaN
    where there are neither two samples nor deviations. If a sample is infinite, no error exists,
    and the interval reaches from the least to infinity.

    Args:
        values: [sample, quantity].
        deviations: [draw, quantity] deviations of each quantity with other parameters; without rows
            if not known.
        confidence: of the intervals.
        known: how exact the medians are, where more is known of that than the samples tell.
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
