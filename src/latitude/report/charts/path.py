"""The critical path over ranks and time."""

from typing import Any

import numpy as np

from latitude.report import theme
from latitude.report.chart import Chart, Unit, View, listed, unit_for
from latitude.report.pieces import (
    CALC,
    KINDS,
    NETWORK,
    OVERHEAD,
    Pieces,
    cells,
    densest,
    pieces,
)
from latitude.results import Analysis
from latitude.units import counted, format_count, format_share, format_time

_DRAWN = 3_000
"""More pieces than this are drawn as an overview with a detail beside it."""
_DETAIL = 140
"""Pieces in the detail."""
_CELLS = 480
"""Time cells of the overview: about one per two pixels."""
_MAX_ROWS = 256
"""Ranks in the overview; more are drawn in blocks."""
_NAMES = ("computation", "overhead o", "latency and bandwidth")
_COLOURS = ("#7d8c9b", theme.OVERHEAD, theme.NETWORK)
_ORDER = (CALC, OVERHEAD, NETWORK)


def path_charts(analysis: Analysis) -> list[Chart]:
    """One chart with every piece; for long paths an overview and a detail."""
    cut = pieces(analysis.path)
    if len(cut) == 0:
        return []
    unit = unit_for(float(cut.end[-1]))
    if len(cut) <= _DRAWN:
        return [_exact(analysis, cut, unit)]
    first, last = densest(cut, _DETAIL)
    return [_overview(analysis, cut, unit), _detail(analysis, cut.part(first, last))]


def _height(rows: int) -> int:
    return max(250, min(620, 110 + 30 * rows))


def _lanes(cut: Pieces, unit: Unit) -> list[dict[str, Any]]:
    """A thick line on the rank's lane for work, a thin one from rank to rank for messages."""
    traces = []
    for kind in _ORDER:
        mine = cut.kind == kind
        count = int(mine.sum())
        x = np.full((count, 3), np.nan)
        y = np.full((count, 3), np.nan)
        x[:, 0], x[:, 1] = unit.of(cut.start[mine]), unit.of(cut.end[mine])
        y[:, 0], y[:, 1] = cut.origin[mine], cut.rank[mine]
        text = [
            f"{_where(a, b)}<br>{_NAMES[kind]}: {format_time(e - s)}"
            for a, b, s, e in zip(
                cut.origin[mine], cut.rank[mine], cut.start[mine], cut.end[mine], strict=True
            )
        ]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": _NAMES[kind],
                "x": _with_gaps(x),
                "y": _with_gaps(y),
                "text": [part for line in text for part in (line, line, "")],
                "hovertemplate": "%{text}<extra></extra>",
                "line": {
                    "color": _COLOURS[kind],
                    "width": 2 if kind == NETWORK else 11,
                    "simplify": False,  # plotly would drop short pieces
                },
            }
        )
    return traces


def _where(origin: int, rank: int) -> str:
    return f"rank {rank}" if origin == rank else f"rank {origin} → rank {rank}"


def _with_gaps(values: np.ndarray[Any, Any]) -> list[float | None]:
    return [None if np.isnan(v) else float(f"{v:.9g}") for v in values.ravel()]


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


def _exact(analysis: Analysis, cut: Pieces, unit: Unit) -> Chart:
    whole = (float(unit.of(cut.start[0])), float(unit.of(cut.end[-1])))
    views = []
    if len(cut) > 2 * _DETAIL:
        first, last = densest(cut, _DETAIL)
        close = [float(unit.of(cut.start[first])), float(unit.of(cut.end[last - 1]))]
        views = [
            View("Whole run", {"xaxis.range": list(whole)}),
            View("Where it waits most for the network", {"xaxis.range": close}),
        ]
    return Chart(
        id="path",
        title="Critical path over ranks and time",
        reading=_reading(analysis, cut),
        figure={"data": _lanes(cut, unit), "layout": _lane_layout(analysis, unit, whole)},
        height=_height(analysis.trace.ranks),
        note="Thick: the path on a rank. Thin: on a message's way. Drag to zoom, double-click to "
        "go back." + _merged_note(analysis, cut),
        views=views,
    )


def _merged_note(analysis: Analysis, cut: Pieces) -> str:
    return (
        f" {counted(len(cut), 'piece')} from {format_count(analysis.path.vertex.size)} "
        "vertices: neighbours of one kind on one rank are drawn as one."
    )


def _overview(analysis: Analysis, cut: Pieces, unit: Unit) -> Chart:
    ranks = analysis.trace.ranks
    block = -(-ranks // _MAX_ROWS)
    grid = cells(cut, _CELLS, ranks)
    rows = np.add.reduceat(grid.by_rank, np.arange(0, ranks, block), axis=1)
    middle = unit.of((grid.edges[1:] + grid.edges[:-1]) / 2)
    labels = list(range(rows.shape[1])) if block == 1 else [r * block for r in range(rows.shape[1])]
    height = _height(min(ranks, 16)) + 130
    z = [[None if v == 0 else float(f"{v:.4g}") for v in row] for row in (100 * rows).T]
    traces: list[dict[str, Any]] = [
        {
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
    ]
    traces += [
        {
            "type": "bar",
            "name": _NAMES[kind],
            "x": listed(middle),
            "y": listed(100 * grid.by_kind[:, kind], 4),
            "yaxis": "y2",
            "marker": {"color": _COLOURS[kind], "line": {"width": 0}},
            "hovertemplate": f"{_NAMES[kind]}: %{{y:.3~g}}%<extra></extra>",
        }
        for kind in (NETWORK, OVERHEAD, CALC)
    ]
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
        + ". Below: on what.",
    )


def _detail(analysis: Analysis, cut: Pieces) -> Chart:
    start = float(cut.start[0])
    unit = unit_for(float(cut.end[-1]) - start)
    span = (float(unit.of(cut.start[0])), float(unit.of(cut.end[-1])))
    layout = _lane_layout(analysis, unit, span)
    length = format_time(float(cut.end[-1]) - start, 3)
    network = float((cut.end - cut.start)[cut.kind == NETWORK].sum())
    share = format_share(network / (float(cut.end[-1]) - start))
    return Chart(
        id="path-detail",
        title="Where the critical path waits most for the network",
        reading=f"In these {length} of the run the network takes {share} of the path's time.",
        figure={"data": _lanes(cut, unit), "layout": layout},
        height=_height(analysis.trace.ranks),
        note=f"Every piece of the path from {format_time(start, 6)} on. Thick: on a rank. "
        "Thin: on a message's way.",
    )


def _reading(analysis: Analysis, cut: Pieces) -> str:
    hops = int(np.count_nonzero(cut.origin != cut.rank))
    time = np.bincount(cut.kind, weights=cut.end - cut.start, minlength=KINDS)
    share = np.divide(time, time.sum() or 1.0)
    busiest = int(analysis.by_rank.path_ns.argmax())
    on_it = analysis.by_rank.path_ns[busiest] / (analysis.baseline.T_ns or 1.0)
    return (
        f"The path changes rank {format_count(hops)} time{'' if hops == 1 else 's'}; it is longest "
        f"on rank {busiest}, for {format_share(float(on_it))} of the runtime, and on the network "
        f"for {format_share(float(share[NETWORK]))}."
    )
