"""`latitude background correlate`: does latency follow b?"""

import argparse

from latitude.cli.background.history import history_of
from latitude.cli.background.samples import add_history
from latitude.cli.outputs import Outputs, add_results
from latitude.cluster.correlate import correlate


class CorrelateBackground:
    """The 12 panels of [B] Fig. 4, the shapes of Fig. 5, and a test of the forecast."""

    name = "correlate"
    summary = "correlation of b with latency by collective and size, and shapes by b"
    description = """\
Correlates b with the mean latency of past runs, for each collective and size ([B] Fig. 4), compares
the distributions at low and high b (Fig. 5), names those with two modes, and tests how well the
tail could have been foreseen. With -o it writes a page. Runs of one placement at a time."""
    example = "latitude background correlate history.csv -o correlation"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_history(parser)
        parser.add_argument(
            "--placement",
            metavar="TEXT",
            help="runs to look at, e.g. 'different islands' (default: the most frequent)",
        )
        add_results(parser, "report.html and correlation.json")

    def run(self, arguments: argparse.Namespace) -> None:
        outputs = Outputs.of(arguments, "report.html", "correlation.json")
        from latitude.render.documents.background import (  # noqa: PLC0415 - as above
            correlation_document,
        )

        result = correlate(history_of(arguments), placement=arguments.placement)
        outputs.give(correlation_document(result))
