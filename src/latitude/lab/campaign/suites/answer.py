"""Decides whether runtime correlates more with the variation of latency than with its mean."""

import math
from collections.abc import Sequence

from latitude.lab.results.campaign import MEAN, OPEN, SPREAD, MeanCosts, ProgramAnswer
from latitude.lab.results.figures import percent, slope, usual
from latitude.lab.statistics.mean_and_spread import Correlated, Relation
from latitude.lab.statistics.mean_ratios import Contrast
from latitude.results.runs import Equal, Study
from latitude.statistics.conventions import LEAST
from latitude.statistics.corrections import SIGNIFICANT, Corrected
from latitude.units.quantities import format_p, format_share, format_time


def answer(
    study: Study,
    runs: Correlated | None,
    levels: Correlated | None,
    achieved: Correlated | None,
    p: Corrected | None,
    costs: Sequence[MeanCosts],
    sweep: Relation | None,
) -> ProgramAnswer:
    """The answer for one program.

    Args:
        study: the program's runs.
        runs: correlations over the runs.
        levels: correlations over the levels' mean runtimes.
        achieved: correlations with the messages' achieved latency, if all runs have it.
        p: p-value of Williams's test over the levels, corrected for all programs; None without a
            test.
        costs: the costs of mean and variation at each mean.
        sweep: runtime against ΔL.
    """
    closer, reason = _verdict(study, runs, levels, achieved, p)
    parts = []
    if closer != OPEN and levels is not None and p is not None:
        which = "the variation" if closer == SPREAD else "the mean"
        parts.append(
            f"The runtime correlates more with {which}: r = {levels.std.r:.2f} with the sd of "
            f"latency, {levels.mean.r:.2f} with its mean, over {levels.n} levels (Williams p = "
            f"{format_p(p.holm)})."
        )
    elif study.design:
        parts.append(f"Mean or variation: cannot say, {reason}.")
    parts += filter(None, (_cost(costs), _swept(sweep), _loaded(study)))
    text = " ".join(parts) or "Only runs without injected latency."
    return ProgramAnswer(closer_with=closer, reason=reason, p=p, text=text)


def _verdict(
    study: Study,
    runs: Correlated | None,
    levels: Correlated | None,
    achieved: Correlated | None,
    p: Corrected | None,
) -> tuple[str, str]:
    """The answer and an empty text, or OPEN and the reason."""
    if levels is None or p is None:
        return OPEN, _untested(study)
    r_mean, r_std = levels.mean.r, levels.std.r
    if p.holm < SIGNIFICANT and max(r_mean, r_std) > 0:
        closer = _closer(levels)
        uneven = [equal for equal in study.varied if not equal.even]
        if uneven and not _says(achieved, closer):
            return OPEN, _uneven(uneven[-1], achieved)
        return closer, ""
    if runs and min(runs.mean.p, runs.std.p) >= SIGNIFICANT:
        return OPEN, (
            f"the runtime is not seen to follow either over {runs.n} runs (r = "
            f"{runs.std.r:.2f} with the variation, {runs.mean.r:.2f} with the mean)"
        )
    corrected = ", Holm’s" if p.holm > p.p else ""
    return OPEN, (
        f"over {levels.n} levels r = {r_std:.2f} with the variation and {r_mean:.2f} with the mean "
        f"are too close to tell apart (Williams p = {format_p(p.holm)}{corrected})"
    )


def _closer(levels: Correlated) -> str:
    return SPREAD if levels.std.r > levels.mean.r else MEAN


def _says(levels: Correlated | None, closer: str) -> bool:
    """Whether the test over these levels, before correction, gives this answer, too."""
    return (
        levels is not None
        and levels.dependent is not None
        and levels.dependent.williams_p < SIGNIFICANT
        and _closer(levels) == closer
    )


def _uneven(equal: Equal, achieved: Correlated | None) -> str:
    other = (
        "not all runs say the latency that messages had"
        if achieved is None
        else f"with the latency that messages had r = {achieved.std.r:.2f} with the variation and "
        f"{achieved.mean.r:.2f} with the mean, which is another answer"
    )
    return f"{_had(equal)}, and {other}"


def _had(equal: Equal) -> str:
    """Achieved means: `messages had means of 1.65 ms to 6.27 ms instead of 1.65 ms`."""
    low, high = (format_time(end, 3) for end in equal.achieved_ns or ())
    asked = format_time(equal.mean_ns, 3)
    return f"messages had means of {low} to {high} instead of {asked}"


def _untested(study: Study) -> str:
    if not study.design:
        return "no level has constant or random latency of a stated mean"
    if not study.varied:
        return "no two levels have one mean and different variation"
    if len(study.means) == 1:
        return "all levels have one mean; it takes two or more"
    if len(study.design) < LEAST:
        return f"{len(study.design)} levels are too few; it takes {LEAST} or more"
    return "the runtime, the mean or the variation is the same at all levels"


def _cost(costs: Sequence[MeanCosts]) -> str:
    if not costs:
        return ""
    found = costs[-1]
    sd, mean = format_time(found.sd_ns, 3), format_time(found.mean_ns, 3)
    if found.mean is None or found.excess is None:
        return (
            f"At a mean of {mean}, variation of sd {sd} makes it {percent(found.spread)} slower "
            "than the least variation."
        )
    return (
        f"At a mean of {mean}, constant latency makes it {percent(found.mean)} slower, variation "
        f"of sd {sd} another {percent(found.spread)}: {_compared(found.at, found.excess)}."
    )


def _compared(at: Equal, excess: Contrast) -> str:
    if not at.even:
        return f"it is not known which costs more, because {_had(at)}"
    if math.isnan(excess.p):
        return "too few runs to say which is more"
    if excess.p >= SIGNIFICANT:
        return f"neither is found to be more (p = {format_p(excess.p)})"
    which = "variation costs more" if excess.factor > 1 else "the mean costs more"
    return f"{which} (p = {format_p(excess.p)})"


def _swept(sweep: Relation | None) -> str:
    if sweep is None:
        return ""
    seen = "" if sweep.p < SIGNIFICANT else "nothing that is seen: "
    return f"Each µs of ΔL costs {seen}{slope(sweep)}."


def _loaded(study: Study) -> str:
    if len(study.loads) < 2:  # noqa: PLR2004 - a comparison takes two
        return ""
    load, cell = study.loads[-1]
    return f"At {format_share(load)} load it is {usual(study, cell)}."
