"""Charts of latency samples: distribution, tail, density, tail index."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Figure, Unit, listed, unit_for
from latitude.render.statistics.sentences import (
    index_sentence,
    long_tail_sentence,
    modes_sentence,
    pair_sentence,
)
from latitude.statistics.comparison import Comparison
from latitude.statistics.tailreport import GroupTail

COLOURS = ("#16365c", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#0072b2", "#6b4c2a")
"""Okabe and Ito's, the ones that are readable as lines first."""
HEIGHT = 400
_MOST_LINES = 8
_MOST_HILL = 3
"""More of these restless lines are unreadable."""
_MANY = "The first eight groups are drawn; the tables have all."


def colour(index: int) -> str:
    """Of the index-th group."""
    return COLOURS[index % len(COLOURS)]


def style(index: int) -> tuple[str, str]:
    """Dash and symbol of the index-th group: colours repeat after eight."""
    return ("solid", "circle") if index // len(COLOURS) % 2 == 0 else ("dot", "diamond-open")


def _unit(groups: Sequence[GroupTail]) -> Unit:
    return unit_for(max(group.summary.at(0.99).value_ns for group in groups))


def _figure(traces: list[dict[str, Any]], height: int = HEIGHT, **options: Any) -> Figure:
    several = sum(bool(trace.get("showlegend", True)) for trace in traces) > 1
    return {
        "data": traces,
        "layout": theme.layout(height, **{"showlegend": several, "margin": _MARGIN, **options}),
    }


_MARGIN = {"l": 70, "r": 28, "t": 40, "b": 52}


def _log_axis(title: str, low: float, high: float, **options: Any) -> dict[str, Any]:
    """From low to high, in the axis's unit."""
    return theme.axis(
        title,
        type="log",
        range=[math.log10(low), math.log10(high)],
        **theme.log_ticks(low, high),
        **options,
    )


def tail_chart(groups: Sequence[GroupTail]) -> Chart:
    """Share of samples at least as large as each latency, both axes logarithmic."""
    shown = groups[:_MOST_LINES]
    unit = _unit(shown)
    traces: list[dict[str, Any]] = []
    for i, group in enumerate(shown):
        curves = group.curves
        over = 1 - curves.below + 1 / group.summary.n
        keep = curves.at_ns > 0
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": group.name,
                "x": listed(unit.of(curves.at_ns[keep])),
                "y": listed(100 * over[keep]),
                "line": {"color": colour(i), "width": 2.2},
                "hovertemplate": f"%{{y:.3~g}}% at least %{{x:.4~g}} {unit.name}<extra>"
                f"{group.name}</extra>",
            }
        )
        if (line := _pareto(group, unit, colour(i))) is not None:
            traces.append(line)
    positive = [group for group in shown if group.summary.largest_ns > 0]
    low = min((max(g.summary.least_ns, g.summary.median_ns / 100) for g in positive), default=1.0)
    high = max((group.summary.largest_ns for group in positive), default=1.0)
    least = min(1 / group.summary.n for group in shown)
    limit = shown[0].summary.long_tail.threshold_ns
    marks = len(shown) == 1 or not shown[0].summary.long_tail.own
    figure = _figure(
        traces,
        xaxis=_log_axis(f"latency ({unit.name})", low * 0.95 / unit.ns, high * 1.1 / unit.ns),
        yaxis=theme.axis(
            "samples at least as large (%)",
            type="log",
            range=[math.log10(70 * least), 2.05],
            dtick=1,
        ),
        shapes=[theme.vertical(limit / unit.ns, theme.MUTED)] if marks and limit > 0 else [],
        annotations=[_mark_label(limit / unit.ns, shown[0])] if marks and limit > 0 else [],
    )
    return Chart(
        "tail",
        "The tail",
        f"{index_sentence(shown[0])} {long_tail_sentence(shown[0])}"
        if len(shown) == 1
        else "A line that falls later and more slowly is a longer tail.",
        figure,
        HEIGHT,
        note="Both axes are logarithmic: a power law is a straight line of slope −α (dashed, from "
        "the threshold of the tail index on); a lognormal or exponential tail bends down."
        + (f" {_MANY}" if len(groups) > len(shown) else ""),
    )


