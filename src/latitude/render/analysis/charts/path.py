"""The critical path over ranks and time."""

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude.render.analysis.charts.lanes import lanes, layered
from latitude.render.analysis.colouring import Colouring, colourings
from latitude.render.analysis.pieces import KINDS, NETWORK, Pieces, cells, densest, pieces
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Trace, Unit, View, listed, unit_for
from latitude.results.analysis import Analysis
from latitude.units.quantities import counted, format_count, format_share, format_time

Floats = NDArray[np.float64]

_DRAWN = 3_000
"""More pieces than this are drawn as an overview with a detail beside it."""
_DETAIL = 140
"""Pieces in the detail."""
_CELLS = 480
"""Time cells of the overview: about one per two pixels."""
_MAX_ROWS = 256
"""Ranks in the overview; more are drawn in blocks."""
_LAYERS_NOTE = " By call site: a message's way has the colour of the call that receives it."


def path_charts(analysis: Analysis) -> list[Chart]:
    """One chart with every piece; for long paths an overview and a detail."""
    cut = pieces(analysis.path, analysis.path_call_site)
    if len(cut) == 0:
        return []
    ways = colourings(analysis, cut)
    if len(cut) <= _DRAWN:
        return [_exact(analysis, cut, ways)]
    first, last = densest(cut, _DETAIL)
    return [_overview(analysis, cut, ways), _detail(analysis, cut.part(first, last))]


def _height(rows: int) -> int:
    return max(250, min(620, 110 + 30 * rows))


def _lane_layout(analysis: Analysis, unit: Unit, span: tuple[float, float]) -> dict[str, Any]:
    ranks = analysis.trace.ranks
    return theme.layout(
        _height(ranks),
        margin={"l": 56, "r": 24, "t": 40, "b": 50},
        hovermode="closest",
        xaxis=theme.axis(f"time ({unit.name})", range=list(span), showgrid=False),
        yaxis=theme.axis(
            "rank",
            range=[ranks - 0.4, -0.6],
            fixedrange=True,
            **theme.rank_ticks(ranks),
        ),
    )


def _exact(analysis: Analysis, cut: Pieces, ways: list[Colouring]) -> Chart:
    unit = unit_for(float(cut.end[-1]))
    whole = (float(unit.of(cut.start[0])), float(unit.of(cut.end[-1])))
    views = []
    if len(cut) > 2 * _DETAIL:
        first, last = densest(cut, _DETAIL)
        close = [float(unit.of(cut.start[first])), float(unit.of(cut.end[last - 1]))]
        views = [
            View("Whole run", {"xaxis.range": list(whole)}),
            View("Where it waits most for the network", {"xaxis.range": close}),
        ]
    traces, layers = lanes(analysis, cut, unit, ways)
    return Chart(
        id="path",
        title="Critical path over ranks and time",
        reading=_reading(analysis, cut),
        figure={"data": traces, "layout": _lane_layout(analysis, unit, whole)},
        height=_height(analysis.trace.ranks),
        note="Thick: the path on a rank. Thin: on a message's way. Drag to zoom, double-click to "
        "go back." + _layers_note(ways) + _merged_note(analysis, cut),
        views=views,
        layers=layers,
    )


def _layers_note(ways: list[Colouring]) -> str:
    return _LAYERS_NOTE if len(ways) > 1 else ""


def _merged_note(analysis: Analysis, cut: Pieces) -> str:
    return (
        f" {counted(len(cut), 'piece')} from {format_count(analysis.path.vertex.size)} "
        "vertices: neighbours of one kind on one rank are drawn as one."
    )


