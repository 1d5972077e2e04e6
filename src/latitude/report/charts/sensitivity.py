"""λ_L and ρ_L against ΔL ([S] Fig. 9)."""

from typing import Any

import numpy as np

from latitude.report import theme
from latitude.report.chart import Chart, View, listed
from latitude.report.charts import window
from latitude.results import Analysis
from latitude.units import format_count, format_share, format_time

HEIGHT = 400


def sensitivity_chart(analysis: Analysis) -> Chart:
    """Steps of λ_L from the critical latencies, and ρ_L between them."""
    unit = window.delta_unit(analysis)
    curve, found = analysis.curve, analysis.breakpoints
    base = analysis.baseline
    latency = np.concatenate([curve.L_ns[:1], found.L_ns, curve.L_ns[-1:]])
    slope = np.concatenate([curve.lambda_L[:1], found.lambda_right])
    slope = np.concatenate([slope, slope[-1:]])
    share_x, share_y = _share(analysis)
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": listed(unit.of(latency - base.L_ns), 10),
            "y": listed(slope),
            "line": {"color": theme.LINE, "width": 2, "shape": "hv"},
            "hovertemplate": f"ΔL = %{{x:.4~g}} {unit.name}<br>λ<sub>L</sub> = %{{y:,.6~g}}"
            "<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": listed(unit.of(share_x - base.L_ns), 10),
            "y": listed(share_y * 100, 6),
            "yaxis": "y2",
            "line": {"color": theme.LATENCY, "width": 2},
            "hovertemplate": f"ΔL = %{{x:.4~g}} {unit.name}<br>ρ<sub>L</sub> = %{{y:.3~g}}%"
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
            xaxis=theme.axis(
                f"extra network latency ΔL ({unit.name})", range=shown["xaxis.range"], anchor="y2"
            ),
            yaxis=theme.axis(
                "λ<sub>L</sub> (latencies)", domain=[0.54, 1], range=shown["yaxis.range"]
            ),
            yaxis2=theme.axis(
                "ρ<sub>L</sub> (% of T)", domain=[0, 0.46], range=shown["yaxis2.range"]
            ),
        ),
    }
    return Chart(
        id="sensitivity",
        title="Sensitivity: λ and ρ",
        reading=_reading(analysis),
        figure=figure,
        height=HEIGHT,
        note="λ_L = dT/dL is the number of message latencies on the critical path: each extra "
        "µs of latency costs λ_L µs. ρ_L = L·λ_L/T is their share of the runtime.",
        views=views,
    )


def _share(analysis: Analysis) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """L and ρ_L: smooth between critical latencies, with a step at each."""
    curve, found = analysis.curve, analysis.breakpoints
    latency = np.concatenate([curve.L_ns, found.L_ns, found.L_ns])
    runtime = np.concatenate([curve.T_ns, found.T_ns, found.T_ns])
    slope = np.concatenate([curve.lambda_L, found.lambda_left, found.lambda_right])
    order = np.lexsort((slope, latency))
    share = np.divide(latency * slope, runtime, out=np.zeros(latency.size), where=runtime > 0)
    return latency[order], share[order]


def _view(label: str, analysis: Analysis, end_ns: float) -> View:
    unit = window.delta_unit(analysis)
    start = window.whole(analysis)[0]
    latency, share = _share(analysis)
    inside = latency - analysis.baseline.L_ns <= end_ns
    slopes = np.concatenate([analysis.curve.lambda_L[:1], analysis.breakpoints.lambda_right])
    bends = np.concatenate([analysis.curve.L_ns[:1], analysis.breakpoints.L_ns])
    top = float(slopes[bends - analysis.baseline.L_ns <= end_ns].max(initial=0.0))
    margin = (end_ns - start) * 0.012
    return View(
        label,
        {
            "xaxis.range": [(start - margin) / unit.ns, end_ns / unit.ns],
            "yaxis.range": [0, max(1.0, top) * 1.08],
            "yaxis2.range": [0, max(0.001, float(share[inside].max(initial=0.0))) * 108],
        },
    )


def _reading(analysis: Analysis) -> str:
    base, curve = analysis.baseline, analysis.curve
    end = format_time(analysis.interval_ns[1])
    if base.lambda_L == curve.lambda_L[-1]:
        return (
            f"The number of latencies on the critical path stays at {format_count(base.lambda_L)} "
            f"up to L = {end}."
        )
    return (
        f"Each extra µs of latency costs {format_count(base.lambda_L)} µs at the baseline and "
        f"{format_count(float(curve.lambda_L[-1]))} µs at L = {end}, where latency is "
        f"{format_share(float(curve.rho_L[-1]))} of the runtime."
    )
