"""The document of a comparison: alternatives side by side (Shen et al. 2024, Figs. 10 and 12)."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit, View, unit_for
from latitude.render.document import Card, Document, File, Section, Table, origin, strong
from latitude.render.documents.analysis_charts import axis_unit, slower
from latitude.render.documents.answers import ranks_on_nodes
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.side_by_side import alike, because, where_time_goes
from latitude.render.documents.sliders import sliders_section
from latitude.render.tables import Shown, table
from latitude.results.answer import Curve
from latitude.results.comparison import Compared, Comparison, curves_csv, table_csv
from latitude.units.quantities import (
    counted,
    format_change,
    format_count,
    format_share,
    format_time,
)

_METHOD = (
    "Method: every alternative is a graph or a network of its own, analysed exactly and on one "
    "recording of the program; as in Shen et al., “LLAMP: Assessing Network Latency Tolerance of "
    "HPC Applications with Linear Programming”, SC’24, §IV."
)
_MOST_CARDS = 4
_COLOURS = (
    "#16365c", "#d55e00", "#009e73", "#cc79a7", "#0072b2", "#e69f00", "#56b4e9", "#5c6875",
)  # fmt: skip
"""Okabe and Ito's colours, after the page's own blue."""
_DASHES = ("solid", "dash", "dot", "dashdot")
_HEIGHT = 440
_CLOSE = 0.45
"""Share of the interval within which tolerances get a view of their own."""
_CLOSE_ROOM = 1.2
_ROOM = 1.15
"""Room to the right of the last tolerance in the zones."""
_INSIDE = 0.12
"""Least share of the axis with room for a zone's label."""


def comparison_document(comparison: Comparison) -> Document:
    """The page, the terminal's text and the files of a comparison."""
    made, theta, rows = comparison.provenance, comparison.theta, comparison.alternatives
    answer = _headline(comparison)
    return Document(
        kind=f"{theta.meaning} tolerance, side by side",
        name=comparison.name,
        title="comparison",
        facts=[
            counted(comparison.trace.ranks, "rank"),
            counted(len(rows), "alternative"),
            comparison.trace.format,
            f"analysed {made.date[:10]}",
        ],
        headline=answer,
        answer=[
            *([] if alike(found.T_ns for found in rows) else [because(*_extremes(comparison))]),
            _far_end(comparison),
            network_sentence(rows[0].network.defaults(), rows[0].network.source),
            _places(comparison),
        ],
        cards=[
            Card(found.label, format_time(found.T_ns), _card_text(found))
            for found in rows[:_MOST_CARDS]
        ],
        parts=[
            _runtime(comparison, answer),
            _table(comparison),
            *sliders_section(comparison.sliders),
            *where_time_goes(rows),
            _zones(comparison),
            _sensitivity(comparison),
            _model(comparison),
        ],
        notices=comparison.warnings,
        files=[
            File("compare.json", comparison.to_json),
            File("compare.csv", lambda: table_csv(comparison)),
            File("curves.csv", lambda: curves_csv(comparison)),
        ],
        origin=origin(made),
        method=_METHOD,
    )


def _headline(comparison: Comparison) -> str:
    """A sentence on the fastest alternative and its lead."""
    rows, theta = comparison.alternatives, comparison.theta
    best, worst = _extremes(comparison)
    at = f"{theta.symbol} = {theta.text(theta.base)}"
    if any(found.base != theta.base for found in rows):
        at = "its baseline"
    if alike([best.T_ns, worst.T_ns]):
        return f"All alternatives take the same time at {at}: {format_time(best.T_ns)}."
    return (
        f"{best.label} is fastest at {at}: {format_time(best.T_ns)}, against "
        f"{format_time(worst.T_ns)} with {worst.label} "
        f"({format_share(worst.T_ns / best.T_ns - 1)} more)."
    )


def _extremes(comparison: Comparison) -> tuple[Compared, Compared]:
    """The fastest alternative and the slowest."""
    rows = comparison.alternatives
    return min(rows, key=lambda found: found.T_ns), max(rows, key=lambda found: found.T_ns)