def _overview(analysis: Analysis, cut: Pieces, ways: list[Colouring]) -> Chart:
    unit = unit_for(float(cut.end[-1]))
    ranks = analysis.trace.ranks
    block = -(-ranks // _MAX_ROWS)
    grid = cells(cut, _CELLS, ranks, [(way.group, len(way.names)) for way in ways])
    rows = np.add.reduceat(grid.by_rank, np.arange(0, ranks, block), axis=1)
    middle = unit.of((grid.edges[1:] + grid.edges[:-1]) / 2)
    labels = list(range(rows.shape[1])) if block == 1 else [r * block for r in range(rows.shape[1])]
    height = _height(min(ranks, 16)) + 130
    z = [[None if v == 0 else float(f"{v:.4g}") for v in row] for row in (100 * rows).T]
    heat_map: Trace = {
        "type": "heatmap",
        "x": listed(middle),
        "y": labels,
        "z": z,
        "zmin": 0,
        "zmax": 100,
        "colorscale": theme.SCALE,
        "hoverongaps": False,
        "colorbar": {
            "title": {"text": "% of the cell's time", "side": "right"},
            "thickness": 12,
            "len": 0.68,
            "y": 1,
            "yanchor": "top",
        },
        "hovertemplate": f"rank %{{y}}, %{{x:.5~g}} {unit.name}<br>%{{z:.3~g}}% of the path's "
        "time<extra></extra>",
    }
    bars = [
        (way.label, [_bars(way, group, middle, shares) for group in way.drawing_order()])
        for way, shares in zip(ways, grid.by_group, strict=True)
    ]
    traces, layers = layered(bars, always=[heat_map])
    width = format_time(float(grid.edges[1] - grid.edges[0]), 3)
    layout = theme.layout(
        height,
        barmode="stack",
        bargap=0,
        margin={"l": 62, "r": 10, "t": 36, "b": 50},
        xaxis=theme.axis(f"time ({unit.name})", anchor="y2", showgrid=False),
        yaxis=theme.axis(
            "rank",
            domain=[0.36, 1],
            showgrid=False,
            autorange="reversed",
            **theme.rank_ticks(ranks),
        ),
        yaxis2=theme.axis("% of time", domain=[0, 0.28], range=[0, 100]),
    )
    return Chart(
        id="path",
        title="Critical path over ranks and time",
        reading=_reading(analysis, cut),
        figure={"data": traces, "layout": layout},
        height=height,
        note=f"{format_count(len(cut))} pieces are too many to draw: they are summed up in cells "
        f"of {width}. Above: how much of each cell's time the path spends on each rank"
        + (f" (blocks of {block} ranks)" if block > 1 else "")
        + ". Below: on what."
        + _layers_note(ways),
        layers=layers,
    )


def _bars(way: Colouring, group: int, middle: Floats, shares: Floats) -> Trace:
    name = html.escape(way.names[group])
    return {
        "type": "bar",
        "name": name,
        "x": listed(middle),
        "y": listed(100 * shares[:, group], 4),
        "yaxis": "y2",
        "marker": {"color": way.colours[group], "line": {"width": 0}},
        "hovertemplate": f"{name}: %{{y:.3~g}}%<extra></extra>",
    }


def _detail(analysis: Analysis, cut: Pieces) -> Chart:
    ways = colourings(analysis, cut)
    start = float(cut.start[0])
    unit = unit_for(float(cut.end[-1]) - start)
    span = (float(unit.of(cut.start[0])), float(unit.of(cut.end[-1])))
    layout = _lane_layout(analysis, unit, span)
    length = format_time(float(cut.end[-1]) - start, 3)
    network = float((cut.end - cut.start)[cut.kind == NETWORK].sum())
    share = format_share(network / (float(cut.end[-1]) - start))
    traces, layers = lanes(analysis, cut, unit, ways)
    return Chart(
        id="path-detail",
        title="Where the critical path waits most for the network",
        reading=f"In these {length} of the run the network takes {share} of the path's time.",
        figure={"data": traces, "layout": layout},
        height=_height(analysis.trace.ranks),
        note=f"Every piece of the path from {format_time(start, 6)} on. Thick: on a rank. "
        "Thin: on a message's way." + _layers_note(ways),
        layers=layers,
    )


def _reading(analysis: Analysis, cut: Pieces) -> str:
    hops = int(np.count_nonzero(cut.origin != cut.rank))
    time = np.bincount(cut.kind, weights=cut.end - cut.start, minlength=KINDS)
    share = np.divide(time, time.sum() or 1.0)
    busiest = int(analysis.by_rank.path_ns.argmax())
    on_it = analysis.by_rank.path_ns[busiest] / (analysis.baseline.T_ns or 1.0)
    return (
        f"The path changes rank {counted(hops, 'time')}; it is longest "
        f"on rank {busiest}, for {format_share(float(on_it))} of the runtime, and on the network "
        f"for {format_share(float(share[NETWORK]))}."
    )
