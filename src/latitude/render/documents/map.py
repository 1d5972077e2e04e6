"""The document of a map: sliders, lines of equal slowdown, exchange rates."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from latitude.files import extras
from latitude.files.text import csv_text
from latitude.model.theta import TOLERANCES
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit, unit_for
from latitude.render.document import Document, File, Section, Table, origin, strong
from latitude.render.documents.side_by_side import because, where_time_goes
from latitude.render.documents.sliders import sliders_section
from latitude.results.declared import parts_csv
from latitude.results.map import (
    REST,
    Exchange,
    MapAxis,
    Mapped,
    ProgramMap,
    TolerancePoint,
    Turn,
)
from latitude.units.quantities import (
    counted,
    format_change,
    format_rate,
    format_share,
    format_time,
)

FILES = PAGE_FILE, JSON_FILE, CSV_FILE, EXCHANGE_FILE, TURNS_FILE, TOLERANCE_FILE = (
    "report.html",
    "map.json",
    "map.csv",
    "exchange.csv",
    "turns.csv",
    "tolerance.csv",
)
_PLACES = 5
"""Number of values per axis in the table for people."""
_TENTH = 0.1
_SLOWDOWNS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
_LINE = 61
"""Number of points on a line of equal slowdown."""
_CELLS = 61
"""Number of cells per axis in the chart of largest shares."""
_LARGEST = ("#d55e00", "#cc79a7", "#0072b2", "#e69f00")
"""Colours of the parameters in the chart of largest shares."""
_METHOD = (
    "T is convex in all parameters. Each sweep of the graph gives a plane that T never falls "
    "below. Between swept points T never rises above the interpolated value."
)


def map_document(result: ProgramMap) -> Document:
    """The terminal's text and the files of a map."""
    first, *others = result.alternatives
    return Document(
        name=result.name,
        kind="map of the runtime",
        facts=[
            f"{axis.name} from {axis.text(axis.low)} to {axis.text(axis.high)}"
            for axis in result.axes
        ],
        headline=_headline(result),
        answer=[*_worth(result), *(because(each, first) for each in others), _known(result)],
        notices=result.warnings,
        parts=[
            *sliders_section(result),
            *where_time_goes(result.alternatives),
            _along_first(result),
            *_equal_slowdown(result),
            *_largest(result),
            _turns(result),
            *_tolerances(result),
            *(_at_network(result, each) for each in result.alternatives),
            *(_ends(result, each) for each in result.alternatives if len(result.axes) > 1),
            *(
                Section(
                    _of("T in the box, against T at the network", each), [_places(result, each)]
                )
                for each in result.alternatives
            ),
        ],
        files=[
            File(JSON_FILE, result.to_json),
            File(CSV_FILE, partial(_grid_csv, result)),
            File(EXCHANGE_FILE, lambda: parts_csv(result.exchange, Exchange)),
            File(TURNS_FILE, lambda: parts_csv(result.turns, Turn)),
            File(TOLERANCE_FILE, lambda: parts_csv(result.tolerance, TolerancePoint)),
        ],
        origin=origin(result.provenance),
        method=_METHOD,
    )


def map_figure(result: ProgramMap) -> Any:
    """Lines of equal slowdown as a plotly figure, or T along the only parameter.

    ImportError without plotly.
    """
    try:
        import plotly.graph_objects as go  # noqa: PLC0415 - slow to import, optional
    except ImportError as error:
        raise ImportError(f"a figure needs plotly: {extras.install('plotly')}") from error

    return go.Figure([*_equal_slowdown(result), _along_first(result)][0].figure)


def _headline(result: ProgramMap) -> str:
    """A sentence on the costliest parameter, or the fastest alternative."""
    first, *others = result.alternatives
    if others:
        best = min(result.alternatives, key=lambda each: each.T_ns)
        worst = max(result.alternatives, key=lambda each: each.T_ns)
        return (
            f"{best.label} is fastest: {format_time(best.T_ns)}, against "
            f"{format_time(worst.T_ns)} with {worst.label}."
        )
    costs = first.slope * first.base
    axis = result.axes[int(costs.argmax())]
    share = _TENTH * float(costs.max()) / first.T_ns
    return (
        f"T is {format_time(first.T_ns)} at the network; 10 % more {axis.meaning} costs "
        f"{format_share(share)}{', most of all' if share > 0 and len(result.axes) > 1 else ''}."
    )


