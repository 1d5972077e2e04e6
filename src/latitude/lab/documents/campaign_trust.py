"""Charts that show how reliable a campaign's runs are."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from latitude.lab.documents.runs import SLOWER
from latitude.lab.results.campaign import CampaignAnalysis, CampaignLevel, CampaignProgram
from latitude.lab.results.figures import NONE
from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, Trace, unit_for
from latitude.render.charts.panels import Grid, panels, placed
from latitude.render.charts.theme import colour, style
from latitude.results.runs import OK, Runs, Study, chosen_means
from latitude.units.quantities import format_change, format_share, format_time

_HEIGHT = 400
_ROW = 46
"""Pixels per level in the small panels."""
_MOST = 6
"""Largest number of programs with panels of their own."""
_MOST_LEVELS = 24
"""Largest number of levels in a panel; with more, only levels of up to three means are drawn."""
_ONE_MEAN = 0.02
_GAP = 0.19
"""Gap between two columns of panels, which holds the levels' names."""
_MARGIN = {"l": 24, "r": 28, "t": 40, "b": 56}
_BOX = 5
"""Least number of runs with a box behind their points."""


def trust_charts(result: CampaignAnalysis, drift: str) -> list[Chart]:
    """Charts of all runs of the design, of requested and achieved latency, and of the order."""
    found = (runs_chart(result), achieved_chart(result.studies), order_chart(result, drift))
    return [chart for chart in found if chart is not None]


