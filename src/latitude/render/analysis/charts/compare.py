"""Alternatives side by side: T, tolerance zones, λ and ρ ([S] Figs. 10 and 12)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from latitude.analysis.compare import Compared, Comparison
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Unit, View, listed, unit_for
from latitude.render.html.markup import subscripted
from latitude.render.words import compared_headline, slower, tolerated
from latitude.results.analysis import Curve
from latitude.units.quantities import format_count, format_share

_COLOURS = (
    "#16365c", "#d55e00", "#009e73", "#cc79a7", "#0072b2", "#e69f00", "#56b4e9", "#5c6875",
)  # fmt: skip
"""Okabe and Ito's set, the page's own blue first."""
_DASHES = ("solid", "dash", "dot", "dashdot")
_HEIGHT = 440
_CLOSE = 0.45
"""Tolerances within this share of the interval get a view of their own."""
_CLOSE_ROOM = 1.2
_ROOM = 1.15
"""Room to the right of the last tolerance in the zones."""
_INSIDE = 0.12
"""Zones narrower than this share of the axis have no room for a label."""


def theta_unit(comparison: Comparison) -> Unit:
    """Unit of θ's axis."""
    if comparison.theta.unit == "ns/B":
        return Unit("ns/B", 1.0)
    return unit_for(comparison.interval[1])


def compare_charts(comparison: Comparison) -> list[Chart]:
    """Runtime, tolerance zones, sensitivity."""
    return [_runtime(comparison), _zones(comparison), _sensitivity(comparison)]


def _axis_title(comparison: Comparison) -> str:
    theta = comparison.theta
    return f"{theta.meaning} {subscripted(theta.symbol)} ({theta_unit(comparison).name})"


def _line(index: int) -> dict[str, Any]:
    dash = _DASHES[index // len(_COLOURS) % len(_DASHES)]
    return {"color": _COLOURS[index % len(_COLOURS)], "width": 2.3, "dash": dash}


def _runtime(comparison: Comparison) -> Chart:
    unit = theta_unit(comparison)
    top = max(float(found.curve.T_ns[-1]) for found in comparison.alternatives)
    runtime_unit = unit_for(top)
    name = subscripted(comparison.theta.symbol)
    traces: list[dict[str, Any]] = []
    for index, found in enumerate(comparison.alternatives):
        value, runtime = _line_of(found, comparison.interval[1])
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": found.label,
                "x": listed(unit.of(value), 10),
                "y": listed(runtime_unit.of(runtime), 10),
                "line": _line(index),
                "hovertemplate": f"{found.label}<br>{name} = %{{x:.4~g}} {unit.name}<br>"
                f"T = %{{y:.5~g}} {runtime_unit.name}<extra></extra>",
            }
        )
        traces.append(_marks(found, comparison.interval[1], unit, runtime_unit))
    views = _views(comparison, unit, runtime_unit)
    shown = views[0].layout
    figure = {
        "data": traces,
        "layout": theme.layout(
            _HEIGHT,
            margin={"l": 68, "r": 28, "t": 48, "b": 50},
            xaxis=theme.axis(_axis_title(comparison), range=shown["xaxis.range"]),
            yaxis=theme.axis(f"runtime T ({runtime_unit.name})", range=shown["yaxis.range"]),
        ),
    }
    return Chart(
        id="runtime",
        title=f"Runtime against {comparison.theta.meaning}",
        reading=compared_headline(comparison),
        figure=figure,
        height=_HEIGHT,
        note="Dots: where each alternative runs "
        + ", ".join(slower(t) for t in comparison.alternatives[0].tolerance)
        + " slower than at its own baseline (green, orange, red).",
        views=views,
    )


def _line_of(found: Compared, end: float) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """θ and T of the curve, with the tolerances as points of it."""
    inside = [t for t in found.tolerance if found.curve.value[0] <= t.value <= end]
    value = np.concatenate([found.curve.value, [t.value for t in inside]])
    runtime = np.concatenate([found.curve.T_ns, [t.T_limit_ns for t in inside]])
    order = np.argsort(value)
    return value[order], runtime[order]


