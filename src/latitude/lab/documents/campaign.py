"""Documents of `latitude campaign`: its suites, its plan and its outcome."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from latitude.lab.documents.campaign_charts import (
    adds_chart,
    load_chart,
    predicted_chart,
    rising_chart,
    spread_chart,
    sweep_chart,
)
from latitude.lab.documents.campaign_trust import trust_charts
from latitude.lab.documents.runs import (
    SLOWER,
    between_sentence,
    lines_chart,
    listed_names,
    published_section,
)
from latitude.lab.results.campaign import (
    MEAN,
    SPREAD,
    CampaignAnalysis,
    CampaignLevel,
    CampaignProgram,
    CampaignSummary,
    FailedAttempt,
    LevelNormality,
    MeanCosts,
    StepTest,
)
from latitude.lab.results.figures import (
    NONE,
    cost_of,
    deviation,
    percent,
    slope,
    slower,
    usual,
)
from latitude.lab.statistics.mean_and_spread import Correlated, Plane, Relation
from latitude.lab.statistics.mean_ratios import Contrast
from latitude.render import document
from latitude.render.charts.chart import Chart
from latitude.render.document import Card, Details, Document, File, Heading, Part, Section, Table
from latitude.render.tables import Shown, table
from latitude.results.runs import RunRecord, Runs, Study, chosen_means
from latitude.statistics.corrections import SIGNIFICANT
from latitude.units import columns
from latitude.units.columns import column
from latitude.units.quantities import counted, format_p, format_share, format_time, signed

if TYPE_CHECKING:
    from latitude.experiments.planned import LevelPlan
    from latitude.lab.campaign.plan import Plan

_MOST_FAILURES = 20
_REASONS = 10
"""Number of reasons for failures that a summary lists."""
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
    """Answers, suites, predictions from traces, and their reliability."""
    several = len(result.programs) > 1
    return Document(
        kind="campaign",
        name=result.campaign,
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
            return f"It is not known whether variation or mean slows {only.name} down more."
        one, other = ("variation", "mean")[:: 1 if only.answer.closer_with == SPREAD else -1]
        return (
            f"{only.name}’s runtime correlates more with the {one} of latency than with its "
            f"{other}."
        )
    more = [each.name for each in asked if each.answer.closer_with == SPREAD]
    less = [each.name for each in asked if each.answer.closer_with == MEAN]
    unknown = len(asked) - len(more) - len(less)
    return (
        "Runtime correlates more with the variation of latency than with its mean in "
        f"{listed_names(more)} of {counted(len(asked), 'program')}, more with the mean in "
        f"{listed_names(less)}{f'; {unknown} not known' if unknown else ''}."
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
    """A sentence on programs to which variation costs more than the mean, at the highest mean."""
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
    """A sentence about the graph's prediction of the measurement; empty without a trace."""
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
    """A sentence about changes of the machine during the campaign."""
    found = result.drift
    if found is None:
        return "Too few repetitions to see a drift."
    seen = "No drift is seen" if found.p >= SIGNIFICANT else "Runtimes drift"
    return (
        f"{seen}: {percent(found)} from the first run to the last, "
        f"p = {format_p(found.p)}, over {found.n:,} runs, each against its level’s mean."
    )


def _using(result: CampaignAnalysis) -> str:
    """A sentence about the mean and sd that the correlations use."""
    beside = (
        "; beside them those that the messages had"
        if result.achieved_share == 1
        else "; what the messages had is not known of all runs"
        if result.achieved_share
        else "; the runs do not say what the messages had"
    )
    return f"Mean and sd are those asked for, as at Underwood et al.{beside}."


def _injector(result: CampaignAnalysis) -> str:
    """A sentence about the cost of the injector itself, if it was measured."""
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
    """The answers: a table on the page, sentences on the terminal."""
    shown = table(
        programs,
        "name",
        (
            "correlates more with",
            lambda each: (
                _SHORT.get(each.answer.closer_with, "cannot say") if each.study.crossed else NONE
            ),
        ),
        "answer.text",
        kind="model answers",
        brief=0,
    )
    return [
        Section("Program by program", [shown]),
        *(
            Section(each.name, reading=each.answer.text, terminal=True, page=False)
            for each in programs
        ),
    ]


