"""`latitude diff`: changes between two runs of a program."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude.analysis.analyze import analyze
from latitude.analysis.diff import difference_of
from latitude.analysis.over_runs import over_runs
from latitude.analysis.question_options import tolerance_option
from latitude.cli import options, progress
from latitude.cli.options import ProgramOptions
from latitude.cli.outputs import Outputs, ResultOptions, csv_option, directory_option
from latitude.render.documents.difference import difference_document
from latitude.results.analysis import Analysis
from latitude.results.reading import is_result, read_analysis
from latitude.units.options import argument, option

FILES = ("report.html", "diff.json", "diff.csv")
"""Files that -o writes."""
_WHAT = "trace or GOAL file, or a result of latitude analyze: analysis.json, or its directory"


@dataclass(kw_only=True)
class DiffOptions(ProgramOptions, ResultOptions):
    """Two runs."""

    one_run = False
    a: Path = argument(f"the earlier run: {_WHAT}", "A", Path)
    b: Path = argument("the later run, in the same form", "B", Path)
    also_a: list[Path] = option(
        "a further run of A, in the same form; may be repeated", "FILE", Path, repeated=True
    )
    also_b: list[Path] = option("a further run of B; may be repeated", "FILE", Path, repeated=True)
    tolerance: tuple[float, ...] = tolerance_option(topic="questions")
    directory: Path | None = directory_option("report.html, diff.json and diff.csv")
    csv: Path | None = csv_option("the changes by place as CSV")


class DiffCommand:
    """Compares two runs, each analysed now or read from a result of latitude analyze."""

    description = """\
Compares a run B of a program with an earlier run A, by line of the program (or MPI call), by rank
and call by call. Shows whether computation, messages or waits became slower; which lines joined or
left the critical path; and how runtime T, λ_L and the tolerances changed. Three runs or more
on each side (--also-a, --also-b, or results of run --traces 3) tell a change from noise."""
    example = "latitude diff before.tar.xz after.tar.xz"
    options = DiffOptions

    def run(self, arguments: DiffOptions) -> None:
        outputs = Outputs.of(arguments, *FILES)
        a = _side([arguments.a, *arguments.also_a], arguments)
        b = _side([arguments.b, *arguments.also_b], arguments)
        outputs.give(difference_document(difference_of(a, b)))


def _side(paths: Sequence[Path], arguments: DiffOptions) -> Analysis:
    """One side of the comparison, over all its runs."""
    return over_runs([_run(path, arguments) for path in paths], list(map(str, paths)))


def _run(path: Path, arguments: DiffOptions) -> Analysis:
    """Reads a result, or loads and analyses a run as the options say."""
    if is_result(path):
        return read_analysis(path)
    network = options.network_of(arguments, path)
    with progress.shown() as display:
        program = options.loaded(path, arguments, network, display)
        return analyze(
            program,
            network,
            tolerance=arguments.tolerance,
            each_call=True,
            threads=arguments.threads,
            progress=display,
        )
