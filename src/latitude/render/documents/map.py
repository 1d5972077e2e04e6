"""A map of T over several parameters: sliders, lines of equal slowdown, exchange rates."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.files.text import csv_text
from latitude.model.theta import TOLERANCES
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Unit, unit_for
from latitude.render.document import Document, File, Live, Section, Slider, Table, origin
from latitude.results.map import MapAxis, ProgramMap
from latitude.units.quantities import (
    counted,
    format_change,
    format_share,
    format_time,
)

FILES = PAGE_FILE, JSON_FILE, CSV_FILE = "report.html", "map.json", "map.csv"
_PLACES = 5
"""Of an axis, in the table that people read."""
_OF_AXIS = {1: 101, 2: 41, 3: 11, 4: 7}
"""Values of each axis in the CSV file, by the number of axes."""
_TENTH = 0.1
_SLOWDOWNS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
_LINE = 61
"""Points of a line of equal slowdown."""
_SLIDERS = (
    "T, its slopes λ, and how much each parameter may rise, where the sliders stand. The page "
    "computes them from the planes, and needs no network."
)
_METHOD = (
    "T is convex in all parameters. Each sweep of the graph gives a plane that T never falls "
    "below. Between swept points T never rises above the interpolated value."
)


def map_document(result: ProgramMap) -> Document:
    """The terminal's text and the files of a map."""
    return Document(
        name=result.name,
        kind="map of the runtime",
        facts=[
            f"{axis.name} from {axis.text(axis.low)} to {axis.text(axis.high)}"
            for axis in result.axes
        ],
        headline=_headline(result),
        answer=[_known(result)],
        notices=result.warnings,
        parts=[
            Section("Set the parameters", [_live(result)], reading=_SLIDERS),
            *_equal_slowdown(result),
            Section("At the network", [_at_network(result)]),
            Section("T in the box, against T at the network", [_places(result)]),
        ],
        files=[
            File(JSON_FILE, result.to_json),
            File(CSV_FILE, partial(_grid_csv, result)),
        ],
        origin=origin(result.provenance),
        method=_METHOD,
    )


def _live(result: ProgramMap) -> Live:
    sliders = [
        Slider(axis.meaning, axis.unit, axis.low, axis.high, start)
        for axis, start in zip(result.axes, _start(result).tolist(), strict=True)
    ]
    slopes = np.array([axis.slope for axis in result.axes])
    here = result.network.T_ns - slopes @ [axis.base for axis in result.axes]
    planes = np.column_stack([result.planes.at_zero, result.planes.slope])
    every = np.vstack([planes, [here, *slopes]]).tolist()  # at the network T is exact
    return Live(sliders, every, result.network.T_ns, result.error, TOLERANCES)


def _start(result: ProgramMap) -> Floats:
    """The network's values, or the end of the box that is nearest."""
    return np.array([min(max(axis.base, axis.low), axis.high) for axis in result.axes])


def _equal_slowdown(result: ProgramMap) -> list[Chart]:
    """The first parameter at which T is slower by so much, over the second; without a second none.

    Further parameters are as the sliders begin.
    """
    if len(result.axes) == 1:
        return []
    first, second, *_ = result.axes
    points = np.tile(_start(result), (_LINE, 1))
    points[:, 1] = _values(second, _LINE)
    x_unit, y_unit = (_drawn_in(axis) for axis in (second, first))
    traces = []
    for index, slower in enumerate(_SLOWDOWNS):
        limit = (1 + slower) * result.network.T_ns
        reached = result.planes.reach(points, 0, limit)
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
    return [
        marks.chart(
            "slowdown",
            "Lines of equal slowdown",
            f"T against the network, by {second.meaning} and {first.meaning}.",
            traces,
            x=_axis(second, x_unit),
            y=_axis(first, y_unit),
        )
    ]


def _drawn_in(axis: MapAxis) -> Unit:
    return unit_for(axis.high) if axis.unit == "ns" else Unit(axis.unit, 1.0)


def _axis(axis: MapAxis, unit: Unit) -> dict[str, Any]:
    title = f"{theme.subscripted(axis.symbol)} ({unit.name})" if unit.name else axis.symbol
    low, high = unit.of([axis.low, axis.high]).tolist()
    return theme.log_axis(title, low, high) if low > 0 else theme.axis(title, range=[low, high])


def _known(result: ProgramMap) -> str:
    share, sweeps = format_share(result.error), counted(len(result.planes), "sweep")
    return f"T is known within {share} everywhere in the box, from {sweeps}"


def _headline(result: ProgramMap) -> str:
    """The parameter of which a tenth more costs most."""
    runtime = result.network.T_ns
    axis = max(result.axes, key=lambda each: each.slope * each.base)
    share = _TENTH * axis.base * axis.slope / runtime
    return (
        f"T is {format_time(runtime)} at the network; 10 % more {axis.meaning} costs "
        f"{format_share(share)}{', most of all' if share > 0 and len(result.axes) > 1 else ''}."
    )


def _at_network(result: ProgramMap) -> Table:
    """Each parameter's λ, and how much of each other is worth 10 % of it."""
    rows = []
    for axis in result.axes:
        cost = _TENTH * axis.base * axis.slope
        worth = [
            "–" if other is axis or not other.slope else other.text(cost / other.slope)
            for other in result.axes
        ]
        share = format_change(cost / result.network.T_ns)
        rows.append([axis.name, axis.text(axis.base), f"{axis.slope:,.6g}", share, *worth])
    heads = ["parameter", "at the network", "λ", "10 % more of it"]
    if len(result.axes) > 1:
        heads += [f"= {axis.name}" for axis in result.axes]
    return Table(heads, [row[: len(heads)] for row in rows], brief=len(rows))


def _values(axis: MapAxis, count: int) -> Floats:
    """Places along an axis, by equal ratios where it begins above 0."""
    if axis.low > 0:
        return np.geomspace(axis.low, axis.high, count)
    return np.linspace(axis.low, axis.high, count)


def _places(result: ProgramMap) -> Table:
    """T over the first two axes; the others as in the network, or at the end that is nearest."""
    first, *more = result.axes
    columns = _values(first, _PLACES)
    rows = []
    for value in _values(more[0], _PLACES) if more else [None]:
        points = np.tile(_start(result), (_PLACES, 1))
        points[:, 0] = columns
        if value is not None:
            points[:, 1] = value
        changes = [format_change(T / result.network.T_ns - 1) for T in result.runtime(points)]
        rows.append([more[0].text(float(value)) if value is not None else "", *changes])
    corner = f"{more[0].name} \\ {first.name}" if more else first.name
    heads = [corner, *(first.text(each) for each in columns.tolist())]
    return Table(heads, rows, brief=len(rows))


def _grid_csv(result: ProgramMap) -> str:
    """T and what it is nowhere above, over a grid of the box."""
    count = _OF_AXIS[len(result.axes)]
    grid = np.meshgrid(*(_values(axis, count) for axis in result.axes), indexing="ij")
    points = np.stack([each.ravel() for each in grid], axis=1)
    heads = [axis.column for axis in result.axes]
    columns: Sequence[Floats] = [*points.T, result.runtime(points), result.above(points)]
    rows = zip(*(each.tolist() for each in columns), strict=True)
    return csv_text([*heads, "T_ns", "T_at_most_ns"], rows)
