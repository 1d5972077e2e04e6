"""`latitude analyze --compare`: alternatives side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.analysis.variants import Varied
from latitude.cli import options, progress
from latitude.cli.analyze_options import AnalyzeOptions
from latitude.cli.options import ProgramOptions
from latitude.cli.outputs import Outputs
from latitude.files.progress import Progress
from latitude.model.cluster_file import Description

if TYPE_CHECKING:
    from latitude.results.comparison import Comparison

FILES = ("report.html", "compare.json", "compare.csv", "curves.csv")
"""Files that -o writes."""


def run_compare(arguments: AnalyzeOptions) -> None:
    """Compares the alternatives, shows the table, and writes the files."""
    if arguments.limit:
        raise InputError(
            "limit: a comparison has only limits that are shares of each runtime; use --tolerance"
        )
    if arguments.cost:
        raise InputError("cost: belongs to one analysis, not to a comparison; leave out one")
    if arguments.what_if:
        raise InputError("what-if: belongs to one analysis, not to a comparison; leave out one")
    if arguments.sections is not None or arguments.without:
        option = "without" if arguments.without else "sections"
        raise InputError(f"{option}: a comparison has no such sections; leave out one")
    refuse_recorded_costs(arguments)
    if arguments.critical is not None:
        raise InputError("critical: a comparison lists no critical latencies; leave out one")
    from latitude.render.documents.comparison import (  # noqa: PLC0415 - other analyses need none
        comparison_document,
    )

    outputs = Outputs.of(arguments, *FILES)
    outputs.give(comparison_document(_comparison_of(arguments.input, arguments)))


def _comparison_of(path: Path, arguments: AnalyzeOptions) -> "Comparison":
    from latitude.analysis.compare import compare  # noqa: PLC0415 - as above

    with progress.shown() as display:
        return compare(
            options.recorded(path, arguments, display),
            arguments.compare,
            described(path, arguments, arguments.compare, display),
            **options.expressed(arguments),
            latency=arguments.latency,
            sweep=arguments.sweep,
            tolerance=arguments.tolerance,
            progress=display,
        )


def refuse_recorded_costs(arguments: ProgramOptions) -> None:
    """Raises InputError with --costs recorded: these hold for one network and its algorithms."""
    if arguments.costs == "recorded":
        raise InputError(
            "costs: recorded costs hold for one network and its algorithms; leave out --costs "
            "recorded to compare others"
        )


def described(
    path: Path, arguments: ProgramOptions, varied: Sequence[Varied], display: Progress
) -> Description:
    """The options' network without the parts in which alternatives on `path` differ."""
    if any(each.of_networks for each in varied):
        given = {
            "--network": arguments.network is not None,
            "--o trace": options.of_trace(arguments),
        }
        for name, is_given in given.items():
            if is_given:
                raise InputError(f"{name} and --compare network: leave one out")
        return options.stated_network(arguments)
    description = options.description_of(arguments)
    if options.of_trace(arguments):
        network = options.network_of(arguments, path, display)
        description = description.with_parameters_of(network)
    return description
