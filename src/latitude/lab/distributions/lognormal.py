"""The 3-parameter lognormal of Underwood et al. 2018, §5.3, by profile likelihood.

The likelihood grows without bound as the location nears the smallest sample (Hill 1963), so the fit
is the local maximum at a smaller location. The location of latencies is at least 0.
"""

import math

import numpy as np
import scipy
from numpy.typing import NDArray

from latitude.lab.distributions.search import FoundParameters

Floats = NDArray[np.float64]

_GRID = 200
_NEAREST = 1e-4
"""Least distance of location and smallest sample, as a share of the median's distance."""


def fit_lognormal(samples: Floats) -> FoundParameters:
    """Shape, location and scale of rising samples that are not all equal."""
    least, median = float(samples[0]), float(np.median(samples))
    reach = max(median - least, 1e-9 * max(least, 1.0))
    span = max(least, _NEAREST * reach)
    gaps = np.geomspace(min(_NEAREST * reach, span / 2), span, _GRID)
    values = np.array([_profile(samples, least - gap) for gap in gaps])
    peaks = np.flatnonzero((values[1:-1] > values[:-2]) & (values[1:-1] >= values[2:])) + 1
    if peaks.size:
        best = int(peaks[np.argmax(values[peaks])])
        ends = math.log(gaps[best - 1]), math.log(gaps[best + 1])
        found = scipy.optimize.minimize_scalar(
            lambda log_gap: -_profile(samples, least - math.exp(log_gap)),
            bounds=ends,
            method="bounded",
            options={"xatol": 1e-10},
        )
        loc = least - math.exp(float(found.x))
    else:
        loc = max(least - float(gaps[-1]), 0.0)
    if least == loc:
        loc -= float(gaps[0])
    logarithms = np.log(samples - loc)
    shape, scale = float(logarithms.std()), math.exp(logarithms.mean())
    return FoundParameters((shape,), loc, scale, finished=True)


def _profile(samples: Floats, loc: float) -> float:
    """Log-likelihood at the best shape and scale for this location."""
    if loc >= samples[0]:
        return -math.inf
    logarithms = np.log(samples - loc)
    spread = float(logarithms.std())
    if spread == 0:
        return -math.inf
    constant = math.log(spread) + 0.5 * (1 + math.log(2 * math.pi))
    return -samples.size * constant - float(logarithms.sum())