def _run(result: CampaignAnalysis) -> Section:
    run = table(
        result.studies,
        "name",
        "ranks",
        ("levels", lambda study: f"{sum(cell.n > 0 for cell in study.cells):,}"),
        ("runs", lambda study: f"{sum(cell.n for cell in study.cells):,}"),
        ("failed", lambda study: _some(sum(cell.lost for cell in study.cells if cell.n))),
        ("median", _median),
        ("its sd", lambda study: NONE if study.reference is None else deviation(study.reference)),
        "messages",
    )
    note = f"Runtime is that without injected latency. {_injector(result)}"
    if not result.failures:
        return Section("What was run", [run], note=note)
    failed = table(
        result.failures[:_MOST_FAILURES],
        *("program", "level", "repetition", "attempt"),
        ("end", _end),
        "error",
        kind="failures",
        title="Failed",
        brief=8,
    )
    more = len(result.failures) - _MOST_FAILURES
    return Section(
        "What was run",
        [run, failed],
        f"{counted(len(result.failures), 'attempt')} of {result.attempts:,} failed, "
        f"{result.lost:,} without a later one that ended well.",
        f"{f'{more:,} more failures are in the CSV. ' if more > 0 else ''}{note}",
    )


def _some(count: int) -> str:
    return f"{count:,}" if count else NONE


def _median(study: Study) -> str:
    """Median of the runs without latency, or with the least latency."""
    if (base := study.reference) is None:
        return NONE
    what = "" if study.baseline else f" at {base.level.name}"
    return f"{format_time(study.median_base_ns)}{what}"


def _end(failed: FailedAttempt) -> str:
    how = "timed out" if failed.status == "timeout" else failed.status
    return f"{how}, done again" if failed.mended else how


def _suite_one(result: CampaignAnalysis) -> list[Part]:
    """Runtime against mean latency, ΔL and load; each chart with its table."""
    studies = result.studies
    parts: list[Part] = []
    if chart := rising_chart(studies):
        rising = table(
            [each for each in result.programs if each.against_mean and each.study.steady],
            "name",
            ("1 µs of mean costs", lambda each: _slope(each.against_mean)),
            "against_mean.r_squared",
            ("r_mean", lambda each: _coefficient(each.against_mean)),
            *_last("the highest mean", lambda each: each.study.steady[-1]),
            brief=0,
        )
        parts += [chart, rising]
    if chart := sweep_chart(result):
        swept = table(
            [each for each in result.programs if each.study.swept],
            "name",
            ("1 µs of ΔL costs", lambda each: _slope(each.against_delta_L)),
            "against_delta_L.r_squared",
            *_last("the largest ΔL", lambda each: each.study.swept[-1]),
            title="Runtime against ΔL",
        )
        parts += [chart, swept]
    parts += _made(load_chart(studies))
    return [Heading("Suite I: rising latency"), *parts] if parts else []


def _slope(line: Relation | None) -> str:
    return NONE if line is None else slope(line)


def _coefficient(line: Relation | None) -> str:
    return NONE if line is None else f"{line.r:.2f} ({line.r_low:.2f} to {line.r_high:.2f})"


def _last(
    where: str, cell: Callable[[CampaignProgram], Runs]
) -> tuple[Shown[CampaignProgram], Shown[CampaignProgram]]:
    """The slowdown of a program at the end of a sweep."""
    return (
        (f"at {where}", lambda each: format_time(cell(each).level.mean_ns)),
        ("slower by", lambda each: slower(each.study.times(cell(each)))),
    )


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
    """Table 4 of Underwood et al. 2018, and the same columns for the levels' mean runtimes."""
    achieved = "over_levels_as_achieved"
    shown = table(
        result.programs,
        "name",
        ("runs", "over_runs.n"),
        *(("r_mean", "over_runs.mean.r"), ("r_std", "over_runs.std.r")),
        "over_runs.fisher.log10_p",
        "over_levels.n",
        *(("r_mean", "over_levels.mean.r"), ("r_std", "over_levels.std.r")),
        "over_levels.dependent.williams_p",
        *(("as achieved: r_mean", f"{achieved}.mean.r"), ("r_std", f"{achieved}.std.r")),
        f"{achieved}.dependent.williams_p",
        title="Mean or variation: over runs as published, and over levels",
        terminal=range(9),
    )
    between = between_sentence(_correlated(result.programs), "Over the levels, mean and sd are")
    return Section(
        "Mean or variation",
        [shown],
        f"Pearson’s r of runtime with mean and with sd of the latency. {_using(result)} {between}",
        "Left: over all runs, with the one-sided test of Fisher’s z that Underwood et al. print; "
        "runs of one level repeat it, so that p shrinks with every run made. Middle: over the "
        "levels’ mean runtimes, with Williams’s two-sided test for correlations that share the "
        "runtimes, before correction; the verdicts have Holm’s over programs. Right: the same with "
        "the mean and sd that the messages had. Intervals and Steiger’s z are in the JSON.",
    )


