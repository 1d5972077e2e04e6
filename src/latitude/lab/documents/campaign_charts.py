"""Charts of suites I and II, like Figures 5 to 16 of Underwood et al. 2018 ([U])."""

from collections.abc import Sequence

import numpy as np

from latitude._types import Floats
from latitude.lab.documents.runs import (
    HEIGHT,
    SLOWER,
    Panel,
    Scale,
    by_mean,
    by_sd,
    intervals,
    studies_chart,
)
from latitude.lab.results.campaign import CampaignAnalysis, CampaignProgram
from latitude.lab.results.figures import mean_words, percent, slower
from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit
from latitude.render.charts.panels import panels
from latitude.render.charts.theme import colour, style
from latitude.results.runs import Runs, Study, chosen_means
from latitude.units.quantities import format_share, format_time

_RUNS = "Small points are runs, large ones means of a level with their 95% interval."
_AT_LEAST = Scale("slower than at the least latency (%)")


def scale_of(studies: Sequence[Study]) -> Scale:
    """The scale of slowdowns: against no latency, or against the least latency of a study."""
    return SLOWER if all(study.baseline for study in studies) else _AT_LEAST


def adds_chart(result: CampaignAnalysis) -> Chart | None:
    """The slowdown by the mean alone at the highest mean, and the further slowdown by variation."""
    ends = [(each.study, each.costs[-1]) for each in result.programs if each.costs]
    ends = [(study, found) for study, found in ends if found.mean]
    if not ends:
        return None
    names = [study.name for study, _ in ends]
    narrow = [100 * (study.mean_times(found.at.narrow) - 1) for study, found in ends]
    wide = [100 * (study.mean_times(found.at.wide) - 1) for study, found in ends]
    added = (
        ("constant latency of that mean", theme.SCALE[2][1], narrow, 0),
        ("variation on top", theme.LATENCY, [w - n for w, n in zip(wide, narrow, strict=True)], -1),
    )
    study, found = max(ends, key=lambda end: end[1].spread.factor)
    return kinds.named_rows(
        "adds",
        "What the mean adds, and what variation adds",
        f"At a mean of {format_time(found.mean_ns, 3)}, the highest, the widest distribution costs "
        f"{study.name} {percent(found.spread)} on top of a constant of the same mean.",
        [
            marks.bars(
                x,
                names,
                name=name,
                colour=str(fill),
                across=True,
                error_x=intervals(
                    [SLOWER.half(study, found.at.cells[which]) for study, found in ends], theme.INK
                ),
                hover="%{x:.4~g}%",
            )
            for name, fill, x, which in added
        ],
        x=theme.axis(SLOWER.title, ticksuffix="%"),
        rows=len(ends),
        note="Mean runtimes; bars are 95% intervals of the level.",
        barmode="stack",
        bargap=0.45,
        legend=theme.ORDERED,
    )


def rising_chart(studies: Sequence[Study]) -> Chart | None:
    """Runtime against the mean, with the least and the largest variation ([U] Figs. 11 and 12)."""
    wide = [[each.wide for each in study.means if each.wide.level.sd_ns > 0] for study in studies]
    sides = [
        Panel(head, "mean of the injected latency ({unit})", cells, by_mean)
        for head, cells in (
            ("constant latency", [[*study.still, *study.steady] for study in studies]),
            (
                "widest distribution",
                [[*study.still, *cells] for study, cells in zip(studies, wide, strict=True)],
            ),
        )
        if any(len(each) > 1 for each in cells)
    ]
    if not sides:
        return None
    return studies_chart(
        "rising",
        "Rising mean, without and with variation",
        _rising_reading(studies),
        studies,
        sides,
        scale_of(studies),
        note=f"As Figs. 11 and 12 of Underwood et al. {_RUNS}",
    )


def _rising_reading(studies: Sequence[Study]) -> str:
    ends = [(study, study.means[-1]) for study in studies if study.means]
    study, last = max(ends, key=lambda end: end[0].times(end[1].wide))
    steady, wide = last.steady, last.wide
    mean = format_time(wide.level.mean_ns, 3)
    if steady is None or steady is wide:
        return f"{study.name} suffers most: {slower(study.times(wide))} slower at {mean}."
    return (
        f"{study.name} suffers most: at a mean of {mean} it is {slower(study.times(steady))} "
        f"slower under a constant, {slower(study.times(wide))} under sd "
        f"{format_time(wide.level.sd_ns, 3)}."
    )


