"""The experiment on the terminal."""

from pathlib import Path

from rich.text import Text

from latitude.experiments.variation.result import Variation
from latitude.render.terminal import filled_table, print_end, results_console
from latitude.render.variation import words

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
        filled_table(
            "Mean or variation: over runs as published, and over distributions",
            ("program", "r_mean", "r_std", "p (Fisher)", "r_mean", "r_std", "p (Williams)"),
            (words.table_row(study)[:7] for study in result.studies),
        )
    )
    console.print()
    console.print(
        filled_table(
            "T ≈ c + a·mean + b·sd, and how slow it becomes at the highest load",
            _COST_HEAD,
            (words.cost_row(study, result.design.loads[-1]) for study in result.studies),
        )
    )
    console.print()
    console.print(words.random_sentence(result), markup=False, style="dim")
    console.print(words.between_sentence(result.studies), markup=False, style="dim")
    print_end(console, result.warnings, page)
