"""What `latitude campaign` says: its suites, its plan and its outcome."""

import math
from collections.abc import Sequence

from latitude.experiments.campaign.plan import Plan
from latitude.experiments.planned import LevelPlan
from latitude.experiments.suites.figures import (
    NONE,
    cost_of,
    deviation,
    percent,
    signed_time,
    slope,
    slower,
    usual,
)
from latitude.render import document
from latitude.render.charts.chart import Chart
from latitude.render.document import Card, Details, Document, File, Heading, Part, Section, Table
from latitude.render.documents.campaign_charts import (
    adds_chart,
    load_chart,
    predicted_chart,
    rising_chart,
    spread_chart,
    sweep_chart,
)
from latitude.render.documents.campaign_trust import trust_charts
from latitude.render.documents.runs import (
    SLOWER,
    between_sentence,
    coefficients,
    lines_chart,
    listed_names,
    published_p,
    published_section,
    williams_p,
)
from latitude.results.campaign import (
    MEAN,
    SPREAD,
    CampaignAnalysis,
    CampaignLevel,
    CampaignProgram,
    CampaignSummary,
    MeanCosts,
    StepTest,
)
from latitude.results.runs import RunRecord, Runs, Study, chosen_means
from latitude.statistics.corrections import SIGNIFICANT
from latitude.statistics.mean_and_spread import Correlated
from latitude.statistics.mean_ratios import Contrast
from latitude.units.p_values import format_p
from latitude.units.quantities import counted, format_count, format_share, format_time

_MOST_FAILURES = 20
_REASONS = 10
"""Reasons of failures that a summary lists."""
_METHOD = (
    "Method: Underwood, Anderson, Apon, “Measuring Network Latency Variation Impacts to High "
    "Performance Computing Application Performance”, ICPE’18, §6 and §7. Williams’s and Steiger’s "
    "tests: Steiger, Psychological Bulletin 87, 1980. Slowdowns of a level are those of the "
    "median; ratios of levels are of geometric means, with 95% intervals by Welch’s t; "
    "Mann–Whitney with Holm’s correction over all rows shown. RRMSE is the root of the mean over "
    "levels of ((predicted − measured) / measured)²."
)
_SHORT = {SPREAD: "variation", MEAN: "mean"}


def campaign_document(result: CampaignAnalysis) -> Document:
    """Answers, suites, what a trace predicts, how far to trust it."""
    several = len(result.programs) > 1
    return Document(
        kind="campaign",
        name=result.campaign,
        title="campaign",
        facts=_facts(result),
        headline=_headline(result.programs),
        answer=[_costs_sentence(result), _predicted_sentence(result)]
        if several
        else [result.programs[0].answer.text],
        cards=_cards(result),
        parts=[
            *(_answers(result.programs) if several else []),
            *_made(adds_chart(result)),
            _run(result),
            *_suite_one(result),
            *_suite_two(result),
            *_predicted(result),
            Heading("How far to trust it"),
            *trust_charts(result, order_sentence(result)),
            _every_level(result),
            *([published_section()] if _correlated(result.programs) else []),
        ],
        notices=result.warnings,
        files=[File("campaign.json", result.to_json), File("campaign.csv", result.to_csv)],
        origin=document.origin(result.provenance),
        method=_METHOD,
        closing=[*filter(None, (_using(result), order_sentence(result), _injector(result)))],
    )


def _made(chart: Chart | None) -> list[Chart]:
    return [] if chart is None else [chart]


def _correlated(programs: Sequence[CampaignProgram]) -> list[Correlated]:
    return [program.over_levels for program in programs if program.over_levels]


def _facts(result: CampaignAnalysis) -> list[str]:
    programs, runs = result.programs, result.runs
    layers = sorted({program.layer for program in programs if program.layer})
    levels = {level.level for program in programs for level in program.levels}
    return [
        counted(len({program.program for program in programs}), "program"),
        counted(len(levels), "level"),
        f"{result.done:,} of {counted(result.done + result.lost, 'run')} good",
        *([f"injected by {', '.join(layers)}"] if layers else []),
        f"on {', '.join(sorted(set(runs['host'].astype(str)))[:3])}",
        f"{runs['started'].astype(str).min()[:10]}",
    ]


