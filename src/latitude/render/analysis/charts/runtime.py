"""T against Δθ with the tolerance zones ([S] Fig. 1)."""

import math
from typing import Any

import numpy as np

from latitude.render.analysis.charts import window
from latitude.render.analysis.charts.zone import zone
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Unit, View, listed, unit_for
from latitude.render.html.markup import subscripted
from latitude.render.words import headline, slower
from latitude.results.analysis import Analysis, Tolerance
from latitude.units.quantities import counted, format_time

HEIGHT = 430
_LEVEL = 0.062
"""Height of a line of labels above the plot, in plot heights."""
_MARGIN_Y = 0.04
_LEAST_SPAN = 0.02
"""Least part of T that the axis shows: a flat line must not look like a mountain range."""


def _polyline(analysis: Analysis) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Δθ and T of the exact curve: its ends and every critical value."""
    curve, found = analysis.curve, analysis.breakpoints
    latency = np.concatenate([curve.value[:1], found.value, curve.value[-1:]])
    runtime = np.concatenate([curve.T_ns[:1], found.T_ns, curve.T_ns[-1:]])
    return latency - analysis.theta.base, runtime


def _zones(analysis: Analysis, unit: Unit) -> list[dict[str, Any]]:
    """One coloured band between neighbouring tolerances."""
    left, right = 0.0, window.whole(analysis)[1]
    shapes = []
    for index, tolerance in enumerate(analysis.tolerance):
        end = min(tolerance.delta, right)
        if end > left:
            shapes.append(zone(index, left, end, unit))
        left = max(left, end)
    return shapes


def _limit(analysis: Analysis, index: int, unit: Unit) -> dict[str, Any]:
    """The label of a zone's end, above the plot; lines of labels so that they never overlap."""
    tolerance = analysis.tolerance[index]
    level = 1.015 + _LEVEL * (index % 4)
    label: dict[str, Any] = {
        "yref": "paper",
        "y": level,
        "yanchor": "bottom",
        "showarrow": False,
        "text": _limit_text(analysis, tolerance),
        "font": {"size": 12, "color": _darker(index)},
        "bgcolor": "rgba(255,255,255,0.85)",
    }
    if tolerance.delta > window.whole(analysis)[1]:
        text = label["text"] if math.isinf(tolerance.delta) else f"{label['text']} →"
        return {**label, "xref": "paper", "x": 1, "xanchor": "right", "text": text}
    return {**label, "xref": "x", "x": tolerance.delta / unit.ns, "xanchor": "center"}


def _limit_line(analysis: Analysis, index: int, unit: Unit) -> dict[str, Any] | None:
    tolerance = analysis.tolerance[index]
    if tolerance.delta > window.whole(analysis)[1]:
        return None
    return theme.vertical(
        tolerance.delta / unit.ns,
        theme.zone_colour(index),
        width=1.5,
        top=1.01 + _LEVEL * (index % 4),
    )


def _limit_text(analysis: Analysis, tolerance: Tolerance) -> str:
    if math.isinf(tolerance.delta):
        return f"{slower(tolerance)}: never"
    return f"<b>{slower(tolerance)}</b> at +{analysis.theta.difference(tolerance.delta, 3)}"


def _darker(index: int) -> str:
    """Text in the zones' colours must be darker to be read."""
    return ("#00664a", "#8a5f00", "#a34700")[min(index, 2)]


def _range(analysis: Analysis, end_ns: float, unit: Unit, runtime_unit: Unit) -> dict[str, Any]:
    """Axis ranges that show the curve up to Δθ = end."""
    start = window.whole(analysis)[0]
    latency, runtime = _polyline(analysis)
    top = float(np.interp(end_ns, latency, runtime))
    bottom = float(runtime[0])
    span = max(top - bottom, _LEAST_SPAN * top, 1e-9)
    margin = (end_ns - start) * 0.012
    return {
        "xaxis.range": [(start - margin) / unit.ns, end_ns / unit.ns],
        "yaxis.range": [
            (bottom - _MARGIN_Y * span) / runtime_unit.ns,
            (top + _MARGIN_Y * span) / runtime_unit.ns,
        ],
    }


def runtime_chart(analysis: Analysis) -> Chart:
    """The first chart of the page."""
    unit = window.delta_unit(analysis)
    latency, runtime = _polyline(analysis)
    runtime_unit = unit_for(float(runtime[-1]))
    base, theta, name = analysis.baseline, analysis.theta, subscripted(analysis.theta.symbol)
    growth = (runtime / base.T_ns - 1) * 100 if base.T_ns else np.zeros(runtime.size)
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "runtime T",
            "x": listed(unit.of(latency), 12),
            "y": listed(runtime_unit.of(runtime), 12),
            "customdata": listed(growth),
            "line": {"color": theme.LINE, "width": 2.5},
            "hovertemplate": f"Δ{name} = %{{x:.4~g}} {unit.name}<br>"
            f"T = %{{y:.5~g}} {runtime_unit.name}<br>%{{customdata:+.3~g}}%<extra></extra>",
        }
    ]
    if latency[0] <= 0 <= latency[-1]:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [0],
                "y": listed(runtime_unit.of([base.T_ns])),
                "marker": {"color": theme.LINE, "size": 9, "line": {"color": "#fff", "width": 2}},
                "hovertemplate": f"baseline, {name} = {theta.text(theta.base)}<br>"
                f"T = {format_time(base.T_ns, 5)}<extra></extra>",
            }
        )
    indices = range(len(analysis.tolerance))
    lines = [line for i in indices if (line := _limit_line(analysis, i, unit))]
    views = [
        View("Whole interval", _range(analysis, window.whole(analysis)[1], unit, runtime_unit))
    ]
    if (close := window.close_end(analysis)) is not None:
        views.insert(0, View("Tolerance zones", _range(analysis, close, unit, runtime_unit)))
    shown = views[0].layout
    figure = {
        "data": traces,
        "layout": theme.layout(
            HEIGHT,
            margin={"l": 68, "r": 28, "t": 24 + 24 * min(4, len(indices)), "b": 50},
            showlegend=False,
            shapes=_zones(analysis, unit) + lines,
            annotations=[_limit(analysis, i, unit) for i in indices],
            xaxis=theme.axis(window.axis_title(analysis), range=shown["xaxis.range"]),
            yaxis=theme.axis(f"runtime T ({runtime_unit.name})", range=shown["yaxis.range"]),
        ),
    }
    return Chart(
        id="runtime",
        title=f"Runtime against {analysis.theta.meaning}",
        reading=headline(analysis),
        figure=figure,
        height=HEIGHT,
        note=_note(analysis),
        views=views,
    )


def _note(analysis: Analysis) -> str:
    theta, found = analysis.theta, analysis.breakpoints.value.size
    low, high = (theta.text(x) for x in analysis.interval)
    return (
        f"The line is exact: T is convex and piecewise linear in {theta.symbol}, with "
        f"{counted(found, 'bend')} between {theta.symbol} = {low} and {high}. Bands end where T "
        f"passes each limit. Δ{theta.symbol} is counted from "
        f"{theta.symbol} = {theta.text(theta.base)}."
    )


def runtime_figure(analysis: Analysis) -> Any:
    """The chart as a plotly figure, for notebooks."""
    import plotly.graph_objects as go  # noqa: PLC0415 - slow to import

    return go.Figure(runtime_chart(analysis).figure)
