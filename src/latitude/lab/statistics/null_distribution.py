"""p-values of statistics that have no formula, from their simulated distribution.

`null_tables.json` holds, for each statistic and sample size, quantiles of the statistic over
seeded samples from the null distribution. `tests/support/null_tables.py` makes the file.
"""

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from latitude._types import Floats

_ROUNDED = 1e-6
"""Rounding of quantiles, which have six digits in the table."""


@dataclass(frozen=True, slots=True)
class NullTable:
    """Quantiles of √n · statistic by sample size."""

    sizes: Floats
    shares: Floats
    """Shares of the null's samples below each quantile, ascending."""
    quantiles: Floats
    """(sizes, shares) the quantiles."""
    replicates: int
    """Least number of simulated samples per row."""

    def p_value(self, statistic: float, n: int) -> float:
        """Share of null samples of size n with a statistic at least as large.

        The share is linear in ln n between sizes. Beyond the last size the last row counts, because
        √n · statistic has converged. Results stay within the tabled shares: read the least p-value
        as “at most” and the largest as “at least”. Many small samples have the least possible dip.
        If several quantiles equal the statistic, the share below the first of them counts: null
        samples with an equal statistic are part of the p-value.
        """
        place = np.interp(math.log(n), np.log(self.sizes), np.arange(self.sizes.size))
        below = int(place)
        above = min(below + 1, self.sizes.size - 1)
        row = self.quantiles[below] + (place - below) * (
            self.quantiles[above] - self.quantiles[below]
        )
        scaled = math.sqrt(n) * statistic
        atom = np.isclose(row, scaled, rtol=_ROUNDED, atol=0)
        found = self.shares[atom.argmax()] if atom.any() else np.interp(scaled, row, self.shares)
        share = float(found)
        least, largest = (round(1 - float(self.shares[end]), 9) for end in (-1, 0))
        return min(max(1.0 - share, least), largest)


@cache
def null_table(name: str) -> NullTable:
    """The table `dip` (uniform samples) or `lilliefors` (normal samples)."""
    text = (files("latitude.lab.statistics") / "null_tables.json").read_text(encoding="utf-8")
    table = json.loads(text)[name]
    return NullTable(
        np.array(table["sizes"], dtype=np.float64),
        np.array(table["shares"], dtype=np.float64),
        np.array(table["quantiles"], dtype=np.float64),
        int(table["replicates"]),
    )
