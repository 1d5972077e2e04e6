"""Charts of latency samples: distribution, tail, density, tail index, pairs."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude.lab.results.stats import Curves, SamplePair, SampleTail
from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit, unit_for

_MOST_LINES = 8
_MOST_HILL = 3
"""Largest number of Hill plots in the chart; with more, the chart is unreadable and left out."""
_MOST_PAIRS = 30
_MANY = "The first eight groups are drawn; the tables have all."
_MARGIN = {"l": 70, "r": 28, "t": 40, "b": 52}


def _unit(groups: Sequence[SampleTail]) -> Unit:
    return unit_for(max(group.at(0.99).value_ns for group in groups))


def _hover(text: str, group: SampleTail) -> dict[str, Any]:
    return {"hovertemplate": f"{text}<extra>{group.name}</extra>"}


def _layout(traces: Sequence[Trace]) -> dict[str, Any]:
    """A layout, with a legend if there are several names."""
    named = [trace for trace in traces if trace.get("showlegend", True)]
    return {"margin": _MARGIN, "showlegend": len(named) > 1}


def _noted(note: str, groups: Sequence[SampleTail]) -> str:
    return note + (f" {_MANY}" if len(groups) > _MOST_LINES else "")


def distribution_chart(groups: Sequence[SampleTail]) -> Chart:
    """Share of samples that do not exceed each latency."""
    shown = groups[:_MOST_LINES]
    unit = _unit(shown)
    traces = [
        marks.line(
            unit.of(group.curves.at_ns),
            100 * group.curves.below,
            name=group.name,
            colour=theme.colour(i),
            steps=True,
            **_hover(f"%{{y:.4~g}}% up to %{{x:.4~g}} {unit.name}", group),
        )
        for i, group in enumerate(shown)
    ]
    low = min(group.least_ns for group in shown)
    high = max(group.at(0.99).value_ns for group in shown)
    margin = 0.03 * (high - low) or 1.0
    span = [(low - margin) / unit.ns, (high + margin) / unit.ns]
    return marks.chart(
        "distribution",
        "The distribution",
        "Where the line is steep the samples crowd."
        if len(shown) == 1
        else "Further right is slower.",
        traces,
        x=theme.axis_of(Curves, "at_ns", unit.name, range=span),
        y=theme.axis("samples up to it (%)", range=[0, 101]),
        note=_noted(
            "Up to the largest 99th percentile; the tail beyond is the next chart.", groups
        ),
        **_layout(traces),
    )


def tail_chart(groups: Sequence[SampleTail]) -> Chart:
    """Share of samples that reach each latency, with both axes logarithmic."""
    shown = groups[:_MOST_LINES]
    unit = _unit(shown)
    traces = [
        trace for i, group in enumerate(shown) for trace in _tail(group, unit, theme.colour(i))
    ]
    positive = [group for group in shown if group.largest_ns > 0]
    low = min((max(g.least_ns, g.median_ns / 100) for g in positive), default=1.0)
    high = max((group.largest_ns for group in positive), default=1.0)
    least = min(1 / group.n for group in shown)
    first = shown[0].long_tail
    limit = first.threshold_ns / unit.ns
    marked = limit > 0 and (len(shown) == 1 or not first.own)
    word = marks.label(
        math.log10(limit) if marked else 0.0,
        0.03,
        " p85" if first.own else " threshold",
        colour=theme.MUTED,
        xanchor="left",
        yanchor="bottom",
    )
    return marks.chart(
        "tail",
        "The tail",
        " ".join(_shape(shown[0]))
        if len(shown) == 1
        else "A line that falls later and more slowly is a longer tail.",
        traces,
        x=theme.log_axis(f"latency ({unit.name})", low * 0.95 / unit.ns, high * 1.1 / unit.ns),
        y=theme.axis(
            "samples at least as large (%)",
            type="log",
            range=[math.log10(70 * least), 2.05],
            dtick=1,
        ),
        shapes=[theme.vertical(limit, theme.MUTED)] if marked else [],
        annotations=[word] if marked else [],
        note=_noted(
            "Both axes are logarithmic: a power law is a straight line of slope −α (dashed, from "
            "the threshold of the tail index on); a lognormal or exponential tail bends down.",
            groups,
        ),
        **_layout(traces),
    )


def _shape(group: SampleTail) -> list[str]:
    index = group.tail_index
    return [index.sentence() if index else "", group.long_tail.sentence()]


def _tail(group: SampleTail, unit: Unit, colour: str) -> list[Trace]:
    """The samples, and the Pareto tail of the tail index if there is one."""
    curves = group.curves
    over = 1 - curves.below + 1 / group.n
    keep = curves.at_ns > 0
    drawn = marks.line(
        unit.of(curves.at_ns[keep]),
        100 * over[keep],
        name=group.name,
        colour=colour,
        **_hover(f"%{{y:.3~g}}% at least %{{x:.4~g}} {unit.name}", group),
    )
    index = group.tail_index
    if index is None:
        return [drawn]
    start, end = index.threshold_ns, group.largest_ns
    share = 100 * index.k / group.n
    pareto = marks.line(
        unit.of([start, end]),
        [share, share * (end / start) ** -index.alpha],
        colour=colour,
        width=1.3,
        dash="dash",
        showlegend=False,
        hoverinfo="skip",
    )
    return [drawn, pareto]


def density_chart(groups: Sequence[SampleTail]) -> Chart | None:
    """Density with its modes; None if every sample is constant."""
    shown = [group for group in groups[:_MOST_LINES] if group.curves.density is not None]
    if not shown:
        return None
    unit = _unit(shown)
    traces, ends = [], []
    for i, group in enumerate(shown):
        found = group.curves.density
        if found is None:
            continue
        ends.append((float(found.at_ns[0]), float(found.at_ns[-1])))
        filled: dict[str, Any] = (
            {"fill": "tozeroy", "fillcolor": "rgba(22,54,92,0.07)"} if i == 0 else {}
        )
        per_unit = f"%{{y:.3~g}}% per {unit.name} at %{{x:.4~g}} {unit.name}"
        traces += [
            marks.line(
                unit.of(found.at_ns),
                100 * unit.ns * found.per_ns,
                name=group.name,
                colour=theme.colour(i),
                **filled,
                **_hover(per_unit, group),
            ),
            marks.points(
                unit.of(group.modes.locations_ns),
                100 * unit.ns * np.asarray(group.modes.heights_per_ns),
                colour=theme.colour(i),
                size=9,
                showlegend=False,
                **_hover(f"mode at %{{x:.4~g}} {unit.name}", group),
            ),
        ]
    low, high = max(min(e[0] for e in ends), 0.0), max(e[1] for e in ends)
    return marks.chart(
        "density",
        "Density and modes",
        shown[0].modes.sentence()
        if len(shown) == 1
        else "Dots are modes; the table has the dip test of each group.",
        traces,
        x=theme.axis_of(Curves, "at_ns", unit.name, range=[low / unit.ns, high / unit.ns]),
        y=theme.axis(f"samples per {unit.name} (%)", rangemode="tozero"),
        note="Gaussian kernel, Silverman's bandwidth, up to the 99th percentile of each group.",
        **_layout(traces),
    )


def hill_chart(groups: Sequence[SampleTail]) -> Chart | None:
    """Tail index against the number of samples used.

    None if no group has a tail index, or more than _MOST_HILL groups have one.
    """
    found = [(g, g.tail_index) for g in groups if g.tail_index is not None and g.curves.hill]
    if not 1 <= len(found) <= _MOST_HILL:
        return None
    traces = []
    for i, (group, index) in enumerate(found):
        sizes, alphas = zip(*group.curves.hill, strict=True)
        traces += [
            marks.line(
                sizes,
                alphas,
                name=group.name,
                colour=theme.colour(i),
                width=1.8,
                hover="α = %{y:.3~g} from %{x:,} samples",
            ),
            marks.points(
                [index.k],
                [index.alpha],
                low=[index.low],
                high=[index.high],
                colour=theme.colour(i),
                size=9,
                showlegend=False,
                hover=f"chosen: k = {index.k:,}",
            ),
        ]
    top = 2.2 * max(index.alpha for _, index in found)
    return marks.chart(
        "hill",
        "How much of the tail is looked at",
        "Where the line is level the tail is a power law; where it slopes, α depends on where the "
        "tail is taken to begin.",
        traces,
        x=theme.axis("samples in the tail, k", type="log", dtick=1),
        y=theme.axis("tail index α", range=[0, top]),
        height=300,
        note="Hill's estimate for each k; the dot is the k chosen, n^(2/3)/ln ln n, with its 95 % "
        "interval.",
        **_layout(traces),
    )


def larger_chart(found: Sequence[SamplePair], reading: str) -> Chart:
    """P(a > b) of every pair, with intervals."""
    pairs = found[:_MOST_PAIRS]
    tests = [pair.mann_whitney for pair in pairs]
    trace = marks.points(
        100 * np.array([test.larger for test in tests]),
        [f"{pair.a} over {pair.b}" for pair in pairs],
        low=100 * np.array([test.larger_low for test in tests]),
        high=100 * np.array([test.larger_high for test in tests]),
        across=True,
        size=9,
        hovertemplate="%{x:.3~g}%<extra>%{y}</extra>",
    )
    more = f" The first {_MOST_PAIRS} of {len(found)} pairs." if len(found) > len(pairs) else ""
    return kinds.named_rows(
        "larger",
        "Which is larger, how often",
        reading,
        [trace],
        x=theme.axis("how often a sample of the first is larger (%)", range=[-2, 102]),
        rows=len(pairs),
        row=30,
        top=12,
        note="The common-language effect size of Mann and Whitney's test with its 95 % interval."
        + more,
        shapes=[theme.vertical(50, theme.MUTED)],
    )
