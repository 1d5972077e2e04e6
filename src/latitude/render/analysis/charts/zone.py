"""The coloured bands that end at tolerances."""

from typing import Any

from latitude.render.charts import theme
from latitude.render.charts.chart import Unit


def zone(index: int, start_ns: float, end_ns: float, unit: Unit) -> dict[str, Any]:
    """Plotly's rectangle of one band below the curves; `index` picks its colour."""
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": start_ns / unit.ns,
        "x1": end_ns / unit.ns,
        "y0": 0,
        "y1": 1,
        "fillcolor": theme.zone_colour(index),
        "opacity": theme.ZONE_OPACITY,
        "line": {"width": 0},
        "layer": "below",
    }
