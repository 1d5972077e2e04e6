"""The critical path over ranks and time."""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Layer, Trace, Unit, View, listed, unit_for
from latitude.results.analysis import Analysis
from latitude.results.lines import RankLines
from latitude.sections.critical_path.path_pieces import (
    ACTIVITIES,
    KINDS,
    NETWORK,
    Colouring,
    Pieces,
    cells,
    colourings,
    densest,
    pieces,
)
from latitude.units.quantities import counted, format_count, format_share, format_time

MOST_DRAWN = 3_000
"""Number of pieces above which the chart is an overview with a detail."""
_DETAIL = 140
"""Number of pieces in the detail."""
_CELLS = 480
"""Time cells of the overview: about one per two pixels."""
_MAX_ROWS = 256
"""Largest number of lines in the overview; more lines are drawn in blocks."""
_TITLE = "Critical path over ranks and time"
_BY_SITE = " By call site: a message has the colour of the call that receives it."


def path_charts(analysis: Analysis) -> list[Chart]:
    """One chart with every piece, or, for long paths, an overview and a detail."""
    if analysis.path is None or analysis.path_call_site is None:
        return []
    cut = pieces(analysis.path.over_lines(), analysis.path_call_site)
    if len(cut) == 0:
        return []
    if len(cut) <= MOST_DRAWN:
        return [_exact(analysis, cut, len(analysis.path))]
    first, last = densest(cut, _DETAIL)
    return [_overview(analysis, cut), _detail(analysis, cut.part(first, last))]


def _rows(analysis: Analysis) -> RankLines:
    """The lines on which pieces are drawn."""
    if analysis.path is None:
        return RankLines.one_each(analysis.trace.ranks)
    return analysis.path.lines


def _exact(analysis: Analysis, cut: Pieces, steps: int) -> Chart:
    unit = unit_for(float(cut.end[-1]))
    views = []
    if len(cut) > 2 * _DETAIL:
        first, last = densest(cut, _DETAIL)
        close = [float(unit.of(cut.start[first])), float(unit.of(cut.end[last - 1]))]
        views = [
            View("Whole run", {"xaxis.range": _span(cut, unit)}),
            View("Where it waits most for the network", {"xaxis.range": close}),
        ]
    merged = (
        f" {counted(len(cut), 'piece')} from {format_count(steps)} vertices: "
        "neighbours of one kind on one rank are drawn as one."
    )
    note = (
        "Thick: the path on a rank. Thin: on a message's way. Drag to zoom, double-click to go "
        "back."
    )
    words = ("path", _TITLE, _reading(analysis, cut))
    return _lanes_chart(analysis, cut, unit, words, (note, merged), views)


def _detail(analysis: Analysis, cut: Pieces) -> Chart:
    start, length = float(cut.start[0]), float(cut.end[-1]) - float(cut.start[0])
    network = float((cut.end - cut.start)[cut.kind == NETWORK].sum())
    reading = (
        f"In these {format_time(length, 3)} of the run the network takes "
        f"{format_share(network / length)} of the path's time."
    )
    note = (
        f"Every piece of the path from {format_time(start, 6)} on. Thick: on a rank. Thin: on a "
        "message's way."
    )
    words = ("path-detail", "Where the critical path waits most for the network", reading)
    return _lanes_chart(analysis, cut, unit_for(length), words, (note, ""), [])


def _lanes_chart(
    analysis: Analysis,
    cut: Pieces,
    unit: Unit,
    words: tuple[str, str, str],
    notes: tuple[str, str],
    views: list[View],
) -> Chart:
    """A thick line on the rank's lane for work, and a thin line from rank to rank for messages."""
    ways, rows = colourings(analysis.by_call_site, cut), _rows(analysis)
    text = _texts(analysis, cut)
    traces, layers = _layered(
        [
            (
                way.label,
                [
                    trace
                    for group in range(len(way.names))
                    for trace in _lines(cut, rows, unit, way, group, text)
                ],
            )
            for way in ways
        ],
        always=[],
    )
    return marks.chart(
        *words,
        traces,
        x=theme.axis(f"time ({unit.name})", range=_span(cut, unit), showgrid=False),
        y=theme.axis(
            "rank",
            range=[len(rows) - 0.4, -0.6],
            fixedrange=True,
            **theme.line_ticks(rows, rows.labels()),
        ),
        height=_height(len(rows)),
        note=notes[0] + (_BY_SITE if len(ways) > 1 else "") + notes[1],
        views=views,
        layers=layers,
        margin={"l": 56, "r": 24, "t": 40, "b": 50},
        hovermode="closest",
    )


def _height(rows: int) -> int:
    return max(250, min(620, 110 + 30 * rows))


def _span(cut: Pieces, unit: Unit) -> list[float]:
    return [float(unit.of(cut.start[0])), float(unit.of(cut.end[-1]))]


def _layered(
    sets: list[tuple[str, list[Trace]]], always: list[Trace]
) -> tuple[list[Trace], list[Layer]]:
    """Plotly's traces, of which one set is visible at a time (at first set 0); a button per set."""
    traces, owner = list(always), [-1] * len(always)
    for index, (_, own) in enumerate(sets):
        traces += [trace if index == 0 else {**trace, "visible": False} for trace in own]
        owner += [index] * len(own)
    return traces, [
        Layer(label, [which in {-1, index} for which in owner])
        for index, (label, _) in enumerate(sets)
    ]