def _views(comparison: Comparison, unit: Unit, runtime_unit: Unit) -> list[View]:
    """The tolerances where they are close together, and the whole interval."""
    low, high = comparison.interval
    ends = [t.value for found in comparison.alternatives for t in found.tolerance]
    finite = [end for end in ends if low < end <= high]
    views = [_view("Whole interval", comparison, high, unit, runtime_unit)]
    close = low + _CLOSE_ROOM * (max(finite) - low) if finite else high
    if close < low + _CLOSE * (high - low):
        views.insert(0, _view("Tolerances", comparison, close, unit, runtime_unit))
    return views


def _view(label: str, comparison: Comparison, end: float, unit: Unit, runtime_unit: Unit) -> View:
    low, margin = comparison.interval[0], 0.012 * (end - comparison.interval[0])
    lines = [_line_of(found, comparison.interval[1]) for found in comparison.alternatives]
    bottom = min(float(runtime[0]) for _, runtime in lines)
    top = max(float(np.interp(end, value, runtime)) for value, runtime in lines)
    room = 0.04 * max(top - bottom, 1e-9)
    return View(
        label,
        {
            "xaxis.range": [(low - margin) / unit.ns, end / unit.ns],
            "yaxis.range": [(bottom - room) / runtime_unit.ns, (top + room) / runtime_unit.ns],
        },
    )


