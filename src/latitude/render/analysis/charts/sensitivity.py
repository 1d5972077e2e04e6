"""λ and ρ against Δθ ([S] Fig. 9)."""

from typing import Any

import numpy as np

from latitude.render.analysis.charts import window
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, View, listed
from latitude.render.html.markup import subscripted
from latitude.results.analysis import Analysis
from latitude.units.quantities import format_count, format_share

HEIGHT = 400


def sensitivity_chart(analysis: Analysis) -> Chart:
    """Steps of λ from the critical values, and ρ between them."""
    unit = window.delta_unit(analysis)
    curve, found = analysis.curve, analysis.breakpoints
    base, name = analysis.theta.base, subscripted(analysis.theta.symbol)
    latency = np.concatenate([curve.value[:1], found.value, curve.value[-1:]])
    slope = np.concatenate([curve.slope[:1], found.lambda_right])
    slope = np.concatenate([slope, slope[-1:]])
    share_x, share_y = _share(analysis)
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": listed(unit.of(latency - base), 10),
            "y": listed(slope),
            "line": {"color": theme.LINE, "width": 2, "shape": "hv"},
            "hovertemplate": f"Δ{name} = %{{x:.4~g}} {unit.name}<br>λ = %{{y:,.6~g}}"
            "<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": listed(unit.of(share_x - base), 10),
            "y": listed(share_y * 100, 6),
            "yaxis": "y2",
            "line": {"color": theme.LATENCY, "width": 2},
            "hovertemplate": f"Δ{name} = %{{x:.4~g}} {unit.name}<br>ρ = %{{y:.3~g}}%"
            "<extra></extra>",
        },
    ]
    views = [_view("Whole interval", analysis, window.whole(analysis)[1])]
    if (close := window.close_end(analysis)) is not None:
        views.append(_view("Tolerance zones", analysis, close))
    shown = views[0].layout
    figure = {
        "data": traces,
        "layout": theme.layout(
            HEIGHT,
            showlegend=False,
            xaxis=theme.axis(window.axis_title(analysis), range=shown["xaxis.range"], anchor="y2"),
            yaxis=theme.axis(_slope_title(analysis), domain=[0.54, 1], range=shown["yaxis.range"]),
            yaxis2=theme.axis(
                f"ρ<sub>{_foot(analysis)}</sub> (% of T)",
                domain=[0, 0.46],
                range=shown["yaxis2.range"],
            ),
        ),
    }
    return Chart(
        id="sensitivity",
        title="Sensitivity: λ and ρ",
        reading=_reading(analysis),
        figure=figure,
        height=HEIGHT,
        note=_note(analysis),
        views=views,
    )


def _share(analysis: Analysis) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """θ and ρ: smooth between critical values, with a step at each."""
    curve, found = analysis.curve, analysis.breakpoints
    latency = np.concatenate([curve.value, found.value, found.value])
    runtime = np.concatenate([curve.T_ns, found.T_ns, found.T_ns])
    slope = np.concatenate([curve.slope, found.lambda_left, found.lambda_right])
    order = np.lexsort((slope, latency))
    share = np.divide(latency * slope, runtime, out=np.zeros(latency.size), where=runtime > 0)
    return latency[order], share[order]


def _view(label: str, analysis: Analysis, end_ns: float) -> View:
    unit = window.delta_unit(analysis)
    start = window.whole(analysis)[0]
    latency, share = _share(analysis)
    inside = latency - analysis.theta.base <= end_ns
    slopes = np.concatenate([analysis.curve.slope[:1], analysis.breakpoints.lambda_right])
    bends = np.concatenate([analysis.curve.value[:1], analysis.breakpoints.value])
    top = float(slopes[bends - analysis.theta.base <= end_ns].max(initial=0.0))
    margin = (end_ns - start) * 0.012
    return View(
        label,
        {
            "xaxis.range": [(start - margin) / unit.ns, end_ns / unit.ns],
            "yaxis.range": [0, max(1.0, top) * 1.08],
            "yaxis2.range": [0, max(0.001, float(share[inside].max(initial=0.0))) * 108],
        },
    )


def _foot(analysis: Analysis) -> str:
    """What λ and ρ bear below."""
    return analysis.theta.symbol.replace("_", " ")


def _slope_title(analysis: Analysis) -> str:
    """What λ counts."""
    counts = {"L": "latencies", "G": "bytes", "o": "overheads"}
    what = counts.get(analysis.theta.name, "ns per ns" if analysis.theta.unit == "ns" else "bytes")
    return f"λ<sub>{_foot(analysis)}</sub> ({what})"


def _note(analysis: Analysis) -> str:
    if analysis.theta.name == "L":
        return (
            "λ_L = dT/dL is the number of message latencies on the critical path: each extra "
            "µs of latency costs λ_L µs. ρ_L = L·λ_L/T is their share of the runtime."
        )
    name = analysis.theta.symbol
    what = {
        "G": "the number of bytes on the critical path",
        "o": "the number of overheads on the critical path",
        "l_wire": "the number of wires that messages on the critical path cross",
        "d_switch": "the number of switches that messages on the critical path cross",
    }.get(analysis.theta.name, f"how often the critical path pays {name}")
    return f"λ, the slope of T over {name}, is {what}. ρ = {name}·λ/T is its share of the runtime."


def _reading(analysis: Analysis) -> str:
    theta, slope, curve = analysis.theta, analysis.sensitivity.slope, analysis.curve
    end = theta.text(analysis.interval[1])
    what = "latency" if theta.name == "L" else theta.meaning
    if slope == curve.slope[-1]:
        return (
            f"λ stays at {format_count(slope)} up to {theta.symbol} = {end}."
            if theta.name != "L"
            else f"The number of latencies on the critical path stays at {format_count(slope)} "
            f"up to L = {end}."
        )
    each, cost = ("ns/B", "ns") if theta.unit == "ns/B" else ("µs", "µs")
    return (
        f"Each extra {each} of {what} costs {format_count(slope)} {cost} at the baseline and "
        f"{format_count(float(curve.slope[-1]))} {cost} at {theta.symbol} = {end}, where {what} is "
        f"{format_share(float(curve.share[-1]))} of the runtime."
    )
