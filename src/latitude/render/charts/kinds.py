"""Kinds of charts that several results share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit

_EVEN, _TAIL = 400, 400
"""Points of an exceedance curve: evenly far apart in rank, and towards its end."""


def named_rows(
    name: str,
    title: str,
    reading: str,
    traces: Sequence[Trace],
    *,
    x: dict[str, Any],
    rows: int,
    row: int = 44,
    top: int = 34,
    **more: Any,
) -> Chart:
    """Bars or points in rows with names at the left, the first on top.

    Args:
        name: name of the chart in the page.
        title: above it.
        reading: what it says.
        traces: marks whose y are names.
        x: the horizontal axis.
        rows: how many names there are.
        row: height of each, pixels.
        top: room above, pixels, for a legend.
        more: of `marks.chart`.
    """
    return marks.chart(
        name,
        title,
        reading,
        traces,
        x=x,
        y=theme.axis("", autorange="reversed", ticks="", type="category"),
        height=86 + top + row * rows,
        **{"margin": {"l": 24, "r": 28, "t": top, "b": 52}, **more},
    )


def exceedance(
    name: str,
    title: str,
    reading: str,
    values: Floats,
    unit: Unit,
    *,
    x: dict[str, Any],
    y: str,
    hover: str,
    colour: str = theme.LINE,
    **more: Any,
) -> Chart:
    """Which share of values is at least as large, in percent on a logarithmic axis.

    Args:
        name: name of the chart in the page.
        title: above it.
        reading: what it says.
        values: rising, ns.
        unit: unit of the horizontal axis.
        x: that axis.
        y: title of the vertical one.
        hover: with {share} and {value}.
        colour: of the line.
        more: of `marks.chart`.
    """
    size = values.size
    tail = size - np.geomspace(1, size, min(_TAIL, size)).astype(int)
    at = np.union1d(np.linspace(0, size - 1, min(_EVEN, size)).astype(int), tail)
    return marks.chart(
        name,
        title,
        reading,
        [
            marks.line(
                unit.of(values[at]),
                100 * (size - at) / size,
                colour=colour,
                steps=True,
                hover=hover.format(share="%{y:.3~g}%", value=f"%{{x:.6~g}} {unit.name}"),
            )
        ],
        x=x,
        y=theme.axis(y, type="log", dtick=1),
        **{"margin": {"l": 70, "r": 28, "t": 20, "b": 52}, **more},
    )


def diagonal(low: float, high: float, **more: Any) -> Trace:
    """Where both axes have the same value: a dotted line."""
    style = {"colour": theme.MUTED, "width": 1, "dash": "dot", "hoverinfo": "skip"}
    shown = {} if "name" in more else {"showlegend": False}
    return marks.line([low, high], [low, high], **{**style, **shown, **more})