def _far_end(comparison: Comparison) -> str:
    """The fastest alternative at the far end of the interval."""
    at = f"{comparison.theta.symbol} = {comparison.theta.text(comparison.interval[1])}"
    ends = {found.label: float(found.curve.T_ns[-1]) for found in comparison.alternatives}
    best = min(ends, key=ends.__getitem__)
    if alike(ends.values()):
        return f"At {at} all take {format_time(ends[best])}."
    return f"At {at} it is {best}, with {format_time(ends[best])}."


def _places(comparison: Comparison) -> str:
    """The part of each machine with ranks; empty if no alternative has a machine."""
    ranks = comparison.trace.ranks
    used = {
        ranks_on_nodes(ranks, found.nodes_used, found.nodes): found.label
        for found in reversed(comparison.alternatives)
        if found.nodes is not None
    }
    if len(used) == 1:
        return f"The machine has {next(iter(used))}."
    said = "; ".join(f"{label} has {where}" for where, label in reversed(used.items()))
    return f"{said}." if said else ""


def _card_text(found: Compared) -> str:
    if not found.tolerance:
        return "runtime T"
    return f"runtime T; {slower(found.tolerance[-1])} slower at {_tolerated(found, -1)}"


def _tolerated(found: Compared, index: int) -> str:
    """The extra θ that an alternative takes up to limit number `index`: `+12.3 µs`, `never`."""
    tolerance = found.tolerance[index]
    if math.isinf(tolerance.delta):
        return "never"
    return f"+{found.theta.difference(tolerance.delta, 3)}"


def _table(comparison: Comparison) -> Table:
    """T, λ, ρ and tolerances of each alternative."""
    first, symbol = comparison.alternatives[0], comparison.theta.symbol
    limits: list[Shown[Compared]] = [
        (f"{slower(limit)} slower at", partial(_tolerated, index=index))
        for index, limit in enumerate(first.tolerance)
    ]
    return table(
        comparison.alternatives,
        ("", lambda found: found.label),
        "T_ns",
        ("against the first", lambda found: _against(found, first)),
        (f"λ_{symbol}", "slope"),
        (f"ρ_{symbol}", "share"),
        *limits,
    )


def _against(found: Compared, first: Compared) -> str:
    if found is first:
        return "–"
    return format_change(found.T_ns / first.T_ns - 1 if first.T_ns else 0.0)


def _model(comparison: Comparison) -> Section:
    """The assumptions of each alternative."""
    shown = table(
        comparison.alternatives,
        ("", lambda found: strong(found.label)),
        ("network", lambda found: "; ".join(f"{n} = {v}" for n, v in found.parameters.items())),
        "collectives",
        kind="model",
        brief=0,
    )
    return Section(
        "Model",
        [shown],
        reading="The same recording, with these parameters and algorithms.",
    )


def _unit(comparison: Comparison) -> Unit:
    return axis_unit(comparison.theta.unit, comparison.interval[1])


def _axis_title(comparison: Comparison) -> str:
    theta = comparison.theta
    return f"{theta.meaning} {theme.subscripted(theta.symbol)} ({_unit(comparison).name})"


_SYMBOLS = ("circle", "square", "diamond")
"""Symbols of the tolerances, in addition to their colours."""