def _worth(result: ProgramMap) -> list[str]:
    """A sentence on the bandwidth that 1 µs less latency is worth, if both have a cost."""
    names = [axis.name for axis in result.axes]
    if "L" not in names or "G" not in names:
        return []
    latency, gap = names.index("L"), names.index("G")
    said = []
    for each in result.alternatives:
        slope, base = each.slope, each.base
        if not (slope[latency] > 0 and slope[gap] > 0 and base[gap] > 0):
            continue
        less = float(1000 * slope[latency] / slope[gap])
        at = f"with {each.label}, which has" if each.label else "at the network, which has"
        if less < base[gap]:
            gained = 1e9 * (1 / (base[gap] - less) - 1 / base[gap])
            what = f"as much as {format_rate(float(gained))} more bandwidth"
        else:
            what = "more than any bandwidth"
        said.append(
            f"1 µs less latency is worth {what} {at} {format_rate(float(1e9 / base[gap]))}."
        )
    return said


def _known(result: ProgramMap) -> str:
    share = format_share(max(each.error for each in result.alternatives))
    sweeps = counted(sum(len(each.planes) for each in result.alternatives), "sweep")
    return f"T is known within {share} everywhere in the box, from {sweeps}."


def _drawn_in(axis: MapAxis) -> Unit:
    return unit_for(axis.high) if axis.unit == "ns" else Unit(axis.unit, 1.0)


def _axis(axis: MapAxis, unit: Unit) -> dict[str, Any]:
    title = f"{theme.subscripted(axis.symbol)} ({unit.name})" if unit.name else axis.symbol
    low, high = unit.of([axis.low, axis.high]).tolist()
    return theme.log_axis(title, low, high) if low > 0 else theme.axis(title, range=[low, high])


def _along_first(result: ProgramMap) -> Chart:
    """T of each alternative over the first parameter."""
    axis, x_unit = result.axes[0], _drawn_in(result.axes[0])
    lines = [(each, each.line(result.axes, 0, _LINE)) for each in result.alternatives]
    T_unit = unit_for(max(float(each.runtime(at).max()) for each, at in lines))
    traces = [
        marks.line(
            x_unit.of(points[:, 0]),
            T_unit.of(each.runtime(points)),
            name=marks.text(each.label),
            colour=theme.colour(index),
            dash=theme.style(index)[0],
            hover=f"{marks.text(each.label)} %{{x:.4~g}} {x_unit.name}: %{{y:.5~g}} {T_unit.name}",
        )
        for index, (each, points) in enumerate(lines)
    ]
    return marks.chart(
        "along",
        f"T over {axis.meaning}",
        _others_stay(result, [axis]),
        traces,
        x=_axis(axis, x_unit),
        y=theme.axis(f"runtime T ({T_unit.name})"),
        label=f"T over {axis.meaning}",
        showlegend=len(traces) > 1,
        margin={"l": 68, "r": 28, "t": 40, "b": 50},
    )


def _others_stay(result: ProgramMap, shown: Sequence[MapAxis]) -> str:
    left = [axis.name for axis in result.axes if axis not in shown]
    return f"{' and '.join(left)} as in the network." if left else ""


def _equal_slowdown(result: ProgramMap) -> list[Chart]:
    """Charts of lines of equal slowdown over two parameters; empty for a single parameter.

    The lines belong to the first alternative. Further parameters have the sliders' first values.
    """
    if len(result.axes) == 1:
        return []
    first, second, *_ = result.axes
    found = result.alternatives[0]
    points = found.line(result.axes, 1, _LINE)
    x_unit, y_unit = (_drawn_in(axis) for axis in (second, first))
    traces = []
    for index, slower in enumerate(_SLOWDOWNS):
        reached = found.planes.reach(points, 0, (1 + slower) * found.T_ns)
        inside = (reached >= first.low) & (reached <= first.high)
        if inside.sum() > 1:
            text = f"{format_change(slower)}"
            traces.append(
                marks.line(
                    x_unit.of(points[inside, 1]),
                    y_unit.of(reached[inside]),
                    name=text,
                    colour=theme.colour(index),
                    hover=f"{text}: %{{x:.4~g}}, %{{y:.4~g}}",
                )
            )
    if not traces:
        return []
    of = f" of {found.label}" if found.label else ""
    return [
        marks.chart(
            "slowdown",
            "Lines of equal slowdown",
            f"T{of} against its network, by {second.meaning} and {first.meaning}. "
            f"{_others_stay(result, [first, second])}",
            traces,
            x=_axis(second, x_unit),
            y=_axis(first, y_unit),
        )
    ]


