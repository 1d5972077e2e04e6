"""Figures 5 to 16 of [U] as far as a campaign's runs go: suite I and suite II."""

from collections.abc import Sequence

import numpy as np

from latitude.experiments.suites.result import Suites
from latitude.experiments.suites.study import Study, shown_means
from latitude.render.campaign import shown, words
from latitude.render.campaign.traces import (
    SLOWER,
    Place,
    by_mean,
    by_sd,
    fitted,
    halves,
    program_traces,
    vertical,
)
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Trace, Unit, listed, unit_for
from latitude.render.charts.panels import panels
from latitude.render.charts.theme import colour, style
from latitude.statistics.mean_and_spread import Correlated
from latitude.units.quantities import format_share, format_time

_HEIGHT = 430
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"}
_RUNS = "Small points are runs, large ones means of a level with their 95% interval."


def adds_chart(result: Suites) -> list[Chart]:
    """What the mean alone adds at the highest mean, and what variation adds to that."""
    ends = [(s, s.costs[-1]) for s in result.studies if s.costs and s.costs[-1].mean]
    if not ends:
        return []
    names = [study.name for study, _ in ends]
    narrow = [100 * (study.times(found.at.narrow) - 1) for study, found in ends]
    wide = [100 * (study.times(found.at.wide) - 1) for study, found in ends]
    height = 120 + 44 * len(ends)
    bars = (
        ("constant latency of that mean", theme.SCALE[2][1], narrow, 0),
        ("variation on top", theme.LATENCY, [w - n for w, n in zip(wide, narrow, strict=True)], -1),
    )
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": listed(x, 5),
            "y": names,
            "marker": {"color": fill},
            "error_x": {
                "type": "data",
                "array": [halves(study, [found.at.cells[which]])[0] for study, found in ends],
                "thickness": 1.2,
                "width": 3,
                "color": theme.INK,
            },
            "hovertemplate": "%{x:.4~g}%<extra>" + name + "</extra>",
        }
        for name, fill, x, which in bars
    ]
    study, found = max(ends, key=lambda end: end[1].spread.factor)
    at = format_time(found.at.mean_ns, 3)
    return [
        Chart(
            "adds",
            "What the mean adds, and what variation adds",
            f"At a mean of {at}, the highest, the widest distribution costs {study.name} "
            f"{shown.percent(found.spread)} on top of a constant of the same mean.",
            {
                "data": data,
                "layout": theme.layout(
                    height,
                    barmode="stack",
                    bargap=0.45,
                    legend={**_LEGEND, "traceorder": "normal"},
                    margin={"l": 24, "r": 28, "t": 34, "b": 52},
                    xaxis=theme.axis(SLOWER, ticksuffix="%"),
                    yaxis=theme.axis("", autorange="reversed", ticks="", type="category"),
                ),
            },
            height,
            note="Mean runtimes; bars are 95% intervals of the level.",
        )
    ]


def suite_one(result: Suites) -> list[Chart]:
    """Runtime against mean latency, ΔL and load."""
    found = (rising_chart(result), sweep_chart(result), load_chart(result))
    return [chart for chart in found if chart is not None]


def suite_two(result: Suites) -> list[Chart]:
    """More variation at one mean, and runtime against mean and sd."""
    found = (spread_chart(result), lines_chart(result))
    return [chart for chart in found if chart is not None]


def rising_chart(result: Suites) -> Chart | None:
    """Runtime against the mean, without variation and with the most ([U] Figs. 11 and 12)."""
    steady = {
        study.name: [*study.still, *(equal.steady for equal in study.means if equal.steady)]
        for study in result.studies
    }
    wide = {
        study.name: [
            *study.still,
            *(equal.wide for equal in study.means if equal.wide.level.sd_ns > 0),
        ]
        for study in result.studies
    }
    sides = [
        (head, cells)
        for head, cells in (("constant latency", steady), ("widest distribution", wide))
        if any(len(each) > 1 for each in cells.values())
    ]
    if not sides:
        return None
    every = [cell for _, cells in sides for each in cells.values() for cell in each]
    unit = unit_for(max(float(cell.mean_ns.max()) for cell in every))
    data = [
        trace
        for panel, (_, cells) in enumerate(sides)
        for index, study in enumerate(result.studies)
        for trace in program_traces(study, cells[study.name], by_mean, index, panel, unit)
    ]
    axis = theme.axis(f"mean of the injected latency ({unit.name})", rangemode="tozero")
    return Chart(
        "rising",
        "Rising mean, without and with variation",
        _rising_reading(result),
        panels(_HEIGHT, data, [h for h, _ in sides], [axis] * len(sides), vertical(result)),
        _HEIGHT,
        note=f"As Figs. 11 and 12 of Underwood et al. {_RUNS}",
    )


