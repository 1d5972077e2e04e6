"""Values that stand apart: to be shown, not dropped."""

import numpy as np
import scipy
from numpy.typing import NDArray

from latitude._types import Floats
from latitude.statistics.conventions import LEAST

LEVEL = 0.01
"""Chance that a normal sample without outliers is said to have one."""


def apart(values: Floats) -> NDArray[np.bool_]:
    """Which values are too far from the others of a normal sample; none among fewer than 4.

    Grubbs's test (Technometrics 11, 1969) of every value: its distance from the mean of the
    others, in their standard deviations, by Student's t with n − 2 degrees of freedom, at 1 %
    over all n. Two outliers on one side may hide each other.
    """
    n = values.size
    if n < LEAST:
        return np.zeros(n, dtype=bool)
    others = np.array([np.delete(values, i) for i in range(n)])
    error = others.std(axis=1, ddof=1) * np.sqrt(n / (n - 1))
    limit = float(scipy.stats.t.isf(LEVEL / (2 * n), n - 2))
    found: NDArray[np.bool_] = np.abs(values - others.mean(axis=1)) > limit * error
    return found