def _lines(
    cut: Pieces, rows: RankLines, unit: Unit, way: Colouring, group: int, text: list[str]
) -> list[Trace]:
    """The pieces of one group: those on ranks, and those between ranks."""
    traces: list[Trace] = []
    for moves in (False, True):
        chosen = np.flatnonzero((way.group == group) & ((cut.kind == NETWORK) == moves))
        if chosen.size == 0:
            continue
        trace = marks.line(
            [],
            [],
            name=html.escape(way.names[group]),
            colour=way.colours[group],
            width=2 if moves else 11,
            text=[part for i in chosen for part in (text[i], text[i], "")],
            legendgroup=f"{way.label} {group}",
            showlegend=not traces,
            hover="%{text}",
        )
        ends = unit.of(cut.start[chosen]), unit.of(cut.end[chosen])
        trace["x"] = _with_gaps(*(listed(end, 9) for end in ends))
        trace["y"] = _with_gaps(rows.shown(cut.origin[chosen]), rows.shown(cut.rank[chosen]))
        trace["line"]["simplify"] = False  # plotly would drop short pieces
        traces.append(trace)
    return traces


def _with_gaps(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    """Both ends of each piece, with a gap between pieces."""
    return [value for a, b in zip(first, second, strict=True) for value in (a, b, None)]


def _texts(analysis: Analysis, cut: Pieces) -> list[str]:
    """Text under the mouse for each piece."""
    places = [
        "<br>" + html.escape(" ".join([share.where, *share.calls]))
        for share in analysis.by_call_site
    ]
    places.append("")  # the last, at index −1: no call site known
    columns = (cut.origin, cut.rank, cut.kind, cut.start, cut.end, cut.site)
    names = _rows(analysis).names()
    return [
        f"{names[line] if origin == line else f'{names[origin]} → {names[line]}'}"
        f"<br>{ACTIVITIES[kind][0]}: {format_time(end - start)}{places[site]}"
        for origin, line, kind, start, end, site in zip(*(c.tolist() for c in columns), strict=True)
    ]


def _overview(analysis: Analysis, cut: Pieces) -> Chart:
    """The path's share of each time cell, by rank and by activity."""
    unit, lines = unit_for(float(cut.end[-1])), _rows(analysis)
    ways = colourings(analysis.by_call_site, cut)
    block = -(-len(lines) // _MAX_ROWS)
    grid = cells(cut, _CELLS, len(lines), [(way.group, len(way.names)) for way in ways])
    rows = 100 * np.add.reduceat(grid.by_rank, np.arange(0, len(lines), block), axis=1)
    middle = unit.of((grid.edges[1:] + grid.edges[:-1]) / 2)
    heat_map = marks.heat_map(
        [[None if v == 0 else float(f"{v:.4g}") for v in row] for row in rows.T],
        x=listed(middle),
        y=lines.shown(np.arange(rows.shape[1]) * block),
        unit="% of the cell's time",
        hover=f"rank %{{y}}, %{{x:.5~g}} {unit.name}<br>%{{z:.3~g}}% of the path's time",
        zmin=0,
        zmax=100,
        xgap=0,
        ygap=0,
    )
    heat_map["colorbar"] |= {"len": 0.68, "y": 1, "yanchor": "top"}
    bars = [
        (way.label, [_bars(way, group, middle, shares) for group in _drawing_order(way)])
        for way, shares in zip(ways, grid.by_group, strict=True)
    ]
    traces, layers = _layered(bars, always=[heat_map])
    width = format_time(float(grid.edges[1] - grid.edges[0]), 3)
    blocks = f" (blocks of {block} {lines.each}s)" if block > 1 else ""
    return marks.chart(
        "path",
        _TITLE,
        _reading(analysis, cut),
        traces,
        x=theme.axis(f"time ({unit.name})", anchor="y2", showgrid=False),
        y=theme.axis(
            "rank",
            domain=[0.36, 1],
            showgrid=False,
            autorange="reversed",
            **theme.line_ticks(lines, lines.labels()[::block]),
        ),
        yaxis2=theme.axis("% of time", domain=[0, 0.28], range=[0, 100]),
        height=_height(min(len(lines), 16)) + 130,
        note=f"{format_count(len(cut))} pieces are too many to draw: they are summed up in cells "
        f"of {width}. Above: how much of each cell's time the path spends on each {lines.each}"
        f"{blocks}. Below: on what." + (_BY_SITE if len(ways) > 1 else ""),
        layers=layers,
        barmode="stack",
        bargap=0,
        margin={"l": 62, "r": 10, "t": 36, "b": 50},
    )


def _drawing_order(way: Colouring) -> range:
    """Groups for stacked bars, with the first group, computation, on top."""
    return range(len(way.names) - 1, -1, -1)


def _bars(way: Colouring, group: int, middle: Floats, shares: Floats) -> Trace:
    name = html.escape(way.names[group])
    return marks.bars(
        middle,
        listed(100 * shares[:, group], 4),
        name=name,
        colour=way.colours[group],
        yaxis="y2",
        hover=f"{name}: %{{y:.3~g}}%",
    )


def _reading(analysis: Analysis, cut: Pieces) -> str:
    hops = int(np.count_nonzero(cut.origin != cut.rank))
    time = np.bincount(cut.kind, weights=cut.end - cut.start, minlength=len(KINDS))
    share = np.divide(time, time.sum() or 1.0)
    by_rank = np.bincount(cut.rank, weights=cut.end - cut.start)
    busiest = int(by_rank.argmax())
    on_it = by_rank[busiest] / (analysis.T_ns or 1.0)
    lines = _rows(analysis)
    return (
        f"The path changes {'line' if lines.several else 'rank'} {counted(hops, 'time')}; it is "
        f"longest on {lines.names()[busiest]}, for {format_share(float(on_it))} of the runtime, "
        f"and on the network for {format_share(float(share[NETWORK]))}."
    )
