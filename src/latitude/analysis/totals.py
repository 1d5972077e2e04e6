"""Sums by place or kind."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude._types import Floats


def total_of(row: NDArray[Any], count: int, part: NDArray[Any] | None = None) -> Floats:
    """Sums by place, without the rows of no place (−1)."""
    return np.bincount(row + 1, weights=part, minlength=count + 1)[1:].astype(np.float64)