def _headline(programs: Sequence[CampaignProgram]) -> str:
    asked = [program for program in programs if program.study.crossed]
    if not asked:
        return _slowest(programs)
    if len(programs) == 1:
        only = programs[0]
        if only.answer.closer_with not in _SHORT:
            return f"Whether variation or mean hurts {only.name} more cannot be said."
        one, other = ("variation", "mean")[:: 1 if only.answer.closer_with == SPREAD else -1]
        return f"{only.name}’s runtime goes closer with the {one} of latency than with its {other}."
    more = [each.name for each in asked if each.answer.closer_with == SPREAD]
    less = [each.name for each in asked if each.answer.closer_with == MEAN]
    unknown = len(asked) - len(more) - len(less)
    return (
        "Runtime goes closer with the variation of latency than with its mean in "
        f"{listed_names(more)} of {counted(len(asked), 'program')}, closer with the mean in "
        f"{listed_names(less)}{f'; {unknown} cannot be told' if unknown else ''}."
    )


def _slowest(programs: Sequence[CampaignProgram]) -> str:
    study, worst = _worst(programs)
    if worst is study.reference:
        return f"No level makes {study.name} slower."
    return f"{study.name} becomes {usual(study, worst)} at {worst.level.name}."


def _worst(programs: Sequence[CampaignProgram]) -> tuple[Study, Runs]:
    ends = [(each.study, each.study.worst) for each in programs]
    known = [(study, worst) for study, worst in ends if worst is not None]
    return max(known, key=lambda end: end[0].times(end[1]))


def _costs_sentence(result: CampaignAnalysis) -> str:
    """Where variation costs more than the mean itself, at each program's highest mean."""
    ends = [(each.name, each.costs[-1]) for each in result.programs if each.costs]
    found = [(name, at, at.mean, at.excess) for name, at in ends if at.mean and at.excess]
    if not found:
        return ""
    told = [each for each in found if each[1].at.even and each[3].p < SIGNIFICANT]
    sure = [
        f"{name} ({slower(at.spread.factor)} against {slower(mean.factor)})"
        for name, at, mean, excess in told
        if excess.factor > 1
    ]
    less = sum(excess.factor < 1 for *_, excess in told)
    left = len(found) - len(sure) - less
    return (
        f"At the highest mean, the widest variation costs more than that mean itself in "
        f"{', '.join(sure) or 'no program'}"
        f"{f', less in {less}' if less else ''}{f'; {left} cannot be told' if left else ''}."
    )


def _predicted_sentence(result: CampaignAnalysis) -> str:
    """How well the graph foresaw the measurement; empty without a trace."""
    found = [(each, each.predicted) for each in result.programs if each.predicted]
    if not found:
        return ""
    furthest, most = max(found, key=lambda each: each[1].rrmse)
    compared = [
        each.over_levels.std_more == graph.over_levels.std_more
        for each, graph in found
        if each.over_levels and graph.over_levels
    ]
    same = (
        " Graph and measurement agree on which of mean and variation has the larger r in "
        f"{sum(compared)} of {counted(len(compared), 'program')}."
        if compared
        else ""
    )
    return (
        f"The execution graph misses the measured mean runtimes by {format_share(most.rrmse)} "
        f"(RRMSE over the levels){f' at most, in {furthest.name}' if len(found) > 1 else ''}.{same}"
    )


def order_sentence(result: CampaignAnalysis) -> str:
    """Whether the machine changed while the campaign ran."""
    found = result.drift
    if found is None:
        return "Too few repetitions to see a drift."
    seen = "No drift is seen" if found.p >= SIGNIFICANT else "Runtimes drift"
    return (
        f"{seen}: {percent(found)} from the first run to the last, "
        f"p = {format_p(found.p)}, over {found.n:,} runs, each against its level’s mean."
    )


def _using(result: CampaignAnalysis) -> str:
    """Which mean and sd the correlations use."""
    beside = (
        "; beside them those that the messages had"
        if result.achieved_share == 1
        else "; what the messages had is not known of all runs"
        if result.achieved_share
        else "; the runs do not say what the messages had"
    )
    return f"Mean and sd are those asked for, as at Underwood et al.{beside}."


