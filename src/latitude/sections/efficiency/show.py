"""Shows efficiencies: the parts of the processes' time, and their change with θ."""

import math
from dataclasses import replace

import numpy as np

from latitude.files.text import csv_text
from latitude.model.theta import VariedParameter
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart
from latitude.render.document import Part, Section, Table
from latitude.render.documents.analysis_charts import LEGEND, DeltaAxis
from latitude.render.shown import Shown, Text
from latitude.results.analysis import Analysis
from latitude.sections.efficiency.result import (
    FRACTIONS,
    NAMES,
    OF_THETA,
    Efficiency,
    Fractions,
    Threshold,
)
from latitude.units.quantities import format_share

_INDENTED = {
    "parallel": "parallel",
    "load_balance": "· load balance",
    "communication": "· communication",
    "serialisation": "· · serialisation",
    "transfer": "· · transfer",
}
"""Names, indented to show which factors make a product."""

_COLOURS = dict(zip(FRACTIONS, theme.SERIES, strict=False))
_LEAST_RANGE = 0.02
_NOTE = (
    "Parallel efficiency is the share of processors' time that is computation outside MPI. It is "
    "the product of load balance (mean over most computation), serialisation (what waiting for "
    "each other's computation leaves) and transfer (what messages leave). Communication is "
    "serialisation · transfer; definitions are POP's. Predicted: on this network."
)
_TRACED = (
    " Traced: from the recorded times; all time of calls beyond waiting for computation counts as "
    "transfer."
)


def efficiency_parts(analysis: Analysis, found: Efficiency) -> list[Part]:
    """A chart over Δθ, and a table of the recorded and the predicted efficiencies."""
    reading, table = efficiency_sentence(analysis, found), _table(analysis, found)
    told = Section("Efficiency", [table], reading=reading, terminal=True, page=False)
    note = _NOTE + (_TRACED if analysis.streamed is None else "")
    return [_chart(analysis, found.predicted, reading, note), replace(table, brief=0), told]


def efficiency_sentence(analysis: Analysis, found: Efficiency) -> str:
    """A sentence about the greatest loss, and the θ from which messages cost a certain share."""
    of, theta = found.predicted, analysis.theta
    factors = {name: getattr(of, name) for name in ("load_balance", "serialisation", "transfer")}
    weakest = min(factors, key=lambda name: factors[name])
    text = (
        f"Processors compute {format_share(of.parallel)} of the time at {theta.symbol} = "
        f"{theta.text(theta.base)}"
    )
    if factors[weakest] < 1:
        text += f"; most is lost to {NAMES[weakest]} ({format_share(factors[weakest])})"
        if weakest == "transfer" and analysis.model.assumed:
            text += ", which follows from default parameters"
    fall = next(
        (
            t
            for t in found.thresholds
            if t.efficiency == "transfer" and t.reached and math.isfinite(t.delta)
        ),
        None,
    )
    if fall is not None:
        text += (
            f"; {NAMES['transfer']} stays above {format_share(fall.least)} up to an extra "
            f"{theta.meaning} of {theta.difference(fall.delta, 3)}"
        )
    return text + "."


def _table(analysis: Analysis, found: Efficiency) -> Table:
    thresholds = found.thresholds
    levels = sorted({threshold.least for threshold in thresholds}, reverse=True)
    at = {(t.efficiency, t.least): t for t in thresholds}
    traced = [found.traced] if analysis.streamed is None else []
    rows = [
        (
            _INDENTED[name],
            *("–" if of is None else _share_text(of, name) for of in traced),
            _share_text(found.predicted, name),
            *(_until(analysis, at.get((name, least))) for least in levels),
        )
        for name in FRACTIONS
    ]
    head = (
        "",
        *("traced" for _ in traced),
        "predicted",
        *(f"≥ {format_share(least)} to" for least in levels),
    )
    return Table(head, rows, brief=len(rows))


def _share_text(of: Fractions, name: str) -> str:
    """An efficiency as text."""
    return f"{getattr(of, name):.2%}"


def _until(analysis: Analysis, threshold: Threshold | None) -> str:
    """The Δθ up to which an efficiency keeps a value, as text."""
    if threshold is None:
        return ""
    if not math.isfinite(threshold.delta):
        return "any" if threshold.reached else "never"
    sign = "−" if threshold.delta < 0 else "+"
    return f"{sign}{analysis.theta.difference(abs(threshold.delta), 3)}"


def _chart(analysis: Analysis, of: Fractions, reading: str, note: str) -> Chart:
    """The predicted efficiencies over Δθ."""
    axis, theta = DeltaAxis.of(analysis), analysis.theta
    bends, runtimes = analysis.line()
    value = np.concatenate([analysis.curve.value, bends[1:-1]])
    order = np.argsort(value, kind="stable")
    runtime = np.concatenate([analysis.curve.T_ns, runtimes[1:-1]])[order]
    delta = axis.unit.of(value[order] - theta.base)
    lines = {
        "load_balance": np.full(runtime.size, of.load_balance),
        "serialisation": np.full(runtime.size, of.serialisation),
        "transfer": of.T_ideal_ns / np.maximum(runtime, 1e-300),
        "parallel": of.useful_mean_ns / np.maximum(runtime, 1e-300),
    }
    traces = [
        marks.line(
            delta,
            100 * shares,
            name=NAMES[name].removesuffix(" efficiency"),
            colour=_COLOURS[name],
            dash="dot" if name in ("load_balance", "serialisation") else "solid",
            width=2.6 if name == "parallel" else 2,
            hover=f"Δ{axis.symbol} = %{{x:.4~g}} {axis.unit.name}<br>{NAMES[name]} %{{y:.2f}}%",
        )
        for name, shares in lines.items()
    ]
    shown = np.concatenate([*lines.values()])
    low = min(float(shown.min()), 1 - _LEAST_RANGE)
    return marks.chart(
        "efficiency",
        f"Efficiency against {theta.meaning}",
        reading,
        traces,
        x=theme.axis(axis.title, range=axis.range(axis.end)),
        y=theme.axis("efficiency (%)", range=[max(0.0, 100 * low - 3), 101.5]),
        height=360,
        note=note,
        margin={"l": 62, "r": 24, "t": 48, "b": 48},
        legend=LEGEND,
    )


def efficiency_csv(efficiency: Efficiency, theta: VariedParameter) -> str:
    """The predicted efficiencies as CSV: one row per value of θ."""
    of, curve = efficiency.predicted, efficiency.curve
    constant = (of.load_balance, of.serialisation)
    header = (theta.column, *OF_THETA, "load_balance", "serialisation")
    return csv_text(header, ((*row, *constant) for row in curve.rows()))


def _parts(analysis: Analysis) -> list[Part]:
    found = analysis.efficiency
    return [] if found is None else efficiency_parts(analysis, found)


def _csv(analysis: Analysis) -> Text | None:
    found = analysis.efficiency
    return None if found is None else lambda: efficiency_csv(found, analysis.theta)


SHOWN = Shown(_parts, {"efficiency.csv": _csv})