def _mean_costs(result: CampaignAnalysis) -> list[Section]:
    means = chosen_means(result.studies)
    tests = {(step.program, step.level): step.mann_whitney for step in result.steps}
    found = [
        _Costs(each.name, costs, tests.get((each.name, costs.at.wide.level.name)))
        for each in result.programs
        for costs in each.costs
        if any(costs.at.near(mean) for mean in means)
    ]
    if not found:
        return []
    costs = table(
        found,
        "name",
        "costs.mean_ns",
        ("constant", lambda each: NONE if each.costs.mean is None else percent(each.costs.mean)),
        "costs.sd_ns",
        ("variation on top", lambda each: percent(each.costs.spread)),
        ("how often slower", lambda each: _how_often(each.test)),
        ("more than the mean", lambda each: _more(each.costs.excess)),
        terminal=(0, 1, 2, 3, 4, 6),
    )
    planes = table(
        [each for each in result.programs if each.plane],
        "name",
        ("1 µs of mean costs", lambda each: _plane_cost(each.plane, "mean")),
        ("1 µs of sd costs", lambda each: _plane_cost(each.plane, "std")),
        "plane.r_squared",
        brief=0,
    )
    return [
        Section(
            "What mean and variation cost",
            [costs, planes],
            "At one mean: constant latency against none, and the widest distribution against the "
            "narrowest.",
            "How often slower: the chance that a run under the widest takes longer than one under "
            "the narrowest (Mann–Whitney; 50% is no effect), p after Benjamini and Hochberg’s "
            "correction over all levels and the narrowest of their mean; the JSON has them all, "
            "and all means."
            + (
                " Below: mean runtime ≈ c + a · mean + b · sd, by least squares over the levels; "
                "intervals hold noise and lack of fit."
                if planes.rows
                else ""
            ),
        )
    ]


@dataclass(frozen=True, slots=True)
class _Costs:
    """The costs of one mean to a program."""

    name: Annotated[str, column("program")]
    costs: MeanCosts
    test: StepTest | None


def _how_often(test: StepTest | None) -> str:
    """A sentence on how often the widest distribution is slower than the narrowest."""
    if test is None or test.p is None:
        return "needs 4 runs each"
    return f"{format_share(test.larger)} (p = {format_p(test.p.bh)})"


def _more(excess: Contrast | None) -> str:
    """Whether variation at a mean costs more than the mean itself, in words."""
    if excess is None:
        return NONE
    if math.isnan(excess.p):
        return "too few runs"
    sign = "yes" if excess.factor > 1 else "no"
    return f"{sign if excess.p < SIGNIFICANT else 'cannot say'} (p = {format_p(excess.p)})"


def _plane_cost(plane: Plane | None, of: str) -> str:
    """The cost of a µs of mean or sd, with half its interval."""
    if plane is None:
        return NONE
    return cost_of(getattr(plane, f"per_{of}"), getattr(plane, f"{of}_half"))


def _predicted(result: CampaignAnalysis) -> list[Part]:
    """Measured and predicted values, side by side, for the programs with a trace."""
    known = [each for each in result.programs if each.predicted]
    if not known:
        return []

    def cost(name: str, plane: Plane | None) -> str:
        return NONE if plane is None else signed(1e3 * getattr(plane, name), 3, "")

    shown = table(
        known,
        "name",
        *("predicted.rrmse", "predicted.noise", "predicted.rrmse_of_means_alone"),
        *(("r_mean", "over_levels.mean.r"), ("predicted", "predicted.over_levels.mean.r")),
        *(("r_std", "over_levels.std.r"), ("predicted", "predicted.over_levels.std.r")),
        ("1 µs of mean", lambda each: cost("per_mean", each.plane)),
        ("predicted", lambda each: cost("per_mean", columns.value(each, "predicted.plane"))),
        ("1 µs of sd", lambda each: cost("per_std", each.plane)),
        ("predicted", lambda each: cost("per_std", columns.value(each, "predicted.plane"))),
        title="Measured, and predicted from a trace",
        terminal=range(8),
    )
    return [
        Heading("Was it foreseeable?"),
        predicted_chart(result.programs, _predicted_sentence(result)),
        shown,
    ]