def sweep_chart(result: CampaignAnalysis) -> Chart | None:
    """T(ΔL), with fitted lines."""
    studies = result.studies
    swept = [study for study in studies if study.swept]
    if not swept:
        return None
    study = max(swept, key=lambda each: each.times(each.swept[-1]))
    last = study.swept[-1]
    return studies_chart(
        "sweep",
        "Runtime against ΔL",
        f"{study.name} suffers most: {slower(study.times(last))} slower at ΔL = "
        f"{format_time(last.level.mean_ns, 3)}.",
        studies,
        [
            Panel(
                "",
                "added latency ΔL ({unit})",
                [each.swept for each in studies],
                by_mean,
                [program.against_delta_L for program in result.programs],
            )
        ],
        scale_of(studies),
        note=f"{_RUNS} Dashed: least squares through all runs; the slope is the number of "
        "latencies on the critical path while the path stays the same.",
    )


def _by_load(cell: Runs) -> Floats:
    return np.full(cell.n, cell.level.load or 0.0)


def load_chart(studies: Sequence[Study]) -> Chart | None:
    """Runtime against generated load ([U] Figs. 2 and 3)."""
    loaded = [study for study in studies if study.loads]
    if not loaded:
        return None
    study = max(loaded, key=lambda each: each.times(each.loads[-1][1]))
    load, cell = study.loads[-1]
    cells = [[cell for _, cell in each.loads] for each in studies]
    axis = "generated load (% of the bandwidth)"
    return studies_chart(
        "load",
        "Runtime beside generated load",
        f"{study.name} suffers most: {slower(study.times(cell))} slower at "
        f"{format_share(load)} load.",
        studies,
        [Panel("", axis, cells, _by_load, unit=Unit("%", 0.01))],
        scale_of(studies),
        note=_RUNS,
    )


def spread_chart(result: CampaignAnalysis) -> Chart | None:
    """Runtime against sd, one panel per mean ([U] Figs. 15 and 16)."""
    studies = result.studies
    sides = []
    for mean in chosen_means(studies):
        equals = [
            next((each for each in study.varied if each.near(mean)), None) for study in studies
        ]
        first = next(each for each in equals if each is not None)
        cells = [[] if each is None else list(each.cells) for each in equals]
        sides.append(Panel(f"mean {mean_words(first)}", "sd of the latency ({unit})", cells, by_sd))
    if not sides:
        return None
    ends = [(each.name, each.costs[-1]) for each in result.programs if each.costs]
    name, found = max(ends, key=lambda end: end[1].spread.factor)
    return studies_chart(
        "spread",
        "More variation at the same mean",
        f"Of one mean, {format_time(found.mean_ns, 3)}, the widest distribution costs "
        f"{name} most: {percent(found.spread)} more than the narrowest.",
        studies,
        sides,
        scale_of(studies),
        note=f"As Figs. 15 and 16 of Underwood et al. {_RUNS}",
    )


def predicted_chart(programs: Sequence[CampaignProgram], reading: str) -> Chart:
    """Slowdowns predicted by the execution graph against measured slowdowns."""
    data: list[Trace] = []
    ends = [0.0]
    for index, program in enumerate(programs):
        study, graph = program.study, program.predicted
        if graph is None:
            continue
        measured = [100 * (study.mean_times(each.cell) - 1) for each in graph.levels]
        foreseen = [100 * (each.runtime_ns / graph.reference_ns - 1) for each in graph.levels]
        ends += [*measured, *foreseen]
        data.append(
            marks.points(
                foreseen,
                measured,
                name=study.name,
                colour=colour(index),
                size=8,
                symbol=style(index)[1],
                text=[each.level for each in graph.levels],
                error_y=intervals(
                    [SLOWER.half(study, each.cell) for each in graph.levels], colour(index)
                ),
                hover="%{y:.4~g}% measured, %{x:.4~g}% predicted<br>%{text}",
            )
        )
    data.append(kinds.diagonal(min(ends), max(ends)))
    return Chart(
        "predicted",
        "Predicted and measured",
        reading,
        panels(
            HEIGHT,
            data,
            [""],
            [theme.axis("slower, predicted from a trace (%)", ticksuffix="%")],
            theme.axis("slower, measured (%)", ticksuffix="%"),
        ),
        HEIGHT,
        note="A point is a level, with the 95% interval of its measured mean; on the dotted "
        "line the longest path through the program’s execution graph, with latencies drawn "
        "from the table that was injected, slows as much as the program did. RRMSE is of "
        "runtimes, not of slowdowns; “measured to” is the standard error of the measured "
        "means in the same measure, which no model can be expected to beat; “by means alone” "
        "is the RRMSE when every message is taken to have the mean latency.",
    )
