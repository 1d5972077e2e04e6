"""`latitude convert`: traces and GOAL files to GOAL text or binary."""

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from latitude import _core
from latitude._core import InputError
from latitude.cli import options, progress
from latitude.files import refuse_existing, replace_with
from latitude.io import load
from latitude.network import Network
from latitude.units import parse_size

_Writer = Callable[[_core.Graph, str, int], None]


class Convert:
    """Writes an execution graph in a format other tools read."""

    name = "convert"
    summary = "turn a trace or GOAL file into GOAL text or binary, as LogGOPSim reads it"
    description = """\
Reads a trace or a GOAL file and writes its execution graph. The suffix of OUT picks the format:
.goal is GOAL text, .bin (also .goal.bin) GOAL binary."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument("input", metavar="IN", type=Path, help="trace or GOAL file")
        parser.add_argument("output", metavar="OUT", type=Path, help="file to write")
        parser.add_argument(
            "--S",
            metavar="SIZE",
            default=Network().S,
            type=options.checked(lambda text: parse_size(text, "S")),
            help="eager limit of the run to model: where larger messages block their sender, GOAL "
            "needs it to be written down (default: 256KiB)",
        )
        options.add_graph(parser)
        parser.add_argument("--force", action="store_true", help="overwrite OUT if it exists")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        output: Path = arguments.output
        write = _writer(output)
        refuse_existing([output], force=arguments.force)
        with progress.shown() as display:
            program = load(
                arguments.input,
                collectives=arguments.collective,
                reduce_ns_per_byte=arguments.reduce_cost,
                skip_unsupported=arguments.skip_unsupported,
                mpi=arguments.mpi,
                threads=arguments.threads,
                progress=display,
            )
            display.stage("Writing GOAL")
            replace_with(
                output,
                lambda path: write(program.graph, str(path), arguments.S),
                force=arguments.force,
            )
        console = Console(stderr=True, highlight=False)
        graph = program.graph
        console.print(
            f"{output}: {graph.ranks:,} ranks, {graph.vertices:,} operations, "
            f"{graph.messages:,} messages; collectives: {program.collectives}",
            markup=False,
            soft_wrap=True,
        )
        for notice in program.warnings:
            console.print(f"warning: {notice.message}; {notice.hint}", markup=False, soft_wrap=True)


def _writer(output: Path) -> _Writer:
    if output.suffix == ".goal":
        return _core.write_goal_text
    if output.suffix == ".bin":
        return _core.write_goal_binary
    raise InputError(
        f"{output}: unknown format '{output.suffix}'; name it .goal for GOAL text or .bin for "
        "GOAL binary"
    )
