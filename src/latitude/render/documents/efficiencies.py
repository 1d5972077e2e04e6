"""What an analysis says of efficiencies: where processors' time goes, and how that changes."""

import math
from dataclasses import replace

import numpy as np

from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart
from latitude.render.document import Part, Section, Table
from latitude.render.documents.analysis_charts import LEGEND, DeltaAxis
from latitude.results.analysis import Analysis
from latitude.results.efficiency import FRACTIONS, Fractions, Threshold
from latitude.units.quantities import format_share

NAMES = {
    "parallel": "parallel efficiency",
    "load_balance": "load balance",
    "communication": "communication efficiency",
    "serialisation": "serialisation efficiency",
    "transfer": "transfer efficiency",
}
"""Of each efficiency, for people."""

INDENTED = {
    "parallel": "parallel",
    "load_balance": "· load balance",
    "communication": "· communication",
    "serialisation": "· · serialisation",
    "transfer": "· · transfer",
}
"""Each below what it is a factor of."""

_COLOURS = dict(zip(FRACTIONS, theme.SERIES, strict=False))
_LEAST_RANGE = 0.02
_NOTE = (
    "Parallel efficiency is the share of processors' time that is computation outside MPI. It is "
    "the product of load balance (mean over most computation), serialisation (what waiting for "
    "each other's computation leaves) and transfer (what messages leave). Communication is "
    "serialisation · transfer; definitions are POP's. Predicted: on this network. Traced: of the "
    "recorded times, where all that calls took beyond waiting for computation counts as transfer."
)


def efficiency_parts(analysis: Analysis) -> list[Part]:
    """A chart over Δθ, and a table of the recorded and the predicted efficiencies."""
    reading, table = efficiency_sentence(analysis), _table(analysis)
    told = Section("Efficiency", [table], reading=reading, terminal=True, page=False)
    return [_chart(analysis, reading), replace(table, brief=0), told]


def efficiency_sentence(analysis: Analysis) -> str:
    """Where most is lost, and when messages begin to cost more than a share of the time."""
    of, theta = analysis.efficiency.predicted, analysis.theta
    factors = {name: getattr(of, name) for name in ("load_balance", "serialisation", "transfer")}
    weakest = min(factors, key=lambda name: factors[name])
    text = (
        f"Processors compute {format_share(of.parallel)} of the time at {theta.symbol} = "
        f"{theta.text(theta.base)}"
    )
    if factors[weakest] < 1:
        text += f"; most is lost to {NAMES[weakest]} ({format_share(factors[weakest])})"
    fall = next(
        (
            t
            for t in analysis.efficiency.thresholds
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


def _table(analysis: Analysis) -> Table:
    found = analysis.efficiency
    levels = sorted({threshold.least for threshold in found.thresholds}, reverse=True)
    at = {(t.efficiency, t.least): t for t in found.thresholds}
    rows = [
        (
            INDENTED[name],
            "–" if found.traced is None else share_text(found.traced, name),
            share_text(found.predicted, name),
            *(_until(analysis, at.get((name, least))) for least in levels),
        )
        for name in FRACTIONS
    ]
    head = (
        "",
        "traced",
        "predicted",
        *(f"≥ {format_share(least)} to" for least in levels),
    )
    return Table(head, rows, brief=len(rows))


def share_text(of: Fractions, name: str) -> str:
    """An efficiency, for people."""
    return f"{getattr(of, name):.2%}"


def _until(analysis: Analysis, threshold: Threshold | None) -> str:
    """Up to which θ an efficiency is so high, from the baseline."""
    if threshold is None:
        return ""
    if math.isinf(threshold.delta):
        return "any"
    if math.isnan(threshold.delta):
        return "never"
    sign = "−" if threshold.delta < 0 else "+"
    return f"{sign}{analysis.theta.difference(abs(threshold.delta), 3)}"


def _chart(analysis: Analysis, reading: str) -> Chart:
    """The predicted efficiencies over Δθ."""
    axis, theta, found = DeltaAxis.of(analysis), analysis.theta, analysis.efficiency
    bends, runtimes = analysis.line()
    value = np.concatenate([analysis.curve.value, bends[1:-1]])
    order = np.argsort(value, kind="stable")
    runtime = np.concatenate([analysis.curve.T_ns, runtimes[1:-1]])[order]
    delta = axis.unit.of(value[order] - theta.base)
    of = found.predicted
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
        note=_NOTE,
        margin={"l": 62, "r": 24, "t": 48, "b": 48},
        legend=LEGEND,
    )
