"""Kinds of charts that several results share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit

_EVEN, _TAIL = 400, 400
"""Numbers of points on an exceedance curve: evenly spaced in rank, and towards its end."""


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
        title: title above the chart.
        reading: the chart's finding, as a sentence.
        traces: marks whose y are names.
        x: the horizontal axis.
        rows: number of names.
        row: height of a row, pixels.
        top: room above, pixels, for a legend.
        more: further arguments of `marks.chart`.
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
    """A curve of the share of values that reach each value, in percent on a logarithmic axis.

    Args:
        name: name of the chart in the page.
        title: title above the chart.
        reading: the chart's finding, as a sentence.
        values: the values in rising order, ns.
        unit: unit of the horizontal axis.
        x: the horizontal axis.
        y: title of the vertical axis.
        hover: text under the mouse, with {share} and {value}.
        colour: colour of the line.
        more: further arguments of `marks.chart`.
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
    """A dotted line on which both axes have the same value."""
    style = {"colour": theme.MUTED, "width": 1, "dash": "dot", "hoverinfo": "skip"}
    shown = {} if "name" in more else {"showlegend": False}
    return marks.line([low, high], [low, high], **{**style, **shown, **more})
