"""Rejects invalid latencies, and names their places."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.statistics.sketch import LOW
from latitude.units.quantities import MOST_NS

Where = Callable[[int], str]
"""Function from a sample's index to its place: `line 17`."""


def as_latencies(path: Path, column: pd.Series, scale: float, where: Where) -> NDArray[np.float64]:
    """The column in ns. InputError: it has text, or negative or too large values."""
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    with np.errstate(over="ignore"):
        values: NDArray[np.float64] = numbers * scale
    good = (values >= 0) & (values <= MOST_NS)
    if good.all():
        values[values < LOW] = 0.0  # rounding errors of time differences
        return values
    index = int(np.argmin(good))
    raise InputError(f"{path}: {where(index)}: {_fault(column.iloc[index], float(values[index]))}")


def _fault(cell: object, value: float) -> str:
    if value < 0:
        return f"the latency {cell} is negative; remove it, or correct the clocks it came from"
    if value > MOST_NS:
        what = "infinite" if math.isinf(value) else "over 30 years"
        return f"the latency {cell} is {what}; remove it, or correct the unit"
    if cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell)):
        return "the latency is missing or NaN; remove the sample"
    return f"'{cell}' is not a number; the unit belongs in the column's name, e.g. latency_us"
