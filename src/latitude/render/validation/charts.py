"""Charts of a validation: measured over predicted ([S] Fig. 9), and the error of each ΔL."""

import math
from typing import Any

from latitude.experiments.validation.result import Validation
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Unit, listed, unit_for
from latitude.render.validation import words
from latitude.units.quantities import format_time

_HEIGHT = 440
_ERRORS = 260
_MEASURED = "#d55e00"
_MARGIN = {"l": 74, "r": 28, "t": 70, "b": 52}
_GOAL = 2.0
"""Percent; what [S] Table I stays below."""
_LABEL_Y, _LABEL_STEP = 1.015, 0.05
_LABEL_WIDTH = 0.13
"""Of the plot; labels that are nearer to each other stand above each other."""


def _zones(result: Validation, unit: Unit) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Bands that end at the tolerances, and their labels above the plot."""
    left, right = 0.0, float(result.prediction.curve_delta_ns[-1])
    shapes: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    free: list[float] = []  # of each row of labels, from where on
    for index, each in enumerate(result.tolerated):
        end = min(each.predicted_ns, right)
        if end <= left:
            continue
        shapes.append(marks.zone(left / unit.ns, end / unit.ns, theme.zone_colour(index)))
        beyond = each.predicted_ns > right
        row = next((row for row, begin in enumerate(free) if end >= begin), len(free))
        free[row : row + 1] = [end + _LABEL_WIDTH * right]
        labels.append(
            {
                "xref": "x",
                "yref": "paper",
                "x": end / unit.ns,
                "y": _LABEL_Y + _LABEL_STEP * row,
                "xanchor": "right" if beyond else "center",
                "yanchor": "bottom",
                "showarrow": False,
                "text": f"<b>{100 * each.degradation:g}%</b> {words.tolerated(each)[0]}"
                + (" →" if beyond else ""),
                "font": {"size": 12, "color": theme.INK},
                "bgcolor": "rgba(255,255,255,0.85)",
            }
        )
        left = end
    return shapes, labels


def _line(
    units: tuple[Unit, Unit], name: str, short: str, points: tuple[Any, Any], line: dict[str, Any]
) -> dict[str, Any]:
    """A predicted T(ΔL); units and points are of ΔL and of T."""
    added, runtime = units
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": listed(added.of(points[0])),
        "y": listed(runtime.of(points[1])),
        "line": {"color": theme.LINE, **line},
        "hovertemplate": f"ΔL = %{{x:.4~g}} {added.name}<br>{short} %{{y:.5~g}} "
        f"{runtime.name}<extra></extra>",
    }


def _predicted(result: Validation, units: tuple[Unit, Unit]) -> list[dict[str, Any]]:
    """The line, and under it that without replay, where there is another one."""
    prediction, alone = result.prediction, result.model_alone
    curve = (prediction.curve_delta_ns, prediction.curve_T_ns)
    lines = [_line(units, "predicted from the trace", "predicted", curve, {"width": 2.5})]
    if alone is not None:
        points = ([each.delta_ns for each in alone], [each.predicted_ns for each in alone])
        name = "the model alone, without replay"
        lines.insert(0, _line(units, name, "model alone", points, {"width": 1.4, "dash": "dot"}))
    return lines


def runtime_chart(result: Validation) -> Chart:
    """T(ΔL): the line predicted, the points measured."""
    prediction, levels = result.prediction, result.measured
    unit = unit_for(float(prediction.curve_delta_ns[-1]))
    runtime = unit_for(float(prediction.curve_T_ns[-1]))
    shapes, labels = _zones(result, unit)
    median = [level.median_ns for level in levels]
    single = [(level.delta_ns, T) for level in levels for T in level.measured_ns]
    data: list[dict[str, Any]] = [
        *_predicted(result, (unit, runtime)),
        {
            "type": "scatter",
            "mode": "markers",
            "name": "each run",
            "x": listed(unit.of([delta for delta, _ in single])),
            "y": listed(runtime.of([T for _, T in single])),
            "marker": {"color": _MEASURED, "size": 5, "opacity": 0.35},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "measured: median, least and most",
            "x": listed(unit.of([level.delta_ns for level in levels])),
            "y": listed(runtime.of(median)),
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": listed(
                    runtime.of([max(each.measured_ns) - each.median_ns for each in levels])
                ),
                "arrayminus": listed(
                    runtime.of([each.median_ns - min(each.measured_ns) for each in levels])
                ),
                "thickness": 1.3,
                "width": 4,
                "color": _MEASURED,
            },
            "marker": {
                "color": "#ffffff",
                "size": 9,
                "line": {"color": _MEASURED, "width": 2.2},
            },
            "customdata": [words.signed(level.error) for level in levels],
            "hovertemplate": f"ΔL = %{{x:.4~g}} {unit.name}<br>measured %{{y:.5~g}} "
            f"{runtime.name}<br>prediction %{{customdata}}<extra></extra>",
        },
    ]
    return Chart(
        "runtime",
        "Runtime against added latency",
        words.headline(result),
        {
            "data": data,
            "layout": theme.layout(
                _HEIGHT,
                margin=_MARGIN,
                shapes=shapes,
                annotations=labels,
                legend={
                    "x": 0.985,
                    "y": 0.03,
                    "xanchor": "right",
                    "yanchor": "bottom",
                    "bgcolor": "rgba(255,255,255,0.8)",
                },
                xaxis=theme.axis(
                    f"latency added to each message, ΔL ({unit.name})",
                    range=_padded(float(prediction.curve_delta_ns[-1]) / unit.ns),
                ),
                yaxis=theme.axis(f"runtime T ({runtime.name})"),
            ),
        },
        _HEIGHT,
        note="The line is computed from the trace and the network's parameters alone; nothing is "
        "fitted to the points. Bands end where the prediction passes each tolerance.",
    )


def error_chart(result: Validation) -> Chart:
    """Predicted against measured, per ΔL, beside what runs differ by."""
    levels = result.measured
    unit = unit_for(float(result.prediction.curve_delta_ns[-1]))
    x = listed(unit.of([level.delta_ns for level in levels]))
    least = [100 * (min(level.measured_ns) / level.median_ns - 1) for level in levels]
    most = [100 * (max(level.measured_ns) / level.median_ns - 1) for level in levels]
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [*x, *reversed(x)],
            "y": listed([*most, *reversed(least)]),
            "fill": "toself",
            "fillcolor": "rgba(213,94,0,0.13)",
            "line": {"width": 0},
            "name": "runs, least to most",
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": "predicted − measured median",
            "x": x,
            "y": listed([100 * level.error for level in levels]),
            "line": {"color": theme.LINE, "width": 2.2},
            "marker": {"size": 8},
            "hovertemplate": f"ΔL = %{{x:.4~g}} {unit.name}: %{{y:+.3~g}}%<extra></extra>",
        },
    ]
    goal = [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": level,
            "y1": level,
            "line": {"color": theme.MUTED, "width": 1, "dash": dash},
        }
        for level, dash in ((_GOAL, "dot"), (0.0, "solid"), (-_GOAL, "dot"))
    ]
    inside = sum(level.inside for level in levels)
    reach = max([1.25 * _GOAL, *map(abs, least), *map(abs, most)])
    reach = max([reach, *(1.1 * abs(100 * level.error) for level in levels)])
    return Chart(
        "error",
        "Error of each prediction",
        f"At {inside} of {len(levels)} ΔL the prediction lies among the runs; dotted lines are "
        f"± {_GOAL:g}%.",
        {
            "data": data,
            "layout": theme.layout(
                _ERRORS,
                margin={**_MARGIN, "t": 36},
                shapes=goal,
                xaxis=theme.axis(f"ΔL ({unit.name})", range=_padded(x[-1])),
                yaxis=theme.axis("error (%)", range=[-reach, reach]),
            ),
        },
        _ERRORS,
        note=f"Run to run, the sd is {words.percent(result.spread)}"
        + ("" if math.isnan(result.spread) else f"; T(0) is {format_time(levels[0].median_ns, 4)}")
        + ".",
    )


def _padded(end: float) -> list[float]:
    return [-0.02 * end, 1.02 * end]
