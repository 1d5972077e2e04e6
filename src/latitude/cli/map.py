"""`latitude map`: T over several parameters at once."""

from dataclasses import dataclass
from pathlib import Path

from latitude.analysis.map.find import ERROR, MOST, Axis, program_map
from latitude.cli import options, progress
from latitude.cli.options import ProgramOptions
from latitude.cli.outputs import Outputs, ResultOptions, csv_option, directory_option
from latitude.render.documents.map import FILES, map_document
from latitude.units.options import argument, option, whole
from latitude.units.quantities import parse_fraction

_MOST_SWEEPS = 100_000


@dataclass(kw_only=True)
class MapOptions(ProgramOptions, ResultOptions):
    """A program, and the box of parameters."""

    input: Path = argument("trace or GOAL file", "INPUT", Path)
    vary: list[Axis] = option(
        "a parameter and its interval, e.g. L=1us:100us, G=0.01ns:0.1ns, compute=0.5:2; once for "
        "each, up to four",
        "NAME=LOW:HIGH",
        Axis.parse,
        repeated=True,
        required=True,
        topic="map",
    )
    error: float = option(
        "how far T may be above what the planes say (default: 0.1%)",
        "SHARE",
        lambda text: parse_fraction(text, "error", "0.1%"),
        default=ERROR,
        topic="map",
    )
    sweeps: int = option(
        f"most sweeps, each one pass over the graph (default: {MOST})",
        "N",
        whole("a number of sweeps", 1, _MOST_SWEEPS),
        default=MOST,
        topic="map",
    )
    directory: Path | None = directory_option("report.html, map.json and map.csv")
    csv: Path | None = csv_option("T over a grid of the box")


class MapCommand:
    """T over latency, bandwidth, overhead and computation together."""

    description = """\
Finds planes that give a program's runtime T over a box of parameters, within an error that is
stated. Says what each parameter costs at the network, and how much of one is worth how much of
another: less latency, or more bandwidth?"""
    example = "latitude map trace.tar.xz --vary L=1us:100us --vary G=0.01ns:0.1ns -o map"
    options = MapOptions

    def run(self, arguments: MapOptions) -> None:
        outputs = Outputs.of(arguments, *FILES)
        with progress.shown() as display:
            network = options.network_of(arguments, arguments.input, display)
            program = options.loaded(arguments.input, arguments, network, display)
            result = program_map(
                program,
                network,
                vary=arguments.vary,
                error=arguments.error,
                sweeps=arguments.sweeps,
                progress=display,
            )
        outputs.give(map_document(result))
