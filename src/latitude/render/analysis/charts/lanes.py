"""The pieces of the critical path as lines over ranks and time."""

import html

import numpy as np

from latitude.render.analysis.colouring import ACTIVITIES, Colouring
from latitude.render.analysis.pieces import NETWORK, Pieces
from latitude.render.charts.chart import Layer, Trace, Unit
from latitude.results.analysis import Analysis
from latitude.units.quantities import format_time


def lanes(
    analysis: Analysis, cut: Pieces, unit: Unit, colourings: list[Colouring]
) -> tuple[list[Trace], list[Layer]]:
    """A thick line on the rank's lane for work, a thin one from rank to rank for messages."""
    text = _texts(analysis, cut)
    return layered(
        [
            (
                colouring.label,
                [
                    trace
                    for group in range(len(colouring.names))
                    for trace in _lines(cut, unit, colouring, group, text)
                ],
            )
            for colouring in colourings
        ]
    )


def layered(
    sets: list[tuple[str, list[Trace]]], always: list[Trace] | None = None
) -> tuple[list[Trace], list[Layer]]:
    """Traces of which one set is shown at a time, at first the first, and the buttons for it."""
    common = always or []
    traces = list(common)
    owner = [-1] * len(common)
    for index, (_, own) in enumerate(sets):
        traces += [trace if index == 0 else {**trace, "visible": False} for trace in own]
        owner += [index] * len(own)
    layers = [
        Layer(label, [which in {-1, index} for which in owner])
        for index, (label, _) in enumerate(sets)
    ]
    return traces, layers


def _lines(
    cut: Pieces, unit: Unit, colouring: Colouring, group: int, text: list[str]
) -> list[Trace]:
    traces: list[Trace] = []
    for moves in (False, True):
        chosen = np.flatnonzero((colouring.group == group) & ((cut.kind == NETWORK) == moves))
        if chosen.size == 0:
            continue
        x = np.full((chosen.size, 3), np.nan)
        y = np.full((chosen.size, 3), np.nan)
        x[:, 0], x[:, 1] = unit.of(cut.start[chosen]), unit.of(cut.end[chosen])
        y[:, 0], y[:, 1] = cut.origin[chosen], cut.rank[chosen]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": html.escape(colouring.names[group]),
                "legendgroup": f"{colouring.label} {group}",
                "showlegend": not traces,
                "x": _with_gaps(x),
                "y": _with_gaps(y),
                "text": [part for i in chosen for part in (text[i], text[i], "")],
                "hovertemplate": "%{text}<extra></extra>",
                "line": {
                    "color": colouring.colours[group],
                    "width": 2 if moves else 11,
                    "simplify": False,  # plotly would drop short pieces
                },
            }
        )
    return traces


def _texts(analysis: Analysis, cut: Pieces) -> list[str]:
    """What stands beside the mouse, of each piece."""
    places = [
        "<br>" + html.escape(" ".join([share.where, *share.calls]))
        for share in analysis.by_call_site
    ]
    places.append("")  # the last, at index −1: no call site known
    return [
        f"{_ranks(origin, rank)}<br>{ACTIVITIES[kind][0]}: {format_time(end - start)}{places[site]}"
        for origin, rank, kind, start, end, site in zip(
            cut.origin.tolist(),
            cut.rank.tolist(),
            cut.kind.tolist(),
            cut.start.tolist(),
            cut.end.tolist(),
            cut.site.tolist(),
            strict=True,
        )
    ]


def _ranks(origin: int, rank: int) -> str:
    return f"rank {rank}" if origin == rank else f"rank {origin} → rank {rank}"


def _with_gaps(values: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> list[float | None]:
    return [None if np.isnan(v) else float(f"{v:.9g}") for v in values.ravel()]
