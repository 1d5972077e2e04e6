"""Panels in one figure: side by side with one vertical scale, or in a grid with their own axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from latitude.render.charts import theme
from latitude.render.charts.chart import Figure, Trace

_GAP = 0.03
_MARGIN = {"l": 70, "r": 28, "t": 66, "b": 52}


def panels(
    height: int,
    data: Sequence[Trace],
    heads: Sequence[str],
    horizontal: Sequence[dict[str, Any]],
    vertical: dict[str, Any],
    **options: Any,
) -> Figure:
    """A figure with one panel per head.

    Args:
        height: height, pixels.
        data: traces; `xaxis` of each is `axis_name` of its panel.
        heads: bold titles above the panels.
        horizontal: one axis per panel.
        vertical: the axis that all panels share.
        options: further settings of the layout.
    """
    width = (1 - _GAP * (len(heads) - 1)) / len(heads)
    domains = [(i * (width + _GAP), i * (width + _GAP) + width) for i in range(len(heads))]
    axes = {
        "xaxis" + axis_name(i)[1:]: {**axis, "domain": domain, "anchor": "y"}
        for i, (axis, domain) in enumerate(zip(horizontal, domains, strict=True))
    }
    words = [head(text, domain[0], 1.0) for text, domain in zip(heads, domains, strict=True)]
    return {
        "data": list(data),
        "layout": theme.layout(
            height,
            **{
                "margin": _MARGIN,
                "showlegend": True,
                "legend": {**theme.LEGEND, "y": 1.08},
                "annotations": words,
                "yaxis": vertical,
                **axes,
                **options,
            },
        ),
    }


def head(text: str, x: float, y: float) -> dict[str, Any]:
    """A panel's title, with its lower left corner at this place, as shares of the figure."""
    return {
        "xref": "paper",
        "yref": "paper",
        "x": x,
        "y": y,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": f"<b>{text}</b>",
        "font": {"size": 13, "color": theme.INK},
    }


def axis_name(panel: int) -> str:
    """Name of a panel's horizontal axis: `x`, then `x2` and so on."""
    return f"x{panel + 1}" if panel else "x"


_GAP_Y = 84
"""Vertical gap between panels, pixels."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Places of panels, row by row."""

    rows: int
    columns: int
    row_height: int
    """Height of a row, pixels."""
    margin_top: int = 40
    margin_bottom: int = 56
    gap: float = 0.055
    """Gap between columns, as a share of the figure's width."""

    @property
    def height(self) -> int:
        """Height of the whole figure, pixels."""
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
        """An annotation directly above a panel."""
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
    """The axes that a panel's traces use."""
    n = "" if index == 0 else str(index + 1)
    return {"xaxis": f"x{n}", "yaxis": f"y{n}"}
