"""Colours and layout of all charts.

The colours are Okabe and Ito's, which people with any colour vision can tell apart.
"""

import math
from collections.abc import Sequence
from typing import Any

from latitude.results.lines import RankLines
from latitude.units import columns

INK = "#1c2733"
MUTED = "#5c6875"
GRID = "#e7eaee"
LINE = "#16365c"
"""Colour of the curve of the program itself."""

ZONES = ("#009e73", "#e69f00", "#d55e00")
"""Tolerance zones: green, orange, red, as in Fig. 1 of Shen et al. 2024."""
ON_ZONES = "#000000"
"""Colour of text on the zones, with a contrast of 5 or more."""
ZONE_OPACITY = 0.17
_MAX_TICKS = 32
_MAX_DECADES = 4
NUMBERS = {"separatethousands": True, "exponentformat": "none"}
"""Ticks with numbers as people write them: 10,000, not 10k."""

COMPUTATION = "#b3bfcb"
OVERHEAD = "#0072b2"
LATENCY = "#d55e00"
BANDWIDTH = "#cc79a7"
NETWORK = LATENCY
WAITING = "#f0e442"

HATCHED = {
    "pattern": {
        "shape": "/", "size": 7, "solidity": 0.3, "fgcolor": "#ffffff", "fillmode": "overlay",
    }
}  # fmt: skip
"""Markers of bars whose length depends on parameters that the user did not choose."""
NOT_A_FINDING = "Hatched parts follow from default parameters: they are not findings."

SCALE = [[0.0, "#f3f5f8"], [0.2, "#c9d7e6"], [0.5, "#6f9bc8"], [0.8, "#215c98"], [1.0, "#0b2e59"]]
"""Sequential colours for heat maps, light to dark."""

SERIES = ("#16365c", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#0072b2", "#6b4c2a")
"""Colours of groups or programs side by side; colours that are readable as lines come first."""

SITES = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1c2733")
"""Colours for the first call sites, from Okabe and Ito's set; readers cannot tell more colours
apart."""

LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"}
"""A legend above the plot, in one line."""
ORDERED = {**LEGEND, "traceorder": "normal"}
"""A legend above the plot in the order of the traces, for stacked bars."""
FONT = "'Inter', 'Helvetica Neue', 'Segoe UI', 'Liberation Sans', Arial, sans-serif"


def subscripted(symbol: str) -> str:
    """A symbol in the notation of plotly and HTML: l_wire → l<sub>wire</sub>."""
    head, _, foot = symbol.partition("_")
    return f"{head}<sub>{foot}</sub>" if foot else head


def rank_ticks(ranks: int) -> dict[str, Any]:
    """A tick for every rank if there is room for the labels."""
    return {"dtick": 1} if ranks <= _MAX_TICKS else {}


def line_ticks(lines: RankLines, labels: Sequence[str]) -> dict[str, Any]:
    """A tick for every line of ranks.

    If ranks have several lines, the labels are the axis's categories. A chart must draw every
    category, because Plotly fails on a heat map without a row for a category.
    """
    if not lines.several:
        return rank_ticks(len(lines))
    return {"type": "category", "categoryorder": "array", "categoryarray": list(labels)}


def log_ticks(low: float, high: float) -> dict[str, Any]:
    """Ticks of a logarithmic axis, labelled in full.

    Ticks are evenly spaced within a single decade; otherwise at 1, 2 and 5, or only at the decades
    if there are many.
    """
    if high < 10 * low:
        rough = (high - low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        step = power * next(digit for digit in (1, 2, 5, 10) if digit * power >= rough)
        first, last = math.ceil(low / step), math.floor(high / step)
        values = [count * step for count in range(first, last + 1)]
    else:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        digits = (1, 2, 5) if len(decades) <= _MAX_DECADES else (1,)
        values = [digit * 10.0**decade for decade in decades for digit in digits]
    return {"tickvals": values, "ticktext": [f"{float(f'{v:.8g}'):,.12g}" for v in values]}


def zone_colour(index: int) -> str:
    """Colour of the zone that ends at tolerance number `index`."""
    return ZONES[min(index, len(ZONES) - 1)]


def colour(index: int) -> str:
    """Colour of group number `index`."""
    return SERIES[index % len(SERIES)]


def style(index: int) -> tuple[str, str]:
    """Dash and symbol of group number `index`, because colours repeat after eight."""
    return ("solid", "circle") if index // len(SERIES) % 2 == 0 else ("dot", "diamond-open")


def log_axis(title: str, low: float, high: float, **options: Any) -> dict[str, Any]:
    """A logarithmic axis from `low` to `high`, in its unit."""
    span = [math.log10(low), math.log10(high)]
    return axis(title, type="log", range=span, **log_ticks(low, high), **options)


def axis(title: str, **options: Any) -> dict[str, Any]:
    """An axis with a title, which may include its unit."""
    return {
        "title": {"text": title, "font": {"size": 12.5, "color": MUTED}, "standoff": 10},
        "gridcolor": GRID,
        "linecolor": "#9aa4af",
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "#9aa4af",
        "automargin": True,
        **NUMBERS,
        **options,
    }


def axis_of(kind: type, field: str, unit: str, **options: Any) -> dict[str, Any]:
    """An axis titled after a class's declared column, with the unit of the drawing."""
    return axis(f"{columns.at(kind, field).title} ({unit})", **options)


def vertical(
    x: float, colour: str, *, dash: str = "dot", width: float = 1.0, top: float = 1.0
) -> dict[str, Any]:
    """A line across the plot at `x`, up to this share of its height."""
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": top,
        "line": {"color": colour, "width": width, "dash": dash},
    }


def layout(height: int, **options: Any) -> dict[str, Any]:
    """A figure's layout."""
    return {
        "height": height,
        "autosize": True,
        "margin": {"l": 62, "r": 24, "t": 16, "b": 48},
        "font": {"family": FONT, "size": 12.5, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {"font": {"family": FONT, "size": 12}, "bgcolor": "#ffffff"},
        "legend": LEGEND,
        "dragmode": "zoom",
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#9aa4af", "activecolor": LINE},
        **options,
    }
