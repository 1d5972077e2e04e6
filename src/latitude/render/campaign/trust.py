"""Figures that say how far a campaign's runs are to be trusted."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from latitude.experiments.suites.cells import Cell
from latitude.experiments.suites.result import Suites
from latitude.experiments.suites.study import Study, shown_means
from latitude.render.campaign import words
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Figure, Trace, listed, unit_for
from latitude.render.charts.panels import axis_name, head, panels
from latitude.render.charts.theme import colour, style
from latitude.units.quantities import format_share, format_time

_HEIGHT = 400
_ROW = 46
"""Pixels a level in the small panels."""
_MOST = 6
"""Programs with a panel of their own."""
_MOST_LEVELS = 24
"""More are unreadable: those of three means are drawn."""
_ONE_MEAN = 0.02
_GAP = 0.19
"""Between two columns of panels, for the names of levels."""
_BOX = 5
"""Runs from which on a box is drawn behind them."""


def trust_charts(result: Suites) -> list[Chart]:
    """Every run of the design, asked against achieved, runs in their order."""
    found = (runs_chart(result), achieved_chart(result), order_chart(result))
    return [chart for chart in found if chart is not None]


def runs_chart(result: Suites) -> Chart | None:
    """A panel a program: its runs at each level of the design."""
    shown = [study for study in result.studies if study.design][:_MOST]
    if not shown:
        return None
    drawn = _shown(shown)
    every = [cell for study in shown for cell in _cells(study) if drawn(cell)]
    every.sort(key=lambda cell: (cell.level.mean_ns, cell.level.sd_ns))
    labels = list(dict.fromkeys(map(_label, every)))
    rows = math.ceil(len(shown) / 2)
    columns = min(len(shown), 2)
    height = 110 + rows * (60 + _ROW * len(labels) // 2)
    apart = sum(int(cell.outliers.sum()) for study in shown for cell in study.cells)
    data = [
        trace
        for index, study in enumerate(shown)
        for cell in _cells(study)
        if drawn(cell)
        for trace in _runs(study, cell, index)
    ]
    return Chart(
        "runs",
        "Every run",
        f"{_steadiest(shown)} {apart or 'None'} stand{'s' if apart == 1 else ''} far apart from "
        "the others of the level; all are in every figure.",
        _grid(shown, data, rows, columns, height, labels),
        height,
        note="Boxes are quartiles, from 5 runs on; crosses are runs that Grubbs’s test at 1% finds "
        f"apart.{_more(result)}",
    )


def _more(result: Suites) -> str:
    return f" The first {_MOST} programs are drawn." if len(result.studies) > _MOST else ""


def _steadiest(shown: list[Study]) -> str:
    spreads = [
        float(cell.T_ns.std(ddof=1) / cell.T_ns.mean())
        for study in shown
        for cell in study.cells
        if cell.n > 1
    ]
    if not spreads:
        return "One run a level: no spread is known."
    return f"Runs of a level spread by {format_share(float(np.median(spreads)))} (sd, the median)."


def _cells(study: Study) -> list[Cell]:
    rising = sorted(study.design, key=lambda cell: (cell.level.mean_ns, cell.level.sd_ns))
    return [*study.still, *rising]


def _shown(studies: list[Study]) -> Callable[[Cell], bool]:
    """Levels of the means that are shown, where not all of them have room."""
    means = shown_means(studies)
    levels = {_label(cell) for study in studies for cell in _cells(study)}
    if len(levels) <= _MOST_LEVELS or not means:
        return lambda _: True
    return lambda cell: (
        cell.level.mean_ns == 0
        or any(abs(cell.level.mean_ns / mean - 1) < _ONE_MEAN for mean in means)
    )


def _label(cell: Cell) -> str:
    level = cell.level
    if level.mean_ns == 0:
        return "none"
    sd = format_time(level.sd_ns, 3) if level.sd_ns else "0"
    return f"{format_time(level.mean_ns, 3)}, sd {sd}"


def _runs(study: Study, cell: Cell, index: int) -> list[Trace]:
    axis = str(index + 1) if index else ""
    x = 100 * (cell.T_ns / study.base_ns - 1)
    place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": False}
    label = _label(cell)
    traces: list[Trace] = []
    if cell.n >= _BOX:
        traces.append(
            {
                **place,
                "type": "box",
                "orientation": "h",
                "x": listed(x, 5),
                "y": [label] * cell.n,
                "boxpoints": False,
                "line": {"color": colour(index), "width": 1},
                "fillcolor": "rgba(92,104,117,0.08)",
                "hoverinfo": "skip",
            }
        )
    for apart, symbol in ((False, "circle"), (True, "x")):
        chosen = cell.outliers == apart
        if not chosen.any():
            continue
        traces.append(
            {
                **place,
                "type": "scatter",
                "mode": "markers",
                "x": listed(x[chosen], 5),
                "y": [label] * int(chosen.sum()),
                "marker": {
                    "color": colour(index),
                    "size": 8 if apart else 5.5,
                    "symbol": symbol,
                    "opacity": 1 if apart else 0.6,
                },
                "hovertemplate": f"%{{x:.4~g}}% slower<extra>{study.name}, {label}</extra>",
            }
        )
    return traces


def _grid(
    shown: list[Study], data: list[Trace], rows: int, columns: int, height: int, labels: list[str]
) -> Figure:
    width = (1 - _GAP * (columns - 1)) / columns
    gap = 62 / height
    deep = (1 - gap * (rows - 1)) / rows
    axes: dict[str, Any] = {}
    heads = []
    for index, study in enumerate(shown):
        row, column = divmod(index, columns)
        left = column * (1 - width) if columns > 1 else 0.0
        top = 1 - row * (deep + gap)
        name = str(index + 1) if index else ""
        axes[f"xaxis{name}"] = theme.axis(
            "slower (%)" if row == rows - 1 or index + columns >= len(shown) else "",
            domain=[left, left + width],
            anchor=f"y{name}",
            ticksuffix="%",
        )
        axes[f"yaxis{name}"] = theme.axis(
            "",
            domain=[max(top - deep, 0), min(top, 1)],
            anchor=f"x{name}",
            type="category",
            autorange="reversed",
            categoryorder="array",
            categoryarray=labels,
            ticks="",
        )
        heads.append(head(study.name, left, min(top, 1)))
    return {
        "data": data,
        "layout": theme.layout(
            height,
            margin={"l": 24, "r": 28, "t": 34, "b": 52},
            annotations=heads,
            showlegend=False,
            **axes,
        ),
    }


def achieved_chart(result: Suites) -> Chart | None:
    """What messages got against what was asked for, mean and sd."""
    found = [
        (index, study, [c for c in study.cells if c.known and c.level.mean_ns > 0])
        for index, study in enumerate(result.studies)
    ]
    cells = [cell for _, _, each in found for cell in each]
    if not cells:
        return None
    data: list[Trace] = []
    axes, ends = [], []
    for panel, name in enumerate(("mean_ns", "sd_ns")):
        most = max(
            max(float(getattr(cell, f"got_{name}").max()), getattr(cell.level, name))
            for cell in cells
        )
        unit = unit_for(most)
        title = "mean" if panel == 0 else "standard deviation"
        axes.append(theme.axis(f"{title} asked for ({unit.name})", rangemode="tozero"))
        ends.append((most, unit))
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "showlegend": False,
                "xaxis": axis_name(panel),
                "yaxis": "y2" if panel else "y",
                "x": listed([0, most / unit.ns], 5),
                "y": listed([0, most / unit.ns], 5),
                "line": {"color": theme.MUTED, "width": 1, "dash": "dot"},
                "hoverinfo": "skip",
            }
        )
        for index, study, each in found:
            sizes = [cell.n for cell in each]
            if not each:
                continue
            asked = np.repeat([getattr(cell.level, name) for cell in each], sizes)
            got = np.concatenate([getattr(cell, f"got_{name}") for cell in each])
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": study.name,
                    "legendgroup": study.name,
                    "showlegend": panel == 0,
                    "xaxis": axis_name(panel),
                    "yaxis": "y2" if panel else "y",
                    "x": listed(unit.of(asked), 5),
                    "y": listed(unit.of(got), 5),
                    "marker": {
                        "color": colour(index),
                        "size": 6,
                        "opacity": 0.55,
                        "symbol": style(index)[1],
                    },
                    "hovertemplate": f"%{{y:.4~g}} {unit.name} for %{{x:.4~g}} {unit.name}"
                    f"<extra>{study.name}</extra>",
                }
            )
    first, second = ends
    figure = panels(
        _HEIGHT,
        data,
        ("mean", "standard deviation"),
        axes,
        theme.axis(f"achieved ({first[1].name})", rangemode="tozero"),
    )
    figure["layout"]["xaxis"]["domain"] = [0, 0.44]
    figure["layout"]["xaxis2"] |= {"domain": [0.56, 1], "anchor": "y2"}
    figure["layout"]["annotations"][1]["x"] = 0.56
    figure["layout"]["yaxis2"] = theme.axis(
        f"achieved ({second[1].name})", rangemode="tozero", anchor="x2"
    )
    return Chart(
        "achieved",
        "Latency asked for and achieved",
        _achieved_reading(cells),
        figure,
        _HEIGHT,
        note="A point is a run; on the dotted line its messages had what was asked for. The "
        "injector counts a message until the receiver takes it: waiting behind an earlier message "
        "and for a rank that does not run count.",
    )


def _achieved_reading(cells: list[Cell]) -> str:
    def furthest(name: str) -> str:
        away = [
            float(getattr(cell, f"got_{name}").mean()) / getattr(cell.level, name) - 1
            for cell in cells
            if getattr(cell.level, name) > 0
        ]
        if not away:
            return ""
        most = max(away, key=abs)
        return f"{'−' if most < 0 else '+'}{format_share(abs(most))}"

    mean, sd = furthest("mean_ns"), furthest("sd_ns")
    tail = f", {sd} in the sd" if sd else ""
    return f"Averaged over a level, latency is off by at most {mean} in the mean{tail}."


def order_chart(result: Suites) -> Chart:
    """Runs in the order they were made, each against its level's mean."""
    data: list[Trace] = []
    for index, study in enumerate(result.studies):
        cells = [cell for cell in study.cells if cell.n > 1]
        if not cells:
            continue
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": study.name,
                "x": listed(np.concatenate([cell.order for cell in cells])),
                "y": listed(
                    np.concatenate([100 * (cell.T_ns / cell.T_ns.mean() - 1) for cell in cells]), 4
                ),
                "text": [cell.level.name for cell in cells for _ in range(cell.n)],
                "marker": {
                    "color": colour(index),
                    "size": 6,
                    "opacity": 0.7,
                    "symbol": style(index)[1],
                },
                "hovertemplate": "run %{x}: %{y:+.3~g}%<br>%{text}<extra>"
                + study.name
                + "</extra>",
            }
        )
    failed = result.runs[result.runs["status"] != "ok"]
    if len(failed):
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "failed",
                "x": listed(failed["order"].to_numpy(dtype=np.float64)),
                "y": [0] * len(failed),
                "marker": {"color": theme.INK, "size": 9, "symbol": "x-thin", "line": {"width": 2}},
                "hovertemplate": "run %{x} failed<extra></extra>",
            }
        )
    figure = panels(
        _HEIGHT,
        data,
        [""],
        [theme.axis("place in the campaign")],
        theme.axis("away from the level’s mean (%)", ticksuffix="%"),
    )
    return Chart(
        "order",
        "In the order they were run",
        words.order_sentence(result),
        figure,
        _HEIGHT,
        note=_balance(result),
    )


def _balance(result: Suites) -> str:
    found = result.balance
    if found is None:
        return ""
    parts = [
        f"{value:.2f} with the {name} asked for"
        for name, value in (("mean", found.mean), ("sd", found.sd))
        if not math.isnan(value)
    ]
    return (
        f"Spearman’s ρ of the order: {', '.join(parts)}; near 0 where levels are in random order."
    )
