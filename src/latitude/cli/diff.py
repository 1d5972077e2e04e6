"""`latitude diff`: what changed between two runs of a program."""

import argparse
from pathlib import Path

from latitude.analysis.analyze import analyze
from latitude.analysis.diff import DiffSide, difference_of
from latitude.cli import options, progress
from latitude.cli.outputs import Outputs, add_results
from latitude.render.documents.difference import difference_document
from latitude.results.kept import is_kept, read_kept

FILES = ("report.html", "diff.json", "diff.csv")
"""What -o writes."""


class DiffCommand:
    """Two runs, each analysed or read from what latitude analyze wrote."""

    description = """\
Holds a run B of a program against an earlier one, A: by line of the program (or MPI call), by rank
and call by call. It says what became slower, computation, messages or waits; what moved on to or
off the critical path; and what happened to runtime T, λ_L and the tolerances."""
    example = "latitude diff before.tar.xz after.tar.xz"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        what = "trace or GOAL file, or what latitude analyze wrote: analysis.json, or its directory"
        parser.add_argument("a", metavar="A", type=Path, help=f"the earlier run: {what}")
        parser.add_argument("b", metavar="B", type=Path, help="the later run, likewise")
        options.add_tolerance(parser.add_argument_group("questions"))
        options.add_network(parser)
        options.add_graph(parser)
        add_results(
            parser, "report.html, diff.json and diff.csv", csv="what changed by place as CSV"
        )

    def run(self, arguments: argparse.Namespace) -> None:
        outputs = Outputs.of(arguments, *FILES)
        a, b = (_side(path, arguments) for path in (arguments.a, arguments.b))
        outputs.give(difference_document(difference_of(a, b)))


def _side(path: Path, arguments: argparse.Namespace) -> DiffSide:
    """Reads a result, or loads and analyses a run as the options say."""
    if is_kept(path):
        return DiffSide(read_kept(path))
    network = options.network_of(arguments, path)
    with progress.shown() as display:
        program = options.loaded(path, arguments, network, display)
        found = analyze(
            program,
            network,
            tolerance=arguments.tolerance,
            each_call=True,
            threads=arguments.threads,
            progress=display,
        )
    return DiffSide.of(found)
