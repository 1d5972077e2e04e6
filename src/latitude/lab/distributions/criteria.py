"""Criteria of how well a fitted distribution describes the samples."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BINS = 100
"""Number of the histogram's bins. Salimi Beni and Cosenza §4 give no number."""
_PER_US = 1e3
_GRID = 500
_ROUGH = 0.1
"""Largest accepted error of the midpoint rule."""
EXACT = 1e-6
"""Largest accepted excess of a distribution function over 1."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """Criteria of a fit; smaller is better, except for the likelihood."""

    log_likelihood: float
    aic: float
    bic: float
    ks: float
    sse: float


def criteria(frozen: Any, parameters: int, samples: Floats) -> Criteria:
    """Likelihood, AIC, BIC, KS distance, and SSE against the histogram."""
    log_likelihood = float(np.asarray(frozen.logpdf(samples), dtype=np.float64).sum())
    return Criteria(
        log_likelihood,
        2 * parameters - 2 * log_likelihood,
        parameters * math.log(samples.size) - 2 * log_likelihood,
        ks_distance(frozen, samples),
        _sse(frozen, samples),
    )


def ks_distance(frozen: Any, samples: Floats) -> float:
    """Largest distance between the distribution and rising samples."""
    reached = np.asarray(frozen.cdf(samples), dtype=np.float64)
    steps = np.arange(samples.size + 1) / samples.size
    return float(max((steps[1:] - reached).max(), (reached - steps[:-1]).max()))


def _sse(frozen: Any, samples: Floats) -> float:
    density, edges = np.histogram(samples, bins=BINS, density=True)
    middle = (edges[:-1] + edges[1:]) / 2
    fitted = np.exp(np.asarray(frozen.logpdf(middle), dtype=np.float64))
    errors = (fitted - density) * _PER_US
    return float(np.square(errors).sum())


def mass(frozen: Any, samples: Floats) -> float:
    """The larger total of a fit's density and distribution function.

    Some of SciPy's special functions fail at extreme shapes. A density with mass 1.3 would win
    against any correct density.
    """
    grid = np.union1d(samples, np.linspace(samples[0], samples[-1], _GRID))
    # Midpoints: where a density rises to a pole at its edge, trapezoids add up to too much.
    density = np.exp(np.asarray(frozen.logpdf((grid[1:] + grid[:-1]) / 2), dtype=np.float64))
    known = np.isfinite(density)
    below = np.asarray(frozen.cdf(samples[[0, -1]]), dtype=np.float64)
    area = float(np.dot(density[known], np.diff(grid)[known]))
    return max(float(below[1]), area if area > 1 + _ROUGH else 0.0)