def _injector(result: CampaignAnalysis) -> str:
    """What the injector costs by itself, where that was run."""
    costs = [(each.name, each.injector) for each in result.programs if each.injector]
    if not costs:
        return ""
    return (
        "Slowdowns are against runs under the injector with a latency of 0; it costs by itself "
        f"{', '.join(f'{percent(cost)} in {name}' for name, cost in costs)}."
    )


def _cards(result: CampaignAnalysis) -> list[Card]:
    failed, drift = len(result.failures), result.drift
    study, worst = _worst(result.programs)
    return [
        Card("runs that ended well", f"{result.done:,}", f"of {result.attempts:,} started"),
        Card(
            "failed",
            format_share(failed / result.attempts) if failed else "none",
            f"{result.lost:,} never made up for" if failed else "all ended well",
        ),
        Card(
            "slowest median",
            f"+{slower(study.times(worst))}",
            f"{study.name} at {worst.level.name}",
        ),
        Card(
            "drift, first to last run",
            NONE if drift is None else slower(drift.factor),
            "too few repetitions"
            if drift is None
            else f"{slower(drift.low)} to {slower(drift.high)}",
        ),
    ]


def _answers(programs: Sequence[CampaignProgram]) -> list[Section]:
    """A table on the page, sentences on the terminal."""
    rows = [
        (
            each.name,
            _SHORT.get(each.answer.closer_with, "cannot say") if each.study.crossed else NONE,
            each.answer.text,
        )
        for each in programs
    ]
    head = ("program", "goes closer with", "what the runs say")
    return [
        Section("Program by program", [Table(head, rows, "model answers")]),
        *(
            Section(each.name, reading=each.answer.text, terminal=True, page=False)
            for each in programs
        ),
    ]


def _run(result: CampaignAnalysis) -> Section:
    head = ("program", "ranks", "levels", "runs", "failed", "median", "its sd", "messages")
    rows = [_run_row(each.study) for each in result.programs]
    parts: list[Part] = [Table(head, rows, brief=len(rows))]
    note = f"Runtime is that without injected latency. {_injector(result)}"
    if not result.failures:
        return Section("What was run", parts, note=note)
    failed = [
        (
            each.program,
            each.level,
            f"{each.repetition:,}",
            f"{each.attempt:,}",
            ("timed out" if each.status == "timeout" else each.status)
            + (", done again" if each.mended else ""),
            each.error,
        )
        for each in result.failures[:_MOST_FAILURES]
    ]
    names = ("program", "level", "repetition", "attempt", "end", "reason")
    parts.append(Table(names, failed, "failures", "Failed", brief=8))
    more = len(result.failures) - len(failed)
    return Section(
        "What was run",
        parts,
        f"{counted(len(result.failures), 'attempt')} of {result.attempts:,} failed, "
        f"{result.lost:,} without a later one that ended well.",
        f"{f'{more:,} more failures are in the CSV. ' if more else ''}{note}",
    )


def _run_row(study: Study) -> tuple[str, ...]:
    cells, base = [cell for cell in study.cells if cell.n], study.reference
    lost = sum(cell.lost for cell in study.cells)
    what = "" if study.baseline or base is None else f" at {base.level.name}"
    return (
        study.name,
        NONE if study.ranks is None else f"{study.ranks:,}",
        f"{len(cells):,}",
        f"{sum(cell.n for cell in cells):,}",
        f"{lost:,}" if lost else NONE,
        NONE if base is None else f"{format_time(study.median_base_ns, 4)}{what}",
        NONE if base is None else deviation(base),
        NONE if study.messages is None else format_count(round(study.messages)),
    )


