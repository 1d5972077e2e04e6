"""Kolmogorov and Smirnov's statistic of a sample against a table of equally likely values."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CRITICAL = 1.63
"""Of the statistic times √n, at 1 %: Kolmogorov's distribution."""


def distance(sample: Floats, values: Floats) -> float:
    """The statistic; both sorted."""
    below = np.searchsorted(values, sample, "left") / values.size
    up_to = np.searchsorted(values, sample, "right") / values.size
    order = np.arange(1, sample.size + 1) / sample.size
    return float(max((order - up_to).max(), (below - order + 1 / sample.size).max()))
