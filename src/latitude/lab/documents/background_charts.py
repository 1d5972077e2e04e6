"""Charts of latency against b (Salimi Beni and Cosenza Figs. 4, 5), and of the tail's forecast."""

from itertools import groupby
from typing import Any

import numpy as np

from latitude.lab.results.background import (
    AdjustedCorrelation,
    BackgroundCorrelation,
    BackgroundPanel,
    RunDistribution,
    TailScore,
)
from latitude.lab.statistics.density import bandwidth, density
from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit, unit_for
from latitude.render.charts.panels import Grid, placed
from latitude.units.quantities import format_share, format_time

SIGNIFICANT = 0.05
_COLUMNS = 4
_PANEL, _SHAPE, _CALIBRATION = 170, 260, 380
"""Heights in pixels."""
_POINTS = 240
_COLOURS = ("#56b4e9", "#009e73", "#d55e00")
"""Colours by Okabe and Ito for low, middle and high b."""
_SHOWN = 0.99
_IN_VIEW = 0.97
"""Quantile of the slowest run at which the axis ends: the rest of the curve is too low to see."""


def coefficient(r: float) -> str:
    """A coefficient whose minus sign is as wide as a plus."""
    return f"{r:.2f}".replace("-", "−")


def panels_chart(result: BackgroundCorrelation) -> Chart:
    """One small scatter plot per collective and size, with the least-squares line."""
    panels = result.panels
    columns = min(_COLUMNS, max(1, len({panel.bytes for panel in panels})))
    grid = Grid(-(-len(panels) // columns), columns, _PANEL, margin_top=52)
    layout: dict[str, Any] = {}
    traces: list[Trace] = []
    for index, panel in enumerate(panels):
        largest = float(panel.points.mean_ns.max())
        unit = unit_for(largest)
        layout |= grid.axes(
            index,
            theme.axis("b (%)" if index + columns >= len(panels) else "", rangemode="tozero"),
            theme.axis("", range=[0, 1.08 * largest / unit.ns or 1], nticks=5),
        )
        traces += _panel_traces(panel, index, unit)
    tests = 2 * sum(panel.pearson is not None for panel in panels)
    note = (
        "Each point is the mean latency of one run. r: Pearson, ρ: Spearman; bold when its p-value "
        f"stays under {SIGNIFICANT:g} after Benjamini and Hochberg's correction for {tests} tests. "
        "Intervals are in the table below. Runs taken close together share the network's state and "
        "are not independent: intervals are then too narrow."
    )
    titles = [grid.title(index, _panel_title(panel)) for index, panel in enumerate(panels)]
    figure = _figure(grid, traces, titles, layout, left=44)
    reading = _correlation_reading(result)
    title = "Latency against background traffic"
    return Chart("panels", title, reading, figure, grid.height, note)


def _figure(
    grid: Grid, traces: list[Trace], titles: list[dict[str, Any]], layout: dict[str, Any], left: int
) -> dict[str, Any]:
    margin = {"l": left, "r": 12, "t": grid.margin_top, "b": grid.margin_bottom}
    made = theme.layout(grid.height, margin=margin, annotations=titles, **layout)
    if "legend1" not in made and not any("name" in trace for trace in traces):
        made["showlegend"] = False
    return {"data": traces, "layout": made}


def _panel_traces(panel: BackgroundPanel, index: int, unit: Unit) -> list[Trace]:
    b, mean = panel.points.b, panel.points.mean_ns
    hover = f"b %{{x:.3~g}}%<br>mean %{{y:.4~g}} {unit.name}"
    at = placed(index)
    points = marks.points(
        100 * b, unit.of(mean), colour=theme.OVERHEAD, size=5, hover=hover, opacity=0.6, **at
    )
    if panel.slope_ns is None or panel.at_zero_ns is None:
        return [points]
    ends = np.array([b.min(), b.max()])
    fitted = unit.of(panel.at_zero_ns + panel.slope_ns * ends)
    line = marks.line(100 * ends, fitted, colour=theme.LATENCY, width=2, hoverinfo="skip", **at)
    return [points, line]


def _panel_title(panel: BackgroundPanel) -> list[str]:
    unit = unit_for(float(panel.points.mean_ns.max())).name
    name = f"<b>{marks.text(panel.name)}</b> ({unit})"
    if panel.pearson is None or panel.spearman is None:
        return [name, marks.text(panel.reason or "")]
    return [name, f"{_bold('r', panel.pearson)}, {_bold('ρ', panel.spearman)}"]


def _bold(symbol: str, found: AdjustedCorrelation) -> str:
    text = f"{symbol} = {coefficient(found.r)}"
    return f"<b>{text}</b>" if found.p_adjusted < SIGNIFICANT else text


def _correlation_reading(result: BackgroundCorrelation) -> str:
    """The common finding of the panels."""
    known = [(panel, panel.spearman) for panel in result.panels if panel.spearman]
    if not known:
        return "No collective and size has enough runs at different b for a correlation."
    risen = [(p, rho) for p, rho in known if rho.r > 0 and rho.p_adjusted < SIGNIFICANT]
    if not risen:
        return "In no collective and size does latency follow b beyond chance."
    top, rho = max(risen, key=lambda both: both[1].r)
    gain = ""
    if top.slope_ns and top.at_zero_ns and top.at_zero_ns > 0:
        gain = (
            f"; there 10 points of b cost {format_share(0.1 * top.slope_ns / top.at_zero_ns)} "
            "of the latency at b = 0"
        )
    return (
        f"Latency rises with b in {len(risen)} of {len(known)} combinations, most clearly in "
        f"{top.name} (ρ = {coefficient(rho.r)}){gain}."
    )


def shapes_chart(result: BackgroundCorrelation) -> Chart | None:
    """One panel per collective, one curve per b; None if no run has enough samples."""
    groups = _by_collective(result)
    if not groups:
        return None
    grid = Grid(1, len(groups), _SHAPE, margin_top=34)
    layout: dict[str, Any] = {}
    traces: list[Trace] = []
    for index, group in enumerate(groups):
        largest = max(float(np.quantile(shape.samples_ns, _IN_VIEW)) for shape in group)
        unit = unit_for(largest)
        y = theme.axis("share per " + unit.name if index == 0 else "", rangemode="tozero", nticks=5)
        x = theme.axis(f"latency ({unit.name})", range=[0, largest / unit.ns])
        layout |= grid.axes(index, x, y)
        traces += [_curve(shape, place, index, unit, largest) for place, shape in enumerate(group)]
        layout[_legend(index)] = {
            "x": layout[f"xaxis{index + 1 if index else ''}"]["domain"][1],
            "y": 1.0,
            "xanchor": "right",
            "yanchor": "top",
            "bgcolor": "rgba(255,255,255,0.8)",
            "font": {"size": 11.5},
        }
    titles = [grid.title(i, [f"<b>{marks.text(g[0].name)}</b>"]) for i, g in enumerate(groups)]
    note = (
        "One run each: those with the lowest, the middle and the highest b. Gaussian kernel, "
        "Silverman's bandwidth; the slowest are out of the picture. Two modes are named when the "
        "density has two peaks and Hartigan's dip test rejects one mode (p < 0.05)."
    )
    figure = _figure(grid, traces, titles, layout, left=56)
    title = "The shape at low and high traffic"
    return Chart("shapes", title, _shapes_reading(groups), figure, grid.height, note)


def _by_collective(result: BackgroundCorrelation) -> list[list[RunDistribution]]:
    groups = groupby(result.distributions, key=lambda shape: shape.collective)
    return [list(group) for _, group in groups]


def _legend(index: int) -> str:
    return f"legend{index + 1 if index else ''}"


def _curve(shape: RunDistribution, place: int, index: int, unit: Unit, end_ns: float) -> Trace:
    values = shape.samples_ns
    width = bandwidth(values)
    x, y = np.array([values[0], values[0]]), np.array([0.0, 0.0])
    if width > 0:
        curve = density(values, width)
        inside = int(np.searchsorted(curve.at_ns, end_ns)) + 1
        step = max(1, min(inside, curve.at_ns.size) // _POINTS)
        x, y = curve.at_ns[:inside:step], curve.per_ns[:inside:step]
    b = format_share(shape.b)
    return marks.line(
        unit.of(x),
        y * unit.ns,
        name=f"b = {b}{', two modes' if shape.multimodal else ''}",
        colour=_COLOURS[place],
        width=2,
        hover=f"b = {b}<br>%{{x:.4~g}} {unit.name}",
        legend=_legend(index),
        **placed(index),
    )


def _shapes_reading(groups: list[list[RunDistribution]]) -> str:
    """The common finding of the shapes."""
    sentences = []
    widest = max(groups, key=_growth)
    low, high = widest[0], widest[-1]
    if high.b > low.b:
        p99 = [float(np.quantile(shape.samples_ns, _SHOWN)) for shape in (low, high)]
        sentences.append(
            f"From b = {format_share(low.b)} to {format_share(high.b)} the 99th percentile of "
            f"{low.collective} goes from {format_time(p99[0])} to {format_time(p99[1])}"
        )
    double = [
        f"{group[0].collective} at b = {' and '.join(format_share(s.b) for s in both)}"
        for group in groups
        if (both := [shape for shape in group if shape.multimodal])
    ]
    sentences.append(
        f"two modes in {'; '.join(double)}" if double else "no distribution has two modes"
    )
    return " ".join(f"{text[:1].upper()}{text[1:]}." for text in sentences)


def _growth(group: list[RunDistribution]) -> float:
    """Factor by which the 99th percentile grows from the lowest to the highest b."""
    first, last = (float(np.quantile(group[i].samples_ns, _SHOWN)) for i in (0, -1))
    return last / first if first > 0 else 0.0


def calibration_chart(score: TailScore) -> Chart:
    """Forecasts against outcomes; points are on the diagonal if a forecast of 30 % means 30 %."""
    bins = score.calibration
    limit = 100 * score.wait_above
    seen = marks.points(
        [100 * each.forecast for each in bins],
        [100 * each.seen for each in bins],
        name="forecasts, with 95 % interval",
        colour=theme.OVERHEAD,
        size=9,
        low=[100 * each.low for each in bins],
        high=[100 * each.high for each in bins],
        text=[f"{each.runs}" for each in bins],
        hover="forecast %{x:.3~g}%<br>seen %{y:.3~g}%<br>%{text} runs",
        textposition="middle right",
        textfont={"size": 11.5, "color": theme.MUTED},
    )
    perfect = kinds.diagonal(0, 100, name="perfectly calibrated", colour="#9aa4af", width=1.5)
    return marks.chart(
        "calibration",
        "Can the tail be foreseen at submission?",
        _score_reading(score),
        [perfect, {**seen, "mode": "markers+text"}],
        x=theme.axis("forecast probability of the tail (%)", range=[-2, 102]),
        y=theme.axis("runs that landed in the tail (%)", range=[-2, 102]),
        height=_CALIBRATION,
        note=f"The model learnt from the oldest {score.trained:,} runs and was asked about the "
        f"newest {score.tested:,}. A run is in the tail when its mean latency exceeds the 85th "
        "percentile of the older runs of its collective and size. Numbers beside points: runs.",
        margin={"l": 62, "r": 24, "t": 40, "b": 52},
        shapes=[theme.vertical(limit, theme.LATENCY, dash="dash", width=1.2)],
        annotations=[
            marks.label(
                limit,
                1,
                " from here on: wait",
                colour=theme.LATENCY,
                xanchor="left",
                yanchor="top",
            )
        ],
    )


def _score_reading(score: TailScore) -> str:
    """Verdict on the forecast, its precision and its recall."""
    if not score.useful:
        return (
            f"No: knowing b, the forecast's Brier score is {score.brier:.3f}, and "
            f"{score.baseline:.3f} without it; the difference may be chance."
        )
    if score.precision is None or score.recall is None:
        return (
            f"Somewhat: its Brier score is {score.skill:.0%} better than without b, but no run was "
            f"as likely as {format_share(score.wait_above)} to land in the tail."
        )
    return (
        f"Yes: of the runs it would have held back, {format_share(score.precision)} landed in the "
        f"tail, and {format_share(score.recall)} of the tail was held back; its Brier score of "
        f"{score.brier:.3f} beats the {score.baseline:.3f} of knowing all but b."
    )