def _largest(result: ProgramMap) -> list[Chart]:
    """Chart of the parameter with most of T, over two parameters; empty for a single one."""
    if len(result.axes) == 1:
        return []
    first, second, *_ = result.axes
    found = result.alternatives[0]
    points = np.tile(found.start(result.axes), (_CELLS * _CELLS, 1))
    across, up = second.spaced(_CELLS), first.spaced(_CELLS)
    points[:, 1], points[:, 0] = np.tile(across, _CELLS), np.repeat(up, _CELLS)
    shares = found.shares(points)
    shares = np.column_stack([shares, 1 - shares.sum(axis=1)])
    names = [*(axis.name for axis in result.axes), _REST]
    colours = [*_LARGEST[: len(result.axes)], theme.COMPUTATION]
    largest = shares.argmax(axis=1)
    if (largest == largest[0]).all():
        return []  # the table shows this parameter
    steps = np.repeat(np.linspace(0, 1, len(names) + 1), 2)[1:-1].tolist()
    x_unit, y_unit = _drawn_in(second), _drawn_in(first)
    told = [
        f"{names[most]}: {format_share(float(share))}"
        for most, share in zip(largest.tolist(), shares.max(axis=1), strict=True)
    ]
    regions: Trace = marks.heat_map(
        largest.reshape(_CELLS, _CELLS).tolist(),
        unit="",
        hover="%{text}",
        x=x_unit.of(across).tolist(),
        y=y_unit.of(up).tolist(),
        text=[told[row * _CELLS : (row + 1) * _CELLS] for row in range(_CELLS)],
        zmin=-0.5,
        zmax=len(names) - 0.5,
        xgap=0,
        ygap=0,
        colorscale=[
            [step, colour]
            for step, colour in zip(steps, np.repeat(colours, 2).tolist(), strict=True)
        ],
        colorbar={
            "tickvals": [*range(len(names))],
            "ticktext": names,
            "thickness": 12,
            "outlinewidth": 0,
        },
    )
    of = f" of {found.label}" if found.label else ""
    present = [names[at] for at in np.unique(largest)]
    return [
        marks.chart(
            "largest",
            "Which parameter takes most of T",
            f"The largest part of T{of}: {', '.join(present)}. "
            f"{_others_stay(result, [first, second])}",
            [regions],
            x=_axis(second, x_unit),
            y=_axis(first, y_unit),
        )
    ]


_REST = "all else"
"""Name of the part of T that is not due to a varied parameter."""


def _turns(result: ProgramMap) -> Section:
    """Points along each axis from which another parameter takes most of T."""
    axes = {axis.name: axis for axis in result.axes}
    rows = []
    for (label, along), stretches in groupby(result.turns, key=lambda row: (row.label, row.along)):
        for row in stretches:
            largest = _REST if row.largest == REST else row.largest
            axis = axes[along]
            rows.append(
                [
                    *([strong(label)] if len(result.alternatives) > 1 else []),
                    along,
                    axis.text(row.value),
                    largest,
                    format_share(row.share),
                ]
            )
    heads = [*([""] if len(result.alternatives) > 1 else []), "along", "from", "most of T", "share"]
    return Section(
        "Where another part of T becomes the largest",
        [Table(heads, rows, brief=len(rows))],
        reading="From the lower end of each parameter to its upper end; the others as in the "
        "network.",
    )


