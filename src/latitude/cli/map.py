"""`latitude map`: T over several parameters at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from latitude.analysis.compare import built, comparable
from latitude.analysis.map.find import ERROR, MOST, Axis, OnNetwork, map_of
from latitude.cli import options, progress
from latitude.cli.analyze_options import ComparisonOptions
from latitude.cli.compare import described, refuse_recorded_costs
from latitude.cli.options import ProgramOptions
from latitude.cli.outputs import Outputs, ResultOptions, csv_option, directory_option
from latitude.files.progress import Progress
from latitude.files.provenance import input_name
from latitude.render.documents.map import FILES, map_document
from latitude.units.options import argument, option, whole
from latitude.units.quantities import parse_fraction

_MOST_SWEEPS = 100_000


@dataclass(kw_only=True)
class MapOptions(ComparisonOptions, ProgramOptions, ResultOptions):
    """Programs, and the box of parameters."""

    one_run = False
    inputs: list[Path] = argument(
        "traces or GOAL files, side by side if there are several", "INPUT", Path, count="+"
    )
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
        "largest excess of T over the planes, as a share (default: 0.1%)",
        "SHARE",
        lambda text: parse_fraction(text, "error", "0.1%"),
        default=ERROR,
        topic="map",
    )
    sweeps: int = option(
        "largest number of sweeps per alternative; each sweep is one pass over the graph "
        f"(default: {MOST})",
        "N",
        whole("a number of sweeps", 1, _MOST_SWEEPS),
        default=MOST,
        topic="map",
    )
    directory: Path | None = directory_option(", ".join(FILES[:-1]) + f" and {FILES[-1]}")
    csv: Path | None = csv_option("T over a grid of the box")


class MapCommand:
    """Finds T over latency, bandwidth, overhead and computation together."""

    description = """\
Computes a program's runtime T over a box of parameters, within a stated error. Gives the cost of
each parameter at the network, and exchange rates between parameters: less latency, or more
bandwidth? Compares programs, networks and algorithms."""
    example = "latitude map trace.tar.xz --vary L=1us:100us --vary G=0.01ns:0.1ns -o map"
    options = MapOptions

    def run(self, arguments: MapOptions) -> None:
        outputs = Outputs.of(arguments, *FILES)
        with progress.shown() as display:
            result = map_of(
                _alternatives(arguments, display),
                arguments.vary,
                arguments.error,
                arguments.sweeps,
                display,
            )
        outputs.give(map_document(result))


def _alternatives(arguments: MapOptions, display: Progress) -> Iterator[OnNetwork]:
    """Every input with every compared combination, one graph at a time."""
    if arguments.compare:
        refuse_recorded_costs(arguments)
    for path in arguments.inputs:
        name = input_name(str(path)) if len(arguments.inputs) > 1 else ""
        if not arguments.compare:
            network = options.network_of(arguments, path, display)
            yield OnNetwork(name, options.loaded(path, arguments, network, display), network)
            continue
        recording = options.recorded(path, arguments, display)
        stated = described(path, arguments, arguments.compare, display)
        runs = comparable(recording, arguments.compare, arguments.collective, stated)
        how = options.expressed(arguments)
        del how["collectives"]  # each alternative has its own collectives
        for i, program in built(recording, runs, display, **how):
            label = " · ".join(filter(None, (name, runs[i].label)))
            yield OnNetwork(label, program, runs[i].network.network())