def _pareto(group: GroupTail, unit: Unit, line: str) -> dict[str, Any] | None:
    index = group.summary.index
    if index is None:
        return None
    start, end = index.threshold_ns, group.summary.largest_ns
    share = 100 * index.k / group.summary.n
    return {
        "type": "scatter",
        "mode": "lines",
        "showlegend": False,
        "x": listed(unit.of([start, end])),
        "y": listed([share, share * (end / start) ** -index.alpha]),
        "line": {"color": line, "width": 1.3, "dash": "dash"},
        "hoverinfo": "skip",
    }


def _mark_label(x: float, group: GroupTail) -> dict[str, Any]:
    return {
        "xref": "x",
        "yref": "paper",
        "x": math.log10(x),
        "y": 0.03,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": " p85" if group.summary.long_tail.own else " threshold",
        "font": {"size": 12, "color": theme.MUTED},
    }


def density_chart(groups: Sequence[GroupTail]) -> Chart | None:
    """Density with its modes; None when every sample is constant."""
    shown = [group for group in groups[:_MOST_LINES] if group.curves.density is not None]
    if not shown:
        return None
    unit = _unit(shown)
    traces: list[dict[str, Any]] = []
    ends = []
    for i, group in enumerate(shown):
        found = group.curves.density
        if found is None:
            continue
        ends.append((float(found.at_ns[0]), float(found.at_ns[-1])))
        traces += [
            {
                "type": "scatter",
                "mode": "lines",
                "name": group.name,
                "x": listed(unit.of(found.at_ns)),
                "y": listed(100 * unit.ns * found.per_ns, 5),
                "line": {"color": colour(i), "width": 2.2},
                **({"fill": "tozeroy", "fillcolor": "rgba(22,54,92,0.07)"} if i == 0 else {}),
                "hovertemplate": f"%{{y:.3~g}}% a {unit.name} at %{{x:.4~g}} {unit.name}<extra>"
                f"{group.name}</extra>",
            },
            {
                "type": "scatter",
                "mode": "markers",
                "showlegend": False,
                "x": listed(unit.of(group.modes.locations_ns)),
                "y": listed(100 * unit.ns * np.asarray(group.modes.heights_per_ns), 5),
                "marker": {"color": colour(i), "size": 9, "line": {"color": "#fff", "width": 1.5}},
                "hovertemplate": f"mode at %{{x:.4~g}} {unit.name}<extra>{group.name}</extra>",
            },
        ]
    low, high = max(min(e[0] for e in ends), 0.0), max(e[1] for e in ends)
    figure = _figure(
        traces,
        xaxis=theme.axis(f"latency ({unit.name})", range=[low / unit.ns, high / unit.ns]),
        yaxis=theme.axis(f"samples a {unit.name} (%)", rangemode="tozero"),
    )
    return Chart(
        "density",
        "Density and modes",
        modes_sentence(shown[0])
        if len(shown) == 1
        else "Dots are modes; the table has the dip test of each group.",
        figure,
        HEIGHT,
        note="Gaussian kernel, Silverman's bandwidth, up to the 99th percentile of each group.",
    )


