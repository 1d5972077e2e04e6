"""The summaries on the terminal."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from latitude.notices.notice import Notice
from latitude.render.statistics.rows import (
    GROUP_HEAD,
    NORMALITY_HEAD,
    PAIR_HEAD,
    PERCENTILE_HEAD,
    RELATION_HEAD,
    difference_rows,
    group_row,
    pair_row,
    percentile_rows,
    relation_rows,
)
from latitude.render.statistics.sentences import (
    gathered,
    index_sentence,
    long_tail_sentence,
    modes_sentence,
    modes_summary,
    normality_row,
    pair_sentence,
    peak,
    published_sentences,
    relation_sentence,
    relations_sentence,
    tail_sentence,
)
from latitude.render.terminal import filled_table, print_page, print_warnings, results_console
from latitude.statistics.assumptions import (
    COMPARE_ASSUMPTIONS,
    CORRELATE_ASSUMPTIONS,
    FISHER_ASSUMPTIONS,
    TAIL_ASSUMPTIONS,
    Assumption,
)
from latitude.statistics.comparison import Comparison
from latitude.statistics.published import Published
from latitude.statistics.relation import Relations
from latitude.statistics.tailreport import TailReport

_WIDTH = 110
_PAIRS = 20


def print_tail(report: TailReport, page: Path | None) -> None:
    """Of `latitude stats tail`."""
    console = results_console(_WIDTH)
    if len(report.groups) == 1:
        group = report.groups[0]
        console.print(Text(group.name, style="bold"))
        for line in (
            tail_sentence(group),
            index_sentence(group),
            long_tail_sentence(group),
            modes_sentence(group),
            f"Peak: {peak(group)}.",
        ):
            console.print(line, markup=False)
        console.print()
        console.print(filled_table("", PERCENTILE_HEAD, percentile_rows(group.summary)))
    else:
        console.print(modes_summary(report.groups), markup=False)
        console.print()
        console.print(filled_table("Groups", GROUP_HEAD, map(group_row, report.groups)))
        if not report.groups[0].summary.long_tail.own:
            console.print()
            for group in report.groups:
                console.print(f"{group.name}: {long_tail_sentence(group)}", markup=False)
    _end(
        console,
        TAIL_ASSUMPTIONS,
        [(g.name if len(report.groups) > 1 else "", n) for g in report.groups for n in g.warnings],
        page,
    )


def print_comparison(result: Comparison, page: Path | None) -> None:
    """Of `latitude stats compare`."""
    console = results_console(_WIDTH)
    for pair in result.pairs[:_PAIRS]:
        console.print(Text(pair_sentence(pair), style="bold"))
    console.print()
    console.print(filled_table("Groups", GROUP_HEAD, [group_row(m.tail) for m in result.groups]))
    console.print()
    for pair in result.pairs[:_PAIRS]:
        cells = zip(PAIR_HEAD, pair_row(pair), strict=True)
        console.print(
            filled_table("", ("Mann–Whitney, Kolmogorov–Smirnov", ""), list(cells)), markup=False
        )
        console.print()
    if len(result.pairs) > _PAIRS:
        console.print(f"The first {_PAIRS} of {len(result.pairs):,} pairs; --csv has all.")
    rows = [normality_row(member) for member in result.groups]
    console.print(filled_table("Normal or not", NORMALITY_HEAD, rows))
    notices = [("", notice) for notice in result.warnings]
    notices += [(m.tail.name, n) for m in result.groups for n in m.tail.warnings]
    _end(console, COMPARE_ASSUMPTIONS, notices, page)


def print_relations(result: Relations, page: Path | None) -> None:
    """Of `latitude stats correlate`."""
    console = results_console(_WIDTH)
    if len(result.groups) > 1:
        console.print(Text(relations_sentence(result.groups), style="bold"))
    for group in result.groups:
        console.print(relation_sentence(group), markup=False)
    console.print()
    rows = [row for group in result.groups for row in relation_rows(group)]
    console.print(filled_table("Correlations and lines", RELATION_HEAD, rows))
    differences = [row for group in result.groups for row in difference_rows(group)]
    if differences:
        head = (
            *("group", "r₁", "r₂", "between", "Fisher z", "1-sided p"),
            *("Williams t", "p", "p (Holm)", "Steiger z", "p"),
        )
        console.print()
        console.print(filled_table("Which goes closer with it", head, differences))
    _end(
        console,
        CORRELATE_ASSUMPTIONS,
        [(g.name, notice) for g in result.groups for notice in g.warnings],
        page,
    )


def print_published(result: Published) -> None:
    """Of `latitude stats fisher`."""
    console = results_console(_WIDTH)
    for line in published_sentences(result):
        console.print(line, markup=False)
    _assumptions(console, FISHER_ASSUMPTIONS)


def _end(
    console: Console,
    assumptions: Sequence[Assumption],
    notices: Iterable[tuple[str, Notice]],
    page: Path | None,
) -> None:
    print_warnings(console, gathered(notices))
    _assumptions(console, assumptions)
    print_page(console, page)


def _assumptions(console: Console, chosen: Sequence[Assumption]) -> None:
    console.print()
    console.print(Text("Do not trust", style="dim"))
    for each in chosen:
        console.print(Text(f"  {each.method}: when {each.distrust}", style="dim"))
