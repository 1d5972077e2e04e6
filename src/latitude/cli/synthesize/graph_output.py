"""Writes a synthetic execution graph to a file."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.files.writing import STDOUT, fill_stream, refuse_existing, replace_with
from latitude.notices.saying import say
from latitude.trace.jobs.chakra_made import ChakraJob
from latitude.units.options import Options, flag, option
from latitude.units.quantities import counted

_TEXT = "goal"
CHAKRA = ".et"


@dataclass(kw_only=True)
class GraphOutputOptions(Options):
    """Destination of the graph."""

    output: Path = option(
        "file to write: .goal is GOAL text, .bin is GOAL binary, - is GOAL text on standard "
        "output. With .et, llm writes one Chakra execution trace per rank, NAME.RANK.et",
        "FILE",
        Path,
        spelled="-o",
        required=True,
    )
    force: bool = flag("overwrite a file that exists")


def graph_format(arguments: GraphOutputOptions) -> _core.GraphFormat:
    """The format for the output's suffix. InputError: the suffix is unknown, or the file exists."""
    output = arguments.output
    if output == STDOUT:
        return _core.graph_format(_TEXT)
    for form in _core.graph_formats():
        if form.suffix == output.suffix:
            refuse_existing([output], force=arguments.force)
            return form
    raise InputError(
        f"{output}: unknown format '{output.suffix}'; name it .goal for GOAL text or .bin for GOAL "
        "binary"
    )


def write_graph(
    graph: _core.Graph, form: _core.GraphFormat, arguments: GraphOutputOptions, said: list[str]
) -> None:
    """Writes a graph and prints its size and the assumptions.

    Args:
        graph: the graph to write.
        form: the format from `graph_format`.
        arguments: options with the destination.
        said: assumptions, as sentences.
    """

    def write(path: Path) -> None:
        # S = 0: every message uses the rendezvous protocol. So no operation requires the end of an
        # earlier send of its CPU, and the graph cannot deadlock in an analysis with any S.
        form.write(graph, str(path), 0)

    output = arguments.output
    if output == STDOUT:
        fill_stream(sys.stdout.buffer, write, output)
    else:
        replace_with(output, write, force=arguments.force)
    where = "standard output" if output == STDOUT else str(output)
    size = f"{counted(graph.ranks, 'rank')}, {counted(graph.vertices, 'operation')}"
    say(f"{where}: {size}, {counted(graph.messages, 'message')}")
    for line in said:
        say(line)


def write_chakra(
    job: ChakraJob, ranks: int, arguments: GraphOutputOptions, said: list[str]
) -> None:
    """Writes one Chakra execution trace per rank, NAME.RANK.et; arguments as in `write_graph`."""
    output, force = arguments.output, arguments.force
    paths = [output.with_suffix(f".{rank}{CHAKRA}") for rank in range(ranks)]
    refuse_existing(paths, force=force)
    for rank, path in enumerate(paths):
        replace_with(path, partial(Path.write_bytes, data=job.file(rank)), force=force)
    say(f"{paths[0]} to {paths[-1].name}: {counted(ranks, 'rank')}, {job.operations:,} nodes")
    for line in said:
        say(line)
    say(
        "Collectives and messages have sizes and no durations: analyse the files with --L and --G "
        f"of a network, e.g. latitude analyze {paths[0]} --L 5us --G 0.02ns/B."
    )
