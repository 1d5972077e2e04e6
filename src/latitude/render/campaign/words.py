"""A campaign's suites in sentences; the terminal and the page say the same."""

import math
from collections.abc import Iterable, Sequence

from latitude.experiments.suites.result import MEAN, SPREAD, Suites, Verdict
from latitude.experiments.suites.study import Study
from latitude.render.campaign.shown import NONE, percent, slope, slower
from latitude.statistics.corrections import SIGNIFICANT
from latitude.statistics.mean_ratios import Contrast
from latitude.units.p_values import format_p
from latitude.units.quantities import counted, format_share, format_time


def headline(result: Suites) -> str:
    """The answer in one sentence."""
    if len(result.studies) == 1:
        return _alone(result.studies[0], result.verdicts[0])
    asked = [(s, v) for s, v in _both(result) if s.crossed]
    if asked:
        more = [study for study, verdict in asked if verdict.answer == SPREAD]
        less = [study for study, verdict in asked if verdict.answer == MEAN]
        unknown = len(asked) - len(more) - len(less)
        return (
            "Runtime goes closer with the variation of latency than with its mean in "
            f"{_listed(more)} of {counted(len(asked), 'program')}, closer with the mean in "
            f"{_listed(less)}{f'; {unknown} cannot be told' if unknown else ''}."
        )
    return _slowest(result.studies)


def _alone(study: Study, verdict: Verdict) -> str:
    if not study.crossed:
        return _slowest([study])
    runtime = f"{study.name}’s runtime goes closer with the"
    if verdict.answer == SPREAD:
        return f"{runtime} variation of latency than with its mean."
    if verdict.answer == MEAN:
        return f"{runtime} mean of latency than with its variation."
    return f"Whether variation or mean hurts {study.name} more cannot be said."


def _slowest(studies: Sequence[Study]) -> str:
    study = max(studies, key=lambda each: each.times(each.worst) if each.worst else 0.0)
    worst = study.worst
    if worst is None or worst is study.reference:
        return f"No level makes {study.name} slower."
    return f"{study.name} becomes {slower(study.times(worst))} slower at {worst.level.name}."


def answers(result: Suites) -> list[tuple[str, str, str]]:
    """For each program what runtime goes closer with, and a plain sentence or two."""
    short = {SPREAD: "variation", MEAN: "mean"}
    return [
        (
            study.name,
            short.get(verdict.answer, "cannot say") if study.crossed else NONE,
            answer(study, verdict),
        )
        for study, verdict in _both(result)
    ]


def answer(study: Study, verdict: Verdict) -> str:
    """Does variation hurt more than the mean, by how much, how sure."""
    parts = []
    found = study.by_level
    if verdict.answer in (SPREAD, MEAN) and found is not None and verdict.p is not None:
        closer = "the variation" if verdict.answer == SPREAD else "the mean"
        parts.append(
            f"The runtime goes closer with {closer}: r = {found.std.pearson.r:.2f} with the sd of "
            f"latency, {found.mean.pearson.r:.2f} with its mean, over {found.n} levels "
            f"(Williams p = {format_p(verdict.p.holm)})."
        )
    elif study.design:
        parts.append(f"Mean or variation: cannot say, {verdict.reason}.")
    parts += [sentence for sentence in (_cost(study), _swept(study), _loaded(study)) if sentence]
    return " ".join(parts) or "Only runs without injected latency."


def _cost(study: Study) -> str:
    if not study.costs:
        return ""
    found = study.costs[-1]
    sd = format_time(found.at.wide.level.sd_ns, 3)
    mean = format_time(found.at.mean_ns, 3)
    if found.mean is None or found.excess is None:
        return (
            f"At a mean of {mean}, variation of sd {sd} makes it {percent(found.spread)} slower "
            "than the least variation."
        )
    return (
        f"At a mean of {mean}, constant latency makes it {percent(found.mean)} slower, variation "
        f"of sd {sd} another {percent(found.spread)}: {_compared(found.excess)}."
    )


def _compared(excess: Contrast) -> str:
    if math.isnan(excess.p):
        return "too few runs to say which is more"
    if excess.p >= SIGNIFICANT:
        return f"neither is found to be more (p = {format_p(excess.p)})"
    which = "variation costs more" if excess.factor > 1 else "the mean costs more"
    return f"{which} (p = {format_p(excess.p)})"


def _swept(study: Study) -> str:
    if study.sweep is None:
        return ""
    seen = "" if study.sweep.line.p < SIGNIFICANT else "nothing that is seen: "
    return f"Each µs of ΔL costs {seen}{slope(study.sweep.line)}."


def _loaded(study: Study) -> str:
    if len(study.loads) < 2:  # noqa: PLR2004 - a comparison takes two
        return ""
    load, cell = study.loads[-1]
    return f"At {format_share(load)} load it is {slower(study.times(cell))} slower."


