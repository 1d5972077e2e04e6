"""Values of pairs as a matrix: source down, destination across."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude.analysis.pairs import Pairs
from latitude.render.charts import theme
from latitude.render.charts.chart import Figure

HEIGHT = 400
_MAX_CELLS = 256
"""Rows; more are drawn in blocks."""
_GAPS = 64
"""Up to so many rows a gap between cells does not hide them."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Side:
    """What the rows and columns are: so many ranks, or nodes with these numbers."""

    word: str
    count: int
    numbers: tuple[int, ...] | None = None

    @property
    def block(self) -> int:
        """How many share a row."""
        return -(-self.count // _MAX_CELLS)

    def labels(self) -> list[int] | list[str]:
        """Of the rows."""
        if self.block > 1:
            starts = range(0, self.count, self.block)
            return [f"{i}–{min(i + self.block, self.count) - 1}" for i in starts]
        if self.numbers is None or self.numbers == tuple(range(self.count)):
            return list(range(self.count))
        return [str(number) for number in self.numbers]


def matrix(side: Side, pairs: Pairs, values: NDArray[np.float64], *, least: bool) -> Matrix:
    """Source × destination; NaN where no message goes. Blocks sum up, or take the least."""
    block = side.block
    rows = -(-side.count // block)
    cell = (pairs.source // block) * rows + pairs.destination // block
    flat = np.full(rows * rows, np.inf if least else 0.0)
    if least:
        np.minimum.at(flat, cell, values)
        flat[~np.isfinite(flat)] = np.nan
    else:
        np.add.at(flat, cell, values)
        used = np.zeros(rows * rows, dtype=bool)
        used[cell] = True
        flat[~used] = np.nan
    return flat.reshape(rows, rows)


def heat_map(side: Side, values: Matrix, bar: str, hover: str, **options: Any) -> Figure:
    """The figure; `bar` is the title of the colours, `hover` how a value reads."""
    rows = values.shape[0]
    labels = side.labels()
    numeric = isinstance(labels[0], int)
    ticks = theme.rank_ticks(2 * rows) if numeric else {"type": "category"}
    gap = 1 if rows <= _GAPS else 0
    return {
        "data": [
            {
                "type": "heatmap",
                "x": labels,
                "y": labels,
                "z": [[None if np.isnan(v) else float(f"{v:.6g}") for v in row] for row in values],
                "colorscale": theme.SCALE,
                "hoverongaps": False,
                "xgap": gap,
                "ygap": gap,
                "colorbar": {
                    "title": {"text": bar, "side": "right"},
                    "thickness": 12,
                    "len": 0.9,
                    **theme.NUMBERS,
                },
                "hovertemplate": f"{side.word} %{{y}} → {side.word} %{{x}}<br>{hover}"
                "<extra></extra>",
                **options,
            }
        ],
        "layout": theme.layout(
            HEIGHT,
            margin={"l": 56, "r": 10, "t": 12, "b": 50},
            xaxis=theme.axis(f"to {side.word}", showgrid=False, constrain="domain", **ticks),
            yaxis=theme.axis(
                f"from {side.word}",
                showgrid=False,
                autorange="reversed",
                scaleanchor="x",
                constrain="domain",
                **ticks,
            ),
        ),
    }


def block_note(side: Side, how: str) -> str:
    """What a cell is, where it is no single pair."""
    block = side.block
    return f"Each cell is {how} of {block} × {block} {side.word}s." if block > 1 else ""
