"""Charts of a forecast: distribution of T, the latency drawn, criticality by pair."""

from typing import Any

import numpy as np

from latitude.random.forecast.result import Forecast
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, View, listed, unit_for
from latitude.render.forecast import words
from latitude.units.quantities import format_share, format_time

_HEIGHT = 400
_BINS = 80
_POINTS = 400
_MOST_RANKS = 256
"""More are not drawn as a matrix."""
_MARGIN = {"l": 70, "r": 28, "t": 64, "b": 52}


def runtime_chart(result: Forecast) -> Chart:
    """Histogram of T with what it is compared with."""
    T = result.T_ns
    unit = unit_for(float(T.max()))
    counts, edges = np.histogram(T, bins=min(_BINS, max(8, T.size // 10)))
    middle = (edges[1:] + edges[:-1]) / 2
    marks = _marks(result, unit.ns)
    lines = [
        theme.vertical(x, colour, dash=dash, width=1.6, top=1.01 + 0.065 * level)
        for x, _, colour, dash, level in marks
    ]
    labels = [
        {
            "xref": "x",
            "yref": "paper",
            "x": x,
            "y": 1.01 + 0.065 * level,
            "xanchor": "left",
            "yanchor": "middle",
            "showarrow": False,
            "text": f" {text}",
            "font": {"size": 12, "color": colour},
            "bgcolor": "rgba(255,255,255,0.85)",
        }
        for x, text, colour, _, level in marks
    ]
    low, high = float(edges[0]) / unit.ns, float(edges[-1]) / unit.ns
    pad = 0.05 * (high - low) or 0.01 * high
    first = min([low, *(mark[0] for mark in marks)])
    span = 0.04 * (high - first)
    whole = {"xaxis.range": [first - span, high + 3 * span]}
    bar: dict[str, Any] = {
        "type": "bar",
        "x": listed(unit.of(middle)),
        "y": listed(100 * counts / T.size),
        "width": float(np.diff(edges)[0]) / unit.ns or 1.0,
        "marker": {"color": "#6f9bc8", "line": {"width": 0}},
        "hovertemplate": f"%{{y:.3~g}}% near %{{x:.6~g}} {unit.name}<extra></extra>",
    }
    return Chart(
        "runtime",
        "Runtime",
        words.jensen_sentence(result),
        {
            "data": [bar],
            "layout": theme.layout(
                _HEIGHT,
                margin=_MARGIN,
                bargap=0,
                showlegend=False,
                shapes=lines,
                annotations=labels,
                xaxis=theme.axis(f"runtime T ({unit.name})", range=whole["xaxis.range"]),
                yaxis=theme.axis("samples (%)", rangemode="tozero"),
            ),
        },
        _HEIGHT,
        note=f"{result.samples:,} samples.",
        views=(
            View("with the baseline", whole),
            View("samples only", {"xaxis.range": [low - pad, high + pad]}),
        ),
    )


def _marks(result: Forecast, ns: float) -> list[tuple[float, str, str, str, int]]:
    p = result.question.quantile
    return [
        (result.T0_ns / ns, "without", theme.MUTED, "dot", 2),
        (result.T_mean_ns / ns, "at the mean latency", theme.OVERHEAD, "dash", 1),
        (result.mean.value / ns, "mean", theme.LINE, "solid", 0),
        (result.quantile(p).value / ns, f"p{100 * p:g}", theme.LATENCY, "solid", 1),
    ]


def distribution_chart(result: Forecast) -> Chart:
    """Share of samples that take longer, logarithmic: what the tail is."""
    T = np.sort(result.T_ns)
    unit = unit_for(float(T[-1]))
    at = np.unique(np.linspace(0, T.size - 1, min(_POINTS, T.size)).astype(int))
    tail = np.unique(T.size - np.geomspace(1, T.size, min(_POINTS, T.size)).astype(int))
    at = np.union1d(at, tail[tail >= 0])
    over = 100 * (T.size - at) / T.size
    p = result.question.quantile
    found = result.quantile(p)
    return Chart(
        "distribution",
        "Chance of taking longer",
        f"One run in {1 / (1 - p):.3g} takes {words.time(found.value)} or longer, "
        f"{words.change(result.slowdown(found.value))} against the network alone.",
        {
            "data": [
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": listed(unit.of(T[at])),
                    "y": listed(over),
                    "line": {"color": theme.LINE, "width": 2.2, "shape": "hv"},
                    "hovertemplate": f"%{{y:.3~g}}% take %{{x:.6~g}} {unit.name} or longer"
                    "<extra></extra>",
                }
            ],
            "layout": theme.layout(
                _HEIGHT,
                margin={**_MARGIN, "t": 20},
                xaxis=theme.axis(f"runtime T ({unit.name})"),
                yaxis=theme.axis("samples at least as long (%)", type="log", dtick=1),
            ),
        },
        _HEIGHT,
    )


def latency_chart(result: Forecast) -> Chart:
    """What each message draws from."""
    values = result.random.latency.values
    unit = unit_for(float(np.quantile(values, 0.999)))
    at = np.unique(
        np.concatenate([np.linspace(0, 4095, 256), 4096 - np.geomspace(1, 4096, 128)]).astype(int)
    )
    return Chart(
        "latency",
        "Latency of a message",
        words.random_sentence(result.random),
        {
            "data": [
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": listed(unit.of(values[at])),
                    "y": listed(100 * (4096 - at) / 4096),
                    "line": {"color": theme.LATENCY, "width": 2.2, "shape": "hv"},
                    "hovertemplate": f"%{{y:.3~g}}% of draws are %{{x:.4~g}} {unit.name} or more"
                    "<extra></extra>",
                }
            ],
            "layout": theme.layout(
                _HEIGHT,
                margin={**_MARGIN, "t": 20},
                xaxis=theme.axis(f"latency drawn ({unit.name})", rangemode="tozero"),
                yaxis=theme.axis("draws at least as large (%)", type="log", dtick=1),
            ),
        },
        _HEIGHT,
        note="4,096 equally likely values, the table that the injectors draw from.",
    )


def pairs_chart(result: Forecast) -> Chart | None:
    """Latencies on the critical path by pair, mean over samples; None for too many ranks."""
    ranks = result.trace.ranks
    pairs = result.criticality.pairs
    if not pairs or ranks > _MOST_RANKS:
        return None
    cells: list[list[float | None]] = [[None] * ranks for _ in range(ranks)]
    shares: list[list[str]] = [[""] * ranks for _ in range(ranks)]
    for pair in pairs:
        cells[pair.source][pair.destination] = float(f"{pair.latencies:.5g}")
        shares[pair.source][pair.destination] = format_share(pair.share)
    ticks = theme.rank_ticks(ranks)
    top = pairs[0]
    return Chart(
        "pairs",
        "Who decides",
        f"Messages of rank {top.source} → {top.destination} are on the critical path in "
        f"{format_share(top.share)} of samples, {top.latencies:,.3g} latencies of them on average.",
        {
            "data": [
                {
                    "type": "heatmap",
                    "x": list(range(ranks)),
                    "y": list(range(ranks)),
                    "z": cells,
                    "customdata": shares,
                    "colorscale": theme.SCALE,
                    "zmin": 0,
                    "hoverongaps": False,
                    "xgap": 1,
                    "ygap": 1,
                    "colorbar": {
                        "title": {"text": "latencies on the critical path", "side": "right"},
                        "thickness": 12,
                        "len": 0.9,
                        **theme.NUMBERS,
                    },
                    "hovertemplate": "rank %{y} → rank %{x}<br>%{z:,} latencies, in %{customdata} "
                    "of samples<extra></extra>",
                }
            ],
            "layout": theme.layout(
                _HEIGHT + 40,
                margin={"l": 56, "r": 10, "t": 12, "b": 50},
                xaxis=theme.axis("to rank", showgrid=False, constrain="domain", **ticks),
                yaxis=theme.axis(
                    "from rank",
                    showgrid=False,
                    autorange="reversed",
                    scaleanchor="x",
                    constrain="domain",
                    **ticks,
                ),
            ),
        },
        _HEIGHT + 40,
        note=f"Mean over {result.criticality.samples:,} samples; empty: never critical. "
        f"Without variation L = {format_time(result.network.L)}.",
    )
