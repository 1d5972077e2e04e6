"""`latitude place`: a node for each rank."""

from dataclasses import dataclass, replace
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.place.find import place
from latitude.analysis.place.launchers import LAUNCHER_FILES, launches
from latitude.analysis.place.search import Effort
from latitude.cli import options, progress
from latitude.cli.options import ProgramOptions
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.cli.plain_options import seed_option
from latitude.render.documents.place import JSON_FILE, place_document
from latitude.units.options import argument, option, whole
from latitude.units.quantities import parse_time


@dataclass(kw_only=True)
class PlaceOptions(ProgramOptions, ResultOptions):
    """A program, and the machine for its ranks."""

    one_run = False
    input: Path = argument("trace or GOAL file", "INPUT", Path)
    cores: int | None = option(
        "most ranks on a node (default: the smallest number that fits the program)",
        "N",
        whole("a number of cores", 1),
        topic="placement",
    )
    hosts: str | None = option(
        "names of the nodes, e.g. node[001-004] or a,b,c (default: node001, node002, …)",
        "NAMES",
        topic="placement",
    )
    time: float = option(
        "longest search (default: 30s); Ctrl-C ends it too and keeps the best so far",
        "TIME",
        lambda text: parse_time(text, "time", "30s"),
        default=Effort().seconds * 1e9,
        topic="placement",
    )
    seed: int = seed_option("the search", default=0, topic="placement")
    directory: Path | None = directory_option(f"{JSON_FILE}, {', '.join(LAUNCHER_FILES)}")


class PlaceCommand:
    """Finds a rank placement from pairwise sensitivities, judged by the engine."""

    description = """\
Reads a trace or a GOAL file and searches the placement of its ranks on nodes with the least
runtime. The sensitivities of the critical path to each pair of ranks propose swaps, and the engine
decides. Compares with block, round-robin and the present placement (--placement). With -o it writes
the placement for Open MPI, MPICH and Slurm."""
    example = "latitude place trace.tar.xz --topology fat-tree:k=4,tiers=2 --nodes 4 -o place"
    options = PlaceOptions

    def run(self, arguments: PlaceOptions) -> None:
        if arguments.nodes is None:
            raise InputError("--nodes is missing; give the number of nodes for the program")
        outputs = Outputs.of(arguments, JSON_FILE, *LAUNCHER_FILES)
        network = options.network_of(arguments, arguments.input)
        with progress.shown() as display:
            program = options.loaded(arguments.input, arguments, network, display)
            result = place(
                program,
                network if arguments.placement else replace(network, placement=None),
                arguments.nodes,
                arguments.cores or arguments.ranks_per_node,
                effort=Effort(arguments.time / 1e9),
                seed=arguments.seed,
                hosts=arguments.hosts,
                progress=display,
            )
        files = launches(result.best.node_of_rank, result.machine.hosts)
        outputs.give(place_document(result, files, arguments.directory))
