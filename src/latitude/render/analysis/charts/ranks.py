"""Where each rank's time goes."""

import numpy as np

from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, listed, unit_for
from latitude.results.analysis import Analysis
from latitude.units.quantities import format_share

HEIGHT = 340
_MAX_BARS = 512


def ranks_chart(analysis: Analysis) -> Chart:
    """Stacked bars: computation, overhead, waiting."""
    ranks = analysis.by_rank
    count = ranks.end_ns.size
    group = -(-count // _MAX_BARS)
    first = np.arange(0, count, group)
    size = np.diff(np.append(first, count))
    unit = unit_for(float(ranks.end_ns.max(initial=0.0)))
    labels = [str(f) if n == 1 else f"{f}–{f + n - 1}" for f, n in zip(first, size, strict=True)]
    rows = (
        ("computation", ranks.calc_ns, theme.COMPUTATION, ""),
        ("overhead o", ranks.overhead_ns, theme.OVERHEAD, ""),
        ("waiting for messages", ranks.wait_ns, theme.WAIT, "/"),
    )
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": labels if group > 1 else first.tolist(),
            "y": listed(unit.of(np.add.reduceat(values, first) / size)),
            "marker": {
                "color": colour,
                "line": {"width": 0},
                "pattern": {"shape": pattern, "fgcolor": "#c3cad2", "size": 6},
            },
            "hovertemplate": f"rank %{{x}}<br>{name}: %{{y:.4~g}} {unit.name}<extra></extra>",
        }
        for name, values, colour, pattern in rows
    ]
    figure = {
        "data": traces,
        "layout": theme.layout(
            HEIGHT,
            barmode="stack",
            bargap=0.2 if count <= 64 else 0.05,  # noqa: PLR2004 - thinner bars need the room
            margin={"l": 62, "r": 24, "t": 40, "b": 48},
            legend={
                "orientation": "h",
                "x": 0,
                "y": 1.02,
                "xanchor": "left",
                "yanchor": "bottom",
                "traceorder": "normal",
            },
            xaxis=theme.axis(
                "rank",
                **theme.rank_ticks(count),
                showgrid=False,
            ),
            yaxis=theme.axis(f"time ({unit.name})"),
        ),
    }
    note = f"Each bar is the mean of {group} neighbouring ranks." if group > 1 else ""
    return Chart("ranks", "Where each rank's time goes", _reading(analysis), figure, HEIGHT, note)


def _reading(analysis: Analysis) -> str:
    ranks = analysis.by_rank
    total = float(ranks.end_ns.sum())
    if not total:
        return "No rank does anything."
    busiest = int(ranks.calc_ns.argmax())
    mean = float(ranks.calc_ns.mean())
    excess = float(ranks.calc_ns[busiest]) / mean - 1 if mean else 0.0
    return (
        f"Ranks wait for messages {format_share(float(ranks.wait_ns.sum()) / total)} of their "
        f"time; rank {busiest} computes longest, {format_share(excess)} more than the mean."
    )
