"""The document of one program at several sizes."""

import math

import numpy as np

from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart
from latitude.render.document import Document, File, Section, Table, origin, strong
from latitude.results.scaling import Scaling, SizedRun, scaling_csv
from latitude.sections.efficiency.result import NAMES
from latitude.units.quantities import counted, format_share, format_time

_ROWS = {
    "global_efficiency": "global efficiency",
    "parallel": "· parallel",
    "load_balance": "· · load balance",
    "communication": "· · communication",
    "serialisation": "· · · serialisation",
    "transfer": "· · · transfer",
    "computation_scaling": "· computation scaling",
}
"""Rows: each efficiency below the efficiency of which it is a factor."""
_LINES = ("global_efficiency", "load_balance", "serialisation", "transfer", "computation_scaling")
_NAMES = {**NAMES, "global_efficiency": "global", "computation_scaling": "computation scaling"}
_METHOD = (
    "Method: efficiencies as POP defines them; ideal and predicted runtimes are longest paths of "
    "the program's execution graphs. Projections follow Rosas, Giménez and Labarta, “Scalability "
    "Prediction for Fundamental Performance Factors”, Supercomputing Frontiers and Innovations 1, "
    "2014."
)


def scaling_document(scaling: Scaling) -> Document:
    """The page, the terminal's text and the files."""
    answer = headline(scaling)
    tables = [_table(scaling, of) for of in ("traced", "predicted")]
    return Document(
        kind="scaling",
        name=scaling.name,
        facts=[
            counted(len(scaling.runs), "run"),
            "weak scaling" if scaling.weak else "strong scaling",
        ],
        headline=answer,
        parts=[_chart(scaling), *(table for table in tables if table), _tolerated(scaling)],
        notices=scaling.warnings,
        files=[
            File("scaling.json", scaling.to_json),
            File("scaling.csv", lambda: scaling_csv(scaling)),
        ],
        origin=origin(scaling.provenance),
        method=_METHOD,
    )


def headline(scaling: Scaling) -> str:
    """A sentence on the efficiency of the largest run, and on the factor that falls most."""
    first, last = (scaling.runs[at].figures(scaling.of) or {} for at in (0, -1))
    size, small = (scaling.runs[at].efficiency.processors for at in (-1, 0))
    lost = {name: last[name] / first[name] for name in _LINES[1:] if first[name] > 0}
    worst = min(lost, key=lambda name: lost[name])
    text = (
        f"On {counted(size, 'processor')} the program is {format_share(last['global_efficiency'])} "
        f"as efficient as it could be"
    )
    if lost[worst] < 1:
        text += (
            f"; from {small} to {size}, {_NAMES[worst]} falls most, from "
            f"{format_share(first[worst])} to {format_share(last[worst])}"
        )
    return text + "."


def _table(scaling: Scaling, of: str) -> Section | None:
    """POP's table: one column per size, including projected sizes."""
    runs = [(run, run.figures(of)) for run in scaling.runs]
    if not any(figures for _, figures in runs):
        return None
    ahead = scaling.projection if of == scaling.of else None
    head = [
        of,
        *(str(run.efficiency.processors) for run in scaling.runs),
        *(f"→ {p}" for p in (ahead.processors if ahead else ())),
    ]
    rows = [
        [
            strong(label) if name == "global_efficiency" else label,
            *("–" if figures is None else f"{figures[name]:.2%}" for _, figures in runs),
            *(f"{value:.1%}" for value in (ahead.values[name] if ahead else ())),
        ]
        for name, label in _ROWS.items()
    ]
    blank = [""] * (len(ahead.processors) if ahead else 0)
    rows.append(
        ["speedup", *("–" if f is None else f"{f['speedup']:.3g}" for _, f in runs), *blank]
    )
    rows.append(["runtime T", *(_runtime(run, of) for run, _ in runs), *blank])
    note = (
        "Columns with → are projections by Amdahl's law, 1/E = a + b·p fitted to each factor: no "
        "prediction, since nothing of the program is known there."
    )
    return Section(
        f"Efficiencies, {of}",
        [Table(head, rows, brief=len(rows))],
        note=note if ahead else "",
    )


def _runtime(run: SizedRun, of: str) -> str:
    fractions = getattr(run.efficiency, of)
    return "–" if fractions is None else format_time(fractions.T_ns)


def _tolerated(scaling: Scaling) -> Section:
    """The tolerated θ of each size, up to a poor transfer efficiency."""
    theta, rows = scaling.theta, []
    for run in scaling.runs:
        at = {t.least: t for t in run.efficiency.thresholds if t.efficiency == "transfer"}
        cells = []
        for least in sorted(at, reverse=True):
            delta = at[least].delta
            cells.append(
                "never"
                if math.isnan(delta)
                else "any"
                if math.isinf(delta)
                else f"{'−' if delta < 0 else '+'}{theta.difference(abs(delta), 3)}"
            )
        rows.append([f"{run.efficiency.processors}", *cells])
    levels = sorted({t.least for t in scaling.runs[0].efficiency.thresholds}, reverse=True)
    head = ["processors", *(f"≥ {format_share(least)} to" for least in levels)]
    return Section(
        f"Transfer efficiency against {theta.meaning}",
        [Table(head, rows, brief=len(rows))],
        note=f"Up to which extra {theta.meaning} the predicted transfer efficiency of each size is "
        "so high.",
    )


def _chart(scaling: Scaling) -> Chart:
    """Efficiencies over sizes, with projections."""
    sizes = [run.efficiency.processors for run in scaling.runs]
    figures = [run.figures(scaling.of) or {} for run in scaling.runs]
    ahead = scaling.projection
    traces = []
    for index, name in enumerate(_LINES):
        values = [100 * each[name] for each in figures]
        hover = f"%{{x}} processors<br>{_NAMES[name]} %{{y:.2f}}%"
        colour = theme.colour(index)
        traces.append(
            marks.line(
                sizes, values, name=_NAMES[name].removesuffix(" efficiency"), colour=colour,
                hover=hover, mode="lines+markers",
            )
        )  # fmt: skip
        traces.append(
            marks.line(
                [sizes[-1], *ahead.processors],
                [values[-1], *(100 * np.array(ahead.values[name]))],
                colour=colour,
                dash="dot",
                width=1.4,
                hover=f"projected: {hover}",
                showlegend=False,
            )
        )
    every = [sizes[0], *ahead.processors]
    led = ahead.values["global_efficiency"]
    low = min(min(trace["y"]) for trace in traces)
    high = max(max(trace["y"]) for trace in traces)
    return marks.chart(
        "scaling",
        "Efficiency against size",
        f"From {sizes[0]} to {sizes[-1]} processors, global efficiency goes from "
        f"{figures[0]['global_efficiency']:.1%} to {figures[-1]['global_efficiency']:.1%}; up to "
        f"{every[-1]} Amdahl's law leads it to {led[-1]:.1%}.",
        traces,
        x=theme.log_axis("processors (count)", every[0] / 1.1, every[-1] * 1.1),
        y=theme.axis("efficiency (%)", range=[max(0.0, low - 4), max(101.5, high + 2)]),
        height=400,
        note=f"{scaling.of.capitalize()} efficiencies; dotted: projections by Amdahl's law.",
        margin={"l": 62, "r": 24, "t": 48, "b": 48},
        legend=theme.ORDERED,
    )