def _every_level(result: CampaignAnalysis) -> Section:
    levels = table(
        [(each.study, level) for each in result.programs for level in each.levels],
        ("program", lambda at: at[0].name),
        ("level", lambda at: at[1].level),
        ("runs", lambda at: _runs(at[1])),
        ("mean", lambda at: format_time(_known(at[1].achieved_mean_ns, at[1].asked_mean_ns), 3)),
        ("sd", lambda at: format_time(_known(at[1].achieved_sd_ns, at[1].asked_sd_ns), 3)),
        ("median", lambda at: format_time(at[1].cell.median_ns) if at[1].cell.n else NONE),
        ("its sd", lambda at: deviation(at[1].cell)),
        ("slower by", lambda at: slower(at[0].times(at[1].cell)) if at[1].cell.n else NONE),
        ("normal", lambda at: _normal(at[1].normality)),
        brief=0,
    )
    counts = result.normality
    normal = (
        f"Runtimes of {counts.not_normal} of {counted(counts.tested, 'level')} are found not to be "
        "normally distributed (Lilliefors, 5% after Holm’s correction); few runs find little."
        if counts.tested
        else "No level has the 4 runs that a test for normality takes."
    )
    return Section(
        "Every level",
        [Details(counted(len(levels.rows), "row"), [levels])],
        normal,
        "Mean and sd of the latency are those that messages had, where that is known. “few”: under "
        "3 runs.",
    )


def _runs(level: CampaignLevel) -> str:
    of = f" of {level.runs + level.lost:,}" if level.lost else ""
    return f"{level.runs:,}{' (few)' if level.few else ''}{of}"


def _known(achieved: float | None, asked: float) -> float:
    return asked if achieved is None else achieved


def _normal(test: LevelNormality | None) -> str:
    return NONE if test is None else f"p {format_p(test.p, simulated=True)}"


def summary_document(result: CampaignSummary) -> Document:
    """The state of a campaign: medians, failures with their reasons, and its directory."""
    parts: list[Part] = [
        table(
            result.parts,
            *("program", "level"),
            ("ok", lambda part: f"{part.ok}/{part.planned}"),
            ("failed", lambda part: str(part.failed or "")),
            "median_ns",
        )
    ]
    if result.failures:
        parts.append(_reasons(result.failures))
    left = f", {result.pending:,} not done" if result.pending else ""
    failed = f", {result.failed:,} failed" if result.failed else ""
    return Document(
        name=result.name,
        facts=[result.directory],
        headline=" ".join(
            [f"{result.ok:,} of {counted(result.planned, 'run')} ok{failed}{left}.", *result.notes]
        ),
        parts=parts,
        files=[File("campaign.json", result.to_json)],
    )


def _reasons(failures: Sequence[RunRecord]) -> Table:
    alike: dict[tuple[str, str, str], list[RunRecord]] = {}
    for run in failures:
        alike.setdefault((run.program, run.status, run.error or ""), []).append(run)
    return table(
        sorted(alike.values(), key=len, reverse=True),
        ("program", lambda runs: runs[0].program),
        ("levels", lambda runs: ", ".join(dict.fromkeys(run.level for run in runs))),
        ("attempts", lambda runs: f"{len(runs):,}"),
        ("reason", lambda runs: f"{runs[0].status}: {runs[0].error or ''}"),
        kind="failures",
        title=f"{counted(len(failures), 'attempt')} failed",
        brief=_REASONS,
    )


def plan_document(plan: "Plan") -> Document:
    """Programs, levels, and their number of runs."""
    campaign = plan.campaign
    programs = table(
        campaign.programs,
        ("program", lambda each: each.name),
        ("ranks", lambda each: NONE if each.ranks is None else str(each.ranks)),
        ("runtime", lambda each: each.runtime),
        (
            "most",
            lambda each: NONE if each.timeout_s is None else format_time(each.timeout_s * 1e9),
        ),
        ("launched as", lambda each: " ".join(each.launch)),
    )
    levels = table(
        campaign.levels,
        ("level", lambda level: level.name),
        ("kind", lambda level: level.kind),
        ("mean", lambda level: format_time(level.mean_ns)),
        ("sd", lambda level: format_time(level.sd_ns)),
        ("load", lambda level: NONE if level.load is None else format_share(level.load)),
        ("where", _where),
    )
    return Document(
        name=campaign.name,
        facts=[f"seed {campaign.seed}", campaign.execute.how, str(campaign.directory)],
        headline=" × ".join(
            (
                counted(len(campaign.programs), "program"),
                counted(len(campaign.levels), "level"),
                f"{counted(campaign.repetitions, 'repetition')} = {counted(len(plan.runs), 'run')}",
            )
        ),
        parts=[programs, levels],
    )


def _where(level: "LevelPlan") -> str:
    within = ", within nodes" if level.intra_node else ""
    return f"{level.layer or NONE}{within}"