def _suite_one(result: CampaignAnalysis) -> list[Part]:
    """Runtime against mean latency, ΔL and load; each chart with the table that goes with it."""
    studies = result.studies
    parts: list[Part] = []
    if chart := rising_chart(studies):
        head = ("program", "1 µs of mean costs", "R²", "r_mean", "at the highest mean", "slower by")
        constant = [
            (
                each.name,
                slope(line),
                f"{line.r_squared:.3f}",
                f"{line.r:.2f} ({line.r_low:.2f} to {line.r_high:.2f})",
                *_last(each.study, each.study.steady[-1]),
            )
            for each in result.programs
            for line in [each.against_mean]
            if line is not None and each.study.steady
        ]
        parts += [chart, *([Table(head, constant)] if constant else [])]
    if chart := sweep_chart(result):
        names = ("program", "1 µs of ΔL costs", "R²", "at the largest ΔL", "slower by")
        swept = [
            (
                each.name,
                NONE if line is None else slope(line),
                NONE if line is None else f"{line.r_squared:.3f}",
                *_last(each.study, each.study.swept[-1]),
            )
            for each in result.programs
            if each.study.swept
            for line in [each.against_delta_L]
        ]
        parts += [chart, Table(names, swept, title="Runtime against ΔL", brief=len(swept))]
    parts += _made(load_chart(studies))
    return [Heading("Suite I: rising latency"), *parts] if parts else []


def _last(study: Study, cell: Runs) -> tuple[str, str]:
    return format_time(cell.level.mean_ns, 4), slower(study.times(cell))


def _suite_two(result: CampaignAnalysis) -> list[Part]:
    """More variation at one mean, and runtime against mean and sd."""
    known = [(each.study, each.over_levels) for each in result.programs if each.over_levels]
    charts = _made(spread_chart(result))
    if known:
        studies, related = [study for study, _ in known], [found for _, found in known]
        note = "; dashed lines are least squares over the levels."
        charts.append(lines_chart(studies, related, SLOWER, "over levels ", note))
    parts: list[Part] = [Heading("Suite II: mean or variation"), *charts] if charts else []
    return [*parts, *([_table_four(result)] if known else []), *_mean_costs(result)]


def _table_four(result: CampaignAnalysis) -> Section:
    """As [U] Table 4, and what holds of the levels' mean runtimes."""
    pair = ("r_mean", "r_std", "p (Williams)")
    head = ["program", "runs", *pair[:2], "p as published", "levels", *pair]
    head += ["as achieved: r_mean", *pair[1:]]
    title = "Mean or variation: over runs as published, and over levels"
    rows: list[tuple[str, ...]] = []
    for each in result.programs:
        runs, levels, achieved = each.over_runs, each.over_levels, each.over_levels_as_achieved
        if runs is None or levels is None:
            rows.append((each.name, *[NONE] * (len(head) - 1)))
            continue
        rows.append(
            (
                each.name,
                f"{runs.n:,}",
                *coefficients(runs),
                published_p(runs),
                f"{levels.n:,}",
                *(*coefficients(levels), williams_p(levels)),
                *([NONE] * 3 if achieved is None else _tested(achieved)),
            )
        )
    between = between_sentence(_correlated(result.programs), "Over the levels, mean and sd are")
    return Section(
        "Mean or variation",
        [Table(head, rows, title=title, brief=len(rows), columns=range(9))],
        f"Pearson’s r of runtime with mean and with sd of the latency. {_using(result)} {between}",
        "Left: over all runs, with the one-sided test of Fisher’s z that Underwood et al. print; "
        "runs of one level repeat it, so that p shrinks with every run made. Middle: over the "
        "levels’ mean runtimes, with Williams’s two-sided test for correlations that share the "
        "runtimes, before correction; the verdicts have Holm’s over programs. Right: the same with "
        "the mean and sd that the messages had. Intervals and Steiger’s z are in the JSON.",
    )


def _tested(found: Correlated) -> tuple[str, ...]:
    return (*coefficients(found), williams_p(found))