def runs_chart(result: CampaignAnalysis) -> Chart | None:
    """One panel per program: its runs at each level of the design."""
    programs = [program for program in result.programs if program.study.design][:_MOST]
    if not programs:
        return None
    studies = [program.study for program in programs]
    chosen = _chosen(studies)
    levels = [[level for level in _levels(each) if chosen(level.cell)] for each in programs]
    every = sorted(
        (level.cell.level for each in levels for level in each), key=lambda e: (e.mean_ns, e.sd_ns)
    )
    labels = list(dict.fromkeys(_label(level.mean_ns, level.sd_ns) for level in every))
    columns = min(len(programs), 2)
    grid = Grid(-(-len(programs) // columns), columns, _ROW * len(labels) // 2, gap=_GAP)
    apart = sum(int(level.outlier.sum()) for each in programs for level in each.levels)
    data = [
        trace
        for index, (study, each) in enumerate(zip(studies, levels, strict=True))
        for level in each
        for trace in _runs(study, level, index)
    ]
    names: dict[str, Any] = {"type": "category", "autorange": "reversed", "ticks": ""}
    names |= {"categoryorder": "array", "categoryarray": labels}
    axes: dict[str, Any] = {}
    for index in range(len(programs)):
        last = index + columns >= len(programs)
        x = theme.axis("slower (%)" if last else "", ticksuffix="%")
        axes |= grid.axes(index, x, theme.axis("", **names))
    heads = [grid.title(index, [f"<b>{study.name}</b>"]) for index, study in enumerate(studies)]
    layout = theme.layout(grid.height, showlegend=False, margin=_MARGIN, annotations=heads, **axes)
    more = f" The first {_MOST} programs are drawn." if len(result.programs) > _MOST else ""
    return Chart(
        "runs",
        "Every run",
        f"{_steadiest(studies)} {apart or 'None'} stand{'s' if apart == 1 else ''} far apart from "
        "the others of the level; all are in every figure.",
        {"data": data, "layout": layout},
        grid.height,
        note="Boxes are quartiles, from 5 runs on; crosses are runs that Grubbs’s test at 1% finds "
        f"apart.{more}",
    )


def _steadiest(studies: Sequence[Study]) -> str:
    spreads = [cell.spread for study in studies for cell in study.cells if cell.n > 1]
    if not spreads:
        return "One run per level: no spread is known."
    return f"Runs of a level spread by {format_share(float(np.median(spreads)))} (sd, the median)."


def _levels(program: CampaignProgram) -> list[CampaignLevel]:
    study = program.study
    rising = sorted(study.design, key=lambda cell: (cell.level.mean_ns, cell.level.sd_ns))
    of = {level.cell.level: level for level in program.levels}
    return [of[cell.level] for cell in [*study.still, *rising]]


def _chosen(studies: Sequence[Study]) -> Callable[[Runs], bool]:
    """Tells which levels to draw: all, or of too many those without latency and of three means."""
    means = chosen_means(studies)
    levels = {
        _label(cell.level.mean_ns, cell.level.sd_ns)
        for study in studies
        for cell in [*study.still, *study.design]
    }
    if len(levels) <= _MOST_LEVELS or not means:
        return lambda _: True
    return lambda cell: (
        cell.level.mean_ns == 0
        or any(abs(cell.level.mean_ns / mean - 1) < _ONE_MEAN for mean in means)
    )


def _label(mean_ns: float, sd_ns: float) -> str:
    if mean_ns == 0:
        return "none"
    return f"{format_time(mean_ns, 3)}, sd {format_time(sd_ns, 3) if sd_ns else '0'}"


def _runs(study: Study, level: CampaignLevel, index: int) -> list[Trace]:
    place: dict[str, Any] = {**placed(index), "showlegend": False}
    x = SLOWER.of(study, level.runtime_ns)
    label = _label(level.asked_mean_ns, level.asked_sd_ns)
    traces: list[Trace] = []
    if level.runs >= _BOX:
        made = marks.box([], name="", colour=colour(index), boxpoints=False, hoverinfo="skip")
        across = {"orientation": "h", "x": x.tolist(), "y": [label] * level.runs}
        traces.append({**made, **across, **place, "fillcolor": "rgba(92,104,117,0.08)"})
    for apart in (False, True):
        chosen = level.outlier == apart
        if chosen.any():
            traces.append(
                marks.points(
                    x[chosen],
                    [label] * int(chosen.sum()),
                    colour=colour(index),
                    size=8 if apart else 5.5,
                    symbol="x" if apart else "circle",
                    opacity=1 if apart else 0.6,
                    hover=f"%{{x:.4~g}}% slower: {study.name}, {label}",
                    **place,
                )
            )
    return traces


def achieved_chart(studies: Sequence[Study]) -> Chart | None:
    """Achieved against requested latencies, mean and sd."""
    known = [[c for c in study.cells if c.known and c.level.mean_ns > 0] for study in studies]
    cells = [cell for each in known for cell in each]
    if not cells:
        return None
    data: list[Trace] = []
    grid = Grid(1, 2, _HEIGHT - 118, margin_top=66, margin_bottom=52, gap=_GAP / 2)
    axes: dict[str, Any] = {}
    for panel, name in enumerate(("mean_ns", "sd_ns")):
        most = max(
            max(float(getattr(cell, f"got_{name}").max()), getattr(cell.level, name))
            for cell in cells
        )
        unit = unit_for(most)
        title = "mean" if panel == 0 else "standard deviation"
        x = theme.axis(f"{title} asked for ({unit.name})", rangemode="tozero")
        axes |= grid.axes(panel, x, theme.axis(f"achieved ({unit.name})", rangemode="tozero"))
        data.append(kinds.diagonal(0, most / unit.ns, **placed(panel)))
        for index, (study, each) in enumerate(zip(studies, known, strict=True)):
            if not each:
                continue
            asked = np.repeat([getattr(cell.level, name) for cell in each], [c.n for c in each])
            got = np.concatenate([getattr(cell, f"got_{name}") for cell in each])
            data.append(
                marks.points(
                    unit.of(asked),
                    unit.of(got),
                    name=study.name,
                    colour=colour(index),
                    size=6,
                    symbol=style(index)[1],
                    hover=f"%{{y:.4~g}} {unit.name} for %{{x:.4~g}} {unit.name}",
                    opacity=0.55,
                    legendgroup=study.name,
                    showlegend=panel == 0,
                    **placed(panel),
                )
            )
    heads = [
        grid.title(panel, [f"<b>{title}</b>"])
        for panel, title in enumerate(("mean", "standard deviation"))
    ]
    legend = {**theme.LEGEND, "y": 1.08}
    layout = theme.layout(
        grid.height, margin=_MARGIN | {"l": 70, "t": 66}, annotations=heads, legend=legend, **axes
    )
    mean, sd = _furthest(cells, "mean_ns"), _furthest(cells, "sd_ns")
    tail = f", {sd} in the sd" if sd else ""
    return Chart(
        "achieved",
        "Latency asked for and achieved",
        f"Averaged over a level, latency is off by at most {mean or NONE} in the mean{tail}.",
        {"data": data, "layout": layout},
        grid.height,
        note="A point is a run; on the dotted line its messages had what was asked for. The "
        "injector counts a message until the receiver takes it: waiting behind an earlier message "
        "and for a rank that does not run count.",
    )


def _furthest(cells: Sequence[Runs], name: str) -> str:
    away = [
        float(getattr(cell, f"got_{name}").mean()) / getattr(cell.level, name) - 1
        for cell in cells
        if getattr(cell.level, name) > 0
    ]
    if not away:
        return ""
    return format_change(max(away, key=abs))


def order_chart(result: CampaignAnalysis, reading: str) -> Chart:
    """Runs in the order in which they were made, each relative to its level's mean."""
    data: list[Trace] = []
    for index, study in enumerate(result.studies):
        cells = [cell for cell in study.cells if cell.n > 1]
        if not cells:
            continue
        data.append(
            marks.points(
                np.concatenate([cell.order for cell in cells]),
                np.concatenate([100 * (cell.T_ns / cell.average_ns - 1) for cell in cells]),
                name=study.name,
                colour=colour(index),
                size=6,
                symbol=style(index)[1],
                opacity=0.7,
                text=[cell.level.name for cell in cells for _ in range(cell.n)],
                hover="run %{x}: %{y:+.3~g}%<br>%{text}",
            )
        )
    failed = result.runs[result.runs["status"] != OK]
    if len(failed):
        places = failed["order"].to_numpy(dtype=np.float64)
        level = np.zeros(places.size)
        crosses = marks.points(places, level, name="failed", hover="run %{x} failed")
        crosses["marker"] |= {"color": theme.INK, "size": 9, "symbol": "x-thin"}
        crosses["marker"]["line"] = {"width": 2}
        data.append(crosses)
    return Chart(
        "order",
        "In the order they were run",
        reading,
        panels(
            _HEIGHT,
            data,
            [""],
            [theme.axis("place in the campaign")],
            theme.axis("away from the level’s mean (%)", ticksuffix="%"),
        ),
        _HEIGHT,
        note=_balance(result),
    )


def _balance(result: CampaignAnalysis) -> str:
    found = result.order
    if found is None:
        return ""
    parts = [
        f"{value:.2f} with the {name} asked for"
        for name, value in (("mean", found.rho_mean), ("sd", found.rho_sd))
        if not math.isnan(value)
    ]
    return (
        f"Spearman’s ρ of the order: {', '.join(parts)}; near 0 where levels are in random order."
    )
