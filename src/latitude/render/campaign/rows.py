"""A campaign's suites in rows; the terminal and the page show the same."""

import math

from latitude.experiments.suites.cells import Cell
from latitude.experiments.suites.predict import Predicted
from latitude.experiments.suites.result import Failure, Step, Suites
from latitude.experiments.suites.study import Costs, Study, shown_means
from latitude.render.campaign.shown import (
    NONE,
    coefficient,
    cost_of,
    deviation,
    percent,
    signed_time,
    slope,
    slower,
)
from latitude.render.variation.words import coefficients, published_p
from latitude.statistics.corrections import SIGNIFICANT
from latitude.statistics.mean_and_spread import Correlated
from latitude.statistics.mean_ratios import Contrast
from latitude.units.p_values import format_p
from latitude.units.quantities import format_count, format_share, format_time

RUN_HEAD = ("program", "ranks", "levels", "runs", "failed", "runtime", "its sd", "messages")
RISING_HEAD = ("program", "1 µs of mean costs", "R²", "r_mean", "at the highest mean", "slower by")
SWEEP_HEAD = ("program", "1 µs of ΔL costs", "R²", "at the largest ΔL", "slower by")
TABLE_HEAD = (
    "program",
    "runs",
    "r_mean",
    "r_std",
    "p as published",
    "levels",
    "r_mean",
    "r_std",
    "p (Williams)",
    "as achieved: r_mean",
    "r_std",
    "p (Williams)",
)
COST_HEAD = ("program", "1 µs of mean costs", "1 µs of sd costs", "R²")
AT_HEAD = (
    "program",
    "mean",
    "constant",
    "widest sd",
    "variation on top",
    "how often slower",
    "more than the mean",
)
SHORT_AT_HEAD = (*AT_HEAD[:5], AT_HEAD[6])
PREDICTED_HEAD = (
    "program",
    "RRMSE",
    "measured to",
    "by means alone",
    "r_mean",
    "predicted",
    "r_std",
    "predicted",
    "1 µs of mean",
    "predicted",
    "1 µs of sd",
    "predicted",
)
CELL_HEAD = ("program", "level", "runs", "mean", "sd", "runtime", "its sd", "slower by", "normal")
FAILURE_HEAD = ("program", "level", "repetition", "attempt", "end", "reason")


def run_row(study: Study) -> tuple[str, ...]:
    """What was run."""
    cells, base = [cell for cell in study.cells if cell.n], study.reference
    lost = sum(cell.lost for cell in study.cells)
    what = "" if study.baseline or base is None else f" at {base.level.name}"
    return (
        study.name,
        NONE if study.ranks is None else f"{study.ranks:,}",
        f"{len(cells):,}",
        f"{sum(cell.n for cell in cells):,}",
        f"{lost:,}" if lost else NONE,
        NONE if base is None else f"{format_time(study.base_ns, 4)}{what}",
        NONE if base is None else deviation(base.T_ns),
        NONE if study.messages is None else format_count(round(study.messages)),
    )


def rising_row(study: Study) -> tuple[str, ...]:
    """Suite I: constant latency."""
    found = study.rising
    steady = [equal.steady for equal in study.means if equal.steady]
    if not steady:
        return (study.name, *[NONE] * (len(RISING_HEAD) - 1))
    line = (NONE,) * 3
    if found is not None:
        line = (slope(found.line), f"{found.line.r_squared:.3f}", coefficient(found.pearson))
    return (study.name, *line, *_last(study, steady[-1]))


def sweep_row(study: Study) -> tuple[str, ...]:
    """T(ΔL)."""
    cells = study.swept
    if not cells:
        return (study.name, *[NONE] * (len(SWEEP_HEAD) - 1))
    found = study.sweep
    line = (NONE,) * 2 if found is None else (slope(found.line), f"{found.line.r_squared:.3f}")
    return (study.name, *line, *_last(study, cells[-1]))


def _last(study: Study, cell: Cell) -> tuple[str, str]:
    return format_time(cell.level.mean_ns, 4), slower(study.times(cell))


def table_row(study: Study) -> tuple[str, ...]:
    """As [U] Table 4, and what holds of the levels' mean runtimes."""
    runs, levels = study.by_run, study.by_level
    if runs is None or levels is None:
        return (study.name, *[NONE] * (len(TABLE_HEAD) - 1))
    achieved = study.by_level_achieved
    return (
        study.name,
        f"{runs.n:,}",
        *coefficients(runs),
        published_p(runs),
        f"{levels.n:,}",
        *_tested(levels),
        *((NONE,) * 3 if achieved is None else _tested(achieved)),
    )


