"""All ranks over time: activities and waits of each rank, with the critical path on top."""

import numpy as np

from latitude._types import Integers
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Layer, Trace, Unit, listed, unit_for
from latitude.results.analysis import Analysis
from latitude.results.lines import RankLines
from latitude.sections.critical_path.path_pieces import NETWORK, Pieces, cells, pieces
from latitude.sections.waits.result import Timeline
from latitude.units.quantities import format_share, format_time

KINDS = (
    ("computation", theme.COMPUTATION),
    ("overhead", theme.OVERHEAD),
    ("transfer", theme.LATENCY),
    ("waiting", theme.WAITING),
)
"""Names and colours of a timeline's kinds, in order."""
_WAITING = len(KINDS) - 1
_MOST_DRAWN = 3_000
"""Largest number of pieces to draw exactly; for longer paths, each cell shows its main rank."""
_GAPS = 64
"""Largest number of rows at which a gap between rows does not hide the rows."""
_LABELS = ("Whole run", "Where the critical path waits most for the network")
_RESTLESS = 200
"""Number of moves from which cells and lines of the path would look like a bar code."""
_MOVES = 30
"""Number of moves for which a cell shows one more neighbouring cell."""
_WIDEST = 8
"""A cell shows at most one in this many of all cells, itself included."""


def timeline_charts(analysis: Analysis) -> list[Chart]:
    """One chart of all ranks, with a button for its detail; none if nothing takes time."""
    if analysis.waits is None or not analysis.waits.timelines:
        return []
    if analysis.path is None or analysis.path_call_site is None:
        return []
    timelines = analysis.waits.timelines
    whole = timelines[0]
    unit, lines = unit_for(whole.end_ns), analysis.waits.lines
    cut = pieces(analysis.path.over_lines(), analysis.path_call_site)
    windows = [_window(each, cut) for each in timelines]
    layers = [
        [_cells(each, window, unit, lines), _path(each, window, unit, cut, lines)]
        for each, window in zip(timelines, windows, strict=True)
    ]
    order = sorted(range(len(layers)), key=lambda layer: windows[layer] > 1)
    legend = [_named(name, colour) for name, colour in KINDS] + [_named("critical path", theme.INK)]
    traces = [
        {**trace, "visible": layer == order[0]} for layer, own in enumerate(layers) for trace in own
    ]
    chosen = [
        Layer(
            _LABELS[layer],
            [
                *(layer == which for which, own in enumerate(layers) for _ in own),
                *[True] * len(legend),
            ],
        )
        for layer in order
    ]
    block, rows = whole.lines_per_row, whole.ns.shape[0]
    return [
        marks.chart(
            "timeline",
            "All ranks over time",
            _reading(whole),
            [*traces, *legend],
            x=theme.axis(f"time ({unit.name})", showgrid=False),
            y=theme.axis(
                "rank",
                autorange="reversed",
                showgrid=False,
                **theme.line_ticks(lines, lines.labels()[::block]),
            ),
            height=max(280, min(720, 130 + 24 * rows)),
            note="Each cell has the colour of what takes most of its time"
            + (f", of {block} neighbouring {lines.each}s together" if block > 1 else "")
            + _around(whole, windows[0])
            + ". The line is the critical path. Drag to zoom, double-click to go back.",
            layers=chosen,
            margin={"l": 62, "r": 24, "t": 56, "b": 50},
            hovermode="closest",
        )
    ]


