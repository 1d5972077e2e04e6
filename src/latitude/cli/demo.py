"""`latitude demo`: a real trace, analysed, in one command."""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.analyze import analysis_of
from latitude.cli.analyze_options import AnalysedOptions
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.render.documents.analysis import analysis_document, file_names
from latitude.trace.examples import DEMO, DEMO_NETWORK, example

DIRECTORY = Path("latitude-demo")


@dataclass(kw_only=True)
class DemoOptions(AnalysedOptions, ResultOptions):
    """Questions about the trace that ships with the package."""

    directory: Path = directory_option("the page and the data", DIRECTORY)


class DemoCommand:
    """Analyses the trace that ships with the package."""

    description = """\
Analyses a trace of LULESH 2.0 (8 ranks, 120 iterations) that ships with Latitude, on the network
that was measured between the same cores. Writes latitude-demo/report.html, and prints the summary.
The options of `analyze` work here too, so you can see their effect."""
    example = "latitude demo --collective allreduce=ring -o ring"
    options = DemoOptions

    def run(self, arguments: DemoOptions) -> None:
        outputs = Outputs.of(arguments, *file_names())
        if arguments.network is None:
            arguments.network = example(DEMO_NETWORK)
        outputs.give(analysis_document(analysis_of(example(DEMO), arguments)))