def _rising_reading(result: Suites) -> str:
    last = [(study, study.means[-1]) for study in result.studies if study.means]
    ends = [(study, equal.steady, equal.wide) for study, equal in last]
    study, steady, wide = max(ends, key=lambda end: end[0].times(end[2]))
    mean = format_time(wide.level.mean_ns, 3)
    if steady is None or steady is wide:
        return f"{study.name} suffers most: {shown.slower(study.times(wide))} slower at {mean}."
    return (
        f"{study.name} suffers most: at a mean of {mean} it is "
        f"{shown.slower(study.times(steady))} slower under a constant, "
        f"{shown.slower(study.times(wide))} under sd {format_time(wide.level.sd_ns, 3)}."
    )


def sweep_chart(result: Suites) -> Chart | None:
    """T(ΔL), with lines."""
    swept = [(i, study) for i, study in enumerate(result.studies) if study.swept]
    if not swept:
        return None
    cells = {study.name: study.swept for _, study in swept}
    unit = unit_for(max(float(c.mean_ns.max()) for each in cells.values() for c in each))
    data = []
    for index, study in swept:
        along, line = cells[study.name], study.sweep
        data += program_traces(study, along, by_mean, index, 0, unit)
        if line is not None:
            data.append(fitted(study, line.line, along, by_mean, index, 0, unit))
    return Chart(
        "sweep",
        "Runtime against ΔL",
        _sweep_reading([study for _, study in swept]),
        panels(
            _HEIGHT,
            data,
            [""],
            [theme.axis(f"added latency ΔL ({unit.name})", rangemode="tozero")],
            vertical(result),
        ),
        _HEIGHT,
        note=f"{_RUNS} Dashed: least squares through all runs; the slope is the number of "
        "latencies on the critical path while the path stays the same.",
    )


def _sweep_reading(studies: Sequence[Study]) -> str:
    study = max(studies, key=lambda each: each.times(each.swept[-1]))
    cell = study.swept[-1]
    return (
        f"{study.name} suffers most: {shown.slower(study.times(cell))} slower at ΔL = "
        f"{format_time(cell.level.mean_ns, 3)}."
    )


def load_chart(result: Suites) -> Chart | None:
    """Runtime, and where it is known latency, against generated load ([U] Figs. 2 and 3)."""
    loaded = [(i, study) for i, study in enumerate(result.studies) if study.loads]
    if not loaded:
        return None
    percent = Unit("%", 0.01)
    data = [
        trace
        for index, study in loaded
        for trace in program_traces(
            study,
            [cell for _, cell in study.loads],
            lambda cell: np.full(cell.n, cell.level.load or 0.0),
            index,
            0,
            percent,
        )
    ]
    _, study = max(loaded, key=lambda each: each[1].times(each[1].loads[-1][1]))
    load, cell = study.loads[-1]
    return Chart(
        "load",
        "Runtime beside generated load",
        f"{study.name} suffers most: {shown.slower(study.times(cell))} slower at "
        f"{format_share(load)} load.",
        panels(
            _HEIGHT,
            data,
            [""],
            [theme.axis("generated load (% of the bandwidth)", rangemode="tozero")],
            vertical(result),
        ),
        _HEIGHT,
        note=_RUNS,
    )


def spread_chart(result: Suites) -> Chart | None:
    """Runtime against sd, a panel a mean ([U] Figs. 15 and 16)."""
    varied = [equal for study in result.studies for equal in study.means if len(equal.cells) > 1]
    if not varied:
        return None
    chosen = shown_means(result.studies)
    data, heads, axes = [], [], []
    for panel, mean in enumerate(chosen):
        equals = [
            (index, study, equal)
            for index, study in enumerate(result.studies)
            for equal in study.means
            if len(equal.cells) > 1 and equal.near(mean)
        ]
        unit = unit_for(max(equal.wide.level.sd_ns for _, _, equal in equals))
        axes.append(theme.axis(f"sd of the latency ({unit.name})", rangemode="tozero"))
        heads.append(f"mean {shown.mean_words(equals[0][2])}")
        for index, study, equal in equals:
            data += program_traces(study, equal.cells, by_sd, index, panel, unit)
    return Chart(
        "spread",
        "More variation at the same mean",
        _spread_reading(result),
        panels(_HEIGHT, data, heads, axes, vertical(result)),
        _HEIGHT,
        note=f"As Figs. 15 and 16 of Underwood et al. {_RUNS}",
    )


