"""`latitude scaling`: one program at several sizes."""

import argparse
from pathlib import Path

from latitude.analysis.sizes import Sizes
from latitude.cli import options, progress
from latitude.cli.outputs import Outputs, add_results
from latitude.render.documents.scaling import scaling_document

FILES = ("report.html", "scaling.json", "scaling.csv")
"""What -o writes."""


class ScalingCommand:
    """POP's table: efficiencies by size, computation scaling, projections."""

    description = """\
Holds runs of one program at different sizes side by side: parallel efficiency and what it is lost
to, how computation grows, and what Amdahl's law makes of them at larger sizes. Efficiencies are
those of analyze, traced and predicted for the network."""
    example = "latitude scaling run-2 run-4 run-8"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "inputs",
            metavar="INPUT",
            nargs="+",
            type=Path,
            help="traces or GOAL files, two or more, of different sizes",
        )
        parser.add_argument(
            "--weak",
            action="store_true",
            help="each processor has as much to do at each size (default: all have, together)",
        )
        options.add_network(parser)
        options.add_graph(parser)
        add_results(
            parser, "report.html, scaling.json and scaling.csv", csv="the table of efficiencies"
        )

    def run(self, arguments: argparse.Namespace) -> None:
        outputs = Outputs.of(arguments, *FILES)
        sizes = Sizes(weak=arguments.weak)
        with progress.shown() as display:
            for path in arguments.inputs:
                network = options.network_of(arguments, path, display)
                sizes.add(options.loaded(path, arguments, network, display), network)
        outputs.give(scaling_document(sizes.scaling()))
