"""Parts of charts: about ten kinds of marks on a plot, as plotly traces and shapes.

Values are in the units of the axes, so convert with `Unit.of` first. `hover` is plotly's template
for the text under the mouse; `<extra></extra>` is added.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Layer, Trace, View, listed

BLUE = "#6f9bc8"
_LABEL_BACKGROUND = "rgba(255,255,255,0.85)"


def line(
    x: ArrayLike,
    y: ArrayLike,
    *,
    name: str = "",
    colour: str = theme.LINE,
    width: float = 2.2,
    dash: str = "solid",
    steps: bool = False,
    hover: str = "",
    **more: Any,
) -> Trace:
    """A line through points; with `steps`, constant between neighbours."""
    shape = {"shape": "hv"} if steps else {}
    style = {"color": colour, "width": width, "dash": dash, **shape}
    return _scatter("lines", x, y, name, hover, {"line": style, **more})


def band(
    x: ArrayLike, low: ArrayLike, high: ArrayLike, *, colour: str, name: str = "", **more: Any
) -> list[Trace]:
    """The area between two lines."""
    edge = {"line": {"width": 0, "color": colour}, "hoverinfo": "skip", "showlegend": False}
    filled = {**edge, "fill": "tonexty", "fillcolor": colour, "showlegend": bool(name)}
    return [
        _scatter("lines", x, low, "", "", {**edge, **more}),
        _scatter("lines", x, high, name, "", {**filled, **more}),
    ]


def points(
    x: ArrayLike,
    y: ArrayLike,
    *,
    name: str = "",
    colour: str | Sequence[str] = theme.LINE,
    size: float = 7,
    symbol: str | Sequence[str] = "circle",
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    across: bool = False,
    text: Sequence[str] = (),
    hover: str = "",
    **more: Any,
) -> Trace:
    """Points, with intervals of y (of x if `across`) from `low` to `high` if given."""
    marks: dict[str, Any] = {"marker": {"color": colour, "size": size, "symbol": symbol}}
    if low is not None and high is not None:
        at = np.asarray(x if across else y, dtype=np.float64)
        marks["error_x" if across else "error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": listed(np.asarray(high, dtype=np.float64) - at),
            "arrayminus": listed(at - np.asarray(low, dtype=np.float64)),
            **({"color": colour} if isinstance(colour, str) else {}),
            "thickness": 1.2,
            "width": 3,
        }
    if text:
        marks["text"] = list(text)
    return _scatter("markers", x, y, name, hover, {**marks, **more})


def bars(
    x: ArrayLike | Sequence[str],
    y: ArrayLike | Sequence[str],
    *,
    name: str = "",
    colour: str | Sequence[str] = BLUE,
    across: bool = False,
    width: float | ArrayLike | None = None,
    hatched: bool = False,
    hover: str = "",
    **more: Any,
) -> Trace:
    """Bars, upright or `across`, stacked if the layout has `barmode="stack"`."""
    made: Trace = {
        "type": "bar",
        "x": _values(x),
        "y": _values(y),
        "marker": {"color": colour, "line": {"width": 0}, **(theme.HATCHED if hatched else {})},
        **({"orientation": "h"} if across else {}),
        **({"width": _values(width) if np.ndim(width) else width} if width is not None else {}),
        **more,
    }
    return _named(made, name, hover)


def histogram(counts: ArrayLike, edges: ArrayLike, *, hover: str = "", **more: Any) -> Trace:
    """Counts between edges; there is one more edge than counts."""
    ends = np.asarray(edges, dtype=np.float64)
    width = float(ends[1] - ends[0]) or 1.0
    return bars((ends[1:] + ends[:-1]) / 2, counts, width=width, hover=hover, **more)


def box(values: ArrayLike, *, name: str, colour: str = theme.LINE, **more: Any) -> Trace:
    """Quartiles, whiskers and the values beyond the whiskers."""
    return {
        "type": "box",
        "y": listed(values),
        "name": name,
        "line": {"color": colour, "width": 1.4},
        **more,
    }


def heat_map(
    values: Sequence[Sequence[float | None]],
    *,
    unit: str,
    hover: str,
    x: Sequence[Any] | None = None,
    y: Sequence[Any] | None = None,
    **more: Any,
) -> Trace:
    """A matrix in colours from light to dark; None stays empty."""
    made: Trace = {
        "type": "heatmap",
        "z": values,
        "colorscale": theme.SCALE,
        "colorbar": {"title": {"text": unit, "side": "right"}, "thickness": 12, "outlinewidth": 0},
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        **({"x": list(x)} if x is not None else {}),
        **({"y": list(y)} if y is not None else {}),
        **more,
    }
    return _named(made, "", hover)


def zone(low: float, high: float, colour: str, *, opacity: float = theme.ZONE_OPACITY) -> Trace:
    """A coloured band of the plot from x = `low` to `high`: a shape of the layout."""
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": low,
        "x1": high,
        "y0": 0,
        "y1": 1,
        "fillcolor": colour,
        "opacity": opacity,
        "line": {"width": 0},
        "layer": "below",
    }


def level(y: float, colour: str, *, dash: str = "dot", width: float = 1.0) -> Trace:
    """A line across the plot at height `y`: a shape of the layout."""
    return {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": y,
        "y1": y,
        "line": {"color": colour, "width": width, "dash": dash},
    }


def label(x: float, y: float, text: str, *, colour: str = theme.INK, **more: Any) -> Trace:
    """Text at `x` of the axis and at the share `y` of the plot's height: an annotation."""
    return {
        "xref": "x",
        "yref": "paper",
        "x": x,
        "y": y,
        "showarrow": False,
        "text": text,
        "font": {"size": 12, "color": colour},
        "bgcolor": _LABEL_BACKGROUND,
        **more,
    }


def text(words: str) -> str:
    """Words in which `<` and `&` are escaped, because plotly interprets `<b>` and similar marks."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def chart(
    name: str,
    title: str,
    reading: str,
    traces: Sequence[Trace],
    *,
    x: dict[str, Any],
    y: dict[str, Any],
    height: int = 400,
    note: str = "",
    views: Sequence[View] = (),
    layers: Sequence[Layer] = (),
    label: str = "",
    **layout: Any,
) -> Chart:
    """A chart of these marks; `x` and `y` are from `theme.axis`, and `layout` is plotly's."""
    figure = {"data": list(traces), "layout": theme.layout(height, xaxis=x, yaxis=y, **layout)}
    return Chart(name, title, reading, figure, height, note, views, layers, label)


def _scatter(
    mode: str, x: ArrayLike, y: ArrayLike, name: str, hover: str, more: dict[str, Any]
) -> Trace:
    made: Trace = {"type": "scatter", "mode": mode, "x": _values(x), "y": _values(y), **more}
    return _named(made, name, hover)


def _named(made: Trace, name: str, hover: str) -> Trace:
    if name:
        made["name"] = name
    if hover:
        made["hovertemplate"] = f"{hover}<extra></extra>"
    return made


def _values(values: ArrayLike | Sequence[str]) -> list[Any]:
    """Numbers shortened for display; texts stay unchanged."""
    array = np.asarray(values)
    return listed(array) if array.dtype.kind in "fiub" else list(array)
