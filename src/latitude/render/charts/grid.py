"""Small charts side by side in one figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from latitude.render.charts import theme

_GAP_Y = 84
"""Pixels."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Places of panels, row by row."""

    rows: int
    columns: int
    row_height: int
    """Pixels."""
    margin_top: int = 40
    margin_bottom: int = 56
    gap: float = 0.055
    """Between columns, a share of the figure's width."""

    @property
    def height(self) -> int:
        """Of the whole figure, pixels."""
        inside = self.rows * self.row_height + (self.rows - 1) * _GAP_Y
        return inside + self.margin_top + self.margin_bottom

    def axes(self, index: int, x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
        """The layout's axes of a panel."""
        row, column = divmod(index, self.columns)
        width = (1 - (self.columns - 1) * self.gap) / self.columns
        left = column * (width + self.gap)
        inside = self.height - self.margin_top - self.margin_bottom
        top = 1 - row * (self.row_height + _GAP_Y) / inside
        bottom = top - self.row_height / inside
        n = "" if index == 0 else str(index + 1)
        return {
            f"xaxis{n}": {**x, "domain": [left, left + width], "anchor": f"y{n}"},
            f"yaxis{n}": {**y, "domain": [max(bottom, 0.0), top], "anchor": f"x{n}"},
        }

    def title(self, index: int, lines: Sequence[str]) -> dict[str, Any]:
        """An annotation right above a panel."""
        n = "" if index == 0 else str(index + 1)
        return {
            "xref": f"x{n} domain",
            "yref": f"y{n} domain",
            "x": 0,
            "y": 1,
            "xanchor": "left",
            "yanchor": "bottom",
            "align": "left",
            "showarrow": False,
            "text": "<br>".join(lines),
            "font": {"size": 12, "color": theme.INK},
        }


def placed(index: int) -> dict[str, Any]:
    """Which axes a trace of a panel uses."""
    n = "" if index == 0 else str(index + 1)
    return {"xaxis": f"x{n}", "yaxis": f"y{n}"}
