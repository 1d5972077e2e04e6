"""The experiment on the terminal."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from latitude.terminal import print_end, results_console
from latitude.variation import words
from latitude.variation.result import Variation

_WIDTH = 110
_COST_HEAD = ("program", "T0", "a, 1 µs", "b, 1 µs", "b/a, 1 µs", "R²", "const.", "fitted", "worst")
"""The page has room for words."""


def print_variation(result: Variation, page: Path | None) -> None:
    """Prints what was found, to standard output; plain text when that is no terminal."""
    console = results_console(_WIDTH)
    console.print(Text(words.headline(result), style="bold"))
    console.print(words.worst_sentence(result), markup=False)
    console.print()
    console.print(
        _table(
            "Mean or variation: over runs as published, and over distributions",
            ("program", "r_mean", "r_std", "p (Fisher)", "r_mean", "r_std", "p (Williams)"),
            (words.table_row(study)[:7] for study in result.studies),
        )
    )
    console.print()
    console.print(
        _table(
            "T ≈ c + a·mean + b·sd, and how slow it becomes at the highest load",
            _COST_HEAD,
            (words.cost_row(study, result.design.loads[-1]) for study in result.studies),
        )
    )
    console.print()
    console.print(words.random_sentence(result), markup=False, style="dim")
    console.print(words.between_sentence(result.studies), markup=False, style="dim")
    print_end(console, result.warnings, page)


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for index, column in enumerate(head):
        table.add_column(Text(column), justify="right" if index else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
