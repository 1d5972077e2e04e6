"""A mergeable quantile sketch of bounded size, with counts in logarithmic cells.

Masson, Rim, Lee, "DDSketch: A Fast and Fully-Mergeable Quantile Sketch with Relative-Error
Guarantees", VLDB 2019, §2. Each cell also keeps its sum, so that means are exact.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latitude._types import Floats

ACCURACY = 0.0005
"""Largest relative error of a quantile."""
LOW, _HIGH = 1e-3, 1e15
"""Least and largest sample with a cell of its own, ns; smaller samples share the first cell, larger
samples the last (11 days).
"""
_ROUNDING = 1e-9
"""Share of a cell by which rounding of the logarithm may shift a sample at the cell's edge."""


class Sketch:
    """Quantiles of any number of samples in 0.7 MB."""

    def __init__(self) -> None:
        self._log_gamma = math.log((1 + ACCURACY) / (1 - ACCURACY))
        self._first = math.floor(math.log(LOW) / self._log_gamma)
        cells = math.ceil(math.log(_HIGH) / self._log_gamma) - self._first + 2
        self._count = np.zeros(cells, dtype=np.int64)
        self._sum = np.zeros(cells, dtype=np.float64)

    def add(self, values: ArrayLike, counts: ArrayLike = 1) -> None:
        """Adds these samples (ns, not negative), each `counts` times."""
        samples = np.asarray(values, dtype=np.float64).ravel()
        times = np.broadcast_to(np.asarray(counts, dtype=np.int64), samples.shape)
        cell = np.zeros(samples.size, dtype=np.int64)
        large = samples >= LOW
        cell[large] = np.ceil(np.log(samples[large]) / self._log_gamma) - self._first
        np.clip(cell, 0, self._count.size - 1, out=cell)
        np.add.at(self._count, cell, times)
        self._sum += np.bincount(cell, weights=samples * times, minlength=self._count.size)

    def merge(self, other: "Sketch") -> None:
        """Adds the samples of another sketch."""
        self._count += other._count  # noqa: SLF001 - of the same class
        self._sum += other._sum  # noqa: SLF001

    @property
    def count(self) -> int:
        """Number of samples."""
        return int(self._count.sum())

    def cells(self) -> tuple[Floats, NDArray[np.int64]]:
        """Mean and count of cells with samples, in rising order."""
        held = np.flatnonzero(self._count)
        count = self._count[held]
        return self._sum[held] / count, count

    def edges(self) -> tuple[Floats, Floats]:
        """Least and largest possible sample in each cell of `cells`, ns."""
        held = np.flatnonzero(self._count)
        upper = held + self._first
        low = np.exp((upper - 1 - _ROUNDING) * self._log_gamma)
        high = np.exp((upper + _ROUNDING) * self._log_gamma)
        low[held == 0], high[held == self._count.size - 1] = 0.0, np.inf
        return low, high

    def quantile(self, probability: ArrayLike) -> Floats:
        """The sample at these shares of the sorted samples, within `ACCURACY`."""
        means, count = self.cells()
        rank = np.asarray(probability, dtype=np.float64) * (count.sum() - 1)
        found: Floats = means[np.searchsorted(np.cumsum(count), rank, side="right")]
        return found
