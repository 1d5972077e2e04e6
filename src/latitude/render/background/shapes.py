"""Latency distributions at low, middle and high b ([B] Fig. 5)."""

from itertools import groupby
from typing import Any

import numpy as np

from latitude.cluster.advice.question import kind_name
from latitude.cluster.correlate import Shape, Study
from latitude.render.background.grid import Grid, placed
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Unit, listed, unit_for
from latitude.statistics.density import bandwidth, density
from latitude.units.quantities import format_share, format_time

_ROW = 260
_POINTS = 240
_COLOURS = ("#56b4e9", "#009e73", "#d55e00")
"""Okabe and Ito: low, middle, high b."""
_SHOWN = 0.99
_IN_VIEW = 0.97
"""The axis ends at this share of the slowest run: what lies beyond is too thin to be seen."""


def shapes_chart(study: Study) -> Chart | None:
    """A panel for each collective, a curve for each b; None when no run has enough samples."""
    groups = [list(group) for _, group in groupby(study.shapes, key=lambda s: s.collective)]
    if not groups:
        return None
    grid = Grid(1, len(groups), _ROW, margin_top=34)
    layout: dict[str, Any] = {}
    traces: list[dict[str, Any]] = []
    for index, group in enumerate(groups):
        largest = max(float(np.quantile(shape.samples_ns, _IN_VIEW)) for shape in group)
        unit = unit_for(largest)
        y = theme.axis("share per " + unit.name if index == 0 else "", rangemode="tozero", nticks=5)
        layout |= grid.axes(
            index, theme.axis(f"latency ({unit.name})", range=[0, largest / unit.ns]), y
        )
        traces += [_curve(shape, place, index, unit, largest) for place, shape in enumerate(group)]
        layout[f"legend{index + 1 if index else ''}"] = _legend(layout, index)
    figure = {
        "data": traces,
        "layout": theme.layout(
            grid.height,
            margin={"l": 56, "r": 12, "t": grid.margin_top, "b": grid.margin_bottom},
            annotations=[grid.title(i, [_title(group)]) for i, group in enumerate(groups)],
            **layout,
        ),
    }
    note = (
        "One run each: those with the lowest, the middle and the highest b. Gaussian kernel, "
        "Silverman's bandwidth; the slowest are out of the picture. Two modes are named when the "
        "density has two peaks and Hartigan's dip test rejects one mode (p < 0.05)."
    )
    return Chart(
        "shapes", "The shape at low and high traffic", reading(study), figure, grid.height, note
    )


def _curve(shape: Shape, place: int, index: int, unit: Unit, end_ns: float) -> dict[str, Any]:
    values = shape.samples_ns
    width = bandwidth(values)
    x, y = np.array([values[0], values[0]]), np.array([0.0, 0.0])
    if width > 0:
        drawn = density(values, width)
        inside = int(np.searchsorted(drawn.at_ns, end_ns)) + 1
        step = max(1, min(inside, drawn.at_ns.size) // _POINTS)
        x, y = drawn.at_ns[:inside:step], drawn.per_ns[:inside:step]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"b = {format_share(shape.b)}{_modes(shape)}",
        "legend": f"legend{index + 1 if index else ''}",
        "x": listed(unit.of(x), 5),
        "y": listed(y * unit.ns, 5),
        "line": {"color": _COLOURS[place], "width": 2},
        "hovertemplate": f"b = {format_share(shape.b)}<br>%{{x:.4~g}} {unit.name}<extra></extra>",
        **placed(index),
    }


def _modes(shape: Shape) -> str:
    return ", two modes" if shape.modes.multimodal else ""


def _legend(layout: dict[str, Any], index: int) -> dict[str, Any]:
    """Inside the panel, at the top right."""
    axis = layout[f"xaxis{index + 1 if index else ''}"]
    return {
        "x": axis["domain"][1],
        "y": 1.0,
        "xanchor": "right",
        "yanchor": "top",
        "bgcolor": "rgba(255,255,255,0.8)",
        "font": {"size": 11.5},
    }


def _title(group: list[Shape]) -> str:
    return f"<b>{kind_name(group[0].collective, group[0].bytes)}</b>"


def reading(study: Study) -> str:
    """What the shapes show together."""
    groups = [list(group) for _, group in groupby(study.shapes, key=lambda s: s.collective)]
    sentences = []
    widest = max(groups, key=_stretch)
    low, high = widest[0], widest[-1]
    if high.b > low.b:
        p99 = [float(np.quantile(shape.samples_ns, _SHOWN)) for shape in (low, high)]
        sentences.append(
            f"From b = {format_share(low.b)} to {format_share(high.b)} the 99th percentile of "
            f"{low.collective} goes from {format_time(p99[0])} to {format_time(p99[1])}"
        )
    double = [shape for shape in study.shapes if shape.modes.multimodal]
    if double:
        named = "; ".join(
            f"{collective} at b = {' and '.join(format_share(s.b) for s in group)}"
            for collective, group in groupby(double, key=lambda s: s.collective)
        )
        sentences.append(f"two modes in {named}")
    else:
        sentences.append("no distribution has two modes")
    return " ".join(f"{text[:1].upper()}{text[1:]}." for text in sentences)


def _stretch(group: list[Shape]) -> float:
    """By what the 99th percentile grows from the lowest to the highest b."""
    ends = [float(np.quantile(group[i].samples_ns, _SHOWN)) for i in (0, -1)]
    return ends[1] / ends[0] if ends[0] > 0 else 0.0