def _tested(found: Correlated) -> tuple[str, str, str]:
    both = found.dependent
    return (*coefficients(found), NONE if both is None else format_p(both.williams_p))


def cost_row(study: Study) -> tuple[str, ...]:
    """The plane."""
    found = study.plane
    if found is None:
        return (study.name, NONE, NONE, NONE)
    return (
        study.name,
        cost_of(found.per_mean, found.mean_half),
        cost_of(found.per_std, found.std_half),
        f"{found.r_squared:.3f}",
    )


def at_row(study: Study, found: Costs, step: Step | None) -> tuple[str, ...]:
    """What mean and variation cost at one mean; `step` is from the narrowest to the widest."""
    return (
        study.name,
        format_time(found.at.mean_ns, 3),
        NONE if found.mean is None else percent(found.mean),
        format_time(found.at.wide.level.sd_ns, 3),
        percent(found.spread),
        "needs 4 runs each"
        if step is None or step.ranks is None or step.p is None
        else f"{format_share(step.ranks.larger)} (p = {format_p(step.p.bh)})",
        NONE if found.excess is None else _verdict_of(found.excess),
    )


def at_rows(result: Suites) -> list[tuple[str, ...]]:
    """Of every program, at the means that are shown."""
    means = shown_means(result.studies)
    widest = {(step.study.name, step.wide.level): step for step in result.steps}
    return [
        at_row(study, found, widest.get((study.name, found.at.wide.level)))
        for study in result.studies
        for found in study.costs
        if any(found.at.near(mean) for mean in means)
    ]


def short_at_rows(result: Suites) -> list[tuple[str, ...]]:
    """The same for a terminal: without Mann and Whitney's test."""
    return [
        (name, mean, constant, sd, spread, more)
        for name, mean, constant, sd, spread, _, more in at_rows(result)
    ]


def _verdict_of(excess: Contrast) -> str:
    if math.isnan(excess.p):
        return "too few runs"
    sign = "yes" if excess.factor > 1 else "no"
    return f"{sign if excess.p < SIGNIFICANT else 'cannot say'} (p = {format_p(excess.p)})"


def predicted_rows(result: Suites) -> list[tuple[str, ...]]:
    """Measured and predicted, side by side, of the programs that have a trace."""
    found = [(study, result.predicted.get(study.name)) for study in result.studies]
    return [_predicted_row(study, graph) for study, graph in found if graph is not None]


def _predicted_row(study: Study, graph: Predicted) -> tuple[str, ...]:
    r = [
        NONE if each is None else f"{getattr(each, name).pearson.r:.2f}"
        for name in ("mean", "std")
        for each in (study.by_level, graph.by_level)
    ]
    costs = [
        NONE if plane is None else signed_time(1e3 * getattr(plane, name))
        for name in ("per_mean", "per_std")
        for plane in (study.plane, graph.plane)
    ]
    noise = NONE if math.isnan(graph.noise) else f"± {format_share(graph.noise)}"
    steady = format_share(graph.rrmse_steady)
    return (study.name, format_share(graph.rrmse), noise, steady, *r, *costs)


def cell_row(study: Study, cell: Cell) -> tuple[str, ...]:
    """A cell: what was asked, achieved, and taken."""
    level, test = cell.level, cell.normality
    flag = " (few)" if cell.few else ""
    mean, sd = level.mean_ns, level.sd_ns
    if cell.known:
        mean, sd = float(cell.got_mean_ns.mean()), float(cell.got_sd_ns.mean())
    return (
        study.name,
        level.name,
        f"{cell.n:,}{flag}" + (f" of {cell.n + cell.lost:,}" if cell.lost else ""),
        format_time(mean, 3),
        format_time(sd, 3),
        format_time(float(cell.T_ns.mean()), 4) if cell.n else NONE,
        deviation(cell.T_ns),
        slower(study.times(cell)) if cell.n else NONE,
        NONE if test is None else f"p {format_p(test.p, simulated=True)}",
    )


def failure_row(failure: Failure) -> tuple[str, ...]:
    """An attempt that did not end well."""
    end = "timed out" if failure.status == "timeout" else failure.status
    return (
        failure.program,
        failure.level,
        f"{failure.repetition:,}",
        f"{failure.attempt:,}",
        f"{end}, done again" if failure.mended else end,
        failure.error,
    )
