"""Time and latencies of each iteration on the critical path."""

from collections.abc import Collection

import numpy as np

from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, unit_for
from latitude.render.document import Section
from latitude.render.documents.analysis_charts import LEGEND
from latitude.render.shown import Shown, Text
from latitude.results.analysis import Analysis
from latitude.sections import SECTIONS
from latitude.sections.iterations.result import Iterations
from latitude.units.quantities import format_count, format_share, format_time

_TITLE = "By iteration"
_APART = 60
"""Largest number of bars that have gaps."""
_PARTS = (
    ("computation", "calc_ns", theme.COMPUTATION, "computation"),
    ("overhead o", "overhead_ns", theme.OVERHEAD, "overhead"),
    ("latency and bandwidth", "network_ns", theme.NETWORK, "transfer"),
)
"""Name, field, colour, and the corresponding part of T."""


def iterations_parts(analysis: Analysis) -> list[Chart | Section]:
    """The iterations, or a sentence if the calls do not repeat; empty if no calls are recorded."""
    found = analysis.iterations
    if found is not None:
        return [_chart(found, analysis.model.assumed)]
    left_out = {each.what for each in analysis.left_out}
    if not analysis.trace.calls or SECTIONS["iterations"] in left_out:
        return []
    return [
        Section(
            _TITLE,
            reading="The ranks' calls of MPI do not repeat: no iterations can be told apart.",
            note="A program repeats where each rank on the critical path makes the same calls, "
            "equally often, in most of its iterations.",
        )
    ]


def _chart(found: Iterations, assumed: Collection[str]) -> Chart:
    shares = found.shares
    inside = slice(1, -1)
    first, last = shares.first[inside], shares.last[inside]
    together = int((last - first).max()) + 1
    middle = (first + last) / 2
    unit = unit_for(float(shares.path_ns[inside].max()))
    which = [
        f"iteration {a}" if a == b else f"iterations {a} to {b}"
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
    ]
    traces = [
        marks.bars(
            middle,
            unit.of(getattr(shares, column)[inside]),
            name=name,
            colour=colour,
            hatched=part in assumed,
            width=(last - first + 1) * (0.8 if middle.size <= _APART else 1.0),
            text=which,
            textposition="none",
            hover=f"%{{text}}<br>{name}: %{{y:.4~g}} {unit.name}",
        )
        for name, column, colour, part in _PARTS
    ]
    traces.append(
        marks.points(
            middle,
            shares.lambda_L[inside],
            colour=theme.LINE,
            size=6 if middle.size <= _APART else 3,
            text=which,
            hover="%{text}<br>λ = %{y:,.6~g}",
            yaxis="y2",
            showlegend=False,
        )
    )
    most = float(shares.lambda_L[inside].max())
    each = f" Each bar stands for {together} iterations." if together > 1 else ""
    return marks.chart(
        "iterations",
        _TITLE,
        _reading(found),
        traces,
        x=theme.axis(
            "iteration (count)", showgrid=False, anchor="y2", range=[0.4, found.count + 0.6]
        ),
        y=theme.axis(f"time on the critical path ({unit.name})", domain=[0.44, 1]),
        yaxis2=theme.axis(
            "λ<sub>L</sub> (latencies)", domain=[0, 0.34], range=[0, max(1.0, most) * 1.08]
        ),
        height=400,
        note=_note(found) + each + (f" {theme.NOT_A_FINDING}" if assumed else ""),
        barmode="stack",
        bargap=0,
        margin={"l": 66, "r": 24, "t": 40, "b": 48},
        legend=LEGEND,
    )


def _reading(found: Iterations) -> str:
    """Sentences about the number of iterations, their durations, and their latencies."""
    shares = found.shares
    times = shares.last - shares.first + 1
    inside = slice(1, -1)
    path = (shares.path_ns / times)[inside]
    latencies = (shares.lambda_L / times)[inside]
    low, high = path.min(), path.max()
    least, most = latencies.min(), latencies.max()
    at = "" if found.where is None else f" at {found.where}"
    words = (
        f"The program repeats {format_count(found.count)} times, from {found.call}{at} on. An "
        f"iteration takes {format_time(float(np.median(path)), 3)}"
    )
    if format_time(low, 3) != format_time(high, 3):
        words += f" ({format_time(low, 3)} to {format_time(high, 3)})"
    words += f" and {format_count(float(np.median(latencies)))} latencies"
    if least != most:
        words += f" ({format_count(least)} to {format_count(most)})"
    return f"{words} of the critical path."


def _note(found: Iterations) -> str:
    shares = found.shares
    total = float(shares.path_ns.sum()) or 1.0
    outside = " and ".join(
        f"{format_share(float(shares.path_ns[row]) / total)} of T {where}"
        for row, where in ((0, "before the first"), (-1, "after the last"))
        if shares.path_ns[row] > 0
    )
    return (
        "What the critical path spends in each iteration, on whatever rank; with what lies outside"
        f"{f' ({outside})' if outside else ''} it adds up to T and λ. "
        f"{format_share(found.alike)} of the ranks' iterations have the same calls as most."
    )


def _csv(analysis: Analysis) -> Text | None:
    return None if analysis.iterations is None else analysis.iterations.shares.to_csv


SHOWN = Shown(iterations_parts, {"iterations.csv": _csv})