def _window(timeline: Timeline, cut: Pieces) -> int:
    """The number of neighbouring cells that a cell shows together; odd."""
    inside = (cut.end > timeline.begin_ns) & (cut.start < timeline.end_ns)
    moves = int(np.count_nonzero(inside & (cut.kind == NETWORK)))
    if moves <= _RESTLESS:
        return 1
    return int(min(moves // _MOVES, timeline.ns.shape[1] // _WIDEST)) | 1


def _mostly(timeline: Timeline, window: int) -> Integers:
    """(rows, cells) the kind with most time in the `window` cells around each cell."""
    ns, half = timeline.ns, window // 2
    until = np.pad(ns.cumsum(axis=1), ((0, 0), (1, 0), (0, 0)))
    cells = np.arange(ns.shape[1])
    first, last = np.maximum(cells - half, 0), np.minimum(cells + half + 1, cells.size)
    most: Integers = (until[:, last] - until[:, first]).argmax(axis=2)
    return most


def _around(whole: Timeline, window: int) -> str:
    """A note if cells of the whole run show their neighbours, too; otherwise empty."""
    if window == 1:
        return ""
    together = format_time(window * (whole.end_ns - whole.begin_ns) / whole.ns.shape[1], 2)
    return f"; the whole run changes too often for that, so its cells show {together} around them"


def _cells(timeline: Timeline, window: int, unit: Unit, lines: RankLines) -> Trace:
    """The kind with most of each cell's time; empty after the ranks' end."""
    rows, count, kinds = timeline.ns.shape
    most = _mostly(timeline, window)
    ended = timeline.ns.sum(axis=2) == 0
    edges = np.linspace(timeline.begin_ns, timeline.end_ns, count + 1)
    steps = [
        [(kind + side) / kinds, colour] for kind, (_, colour) in enumerate(KINDS) for side in (0, 1)
    ]
    return marks.heat_map(
        [
            [None if none else int(kind) for kind, none in zip(*pair, strict=True)]
            for pair in zip(most, ended, strict=True)
        ],
        x=listed(unit.of((edges[1:] + edges[:-1]) / 2), 7),
        y=lines.shown(np.arange(rows) * timeline.lines_per_row),
        unit="",
        hover=f"rank %{{y}}<br>%{{x:.6~g}} {unit.name}",
        colorscale=steps,
        showscale=False,
        zmin=-0.5,
        zmax=kinds - 0.5,
        xgap=0,
        ygap=1 if rows <= _GAPS else 0,
    )


def _path(timeline: Timeline, window: int, unit: Unit, cut: Pieces, lines: RankLines) -> Trace:
    """The critical path in the timeline's stretch of time, as a line from rank to rank."""
    inside = (cut.end > timeline.begin_ns) & (cut.start < timeline.end_ns)
    first, last = np.flatnonzero(inside)[[0, -1]] if inside.any() else (0, -1)
    seen = cut.part(int(first), int(last) + 1)
    if window == 1 and len(seen) <= _MOST_DRAWN:
        moves = seen.kind == NETWORK
        x = np.stack([seen.start, seen.end], axis=1).ravel()
        y = np.stack([np.where(moves, seen.origin, seen.rank), seen.rank], axis=1).ravel()
    else:
        grid = cells(seen, timeline.ns.shape[1] // window, len(lines), [])
        x = (grid.edges[1:] + grid.edges[:-1]) / 2
        y = grid.by_rank.argmax(axis=1)
    if lines.several:  # nothing can lie between labelled rows
        y = y - y % timeline.lines_per_row
    x = np.clip(x, timeline.begin_ns, timeline.end_ns)
    return marks.line(
        listed(unit.of(x), 9),
        lines.shown(y),
        colour=theme.INK,
        width=1.6,
        hover=f"critical path, rank %{{y}}<br>%{{x:.6~g}} {unit.name}",
        showlegend=False,
    )


def _named(name: str, colour: str) -> Trace:
    """An entry of the legend: a point outside the plot."""
    entry = marks.points([], [], name=name, colour=colour, size=11, symbol="square")
    return {**entry, "x": [None], "y": [None], "hoverinfo": "skip"}


def _reading(whole: Timeline) -> str:
    """A sentence about the time at which most ranks wait."""
    waiting, all_time = whole.ns[:, :, _WAITING].sum(axis=0), whole.ns.sum(axis=(0, 2))
    if waiting.sum() < 1:
        return "No rank ever waits for another one."
    width = (whole.end_ns - whole.begin_ns) / waiting.size
    cell = int(waiting.argmax())
    return (
        f"Ranks wait for {format_share(float(waiting.sum() / all_time.sum()))} of their time, most "
        f"at {format_time((cell + 0.5) * width)}, where it is "
        f"{format_share(float(waiting[cell] / all_time[cell]))} of all ranks' time."
    )
