"""Matrices of pairs of ranks and nodes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from latitude._types import Floats, Integers
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart
from latitude.sections.pairs.result import PairsOnPath

HEIGHT = 400
_MAX_CELLS = 256
"""Largest number of rows; more ranks or nodes are drawn in blocks."""
_GAPS = 64
"""Largest number of rows at which a gap between cells does not hide the cells."""


@dataclass(frozen=True, slots=True)
class PairAxis:
    """The rows and columns: ranks, or nodes with these numbers."""

    word: str
    count: int
    numbers: tuple[int, ...] | None = None

    @property
    def block(self) -> int:
        """Number of ranks or nodes per row."""
        return -(-self.count // _MAX_CELLS)

    def labels(self) -> list[int] | list[str]:
        """Labels of the rows."""
        if self.block > 1:
            starts = range(0, self.count, self.block)
            return [f"{i}–{min(i + self.block, self.count) - 1}" for i in starts]
        if self.numbers is None or self.numbers == tuple(range(self.count)):
            return list(range(self.count))
        return [str(number) for number in self.numbers]

    def block_note(self, how: str) -> str:
        """The meaning of a cell, if it is not a single pair."""
        cell = f"Each cell is {how} of {self.block} × {self.block} {self.word}s."
        return cell if self.block > 1 else ""

    def pair(self, pairs: PairsOnPath, index: int) -> str:
        """The ends of a pair: `rank 0 → 1`."""
        ends = int(pairs.source[index]), int(pairs.destination[index])
        first, second = ends if self.numbers is None else (self.numbers[end] for end in ends)
        return f"{self.word} {first} → {second}"


def matrix(
    side: PairAxis, source: Integers, destination: Integers, values: Floats, *, least: bool = False
) -> Floats:
    """Values by source and destination; NaN without a pair.

    A block has the sum or the least value.
    """
    block = side.block
    rows = -(-side.count // block)
    cell = (source // block) * rows + destination // block
    flat = np.full(rows * rows, np.inf if least else 0.0)
    (np.minimum if least else np.add).at(flat, cell, values)
    used = np.zeros(rows * rows, dtype=bool)
    used[cell] = True
    flat[~used | ~np.isfinite(flat)] = np.nan
    return flat.reshape(rows, rows)


def heat_map(
    side: PairAxis,
    values: Floats,
    words: tuple[str, str, str],
    bar: str,
    hover: str,
    note: str,
    ends: tuple[str, str] = ("from", "to"),
    **options: Any,
) -> Chart:
    """A matrix.

    `bar` is the title of the colour bar, `hover` the text shown for a value, and `ends` the titles
    of the axes.
    """
    rows, labels = values.shape[0], side.labels()
    ticks = theme.rank_ticks(2 * rows) if isinstance(labels[0], int) else {"type": "category"}
    gap = 1 if rows <= _GAPS else 0
    trace = marks.heat_map(
        [[None if np.isnan(v) else float(f"{v:.6g}") for v in row] for row in values],
        x=labels,
        y=labels,
        unit=bar,
        hover=f"{side.word} %{{y}} → {side.word} %{{x}}<br>{hover}",
        xgap=gap,
        ygap=gap,
        **options,
    )
    trace["colorbar"] |= {"len": 0.9, **theme.NUMBERS}
    shared = {"showgrid": False, "constrain": "domain", **ticks}
    return marks.chart(
        *words,
        [trace],
        x=theme.axis(f"{ends[1]} {side.word}", **shared),
        y=theme.axis(f"{ends[0]} {side.word}", autorange="reversed", scaleanchor="x", **shared),
        height=HEIGHT,
        note=note,
        margin={"l": 56, "r": 10, "t": 12, "b": 50},
    )