def _tolerances(result: ProgramMap) -> list[Chart]:
    """Charts of the tolerated rise of the first parameter, over each other parameter."""
    first = result.axes[0]
    label = result.alternatives[0].label
    charts = []
    for axis in result.axes[1:]:
        rows = [row for row in result.tolerance if (row.label, row.over) == (label, axis.name)]
        finite = [row.delta_low for row in rows if np.isfinite(row.delta_low)]
        if not finite:
            continue
        x_unit = _drawn_in(axis)
        y_unit = unit_for(max(finite)) if first.unit == "ns" else Unit(first.unit, 1.0)
        traces = []
        for index, share in enumerate(TOLERANCES):
            own = [row for row in rows if row.degradation == share and np.isfinite(row.delta_low)]
            traces.append(
                marks.line(
                    x_unit.of([row.value for row in own]),
                    y_unit.of([row.delta_low for row in own]),
                    name=f"{format_share(share)} slower",
                    colour=theme.zone_colour(index),
                    hover=f"%{{x:.4~g}} {x_unit.name}: +%{{y:.4~g}} {y_unit.name}",
                )
            )
        of = f" of {label}" if label else ""
        charts.append(
            marks.chart(
                f"tolerance-{axis.symbol}",
                f"Tolerance in {first.name} over {axis.meaning}",
                f"How much {first.meaning}{of} may rise until T grows by 1, 2 and 5 % against T "
                f"at the same {axis.meaning}. {_others_stay(result, [first, axis])}",
                traces,
                x=_axis(axis, x_unit),
                y=theme.axis(
                    f"Δ{theme.subscripted(first.symbol)} ({y_unit.name})", rangemode="tozero"
                ),
                margin={"l": 68, "r": 28, "t": 40, "b": 50},
            )
        )
    return charts


def _at_network(result: ProgramMap, found: Mapped) -> Section:
    """λ of each parameter, and the amounts of other parameters that cost as much as 10 % more."""
    rows = []
    by_pair = {
        (row.parameter, row.other): row for row in result.exchange if row.label == found.label
    }
    values = zip(result.axes, found.base.tolist(), found.slope.tolist(), strict=True)
    for axis, base, slope in values:
        pairs = [by_pair.get((axis.name, other.name)) for other in result.axes]
        worth = [
            "–" if row is None or np.isinf(row.worth) else other.difference(row.worth)
            for row, other in zip(pairs, result.axes, strict=True)
        ]
        share = format_change(_TENTH * base * slope / found.T_ns)
        rows.append([axis.name, axis.text(base), f"{slope:,.6g}", share, *worth])
    heads = ["parameter", "at the network", "λ", "10 % more of it"]
    if len(result.axes) > 1:
        heads += [f"= {axis.name}" for axis in result.axes]
    table = Table(heads, [row[: len(heads)] for row in rows], brief=len(rows))
    return Section(_of("At the network", found), [table])


def _of(title: str, found: Mapped) -> str:
    return f"{title}: {found.label}" if found.label else title


def _ends(result: ProgramMap, found: Mapped) -> Section:
    """The cost of each upper end alone, and of all upper ends together."""
    start = found.start(result.axes)
    base = float(found.runtime(start))
    ends = np.array([axis.high for axis in result.axes])
    alone = np.tile(start, (len(ends), 1))
    np.fill_diagonal(alone, ends)
    costs = found.runtime(alone) - base
    together = float(found.runtime(ends)) - base
    rows = [
        [axis.name, axis.text(begin), axis.text(axis.high), *_cost(cost, base)]
        for axis, begin, cost in zip(result.axes, start.tolist(), costs.tolist(), strict=True)
    ]
    rows += [
        ["the sum of these", "", "", *_cost(float(costs.sum()), base)],
        ["all together", "", "", *_cost(together, base)],
    ]
    table = Table(["parameter", "from", "to", "costs", "of T"], rows, brief=len(rows))
    return Section(
        _of("The upper ends, alone and together", found),
        [table],
        reading="Each parameter rises from the network to its upper end, by itself and with all "
        "others.",
    )


def _cost(ns: float, base: float) -> list[str]:
    return [f"+{format_time(ns)}", format_change(ns / base)]


def _places(result: ProgramMap, found: Mapped) -> Table:
    """T over the first two axes; other parameters as in the network, or at the nearest end."""
    first, *more = result.axes
    columns = first.spaced(_PLACES)
    rows = []
    for value in more[0].spaced(_PLACES) if more else [None]:
        points = found.line(result.axes, 0, _PLACES)
        if value is not None:
            points[:, 1] = value
        changes = [format_change(T / found.T_ns - 1) for T in found.runtime(points)]
        rows.append([more[0].text(float(value)) if value is not None else "", *changes])
    corner = f"{more[0].name} \\ {first.name}" if more else first.name
    heads = [corner, *(first.text(each) for each in columns.tolist())]
    return Table(heads, rows, brief=len(rows))


def _grid_csv(result: ProgramMap) -> str:
    """T and its upper bound over a grid of the box, as CSV."""
    columns = {name: np.asarray(each).tolist() for name, each in result.grid_columns().items()}
    return csv_text([*columns], zip(*columns.values(), strict=True))