def costs_sentence(result: Suites) -> str:
    """Where variation costs more than the mean itself, at each program's highest mean."""
    ends = [(study.name, study.costs[-1]) for study in result.studies if study.costs]
    found = [(name, at, at.mean, at.excess) for name, at in ends if at.mean and at.excess]
    if not found:
        return ""
    sure = [
        f"{name} ({slower(at.spread.factor)} against {slower(mean.factor)})"
        for name, at, mean, excess in found
        if excess.p < SIGNIFICANT and excess.factor > 1
    ]
    less = sum(excess.p < SIGNIFICANT and excess.factor < 1 for *_, excess in found)
    open_ = len(found) - len(sure) - less
    return (
        f"At the highest mean, the widest variation costs more than that mean itself in "
        f"{', '.join(sure) or 'no program'}"
        f"{f', less in {less}' if less else ''}{f'; {open_} cannot be told' if open_ else ''}."
    )


def using(result: Suites) -> str:
    """Which mean and sd the correlations use."""
    beside = (
        "; beside them those that the messages had"
        if result.achieved == 1
        else "; what the messages had is not known of all runs"
        if result.achieved
        else "; the runs do not say what the messages had"
    )
    return f"Mean and sd are those asked for, as at Underwood et al.{beside}."


def between(result: Suites) -> str:
    """How far the design itself can tell the two apart."""
    found = next((study.by_level for study in result.studies if study.by_level), None)
    if found is None:
        return ""
    return (
        f"Over the levels, mean and sd are themselves correlated by {found.r_between:.2f}: a "
        "runtime that followed one of them alone would have this r with the other."
    )


def order_sentence(result: Suites) -> str:
    """Whether the machine changed while the campaign ran."""
    found = result.drift
    if found is None:
        return "Too few repetitions to see a drift."
    seen = "No drift is seen" if found.p >= SIGNIFICANT else "Runtimes drift"
    return (
        f"{seen}: {percent(found)} from the first run to the last, "
        f"p = {format_p(found.p)}, over {found.n:,} runs, each against its level’s mean."
    )


def injector(result: Suites) -> str:
    """What the injector costs by itself, where that was run."""
    found = [(study.name, study.injector) for study in result.studies if study.injector]
    if not found:
        return ""
    parts = ", ".join(f"{percent(cost)} in {name}" for name, cost in found)
    return (
        f"Slowdowns are against runs under the injector with a latency of 0; it costs by itself "
        f"{parts}."
    )


def normal_sentence(result: Suites) -> str:
    """Whether runtimes of a level are normal, as [U] §6 finds them."""
    if not result.tested:
        return "No level has the 4 runs that a test for normality takes."
    return (
        f"Runtimes of {result.not_normal} of {counted(result.tested, 'level')} are found not to be "
        "normally distributed (Lilliefors, 5% after Holm’s correction); few runs find little."
    )


def facts(result: Suites) -> list[str]:
    """Of the page's head."""
    studies = result.studies
    started = result.runs["started"].astype(str)
    layers = sorted({study.layer for study in studies if study.layer})
    return [
        counted(len({study.program for study in studies}), "program"),
        counted(len({cell.level.name for study in studies for cell in study.cells}), "level"),
        f"{result.done:,} of {counted(result.done + result.lost, 'run')} good",
        *([f"injected by {', '.join(layers)}"] if layers else []),
        f"on {', '.join(sorted(set(result.runs['host'].astype(str)))[:3])}",
        f"{started.min()[:10]}",
    ]


def predicted_sentence(result: Suites) -> str:
    """How well the graph foretold the measurement."""
    found = [
        (study, result.predicted[study.name])
        for study in result.studies
        if study.name in result.predicted
    ]
    study, furthest = max(found, key=lambda each: each[1].rrmse)
    agree = [
        each.name
        for each, graph in found
        if each.by_level and graph.by_level
        if (each.by_level.std.pearson.r > each.by_level.mean.pearson.r)
        == (graph.by_level.std.pearson.r > graph.by_level.mean.pearson.r)
    ]
    compared = [each for each, graph in found if each.by_level and graph.by_level]
    same = (
        " Graph and measurement agree on which of mean and variation has the larger r in "
        f"{len(agree)} of {counted(len(compared), 'program')}."
        if compared
        else ""
    )
    return (
        f"The execution graph misses the measured mean runtimes by {format_share(furthest.rrmse)} "
        f"(RRMSE over the levels){f' at most, in {study.name}' if len(found) > 1 else ''}.{same}"
    )


def _both(result: Suites) -> Iterable[tuple[Study, Verdict]]:
    return zip(result.studies, result.verdicts, strict=True)


def _listed(studies: Sequence[Study]) -> str:
    names = f" ({', '.join(study.name for study in studies)})" if studies else ""
    return f"{len(studies) or 'none'}{names}"
