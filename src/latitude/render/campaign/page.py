"""The page of a campaign."""

from collections.abc import Iterable, Sequence

from latitude.experiments.suites.result import Suites
from latitude.render.campaign import rows, shown, words
from latitude.render.campaign.charts import adds_chart, predicted_chart, suite_one, suite_two
from latitude.render.campaign.trust import trust_charts
from latitude.render.charts.chart import Chart
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.render.html.shell import wide_table
from latitude.statistics.underwood import TABLE
from latitude.units.quantities import counted, format_share

_MOST_FAILURES = 20
_STYLE = """
h2.part { margin-top: 64px; padding-top: 14px; border-top: 2px solid var(--accent); }
h2.part { font-size: 26px; }
table.answers td:nth-child(-n + 2) { min-width: 0; white-space: nowrap; font-weight: 600; }
details summary { cursor: pointer; color: var(--accent); }
table.failures :is(th, td):last-child { text-align: left; white-space: normal; }
"""
_METHOD = (
    "Method: Underwood, Anderson, Apon, “Measuring Network Latency Variation Impacts to High "
    "Performance Computing Application Performance”, ICPE’18, §6 and §7. Williams’s and Steiger’s "
    "tests: Steiger, Psychological Bulletin 87, 1980. Intervals are 95% intervals; slowdowns by "
    "Welch’s t on log runtimes; Mann–Whitney with Holm’s correction over all rows shown."
)


def render(result: Suites) -> str:
    """The whole page as one HTML text that needs no network."""
    adds, first, second = adds_chart(result), suite_one(result), suite_two(result)
    foretold, trust = predicted_chart(result), trust_charts(result)
    body = "\n".join(
        [
            _answers(result),
            *map(shell.section, adds),
            _run(result),
            *_suite_one(result, first),
            *([_part("Suite II: mean or variation")] if second else []),
            *map(shell.section, second),
            _table4(result),
            _costs(result),
            *_predicted(result, foretold),
            _part("How far to trust it"),
            *map(shell.section, trust),
            _cells(result),
            _published(result),
            shell.notes(result.warnings),
        ]
    )
    return shell.render(
        shell.Shell(
            kind="campaign",
            name=result.campaign,
            title="campaign",
            facts=words.facts(result),
            headline=words.headline(result),
            answer=_answer(result),
            cards=_cards(result),
            body=body,
            charts=[*adds, *first, *second, *foretold, *trust],
            data=[
                shell.Data("campaign.json", result.to_json()),
                shell.Data("campaign.csv", result.to_csv()),
            ],
            provenance=shell.origin(result.provenance),
            method=_METHOD,
            warnings=result.warnings,
            style=_STYLE,
        )
    )


def _answer(result: Suites) -> list[str]:
    if len(result.studies) == 1:
        return [text for *_, text in words.answers(result)]
    foretold = words.predicted_sentence(result) if result.predicted else ""
    return [text for text in (words.costs_sentence(result), foretold) if text]


def _cards(result: Suites) -> list[shell.Card]:
    failed = len(result.failures)
    drift = result.drift
    worst = max(
        ((s, s.worst) for s in result.studies if s.worst is not None),
        key=lambda each: each[0].times(each[1]),
    )
    return [
        ("runs that ended well", f"{result.done:,}", f"of {result.attempts:,} started"),
        (
            "failed",
            format_share(failed / result.attempts) if failed else "none",
            f"{result.lost:,} never made up for" if failed else "all ended well",
        ),
        (
            "slowest",
            f"+{shown.slower(worst[0].times(worst[1]))}",
            f"{worst[0].name} at {worst[1].level.name}",
        ),
        (
            "drift, first to last run",
            "–" if drift is None else shown.slower(drift.factor),
            "too few repetitions"
            if drift is None
            else f"{shown.slower(drift.low)} to {shown.slower(drift.high)}",
        ),
    ]


def _part(title: str) -> str:
    return f'<h2 class="part">{escape(title)}</h2>'


def _answers(result: Suites) -> str:
    if len(result.studies) == 1:
        return ""
    head = ("program", "goes closer with", "what the runs say")
    return shell.text_section(
        "Program by program", "", wide_table(head, words.answers(result), "model answers")
    )


