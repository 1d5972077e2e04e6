"""A campaign's suites on the terminal."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from latitude.experiments.suites.result import Suites
from latitude.render.campaign import rows, words
from latitude.render.terminal import plain_table, print_end, results_console

_WIDTH = 118
_AS_ASKED = 9
"""Columns of the table before those with achieved latency."""
_CORRELATIONS = 8
"""Columns of the predictions before those of costs."""


def print_suites(result: Suites, page: Path | None) -> None:
    """Prints what was found, to standard output; plain text when that is no terminal."""
    console = results_console(_WIDTH)
    console.print(Text(words.headline(result), style="bold"))
    if len(result.studies) > 1 and (text := words.costs_sentence(result)):
        console.print(text, markup=False)
    console.print()
    for name, _, text in words.answers(result):
        console.print(Text.assemble((f"{name}: ", "bold"), text))
    console.print()
    _table(console, "What was run", rows.RUN_HEAD, map(rows.run_row, result.studies))
    swept = [study for study in result.studies if study.swept]
    if swept:
        _table(console, "Runtime against ΔL", rows.SWEEP_HEAD, map(rows.sweep_row, swept))
    if any(study.by_level for study in result.studies):
        _table(
            console,
            "Mean or variation: over runs as published, and over levels",
            rows.TABLE_HEAD[:_AS_ASKED],
            (rows.table_row(study)[:_AS_ASKED] for study in result.studies),
        )
    if costs := rows.short_at_rows(result):
        _table(console, "What mean and variation cost", rows.SHORT_AT_HEAD, costs)
    if result.predicted:
        _table(
            console,
            "Measured, and predicted from a trace",
            rows.PREDICTED_HEAD[:_CORRELATIONS],
            (row[:_CORRELATIONS] for row in rows.predicted_rows(result)),
        )
    if result.failures:
        _table(console, "Failed", rows.FAILURE_HEAD, map(rows.failure_row, result.failures[:8]))
    console.print(words.using(result), markup=False, style="dim")
    console.print(words.order_sentence(result), markup=False, style="dim")
    if text := words.injector(result):
        console.print(text, markup=False, style="dim")
    print_end(console, result.warnings, page)


def _table(
    console: Console, title: str, head: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    made = plain_table(title, *head)
    for row in rows:
        made.add_row(*map(Text, row))
    console.print(made)
    console.print()
