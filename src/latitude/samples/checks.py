"""Latencies that cannot be ones are refused, with the place they stand at."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from latitude._core import InputError

Where = Callable[[int], str]
"""Index of a sample → where it stands: `line 17`."""


def as_latencies(path: Path, column: pd.Series, scale: float, where: Where) -> NDArray[np.float64]:
    """The column as ns; InputError for what is no number, negative or infinite."""
    numbers = pd.to_numeric(column, errors="coerce")
    values: NDArray[np.float64] = numbers.to_numpy(dtype=np.float64, na_value=np.nan) * scale
    good = (values >= 0) & (values < math.inf)
    if good.all():
        return values
    index = int(np.argmin(good))
    raise InputError(f"{path}: {where(index)}: {_fault(column.iloc[index], float(values[index]))}")


def _fault(cell: object, value: float) -> str:
    if value < 0:
        return f"the latency {cell} is negative; remove it, or correct the clocks it came from"
    if math.isinf(value):
        return f"the latency {cell} is infinite; remove it"
    if cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell)):
        return "the latency is missing or NaN; remove the sample"
    return f"'{cell}' is not a number; the unit belongs in the column's name, e.g. latency_us"
