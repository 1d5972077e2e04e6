"""`latitude place`: which node each rank should run on."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from latitude._core import InputError
from latitude.analysis.place.launchers import LAUNCHER_FILES, Launch, launches
from latitude.analysis.place.place import FOUND, place
from latitude.analysis.place.results import PlaceResult
from latitude.analysis.place.search import Effort
from latitude.analysis.place.write import JSON_FILE, to_json
from latitude.cli import options, progress
from latitude.cli.outputs import Outputs, add_results
from latitude.model.network import Network
from latitude.render.terminal import plain_table, results_console
from latitude.trace.load import load
from latitude.units.quantities import (
    format_count,
    format_share,
    format_size,
    format_time,
    parse_per_byte,
    parse_time,
)

STDOUT = Path("-")
_SHOWN_NODES = 32


class Place:
    """Rank placement from pairwise sensitivities, judged by the engine."""

    description = """\
Reads a trace or a GOAL file and looks for the placement of its ranks on nodes with the least
runtime: the sensitivities of the critical path to each pair of ranks propose swaps, the engine
decides. Compares with block, round-robin and the present placement (--placement), and with -o
writes it for Open MPI, MPICH and Slurm."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument("input", metavar="INPUT", type=Path, help="trace or GOAL file")
        group = parser.add_argument_group("placement")
        group.add_argument(
            "--cores",
            metavar="N",
            type=options.whole("a number of cores", 1),
            help="most ranks on a node (default: as few as hold the program)",
        )
        group.add_argument(
            "--inter",
            metavar="L=TIME[,G=COST]",
            type=options.checked(_inter),
            help="latency (and time per byte) between nodes, the same as --L and --G",
        )
        group.add_argument(
            "--hosts",
            metavar="NAMES",
            help="names of the nodes, e.g. node[001-004] or a,b,c (default: node001, node002, …)",
        )
        group.add_argument(
            "--time",
            metavar="TIME",
            default=Effort().seconds * 1e9,
            type=options.checked(lambda text: parse_time(text, "time", "30s")),
            help="longest search (default: 30s); Ctrl-C ends it too and keeps the best so far",
        )
        options.add_seed(group, "the search", default=0)
        options.add_network(parser)
        options.add_graph(parser)
        add_results(parser, f"{JSON_FILE}, {', '.join(LAUNCHER_FILES)}")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        if arguments.nodes is None:
            raise InputError("--nodes is missing: how many nodes will the program run on?")
        outputs = Outputs.of(arguments, JSON_FILE, *LAUNCHER_FILES)
        network = options.network_of(arguments)
        if arguments.inter is not None:
            network = _with_inter(network, arguments.inter)
        with progress.shown() as display:
            program = load(arguments.input, **options.loading(arguments), progress=display)
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
        files = launches(result.best.node_of_rank, result.hosts)
        outputs.write(
            lambda: to_json(result),
            *(partial(str, launch.content) for launch in files),
            json=lambda: to_json(result),
        )
        if not outputs.uses_stdout():
            _print(result, files, arguments.directory)


def _inter(text: str) -> dict[str, float]:
    """`L=3us,G=0.018ns` → ns and ns per byte."""
    parts = dict(part.partition("=")[::2] for part in text.split(","))
    if not parts.keys() <= {"L", "G"} or not all(parts.values()):
        raise InputError(f"inter: '{text}' is not understood; write e.g. L=3us,G=0.018ns")
    parsers = {"L": parse_time, "G": parse_per_byte}
    return {name: parsers[name](value, f"inter {name}") for name, value in parts.items()}


def _with_inter(network: Network, values: dict[str, float]) -> Network:
    if network.topology is not None and "L" in values:
        raise InputError("inter: with a topology the latency is that of its wires and switches")
    return replace(
        network,
        L=values.get("L", network.L),
        G=values.get("G", network.G),
        given=network.given | values.keys(),
    )


def _print(result: PlaceResult, files: Sequence[Launch], directory: Path | None) -> None:
    console = results_console()
    console.print(Text(_headline(result), style="bold"))
    console.print(_search(result), markup=False)
    console.print()
    console.print(_comparison(result))
    console.print(_placement(result))
    if directory is None:
        console.print("For files that launchers take, add: -o DIR", markup=False)
        return
    for launch in files:
        command = launch.command.format(file=directory / launch.file)
        console.print(
            f"{launch.launcher + ':':<10}{command}",
            markup=False,
            soft_wrap=True,
        )


def _headline(result: PlaceResult) -> str:
    first, *others = result.judged[:-1]
    gains = [
        f"{format_share(result.gain(j))} less than {j.name}"
        if result.gain(j) > 0
        else f"as much as {j.name}"
        for j in (first, *others)
    ]
    text = gains[0] if not others else ", ".join(gains[:-1]) + " and " + gains[-1]
    return f"The placement found runs {format_time(result.best.T_ns)}: {text}."


def _search(result: PlaceResult) -> str:
    ended = "" if result.finished else ", stopped before the search was done"
    return (
        f"{result.evaluations:,} placements of {result.ranks:,} ranks on {result.nodes:,} nodes "
        f"with {result.cores:,} cores judged in {format_time(result.seconds * 1e9, 2)}{ended}"
    )


def _comparison(result: PlaceResult) -> Padding:
    names = [link.link for link in result.best.links]
    table = plain_table("Placements", "placement", "runtime T", *(f"λ {name}" for name in names))
    for name in names:
        table.add_column(f"bytes {name}", justify="right")
    for judged in result.judged:
        shares = {link.link: link for link in judged.links}
        row = [shares.get(name) for name in names]
        table.add_row(
            judged.name,
            format_time(judged.T_ns, 5),
            *("–" if link is None else format_count(link.lambda_L) for link in row),
            *("–" if link is None else format_size(link.bytes) for link in row),
            style="bold" if judged.name == FOUND else "",
        )
    return Padding(table, (0, 0, 1, 0))


def _placement(result: PlaceResult) -> Padding:
    table = plain_table("Ranks of each node", "node")
    table.add_column("ranks")
    placement = result.best.node_of_rank
    for node in range(min(result.nodes, _SHOWN_NODES)):
        ranks = np.flatnonzero(placement == node).tolist()
        table.add_row(result.hosts[node], ", ".join(map(str, ranks)) or "none")
    more = result.nodes - _SHOWN_NODES
    note = Text(f"… and {more:,} nodes more, in the files" if more > 0 else "", style="dim")
    return Padding(Group(table, note) if more > 0 else table, (0, 0, 1, 0))
