"""`latitude analyze --compare`: alternatives side by side."""

import argparse
from pathlib import Path

from rich.text import Text

from latitude._core import InputError
from latitude.analysis.alternatives import Varied
from latitude.analysis.compare import Comparison, compare
from latitude.cli import options, progress
from latitude.cli.outputs import Outputs
from latitude.files.provenance import input_name
from latitude.render.terminal import plain_table, print_end, results_console
from latitude.render.words import compared_headline, compared_sentence, comparison_table
from latitude.results.comparison_data import curves_csv, table_csv
from latitude.trace.load import read

FILES = ("report.html", "compare.json", "compare.csv", "curves.csv")
"""What -o writes."""
_WIDTH = 120


def add_compare(parser: argparse.ArgumentParser) -> None:
    """What to hold side by side."""
    group = parser.add_argument_group(
        "comparison",
        "Instead of one analysis, a table and a picture of alternatives (docs/compare.md).",
    )
    group.add_argument(
        "--compare",
        metavar="THING=A,B,…",
        action="append",
        default=[],
        type=options.checked(Varied.parse),
        help="a collective (allreduce=recursive-doubling,ring,rabenseifner), "
        "collectives=openmpi,mpich, topology=SPEC;SPEC, placement=block,round-robin, "
        "S=64KiB,256KiB, rendezvous, L, o, G, …; repeated: every combination",
    )


def run_compare(arguments: argparse.Namespace) -> None:
    """Does its work."""
    if arguments.limit:
        raise InputError("limit: a comparison asks for shares of each runtime; use --tolerance")
    outputs = Outputs.of(arguments, *FILES)
    result = _comparison_of(arguments.input, arguments)

    def page() -> str:
        from latitude.render.analysis.compare import render  # noqa: PLC0415 - plotly is slow to import

        return render(result)

    outputs.write(
        page,
        result.to_json,
        lambda: table_csv(result),
        lambda: curves_csv(result),
        json=result.to_json,
        csv=lambda: table_csv(result),
    )
    if not outputs.uses_stdout():
        _print(result, outputs.page())


def _comparison_of(path: Path, arguments: argparse.Namespace) -> Comparison:
    with progress.shown() as display:
        recording = read(
            path, threads=arguments.threads, progress=display, **options.reading(arguments)
        )
        return compare(
            recording,
            arguments.compare,
            options.description_of(arguments),
            collectives=arguments.collective,
            reduce_ns_per_byte=arguments.reduce_cost,
            skip_unsupported=arguments.skip_unsupported,
            latency=arguments.latency,
            sweep=arguments.sweep,
            tolerance=arguments.tolerance,
            threads=arguments.threads,
            progress=display,
        )


def _print(result: Comparison, page: Path | None) -> None:
    console = results_console(_WIDTH)
    console.print(Text(input_name(result.provenance.input), style="bold"))
    console.print()
    console.print(Text(compared_headline(result), style="bold"))
    console.print(compared_sentence(result), markup=False)
    console.print()
    head, rows = comparison_table(result)
    table = plain_table("", *head)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
    print_end(console, result.warnings, page)