def _mean_costs(result: CampaignAnalysis) -> list[Section]:
    means = chosen_means(result.studies)
    tests = {(step.program, step.level): step.mann_whitney for step in result.steps}
    rows = [
        _cost_row(each.name, found, tests.get((each.name, found.at.wide.level.name)))
        for each in result.programs
        for found in each.costs
        if any(found.at.near(mean) for mean in means)
    ]
    if not rows:
        return []
    head = ["program", "mean", "constant", "widest sd", "variation on top", "how often slower"]
    head += ["more than the mean"]
    parts: list[Part] = [Table(head, rows, brief=len(rows), columns=(0, 1, 2, 3, 4, 6))]
    planes = [
        (
            each.name,
            cost_of(each.plane.per_mean, each.plane.mean_half),
            cost_of(each.plane.per_std, each.plane.std_half),
            f"{each.plane.r_squared:.3f}",
        )
        for each in result.programs
        if each.plane
    ]
    if planes:
        parts.append(Table(("program", "1 µs of mean costs", "1 µs of sd costs", "R²"), planes))
    return [
        Section(
            "What mean and variation cost",
            parts,
            "At one mean: constant latency against none, and the widest distribution against the "
            "narrowest.",
            "How often slower: the chance that a run under the widest takes longer than one under "
            "the narrowest (Mann–Whitney; 50% is no effect), p after Benjamini and Hochberg’s "
            "correction over all levels and the narrowest of their mean; the JSON has them all, "
            "and all means."
            + (
                " Below: mean runtime ≈ c + a · mean + b · sd, by least squares over the levels; "
                "intervals hold noise and lack of fit."
                if planes
                else ""
            ),
        )
    ]


def _cost_row(name: str, found: MeanCosts, test: StepTest | None) -> tuple[str, ...]:
    return (
        name,
        format_time(found.mean_ns, 3),
        NONE if found.mean is None else percent(found.mean),
        format_time(found.sd_ns, 3),
        percent(found.spread),
        "needs 4 runs each"
        if test is None or test.p is None
        else f"{format_share(test.larger)} (p = {format_p(test.p.bh)})",
        NONE if found.excess is None else _more(found.excess),
    )


def _more(excess: Contrast) -> str:
    """Whether variation costs more than the mean."""
    if math.isnan(excess.p):
        return "too few runs"
    sign = "yes" if excess.factor > 1 else "no"
    return f"{sign if excess.p < SIGNIFICANT else 'cannot say'} (p = {format_p(excess.p)})"


def _predicted(result: CampaignAnalysis) -> list[Part]:
    """Measured and predicted, side by side, of the programs that have a trace."""
    rows = []
    for each in result.programs:
        if (graph := each.predicted) is None:
            continue
        both = ((each.over_levels, graph.over_levels), (each.plane, graph.plane))
        r = [
            NONE if found is None else f"{getattr(found, name).r:.2f}"
            for name in ("mean", "std")
            for found in both[0]
        ]
        costs = [
            NONE if plane is None else signed_time(1e3 * getattr(plane, name))
            for name in ("per_mean", "per_std")
            for plane in both[1]
        ]
        noise = NONE if math.isnan(graph.noise) else f"± {format_share(graph.noise)}"
        alone = format_share(graph.rrmse_of_means_alone)
        rows.append((each.name, format_share(graph.rrmse), noise, alone, *r, *costs))
    if not rows:
        return []
    head = ["program", "RRMSE", "measured to", "by means alone", "r_mean", "predicted", "r_std"]
    head += ["predicted", "1 µs of mean", "predicted", "1 µs of sd", "predicted"]
    title = "Measured, and predicted from a trace"
    return [
        Heading("Was it foreseeable?"),
        predicted_chart(result.programs, _predicted_sentence(result)),
        Table(head, rows, title=title, brief=len(rows), columns=range(8)),
    ]


def _every_level(result: CampaignAnalysis) -> Section:
    head = ("program", "level", "runs", "mean", "sd", "median", "its sd", "slower by", "normal")
    rows = [_level_row(each.study, level) for each in result.programs for level in each.levels]
    counts = result.normality
    normal = (
        f"Runtimes of {counts.not_normal} of {counted(counts.tested, 'level')} are found not to be "
        "normally distributed (Lilliefors, 5% after Holm’s correction); few runs find little."
        if counts.tested
        else "No level has the 4 runs that a test for normality takes."
    )
    return Section(
        "Every level",
        [Details(counted(len(rows), "row"), [Table(head, rows)])],
        normal,
        "Mean and sd of the latency are those that messages had, where that is known. “few”: under "
        "3 runs.",
    )