def hill_chart(groups: Sequence[GroupTail]) -> Chart | None:
    """Tail index against the number of samples it is made of; None where it says nothing."""
    shown = [g for g in groups if g.summary.index is not None and g.curves.hill]
    if not 1 <= len(shown) <= _MOST_HILL:
        return None
    traces: list[dict[str, Any]] = []
    for i, group in enumerate(shown):
        index = group.summary.index
        if index is None:
            continue
        traces += [
            {
                "type": "scatter",
                "mode": "lines",
                "name": group.name,
                "x": [k for k, _ in group.curves.hill],
                "y": listed([alpha for _, alpha in group.curves.hill], 4),
                "line": {"color": colour(i), "width": 1.8},
                "hovertemplate": "α = %{y:.3~g} from %{x:,} samples<extra></extra>",
            },
            {
                "type": "scatter",
                "mode": "markers",
                "showlegend": False,
                "x": [index.k],
                "y": listed([index.alpha], 4),
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [index.high - index.alpha],
                    "arrayminus": [index.alpha - index.low],
                    "color": colour(i),
                },
                "marker": {"color": colour(i), "size": 9},
                "hovertemplate": f"chosen: k = {index.k:,}<extra></extra>",
            },
        ]
    top = 2.2 * max(g.summary.index.alpha for g in shown if g.summary.index)
    figure = _figure(
        traces,
        300,
        xaxis=theme.axis("samples in the tail, k", type="log", dtick=1),
        yaxis=theme.axis("tail index α", range=[0, top]),
    )
    return Chart(
        "hill",
        "How much of the tail is looked at",
        "Where the line is level the tail is a power law; where it slopes, α depends on where the "
        "tail is taken to begin.",
        figure,
        300,
        note="Hill's estimate for each k; the dot is the k chosen, n^(2/3)/ln ln n, with its 95 % "
        "interval.",
    )


def distribution_chart(groups: Sequence[GroupTail]) -> Chart:
    """Share of samples at most that large."""
    shown = groups[:_MOST_LINES]
    unit = _unit(shown)
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": group.name,
            "x": listed(unit.of(group.curves.at_ns)),
            "y": listed(100 * group.curves.below, 6),
            "line": {"color": colour(i), "width": 2.2, "shape": "hv"},
            "hovertemplate": f"%{{y:.4~g}}% up to %{{x:.4~g}} {unit.name}<extra>"
            f"{group.name}</extra>",
        }
        for i, group in enumerate(shown)
    ]
    low = min(group.summary.least_ns for group in shown)
    high = max(group.summary.at(0.99).value_ns for group in shown)
    margin = 0.03 * (high - low) or 1.0
    figure = _figure(
        traces,
        xaxis=theme.axis(
            f"latency ({unit.name})", range=[(low - margin) / unit.ns, (high + margin) / unit.ns]
        ),
        yaxis=theme.axis("samples up to it (%)", range=[0, 101]),
    )
    return Chart(
        "distribution",
        "The distribution",
        "Where the line is steep the samples crowd."
        if len(shown) == 1
        else "Further right is slower.",
        figure,
        HEIGHT,
        note="Up to the largest 99th percentile; the tail beyond is the next chart."
        + (f" {_MANY}" if len(groups) > len(shown) else ""),
    )


def larger_chart(result: Comparison) -> Chart:
    """P(a > b) of every pair, with intervals."""
    pairs = result.pairs[:30]
    names = [f"{pair.a} over {pair.b}" for pair in pairs]
    height = 120 + 30 * len(pairs)
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": listed([100 * pair.ranks.larger for pair in pairs], 5),
            "y": names,
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": listed([100 * (p.ranks.larger_high - p.ranks.larger) for p in pairs], 5),
                "arrayminus": listed(
                    [100 * (p.ranks.larger - p.ranks.larger_low) for p in pairs], 5
                ),
                "color": theme.LINE,
            },
            "marker": {"color": theme.LINE, "size": 9},
            "hovertemplate": "%{x:.3~g}%<extra>%{y}</extra>",
        }
    ]
    figure = _figure(
        traces,
        height,
        margin={"l": 24, "r": 28, "t": 12, "b": 52},
        xaxis=theme.axis("how often a sample of the first is larger (%)", range=[-2, 102]),
        yaxis=theme.axis("", autorange="reversed", ticks=""),
        shapes=[theme.vertical(50, theme.MUTED)],
    )
    return Chart(
        "larger",
        "Which is larger, how often",
        pair_sentence(pairs[0]) if len(pairs) == 1 else "50 % is no difference.",
        figure,
        height,
        note="The common-language effect size of Mann and Whitney's test with its 95 % interval."
        + (
            f" The first 30 of {len(result.pairs)} pairs." if len(result.pairs) > len(pairs) else ""
        ),
    )
