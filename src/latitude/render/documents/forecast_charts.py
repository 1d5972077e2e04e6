"""Charts of a forecast: distribution of T, drawn latency, criticality by pair."""

import numpy as np

from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, View, unit_for
from latitude.results.forecast import DrawnLatency, RuntimeForecast
from latitude.units.quantities import format_share, format_time

_HEIGHT = 400
_BINS = 80
_MOST_RANKS = 256
"""Largest number of ranks that are drawn as a matrix."""
_MARGIN = {"l": 70, "r": 28, "t": 76, "b": 52}
_LABEL_Y, _LABEL_STEP = 1.01, 0.065
"""The height of the lowest label, and the step to the next label, as shares of the plot."""


def runtime_chart(result: RuntimeForecast, reading: str) -> Chart:
    """Histogram of T with reference values."""
    T = result.T_ns
    unit = unit_for(float(T.max()))
    counts, edges = np.histogram(T, bins=min(_BINS, max(8, T.size // 10)))
    lines = [
        (result.compared.T0_ns, "without", theme.MUTED, "dot"),
        (result.compared.T_mean_latency_ns, "at the mean latency", theme.OVERHEAD, "dash"),
        (result.runtime.mean_ns.value, "mean", theme.LINE, "solid"),
    ]
    if result.quantile.known:
        asked = (result.quantile.value, f"p{100 * result.asked:g}", theme.LATENCY, "solid")
        lines.append(asked)
    low, high = float(edges[0]) / unit.ns, float(edges[-1]) / unit.ns
    pad = 0.05 * (high - low) or 0.01 * high
    first = min([low, *(ns / unit.ns for ns, *_ in lines)])
    span = 0.04 * (high - first)
    whole = {"xaxis.range": [first - span, high + 3 * span]}
    middle = (first + high) / 2
    # A label extends towards the middle. Its own height keeps it above the lines that it passes.
    left = [line for line in lines if line[0] / unit.ns < middle]
    right = [line for line in lines if line not in left]
    rising = [*sorted(right, key=_ns), *sorted(left, key=_ns, reverse=True)]
    tops = [_LABEL_Y + _LABEL_STEP * rising.index(line) for line in lines]
    return marks.chart(
        "runtime",
        "Runtime",
        reading,
        [
            marks.histogram(
                100 * counts / T.size,
                edges / unit.ns,
                hover=f"%{{y:.3~g}}% near %{{x:.6~g}} {unit.name}",
            )
        ],
        x=theme.axis_of(RuntimeForecast, "T_ns", unit.name, range=whole["xaxis.range"]),
        y=theme.axis("samples (%)", rangemode="tozero"),
        note=f"{result.samples:,} samples.",
        views=(
            View("with the baseline", whole),
            View("samples only", {"xaxis.range": [low - pad, high + pad]}),
        ),
        margin=_MARGIN,
        bargap=0,
        showlegend=False,
        shapes=[
            theme.vertical(ns / unit.ns, colour, dash=dash, width=1.6, top=top)
            for (ns, _, colour, dash), top in zip(lines, tops, strict=True)
        ],
        annotations=[
            marks.label(
                ns / unit.ns,
                top,
                f" {text} ",
                colour=colour,
                xanchor="left" if ns / unit.ns < middle else "right",
                yanchor="middle",
            )
            for (ns, text, colour, _), top in zip(lines, tops, strict=True)
        ],
    )


def _ns(line: tuple[float, str, str, str]) -> float:
    return line[0]


def chance_chart(result: RuntimeForecast, reading: str) -> Chart:
    """Share of samples that take longer, on a logarithmic axis that shows the tail."""
    unit = unit_for(float(result.T_ns.max()))
    return kinds.exceedance(
        "distribution",
        "Chance of taking longer",
        reading,
        np.sort(result.T_ns),
        unit,
        x=theme.axis_of(RuntimeForecast, "T_ns", unit.name),
        y="samples at least as long (%)",
        hover="{share} take {value} or longer",
        height=_HEIGHT,
    )


def latency_chart(result: RuntimeForecast, reading: str) -> Chart:
    """The distribution of each message's draws."""
    values = result.random.latency.values
    unit = unit_for(float(np.quantile(values, 0.999)))
    return kinds.exceedance(
        "latency",
        "Latency of a message",
        reading,
        values,
        unit,
        x=theme.axis_of(DrawnLatency, "values", unit.name, rangemode="tozero"),
        y="draws at least as large (%)",
        hover="{share} of draws are {value} or more",
        colour=theme.LATENCY,
        height=_HEIGHT,
        note="4,096 equally likely values, the table that the injectors draw from.",
    )


def pairs_chart(result: RuntimeForecast) -> Chart | None:
    """Mean number of latencies on the critical path by pair; None for too many ranks."""
    ranks = result.trace.ranks
    if not result.pairs or ranks > _MOST_RANKS:
        return None
    cells: list[list[float | None]] = [[None] * ranks for _ in range(ranks)]
    shares: list[list[str]] = [[""] * ranks for _ in range(ranks)]
    for pair in result.pairs:
        cells[pair.source][pair.destination] = float(f"{pair.latencies:.5g}")
        shares[pair.source][pair.destination] = format_share(pair.share)
    ticks = theme.rank_ticks(ranks)
    top = result.pairs[0]
    return marks.chart(
        "pairs",
        "Who decides",
        f"Messages of rank {top.source} → {top.destination} are on the critical path in "
        f"{format_share(top.share)} of samples, {top.latencies:,.3g} latencies of them on average.",
        [
            marks.heat_map(
                cells,
                unit="latencies on the critical path",
                x=range(ranks),
                y=range(ranks),
                zmin=0,
                customdata=shares,
                hover="rank %{y} → rank %{x}<br>%{z:,} latencies, in %{customdata} of samples",
            )
        ],
        x=theme.axis("to rank", showgrid=False, constrain="domain", **ticks),
        y=theme.axis(
            "from rank",
            showgrid=False,
            autorange="reversed",
            scaleanchor="x",
            constrain="domain",
            **ticks,
        ),
        height=_HEIGHT + 40,
        note=f"Mean over {result.criticality.samples:,} samples; empty: never critical. "
        f"Without variation L = {format_time(result.L_ns)}.",
        margin={"l": 56, "r": 10, "t": 12, "b": 50},
    )