def _level_row(study: Study, level: CampaignLevel) -> tuple[str, ...]:
    """What was asked, achieved, and taken."""
    cell, test = level.cell, level.normality
    of = f" of {level.runs + level.lost:,}" if level.lost else ""
    got = (level.achieved_mean_ns, level.achieved_sd_ns)
    asked = (level.asked_mean_ns, level.asked_sd_ns)
    latency = [a if g is None else g for g, a in zip(got, asked, strict=True)]
    return (
        study.name,
        level.level,
        f"{level.runs:,}{' (few)' if level.few else ''}{of}",
        *(format_time(each, 3) for each in latency),
        format_time(cell.median_ns, 4) if cell.n else NONE,
        deviation(cell),
        slower(study.times(cell)) if cell.n else NONE,
        NONE if test is None else f"p {format_p(test.p, simulated=True)}",
    )


def summary_document(result: CampaignSummary) -> Document:
    """What a campaign has so far: medians, what failed and why, where it is."""
    rows = [
        (
            part.program,
            part.level,
            f"{part.ok}/{part.planned}",
            str(part.failed or ""),
            NONE if part.median_ns is None else format_time(part.median_ns),
        )
        for part in result.parts
    ]
    parts: list[Part] = [
        Table(("program", "level", "ok", "failed", "median runtime"), rows, brief=len(rows))
    ]
    if result.failures:
        parts.append(_reasons(result.failures))
    left = f", {result.pending:,} not done" if result.pending else ""
    failed = f", {result.failed:,} failed" if result.failed else ""
    return Document(
        kind="campaign",
        name=result.name,
        title="campaign",
        facts=[result.directory],
        headline=f"{result.ok:,} of {counted(result.planned, 'run')} ok{failed}{left}.",
        parts=parts,
        files=[File("campaign.json", result.to_json)],
        has_page=False,
    )


def _reasons(failures: Sequence[RunRecord]) -> Table:
    alike: dict[tuple[str, str, str], list[RunRecord]] = {}
    for run in failures:
        alike.setdefault((run.program, run.status, run.error or ""), []).append(run)
    rows = [
        (
            program,
            ", ".join(dict.fromkeys(run.level for run in runs)),
            f"{len(runs):,}",
            f"{status}: {error}",
        )
        for (program, status, error), runs in sorted(alike.items(), key=lambda e: -len(e[1]))
    ]
    title = f"{counted(len(failures), 'attempt')} failed"
    head = ("program", "levels", "attempts", "reason")
    return Table(head, rows, "failures", title, brief=_REASONS)


def plan_document(plan: Plan) -> Document:
    """Programs, levels, and how many runs they make."""
    campaign = plan.campaign
    programs = [
        (
            each.name,
            NONE if each.ranks is None else str(each.ranks),
            each.runtime,
            NONE if each.timeout_s is None else format_time(each.timeout_s * 1e9),
            " ".join(each.launch),
        )
        for each in campaign.programs
    ]
    levels = [
        (
            level.name,
            level.kind,
            format_time(level.mean_ns),
            format_time(level.sd_ns),
            NONE if level.load is None else format_share(level.load),
            _where(level),
        )
        for level in campaign.levels
    ]
    return Document(
        kind="campaign",
        name=campaign.name,
        title="plan",
        facts=[f"seed {campaign.seed}", campaign.execute.how, str(campaign.directory)],
        headline=f"{counted(len(programs), 'program')} × {counted(len(levels), 'level')} × "
        f"{counted(campaign.repetitions, 'repetition')} = {counted(len(plan.runs), 'run')}",
        parts=[
            Table(
                ("program", "ranks", "runtime", "most", "launched as"),
                programs,
                brief=len(programs),
            ),
            Table(("level", "kind", "mean", "sd", "load", "where"), levels, brief=len(levels)),
        ],
        has_page=False,
    )


def _where(level: LevelPlan) -> str:
    within = ", within nodes" if level.intra_node else ""
    return f"{level.layer or NONE}{within}"