def _marks(found: Compared, end: float, unit: Unit, runtime_unit: Unit) -> dict[str, Any]:
    """Dots at the tolerances inside the interval."""
    inside = [(i, t) for i, t in enumerate(found.tolerance) if t.value <= end]
    return {
        "type": "scatter",
        "mode": "markers",
        "showlegend": False,
        "x": listed(unit.of([t.value for _, t in inside]), 10),
        "y": listed(runtime_unit.of([t.T_limit_ns for _, t in inside]), 10),
        "marker": {
            "color": [theme.zone_colour(i) for i, _ in inside],
            "size": 10,
            "line": {"color": "#fff", "width": 1.5},
        },
        "text": [
            f"{found.label}: {slower(t)} slower at +{found.theta.difference(t.delta, 3)}"
            for _, t in inside
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _zones(comparison: Comparison) -> Chart:
    """One bar an alternative: how much more of θ each limit leaves room for."""
    rows = comparison.alternatives
    finite = [t.delta for found in rows for t in found.tolerance if math.isfinite(t.delta)]
    end = max(finite, default=comparison.interval[1] - comparison.interval[0]) * _ROOM
    unit = Unit("ns/B", 1.0) if comparison.theta.unit == "ns/B" else unit_for(end)
    labels = [found.label for found in rows]
    traces = []
    for index, tolerance in enumerate(rows[0].tolerance):
        before = [found.tolerance[index - 1].delta if index else 0.0 for found in rows]
        ends = [found.tolerance[index].delta for found in rows]
        width = [max(0.0, min(b, end) - min(a, end)) for a, b in zip(before, ends, strict=True)]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": f"{slower(tolerance)} slower",
                "y": labels,
                "x": listed(unit.of(width)),
                "marker": {"color": theme.zone_colour(index), "opacity": 0.75},
                "text": [
                    tolerated(found, index) if w > _INSIDE * end else ""
                    for found, w in zip(rows, width, strict=True)
                ],
                "textposition": "inside",
                "insidetextanchor": "end",
                "textangle": 0,
                "textfont": {"color": "#ffffff"},
                "hovertext": [
                    f"{found.label}: {slower(tolerance)} slower at {tolerated(found, index)}"
                    for found in rows
                ],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
        )
    height = 120 + 44 * len(rows)
    theta = comparison.theta
    figure = {
        "data": traces,
        "layout": theme.layout(
            height,
            barmode="stack",
            bargap=0.35,
            margin={"l": 60, "r": 28, "t": 40, "b": 50},
            legend={
                "orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom",
                "traceorder": "normal",
            },
            xaxis=theme.axis(
                f"extra {theta.meaning} Δ{subscripted(theta.symbol)} ({unit.name})",
                range=[0, end / unit.ns],
            ),
            yaxis=theme.axis("", autorange="reversed", type="category", ticks="", fixedrange=True),
        ),
    }  # fmt: skip
    return Chart("zones", "Tolerance zones", _zones_reading(comparison), figure, height)


def _zones_reading(comparison: Comparison) -> str:
    if not comparison.alternatives[0].tolerance:
        return "No limit was asked for."
    last = [found.tolerance[-1] for found in comparison.alternatives]
    least = min(range(len(last)), key=lambda i: last[i].delta)
    most = max(range(len(last)), key=lambda i: last[i].delta)
    low, high = comparison.alternatives[least], comparison.alternatives[most]
    if last[least].delta == last[most].delta:
        return f"All alternatives tolerate the same before they run {slower(last[0])} slower."
    text = (
        f"{slower(last[0])} slower: {low.label} tolerates {tolerated(low, -1)[1:]}, "
        f"{high.label} {tolerated(high, -1).removeprefix('+')}"
    )
    if math.isfinite(last[most].delta) and last[least].delta > 0:
        return f"{text}: {last[most].delta / last[least].delta:.3g} times as much."
    return f"{text}."


def _sensitivity(comparison: Comparison) -> Chart:
    foot = comparison.theta.symbol.replace("_", " ")
    traces = _lines(comparison, lambda curve: curve.slope, "y", "λ", shape="hv")
    traces += _lines(comparison, lambda curve: 100 * curve.share, "y2", "ρ (%)")
    figure = {
        "data": traces,
        "layout": theme.layout(
            _HEIGHT,
            margin={"l": 62, "r": 24, "t": 48, "b": 48},
            xaxis=theme.axis(_axis_title(comparison), anchor="y2"),
            yaxis=theme.axis(f"λ<sub>{foot}</sub>", domain=[0.54, 1], rangemode="tozero"),
            yaxis2=theme.axis(f"ρ<sub>{foot}</sub> (% of T)", domain=[0, 0.46], rangemode="tozero"),
        ),
    }
    first, *rest = comparison.alternatives
    steepest = max(rest, key=lambda found: found.curve.slope[-1])
    end = comparison.theta.text(comparison.interval[1])
    reading = (
        f"At {comparison.theta.symbol} = {end} λ is {format_count(float(first.curve.slope[-1]))} "
        f"with {first.label} and {format_count(float(steepest.curve.slope[-1]))} with "
        f"{steepest.label}, {format_share(float(first.curve.share[-1]))} and "
        f"{format_share(float(steepest.curve.share[-1]))} of the runtime."
    )
    symbol = comparison.theta.symbol
    note = f"λ, the slope of T over {symbol}, and ρ = {symbol}·λ/T, every {_step(comparison)}."
    return Chart("sensitivity", "Sensitivity: λ and ρ", reading, figure, _HEIGHT, note=note)


def _step(comparison: Comparison) -> str:
    value = comparison.alternatives[0].curve.value
    return comparison.theta.difference(float(value[1] - value[0]), 3)


def _lines(
    comparison: Comparison,
    values: Callable[[Curve], np.ndarray[Any, Any]],
    axis: str,
    what: str,
    **line: str,
) -> list[dict[str, Any]]:
    unit = theta_unit(comparison)
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": found.label,
            "showlegend": axis == "y",
            "legendgroup": str(index),
            "x": listed(unit.of(found.curve.value), 10),
            "y": listed(values(found.curve)),
            "yaxis": axis,
            "line": {**_line(index), **line},
            "hovertemplate": f"{found.label}<br>{what} = %{{y:,.5~g}}<extra></extra>",
        }
        for index, found in enumerate(comparison.alternatives)
    ]
