"""`latitude scaling`: one program at several sizes."""

from dataclasses import dataclass
from pathlib import Path

from latitude.analysis.sizes import Sizes
from latitude.cli import options, progress
from latitude.cli.options import ProgramOptions
from latitude.cli.outputs import Outputs, ResultOptions, csv_option, directory_option
from latitude.render.documents.scaling import scaling_document
from latitude.units.options import argument, flag

FILES = ("report.html", "scaling.json", "scaling.csv")
"""Files that -o writes."""


@dataclass(kw_only=True)
class ScalingOptions(ProgramOptions, ResultOptions):
    """Runs of one program."""

    one_run = False
    inputs: list[Path] = argument(
        "traces or GOAL files, two or more, of different sizes", "INPUT", Path, count="+"
    )
    weak: bool = flag("each processor has as much to do at each size (default: all have, together)")
    directory: Path | None = directory_option("report.html, scaling.json and scaling.csv")
    csv: Path | None = csv_option("the table of efficiencies")


class ScalingCommand:
    """POP's table: efficiencies by size, computation scaling, projections."""

    description = """\
Compares runs of one program at different sizes: parallel efficiency and its losses, growth of
computation, and projections by Amdahl's law. Efficiencies are those of analyze, traced and
predicted for the network."""
    example = "latitude scaling run-2 run-4 run-8"
    options = ScalingOptions

    def run(self, arguments: ScalingOptions) -> None:
        outputs = Outputs.of(arguments, *FILES)
        sizes = Sizes(weak=arguments.weak)
        with progress.shown() as display:
            for path in arguments.inputs:
                network = options.network_of(arguments, path, display)
                sizes.add(options.loaded(path, arguments, network, display), network)
        outputs.give(scaling_document(sizes.scaling()))
