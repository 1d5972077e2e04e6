"""A validation on the terminal."""

import shlex
from pathlib import Path

from rich.text import Text

from latitude.experiments.validation.result import Validation
from latitude.render.terminal import plain_table, print_end, results_console
from latitude.render.validation import words
from latitude.units.quantities import format_time


def print_validation(result: Validation, page: Path | None) -> None:
    """Answer, levels, tolerances, what failed."""
    console = results_console()
    console.print(Text(words.headline(result), style="bold"))
    console.print(f"{shlex.join(result.command)}: {words.runs(result)}", markup=False)
    console.print(words.parameters(result), markup=False, soft_wrap=True)
    if result.base_ns:
        console.print(f"L is {words.base(result)}", markup=False, soft_wrap=True)
    console.print()
    table = plain_table("", "ΔL", "predicted", "measured", "error", "spread", "runs", "λ_L")
    for level in result.levels:
        table.add_row(
            words.delta(level),
            format_time(level.predicted_ns, 5),
            format_time(level.median_ns, 5) if level.measured_ns else "–",
            words.signed(level.error) if level.measured_ns else "–",
            words.percent(level.spread),
            str(len(level.measured_ns)),
            f"{level.lambda_L:,.0f}",
        )
    console.print(table)
    console.print()
    tolerances = plain_table("", "tolerated ΔL", "predicted", "measured")
    for each in result.tolerated:
        tolerances.add_row(words.slower(each), *words.tolerated(each))
    console.print(tolerances)
    if result.measured:
        console.print()
        console.print(words.worst(result), markup=False, soft_wrap=True)
    for line in words.failed(result):
        console.print(Text.assemble(("failed: ", "red"), line), soft_wrap=True)
    print_end(console, result.warnings, page)
