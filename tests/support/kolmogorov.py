"""Kolmogorov and Smirnov's statistic of a sample against what lies between two others."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CRITICAL = 1.63
"""Limit of the statistic times √n, at 1 %, by Kolmogorov's distribution."""


def beyond(sample: Floats, earlier: Floats, later: Floats) -> float:
    """The statistic against what lies between two samples: how far it is out; all sorted."""
    at = np.unique(np.concatenate([sample, earlier, later]))

    def share(values: Floats) -> Floats:
        return np.asarray(np.searchsorted(values, at, "right") / values.size)

    found, bounds = share(sample), (share(earlier), share(later))
    least, most = np.minimum(*bounds), np.maximum(*bounds)
    return float(max((found - most).max(), (least - found).max()))