def _spread_reading(result: Suites) -> str:
    ends = [(study, study.costs[-1]) for study in result.studies if study.costs]
    study, found = max(ends, key=lambda end: end[1].spread.factor)
    return (
        f"Of one mean, {format_time(found.at.mean_ns, 3)}, the widest distribution costs "
        f"{study.name} most: {shown.percent(found.spread)} more than the narrowest."
    )


def lines_chart(result: Suites) -> Chart | None:
    """Runtime against mean and against sd, all levels of the design ([U] Figs. 13 and 14)."""
    shown = [(i, study, study.by_level) for i, study in enumerate(result.studies) if study.by_level]
    if not shown:
        return None
    places: tuple[Place, ...] = (by_mean, by_sd)
    units = [
        unit_for(max(float(place(c).max()) for _, study, _ in shown for c in study.design))
        for place in places
    ]
    data = []
    for panel, (place, unit) in enumerate(zip(places, units, strict=True)):
        for index, study, found in shown:
            fit = (found.std if panel else found.mean).line
            data += program_traces(study, study.design, place, index, panel, unit, joined=False)
            data.append(fitted(study, fit, study.design, place, index, panel, unit))
    titles = ("mean of the injected latency", "its standard deviation")
    axes = [
        theme.axis(f"{title} ({unit.name})", rangemode="tozero")
        for title, unit in zip(titles, units, strict=True)
    ]
    related = [each for _, _, each in shown]
    return Chart(
        "lines",
        "Against the mean, and against the variation",
        f"r over levels is {_range(related, 'mean')} with the mean, {_range(related, 'std')} with "
        "the standard deviation.",
        panels(
            _HEIGHT,
            data,
            ("against the mean", "against the standard deviation"),
            axes,
            vertical(result),
        ),
        _HEIGHT,
        note="As Figs. 13 and 14 of Underwood et al.; dashed lines are least squares over the "
        "levels. Points in a column on the left have one mean and rising variation.",
    )


def _range(found: Sequence[Correlated], name: str) -> str:
    values = [(each.mean if name == "mean" else each.std).pearson.r for each in found]
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def predicted_chart(result: Suites) -> list[Chart]:
    """Slowdowns by the execution graph against measured ones."""
    shown = [
        (index, study, result.predicted[study.name])
        for index, study in enumerate(result.studies)
        if study.name in result.predicted
    ]
    if not shown:
        return []
    data: list[Trace] = []
    ends = [0.0]
    for index, study, found in shown:
        measured = [100 * (study.times(each.cell) - 1) for each in found.levels]
        graph = [100 * (found.times(each.T_ns) - 1) for each in found.levels]
        ends += [*measured, *graph]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": study.name,
                "x": listed(graph, 5),
                "y": listed(measured, 5),
                "text": [each.cell.level.name for each in found.levels],
                "error_y": {
                    "type": "data",
                    "array": halves(study, (each.cell for each in found.levels)),
                    "thickness": 1.2,
                    "width": 3,
                    "color": colour(index),
                },
                "marker": {"color": colour(index), "size": 8, "symbol": style(index)[1]},
                "hovertemplate": "%{y:.4~g}% measured, %{x:.4~g}% predicted<br>%{text}<extra>"
                f"{study.name}</extra>",
            }
        )
    data.append(
        {
            "type": "scatter",
            "mode": "lines",
            "showlegend": False,
            "x": listed([min(ends), max(ends)], 5),
            "y": listed([min(ends), max(ends)], 5),
            "line": {"color": theme.MUTED, "width": 1, "dash": "dot"},
            "hoverinfo": "skip",
        }
    )
    axis = theme.axis("slower, predicted from a trace (%)", ticksuffix="%")
    return [
        Chart(
            "predicted",
            "Predicted and measured",
            words.predicted_sentence(result),
            panels(
                _HEIGHT,
                data,
                [""],
                [axis],
                theme.axis("slower, measured (%)", ticksuffix="%"),
            ),
            _HEIGHT,
            note="A point is a level, with the 95% interval of its measured mean; on the dotted "
            "line the longest path through the program’s execution graph, with latencies drawn "
            "from the table that was injected, slows as much as the program did. RRMSE is of "
            "runtimes, not of slowdowns; “measured to” is the standard error of the measured "
            "means in the same measure, which no model can be expected to beat; “by means alone” "
            "is the RRMSE when every message is taken to have the mean latency.",
        )
    ]
