"""What T consists of at the baseline."""

from typing import Any

from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, listed, unit_for
from latitude.results.analysis import Analysis
from latitude.units.quantities import format_share, format_time

HEIGHT = 150
_LABELLED = 0.06
"""Parts smaller than this share of T have no room for a label."""


def split_chart(analysis: Analysis) -> Chart:
    """One stacked bar: computation, overhead, latency, bandwidth."""
    base = analysis.baseline
    unit = unit_for(base.T_ns)
    parts = (
        ("computation", base.calc_ns, theme.COMPUTATION, theme.INK),
        ("overhead o", base.overhead_ns, theme.OVERHEAD, "#ffffff"),
        ("latency", base.latency_ns, theme.LATENCY, "#ffffff"),
        ("bandwidth", base.bandwidth_ns, theme.BANDWIDTH, theme.INK),
    )
    traces: list[dict[str, Any]] = []
    for name, ns, colour, text_colour in parts:
        share = ns / base.T_ns if base.T_ns else 0.0
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": f"{name} {format_share(share)}",
                "x": listed(unit.of([ns])),
                "y": [""],
                "marker": {"color": colour, "line": {"color": "#fff", "width": 1}},
                "text": [format_share(share) if share >= _LABELLED else ""],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "textangle": 0,
                "textfont": {"color": text_colour},
                "hovertemplate": f"{name}: {format_time(ns)}, {format_share(share)}<extra></extra>",
            }
        )
    figure = {
        "data": traces,
        "layout": theme.layout(
            HEIGHT,
            barmode="stack",
            bargap=0.25,
            margin={"l": 24, "r": 24, "t": 36, "b": 48},
            legend={
                "orientation": "h",
                "x": 0,
                "y": 1.05,
                "xanchor": "left",
                "yanchor": "bottom",
                "traceorder": "normal",
            },
            xaxis=theme.axis(f"time on the critical path ({unit.name})"),
            yaxis=theme.axis("", showticklabels=False, ticks="", fixedrange=True),
        ),
    }
    return Chart("split", "What the runtime consists of", _reading(analysis), figure, HEIGHT)


def _reading(analysis: Analysis) -> str:
    base = analysis.baseline
    if not base.T_ns:
        return "The program takes no time."

    def share(ns: float) -> str:
        return format_share(ns / base.T_ns)

    return (
        f"Of {format_time(base.T_ns)} on the critical path, {share(base.calc_ns)} is computation, "
        f"{share(base.overhead_ns)} the CPU's work for messages, {share(base.latency_ns)} "
        f"network latency, and {share(base.bandwidth_ns)} bytes on the wire."
    )
