"""Charts of an analysis: T, λ and ρ against θ, and the parts of T at the baseline."""

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from latitude._types import Floats
from latitude.model.theta import VariedParameter
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit, View, listed, unit_for
from latitude.render.document import Table
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.results.answer import PathParts, Tolerance
from latitude.units.columns import BAR, TIME, column
from latitude.units.quantities import counted, format_count, format_share, format_time

_CLOSE = 0.45
"""Share of the interval within which tolerances get a closer view; otherwise they would be slivers.
"""
_ROOM = 1.3
"""Room to the right of the last tolerance in the closer view."""
_MARGIN = 0.012
"""Margin to the left of the interval's start, as a share of the interval."""
_LEVEL = 0.062
"""Height of a line of labels above the plot, in plot heights."""
_LEVELS = 4
_LEAST_SPAN = 0.02
"""Least part of T on the axis, so that a flat line does not look steep."""
_LIMITS = ("#00664a", "#8a5f00", "#a34700")
"""Darker versions of the zones' colours, for readable text."""
_LABELLED = 0.06
"""Least part of T with a label; smaller parts have no room."""
_BAND = "rgba(22,54,92,0.25)"
"""Colour between bounds on λ."""
LEGEND = {
    "orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom",
    "traceorder": "normal",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeltaAxis:
    """The axis of Δθ: the whole interval, and a part of it close to the tolerances."""

    unit: Unit
    start: float
    end: float
    close: float | None
    """End of the closer view; None if the whole interval shows the tolerances well."""
    title: str
    symbol: str

    @classmethod
    def of(cls, analysis: Analysis) -> "DeltaAxis":
        """The Δθ axis of an analysis."""
        theta = analysis.theta
        start, end = (value - theta.base for value in analysis.interval)
        unit = axis_unit(theta.unit, max(abs(start), abs(end)))
        last = max((t.delta for t in analysis.tolerance if t.delta <= end), default=0.0) * _ROOM
        close = last if start <= 0 < last < _CLOSE * end else None
        symbol = theme.subscripted(theta.symbol)
        return cls(
            unit, start, end, close, f"extra {theta.meaning} Δ{symbol} ({unit.name})", symbol
        )

    def range(self, end: float) -> list[float]:
        """Range of the axis, up to Δθ = end."""
        return [(self.start - _MARGIN * (end - self.start)) / self.unit.ns, end / self.unit.ns]


def axis_unit(of: str, largest: float) -> Unit:
    """The unit of a θ axis with values in ns or ns/B."""
    return Unit("ns/B", 1.0) if of == "ns/B" else unit_for(largest)


def slower(tolerance: Tolerance) -> str:
    """The limit of a tolerance as text: `1%`."""
    return format_share(tolerance.degradation)


def runtime_chart(analysis: Analysis, label: str) -> Chart:
    """T against Δθ with the tolerance zones (Shen et al. 2024, Fig. 1).

    `label` describes the chart.
    """
    axis, theta, base_ns = DeltaAxis.of(analysis), analysis.theta, analysis.T_ns
    value, runtime = analysis.line()
    delta = value - theta.base
    unit = unit_for(float(runtime[-1]))
    growth = (runtime / base_ns - 1) * 100 if base_ns else np.zeros(runtime.size)
    traces = [
        *_uncertain(analysis, axis.unit, unit),
        marks.line(
            axis.unit.of(delta),
            unit.of(runtime),
            name="runtime T",
            width=2.5,
            customdata=listed(growth),
            hover=f"Δ{axis.symbol} = %{{x:.4~g}} {axis.unit.name}<br>T = %{{y:.5~g}} {unit.name}"
            "<br>%{customdata:+.3~g}%",
        ),
    ]
    if delta[0] <= 0 <= delta[-1]:
        hover = f"baseline, {axis.symbol} = {theta.text(theta.base)}<br>T = "
        point = marks.points([0], unit.of([base_ns]), size=9, hover=hover + format_time(base_ns, 5))
        point["marker"]["line"] = {"color": "#fff", "width": 2}
        traces.append(point)

    def view(name: str, end: float) -> View:
        bottom, top = float(runtime[0]), float(np.interp(end, delta, runtime))
        room = 0.04 * max(top - bottom, _LEAST_SPAN * top, 1e-9)
        ranges = {"yaxis.range": [(bottom - room) / unit.ns, (top + room) / unit.ns]}
        return View(name, {"xaxis.range": axis.range(end), **ranges})

    views = [view("Whole interval", axis.end)]
    if axis.close is not None:
        views.insert(0, view("Tolerance zones", axis.close))
    first, limits = views[0].layout, range(len(analysis.tolerance))
    return marks.chart(
        "runtime",
        f"Runtime against {theta.meaning}",
        "",
        traces,
        x=theme.axis(axis.title, range=first["xaxis.range"]),
        y=theme.axis(f"runtime T ({unit.name})", range=first["yaxis.range"]),
        height=430,
        note=f"{_exactness(analysis)} Bands end where T passes each limit. Δ{theta.symbol} is "
        f"counted from {theta.symbol} = {theta.text(theta.base)}.",
        views=views,
        label=label,
        margin={"l": 68, "r": 28, "t": 24 + 24 * min(_LEVELS, len(limits)), "b": 50},
        showlegend=False,
        shapes=_zones(analysis, axis),
        annotations=[_limit(analysis, axis, index) for index in limits],
    )


def _uncertain(analysis: Analysis, along: Unit, runtime: Unit) -> list[Trace]:
    """The band in which T lies, if its uncertainty is known."""
    found = analysis.intervals
    if found is None or found.T_ns is None:
        return []
    return marks.band(
        along.of(analysis.curve.value - analysis.theta.base),
        runtime.of(found.low_T_ns),
        runtime.of(found.high_T_ns),
        colour=_BAND,
        name="90 % interval",
    )


def _exactness(analysis: Analysis) -> str:
    """A sentence on the possible distance of the drawn line from T."""
    theta, critical = analysis.theta, analysis.critical
    low, high = (theta.text(value) for value in analysis.interval)
    shape = f"T is convex and piecewise linear in {theta.symbol}"
    bends = counted(critical.listed, "bend")
    if critical.complete:
        return (
            f"The line is exact for this input: {shape}, with {bends} between "
            f"{theta.symbol} = {low} and {high}.{_runs_apart(analysis)}"
        )
    if not critical.listed:
        return (
            f"{shape}. The line is exact at {len(critical.beyond) + 1} values from {low} to "
            f"{high}; between them T has bends and is at most {format_share(critical.bound)} "
            "below it."
        )
    return (
        f"The line is exact up to {theta.symbol} = {theta.text(critical.until)}: {shape}, with "
        f"{bends} from {low} on. From there to {high} T has more bends and is at most "
        f"{format_share(critical.bound)} below the line."
    )


def _runs_apart(analysis: Analysis) -> str:
    """A sentence on the largest difference of T between runs."""
    over = analysis.over_runs
    if over is None:
        return ""
    apart = format_share(over.T_ns.high / over.T_ns.low - 1) if over.T_ns.low else "any share"
    return f" T of the {len(over.T_ns.values)} runs differs by up to {apart}."


def _zones(analysis: Analysis, axis: DeltaAxis) -> list[dict[str, Any]]:
    """One coloured band between neighbouring tolerances, and a line at each."""
    left, bands, lines = 0.0, [], []
    for index, tolerance in enumerate(analysis.tolerance):
        end, colour = min(tolerance.delta, axis.end), theme.zone_colour(index)
        if end > left:
            bands.append(marks.zone(left / axis.unit.ns, end / axis.unit.ns, colour))
        left = max(left, end)
        if tolerance.delta <= axis.end:
            top = 1.01 + _LEVEL * (index % _LEVELS)
            lines.append(theme.vertical(end / axis.unit.ns, colour, width=1.5, top=top))
    return bands + lines


def _limit(analysis: Analysis, axis: DeltaAxis, index: int) -> dict[str, Any]:
    """The label of a zone's end, above the plot, in several rows so that labels never overlap."""
    tolerance = analysis.tolerance[index]
    unbounded = math.isinf(tolerance.delta)
    text = f"{slower(tolerance)}: never"
    if not unbounded:
        at = analysis.theta.difference(tolerance.delta, 3)
        text = f"<b>{slower(tolerance)}</b> at +{at}"
    where: dict[str, Any] = {"xanchor": "center"}
    if tolerance.delta > axis.end:
        where, text = {"xref": "paper", "xanchor": "right"}, text if unbounded else f"{text} →"
    x = 1 if tolerance.delta > axis.end else tolerance.delta / axis.unit.ns
    level = 1.015 + _LEVEL * (index % _LEVELS)
    return marks.label(x, level, text, colour=_LIMITS[min(index, 2)], yanchor="bottom", **where)


def sensitivity_chart(analysis: Analysis) -> Chart:
    """λ as steps from the breakpoints, and ρ between breakpoints (Shen et al. 2024, Fig. 9)."""
    axis, theta = DeltaAxis.of(analysis), analysis.theta
    curve = analysis.curve
    at, bend_T_ns, left, right = _bends(analysis)
    bends = np.concatenate([curve.value[:1], at]) - theta.base
    slopes = np.concatenate([curve.slope[:1], right])
    # ρ is smooth between critical latencies, with a step at each.
    exact = curve.value <= analysis.critical.until
    exact[-1] = True
    value = np.concatenate([curve.value[exact], at, at])
    runtime = np.concatenate([curve.T_ns[exact], bend_T_ns, bend_T_ns])
    slope = np.concatenate([curve.slope[exact], left, right])
    order = np.lexsort((slope, value))
    share = np.divide(value * slope, runtime, out=np.zeros(value.size), where=runtime > 0)[order]
    delta = value[order] - theta.base
    here = f"Δ{axis.symbol} = %{{x:.4~g}} {axis.unit.name}<br>"
    traces = [
        *_slope_bounds(analysis, axis),
        marks.line(
            axis.unit.of(np.append(bends, curve.value[-1] - theta.base)),
            np.append(slopes, slopes[-1]),
            width=2,
            steps=True,
            hover=f"{here}λ = %{{y:,.6~g}}",
        ),
        marks.line(
            axis.unit.of(delta),
            100 * share,
            width=2,
            colour=theme.LATENCY,
            yaxis="y2",
            hover=f"{here}ρ = %{{y:.3~g}}%",
        ),
    ]

    def view(name: str, end: float) -> View:
        top = float(slopes[bends <= end].max(initial=0.0))
        most = float(share[delta <= end].max(initial=0.0))
        ranges = {"yaxis.range": [0, max(1.0, top) * 1.08]}
        ranges["yaxis2.range"] = [0, max(0.001, most) * 108]
        return View(name, {"xaxis.range": axis.range(end), **ranges})

    views = [view("Whole interval", axis.end)]
    if axis.close is not None:
        views.append(view("Tolerance zones", axis.close))
    first, foot = views[0].layout, theta.symbol.replace("_", " ")
    counts = {"L": "latencies", "G": "bytes", "o": "overheads"}
    what = counts.get(theta.name, "ns per ns" if theta.unit == "ns" else "bytes")
    return marks.chart(
        "sensitivity",
        "Sensitivity: λ and ρ",
        _sensitivity_reading(analysis),
        traces,
        x=theme.axis(axis.title, range=first["xaxis.range"], anchor="y2"),
        y=theme.axis(f"λ<sub>{foot}</sub> ({what})", domain=[0.54, 1], range=first["yaxis.range"]),
        yaxis2=theme.axis(
            f"ρ<sub>{foot}</sub> (% of T)", domain=[0, 0.46], range=first["yaxis2.range"]
        ),
        note=_sensitivity_note(analysis),
        views=views,
        showlegend=False,
    )


def _beyond(analysis: Analysis) -> tuple[Floats, Floats, Floats]:
    """θ, T and λ of the points beyond the listed breakpoints, and of the last listed breakpoint."""
    found, curve, beyond = analysis.breakpoints, analysis.curve, analysis.critical.beyond
    value = np.concatenate([curve.value[:1], found.value])[-1:]
    runtime = np.concatenate([curve.T_ns[:1], found.T_ns])[-1:]
    slope = np.concatenate([curve.slope[:1], found.lambda_right])[-1:]
    return (
        np.concatenate([value, beyond.value]),
        np.concatenate([runtime, beyond.T_ns]),
        np.concatenate([slope, beyond.slope]),
    )


def _bends(analysis: Analysis) -> tuple[Floats, Floats, Floats, Floats]:
    """θ, T, and λ on both sides of each breakpoint.

    Beyond the listed values, the points are those at which the tangents of neighbouring points
    meet. Each of these points represents all breakpoints between its neighbours.
    """
    found = analysis.breakpoints
    value, runtime, slope = _beyond(analysis)
    bent = np.flatnonzero(np.diff(slope) > 0)
    after, left, right = bent + 1, slope[bent], slope[bent + 1]
    above = runtime[after] - runtime[bent] - left * (value[after] - value[bent])
    meet = np.clip(value[after] - above / (right - left), value[bent], value[after])
    return (
        np.concatenate([found.value, meet]),
        np.concatenate([found.T_ns, runtime[bent] + left * (meet - value[bent])]),
        np.concatenate([found.lambda_left, left]),
        np.concatenate([found.lambda_right, right]),
    )


def _slope_bounds(analysis: Analysis, axis: DeltaAxis) -> list[Trace]:
    """Bounds of λ if not all breakpoints are known: λ at the points on either side."""
    if analysis.critical.complete:
        return []
    value, _, slope = _beyond(analysis)
    ends = axis.unit.of(np.repeat(value, 2)[1:-1] - analysis.theta.base)
    low, high = np.repeat(slope[:-1], 2), np.repeat(slope[1:], 2)
    return marks.band(ends, low, high, colour=_BAND)


def _sensitivity_note(analysis: Analysis) -> str:
    theta, critical = analysis.theta, analysis.critical
    if not critical.complete and not critical.listed:
        return (
            f"{_slope_meaning(theta)} λ is within the band, and the steps are where tangents of "
            "neighbouring values meet."
        )
    if not critical.complete:
        return (
            f"{_slope_meaning(theta)} From {theta.symbol} = {theta.text(critical.until)} on λ is "
            "within the band, and its steps are those of many small ones together."
        )
    return _slope_meaning(theta)


def _slope_meaning(theta: VariedParameter) -> str:
    if theta.name == "L":
        return (
            "λ_L = dT/dL is the number of message latencies on the critical path: each extra "
            "µs of latency costs λ_L µs. ρ_L = L·λ_L/T is their share of the runtime."
        )
    what = {
        "G": "the number of bytes on the critical path",
        "o": "the number of overheads on the critical path",
        "l_wire": "the number of wires that messages on the critical path cross",
        "d_switch": "the number of switches that messages on the critical path cross",
    }.get(theta.name, f"how often the critical path pays {theta.symbol}")
    return (
        f"λ, the slope of T over {theta.symbol}, is {what}. ρ = {theta.symbol}·λ/T is its share of "
        "the runtime."
    )


def _sensitivity_reading(analysis: Analysis) -> str:
    theta, slope, curve = analysis.theta, analysis.sensitivity.slope, analysis.curve
    end = theta.text(analysis.interval[1])
    what = "latency" if theta.name == "L" else theta.meaning
    if slope == curve.slope[-1]:
        stays = "The number of latencies on the critical path" if theta.name == "L" else "λ"
        return f"{stays} stays at {format_count(slope)} up to {theta.symbol} = {end}."
    each, cost = ("ns/B", "ns") if theta.unit == "ns/B" else ("µs", "µs")
    return (
        f"Each extra {each} of {what} costs {format_count(slope)} {cost} at the baseline and "
        f"{format_count(float(curve.slope[-1]))} {cost} at {theta.symbol} = {end}, where {what} is "
        f"{format_share(float(curve.share[-1]))} of the runtime."
    )


@dataclass(frozen=True, slots=True)
class PathPart:
    """One of the four parts of T."""

    name: str
    ns: Annotated[float, column("time", TIME)]
    share: Annotated[float, column("share", BAR)]
    """Share of T."""
    assumed: bool
    """Whether the part depends on a parameter that the user did not choose."""

    @property
    def told(self) -> Annotated[str, column("")]:
        """The part's name, with a note if it depends on a default."""
        return f"{self.name} (default)" if self.assumed else self.name


def split_chart(parts: Sequence[PathPart], runtime_ns: float) -> Chart:
    """The parts of T at the baseline, from `parts_of`, as one stacked bar."""
    unit = unit_for(runtime_ns)
    looks = (
        (theme.COMPUTATION, theme.INK),
        (theme.OVERHEAD, "#ffffff"),
        (theme.LATENCY, "#ffffff"),
        (theme.BANDWIDTH, theme.INK),
    )
    traces = []
    for part, (colour, text_colour) in zip(parts, looks, strict=True):
        bar = marks.bars(
            unit.of([part.ns]),
            [""],
            name=f"{part.name} {format_share(part.share)}",
            colour=colour,
            across=True,
            hatched=part.assumed,
            text=[format_share(part.share) if part.share >= _LABELLED else ""],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": text_colour},
            hover=f"{part.told}: {format_time(part.ns)}, {format_share(part.share)}",
        )
        bar["marker"]["line"] = {"color": "#fff", "width": 1}
        traces.append(bar)
    shares = [format_share(part.share) for part in parts]
    return marks.chart(
        "split",
        "What the runtime consists of",
        f"Of {format_time(runtime_ns)} on the critical path, {shares[0]} is computation, "
        f"{shares[1]} the CPU's work for messages, {shares[2]} network latency, and {shares[3]} "
        "bytes on the wire."
        if runtime_ns
        else "The program takes no time.",
        traces,
        x=theme.axis(f"time on the critical path ({unit.name})"),
        y=theme.axis("", showticklabels=False, ticks="", fixedrange=True),
        height=150,
        note=theme.NOT_A_FINDING if any(part.assumed for part in parts) else "",
        barmode="stack",
        bargap=0.25,
        margin={"l": 24, "r": 24, "t": 36, "b": 48},
        legend={**LEGEND, "y": 1.05},
    )


def parts_of(of: PathParts, runtime_ns: float, assumed: Container[str]) -> list[PathPart]:
    """The four parts of T on the critical path; `assumed` parts depend on defaults."""
    parts = (
        ("computation", "computation", of.calc_ns),
        ("overhead", "overhead o", of.overhead_ns),
        ("latency", "latency", of.latency_ns),
        ("bandwidth", "bandwidth", of.bandwidth_ns),
    )
    return [
        PathPart(name, ns, ns / runtime_ns if runtime_ns else 0.0, part in assumed)
        for part, name, ns in parts
    ]


def split_table(parts: Iterable[PathPart]) -> Table:
    """The parts of T as a table: name, ns and share."""
    return table([*parts], "told", "ns", "share")