def _run(result: Suites) -> str:
    content = wide_table(rows.RUN_HEAD, map(rows.run_row, result.studies))
    note = f"Runtime is that without injected latency. {words.injector(result)}"
    if not result.failures:
        return shell.text_section("What was run", "", content, note)
    shown = result.failures[:_MOST_FAILURES]
    failed = wide_table(rows.FAILURE_HEAD, map(rows.failure_row, shown), "failures")
    more = len(result.failures) - len(shown)
    return shell.text_section(
        "What was run",
        f"{counted(len(result.failures), 'attempt')} of {result.attempts:,} failed, "
        f"{result.lost:,} without a later one that ended well.",
        content + failed,
        f"{f'{more:,} more failures are in the CSV. ' if more else ''}{note}",
    )


def _suite_one(result: Suites, charts: Sequence[Chart]) -> Iterable[str]:
    """Each chart, and the table that goes with it."""
    if charts:
        yield _part("Suite I: rising latency")
    for chart in charts:
        yield shell.section(chart)
        if chart.id == "rising":
            lines = [rows.rising_row(study) for study in result.studies if study.rising]
            yield wide_table(rows.RISING_HEAD, lines) if lines else ""
        if chart.id == "sweep":
            swept = (rows.sweep_row(study) for study in result.studies if study.swept)
            yield wide_table(rows.SWEEP_HEAD, swept)


def _predicted(result: Suites, charts: Sequence[Chart]) -> Iterable[str]:
    if charts:
        yield _part("Was it foreseeable?")
        yield from map(shell.section, charts)
        yield wide_table(rows.PREDICTED_HEAD, rows.predicted_rows(result))


def _table4(result: Suites) -> str:
    if not any(study.by_level for study in result.studies):
        return ""
    return shell.text_section(
        "Mean or variation",
        f"Pearson’s r of runtime with mean and with sd of the latency. {words.using(result)} "
        f"{words.between(result)}",
        wide_table(rows.TABLE_HEAD, map(rows.table_row, result.studies)),
        "Left: over all runs, with the one-sided test of Fisher’s z that Underwood et al. print; "
        "runs of one level repeat it, so that p shrinks with every run made. Middle: over the "
        "levels’ mean runtimes, with Williams’s two-sided test for correlations that share the "
        "runtimes, before correction; the verdicts have Holm’s over programs. Right: the same with "
        "the mean and sd that the messages had. Intervals and Steiger’s z are in the JSON.",
    )


def _costs(result: Suites) -> str:
    at = rows.at_rows(result)
    if not at:
        return ""
    planes = [study for study in result.studies if study.plane]
    content = wide_table(rows.AT_HEAD, at)
    if planes:
        content += wide_table(rows.COST_HEAD, map(rows.cost_row, planes))
    return shell.text_section(
        "What mean and variation cost",
        "At one mean: constant latency against none, and the widest distribution against the "
        "narrowest.",
        content,
        "How often slower: the chance that a run under the widest takes longer than one under the "
        "narrowest (Mann–Whitney; 50% is no effect), p after Benjamini and Hochberg’s correction "
        "over all levels and the narrowest of their mean; the JSON has them all, and all means."
        + (
            " Below: mean runtime ≈ c + a · mean + b · sd, by least squares over the levels; "
            "intervals hold noise and lack of fit."
            if planes
            else ""
        ),
    )


def _cells(result: Suites) -> str:
    cells = [rows.cell_row(study, cell) for study in result.studies for cell in study.cells]
    inside = f"<summary>{counted(len(cells), 'row')}</summary>{wide_table(rows.CELL_HEAD, cells)}"
    return shell.text_section(
        "Every level",
        words.normal_sentence(result),
        f"<details>{inside}</details>",
        "Mean and sd of the latency are those that messages had, where that is known. “few”: under "
        "3 runs.",
    )


def _published(result: Suites) -> str:
    if not any(study.by_level for study in result.studies):
        return ""
    return shell.text_section(
        "As published",
        "Table 4 of Underwood et al.: NPB classes B and C, 64 processes on 8 nodes, latency "
        "injected into InfiniBand’s post_send.",
        wide_table(
            ("program", "r_mean", "r_std", "p"),
            ((r.program, f"{r.r_mean:.2f}", f"{r.r_std:.2f}", f"{r.p:.2e}") for r in TABLE),
        ),
    )
