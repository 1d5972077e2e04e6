"""`latitude stats fisher`: two correlations that somebody published, against each other."""

import argparse

from latitude.cli.outputs import Outputs, add_results
from latitude.cli.plain_options import checked, whole
from latitude.units.quantities import parse_number


class Fisher:
    """Which of the mean and the spread of latency goes with runtime, without the runs."""

    name = "fisher"
    summary = "the same from published correlations"
    description = "The same from published correlations."
    example = "latitude stats fisher --r-mean 0.8 --r-std 0.5 --n 30"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        correlation = checked(lambda text: parse_number(text, "a correlation", -1, 1))
        for name, what in (
            ("--r-mean", "correlation of runtime with the mean"),
            ("--r-std", "correlation of runtime with the standard deviation"),
        ):
            parser.add_argument(name, metavar="R", type=correlation, required=True, help=what)
        parser.add_argument(
            "--n",
            metavar="N",
            type=whole("a number of runs"),
            required=True,
            help="runs",
        )
        parser.add_argument(
            "--r-between",
            metavar="R",
            type=correlation,
            help="correlation between the two columns; without it, all that can be are tried",
        )
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.render.documents.correlations import published_document  # noqa: PLC0415
        from latitude.samples.correlated_runs import compare_published  # noqa: PLC0415 - pandas

        outputs = Outputs.of(arguments)
        result = compare_published(
            arguments.r_mean, arguments.r_std, arguments.n, arguments.r_between
        )
        outputs.give(published_document(result))