def _look(index: int) -> dict[str, Any]:
    dash = _DASHES[(index + index // len(_COLOURS)) % len(_DASHES)]
    return {"colour": _COLOURS[index % len(_COLOURS)], "dash": dash}


def _runtime(comparison: Comparison, label: str) -> Chart:
    """T of each alternative, with dots at its tolerances; `label` describes the chart."""
    rows, (_, high), unit = comparison.alternatives, comparison.interval, _unit(comparison)
    runtime_unit = unit_for(max(float(found.curve.T_ns[-1]) for found in rows))
    name = theme.subscripted(comparison.theta.symbol)
    traces: list[Trace] = []
    for index, found in enumerate(rows):
        value, runtime = _points(found, high)
        hover = f"{found.label}<br>{name} = %{{x:.4~g}} {unit.name}<br>T = %{{y:.5~g}} "
        traces.append(
            marks.line(
                unit.of(value),
                runtime_unit.of(runtime),
                name=found.label,
                width=2.3,
                hover=hover + runtime_unit.name,
                **_look(index),
            )
        )
        traces.append(_dots(found, high, unit, runtime_unit))
    views = _views(comparison, unit, runtime_unit)
    first = views[0].layout
    limits = ", ".join(slower(t) for t in rows[0].tolerance)
    return marks.chart(
        "runtime",
        f"Runtime against {comparison.theta.meaning}",
        "",
        traces,
        x=theme.axis(_axis_title(comparison), range=first["xaxis.range"]),
        y=theme.axis(f"runtime T ({runtime_unit.name})", range=first["yaxis.range"]),
        height=_HEIGHT,
        note=f"Marks: where each alternative runs {limits} slower than at its own baseline (green "
        "circle, orange square, red diamond).",
        views=views,
        label=label,
        margin={"l": 68, "r": 28, "t": 48, "b": 50},
    )


def _points(found: Compared, end: float) -> tuple[Floats, Floats]:
    """θ and T of the curve, including the tolerances as points."""
    inside = [t for t in found.tolerance if found.curve.value[0] <= t.value <= end]
    value = np.concatenate([found.curve.value, [t.value for t in inside]])
    runtime = np.concatenate([found.curve.T_ns, [t.T_limit_ns for t in inside]])
    order = np.argsort(value)
    return value[order], runtime[order]


def _dots(found: Compared, end: float, unit: Unit, runtime_unit: Unit) -> Trace:
    """Dots at the tolerances inside the interval."""
    inside = [(i, t) for i, t in enumerate(found.tolerance) if t.value <= end]
    dots = marks.points(
        unit.of([t.value for _, t in inside]),
        runtime_unit.of([t.T_limit_ns for _, t in inside]),
        colour=[theme.zone_colour(i) for i, _ in inside],
        symbol=[_SYMBOLS[min(i, len(_SYMBOLS) - 1)] for i, _ in inside],
        size=10,
        text=[f"{found.label}: {slower(t)} slower at {_tolerated(found, i)}" for i, t in inside],
        hover="%{text}",
        showlegend=False,
    )
    dots["marker"]["line"] = {"color": "#fff", "width": 1.5}
    return dots


def _views(comparison: Comparison, unit: Unit, runtime_unit: Unit) -> list[View]:
    """Views of the tolerances, if they are close together, and of the whole interval."""
    low, high = comparison.interval
    lines = [_points(found, high) for found in comparison.alternatives]

    def view(name: str, end: float) -> View:
        margin = 0.012 * (end - low)
        bottom = min(float(runtime[0]) for _, runtime in lines)
        top = max(float(np.interp(end, value, runtime)) for value, runtime in lines)
        room = 0.04 * max(top - bottom, 1e-9)
        ends = [(bottom - room) / runtime_unit.ns, (top + room) / runtime_unit.ns]
        across = [(low - margin) / unit.ns, end / unit.ns]
        return View(name, {"xaxis.range": across, "yaxis.range": ends})

    views = [view("Whole interval", high)]
    values = [t.value for found in comparison.alternatives for t in found.tolerance]
    last = max((value for value in values if low < value <= high), default=math.inf)
    close = low + _CLOSE_ROOM * (last - low)
    if close < low + _CLOSE * (high - low):
        views.insert(0, view("Tolerances", close))
    return views


def _zones(comparison: Comparison) -> Chart:
    """One bar per alternative: the extra θ up to each limit."""
    rows, theta = comparison.alternatives, comparison.theta
    finite = [t.delta for found in rows for t in found.tolerance if math.isfinite(t.delta)]
    low, high = comparison.interval
    end = max(finite, default=high - low) * _ROOM
    unit = axis_unit(theta.unit, end)
    traces = []
    for index, tolerance in enumerate(rows[0].tolerance):
        before = [found.tolerance[index - 1].delta if index else 0.0 for found in rows]
        ends = [found.tolerance[index].delta for found in rows]
        width = [min(e, end) - min(b, end) for e, b in zip(ends, before, strict=True)]
        texts = [_tolerated(found, index) for found in rows]
        bar = marks.bars(
            unit.of(width),
            [found.label for found in rows],
            name=f"{slower(tolerance)} slower",
            colour=theme.zone_colour(index),
            across=True,
            text=[t if w > _INSIDE * end else "" for t, w in zip(texts, width, strict=True)],
            textposition="inside",
            insidetextanchor="end",
            textangle=0,
            textfont={"color": theme.ON_ZONES},
            hovertext=[
                f"{found.label}: {slower(tolerance)} slower at {text}"
                for found, text in zip(rows, texts, strict=True)
            ],
            hover="%{hovertext}",
        )
        bar["marker"]["opacity"] = 0.75
        traces.append(bar)
    title = f"extra {theta.meaning} Δ{theme.subscripted(theta.symbol)} ({unit.name})"
    return kinds.named_rows(
        "zones",
        "Tolerance zones",
        _zones_reading(comparison),
        traces,
        x=theme.axis(title, range=[0, end / unit.ns]),
        rows=len(rows),
        top=40,
        barmode="stack",
        bargap=0.35,
        legend=theme.ORDERED,
    )


def _zones_reading(comparison: Comparison) -> str:
    rows = comparison.alternatives
    if not rows[0].tolerance:
        return "No limit was asked for."
    low = min(rows, key=lambda found: found.tolerance[-1].delta)
    high = max(rows, key=lambda found: found.tolerance[-1].delta)
    least, most, limit = low.tolerance[-1], high.tolerance[-1], slower(low.tolerance[-1])
    if _tolerated(low, -1) == _tolerated(high, -1):
        return f"All alternatives tolerate the same before they run {limit} slower."
    text = (
        f"{limit} slower: {low.label} tolerates {_tolerated(low, -1)[1:]}, "
        f"{high.label} {_tolerated(high, -1).removeprefix('+')}"
    )
    if math.isfinite(most.delta) and least.delta > 0:
        return f"{text}: {most.delta / least.delta:.3g} times as much."
    return f"{text}."


def _sensitivity(comparison: Comparison) -> Chart:
    """λ and ρ of each alternative."""
    theta = comparison.theta
    foot, end = theta.symbol.replace("_", " "), theta.text(comparison.interval[1])
    rows = comparison.alternatives
    value = rows[0].curve.value
    step = theta.difference(float(value[1] - value[0]), 3)
    return marks.chart(
        "sensitivity",
        "Sensitivity: λ and ρ",
        f"At {theta.symbol} = {end} λ is {_steepness(rows)}.",
        [
            *_lines(comparison, lambda curve: curve.slope, "λ", steps=True, showlegend=True),
            *_lines(
                comparison, lambda curve: 100 * curve.share, "ρ (%)", yaxis="y2", showlegend=False
            ),
        ],
        x=theme.axis(_axis_title(comparison), anchor="y2"),
        y=theme.axis(f"λ<sub>{foot}</sub>", domain=[0.54, 1], rangemode="tozero"),
        yaxis2=theme.axis(f"ρ<sub>{foot}</sub> (% of T)", domain=[0, 0.46], rangemode="tozero"),
        height=_HEIGHT,
        note=f"λ, the slope of T over {theta.symbol}, and ρ = {theta.symbol}·λ/T, every {step}.",
        margin={"l": 62, "r": 24, "t": 48, "b": 48},
    )


def _steepness(rows: Sequence[Compared]) -> str:
    """λ and ρ at the far end, of the first alternative and of the steepest other one."""
    counts = [format_count(float(found.curve.slope[-1])) for found in rows]
    shares = [format_share(float(found.curve.share[-1])) for found in rows]
    if len(set(zip(counts, shares, strict=True))) == 1:
        return f"{counts[0]} with each alternative, {shares[0]} of the runtime"
    other = max(range(1, len(rows)), key=lambda i: rows[i].curve.slope[-1])
    return (
        f"{counts[0]} with {rows[0].label} and {counts[other]} with {rows[other].label}, "
        f"{shares[0]} and {shares[other]} of the runtime"
    )


def _lines(
    comparison: Comparison, values: Callable[[Curve], Floats], what: str, **more: Any
) -> list[Trace]:
    unit = _unit(comparison)
    return [
        marks.line(
            unit.of(found.curve.value),
            values(found.curve),
            name=found.label,
            width=2.3,
            legendgroup=str(index),
            hover=f"{found.label}<br>{what} = %{{y:,.5~g}}",
            **_look(index),
            **more,
        )
        for index, found in enumerate(comparison.alternatives)
    ]
