"""`latitude demo`: a real trace, analysed, in one command."""

import argparse
from pathlib import Path

from latitude.cli import options
from latitude.cli.analyze import FILES, add_questions, analysis_of
from latitude.cli.outputs import Outputs, add_results
from latitude.render.documents.analysis import analysis_document
from latitude.trace.examples import DEMO, example

DIRECTORY = Path("latitude-demo")


class DemoCommand:
    """Analyses the trace that ships with the package."""

    description = """\
Analyses a trace of LULESH 2.0 (8 ranks, 20 iterations) that ships with Latitude, writes
latitude-demo/report.html, and prints the summary. The options of `analyze` work here too, so that
you can see what they change."""
    example = "latitude demo --collective allreduce=ring -o ring"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_questions(parser)
        options.add_network(parser)
        options.add_graph(parser)
        add_results(parser, "the page and the data", default=DIRECTORY)

    def run(self, arguments: argparse.Namespace) -> None:
        outputs = Outputs.of(arguments, *FILES)
        outputs.give(analysis_document(analysis_of(example(DEMO), arguments)))
