"""Sums by place or kind."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude._types import Floats


def total_of(row: NDArray[Any], count: int, part: NDArray[Any] | None = None) -> Floats:
    """Sums by place; rows without a place (−1) do not count."""
    return np.bincount(row + 1, weights=part, minlength=count + 1)[1:].astype(np.float64)
