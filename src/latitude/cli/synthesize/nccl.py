"""`latitude synthesize nccl`: one of NCCL's collectives as a graph."""

from dataclasses import dataclass

from latitude.cli.synthesize.graph_output import GraphOutputOptions, graph_format, write_graph
from latitude.trace.nccl import (
    ALGORITHMS,
    LEAST_RANKS,
    MOST_CHANNELS,
    MOST_RANKS,
    PROTOCOLS,
    NcclCollective,
)
from latitude.units.options import option, whole
from latitude.units.quantities import parse_per_byte, parse_size, parse_time


@dataclass(kw_only=True)
class NcclOptions(GraphOutputOptions):
    """A collective that GPUs make."""

    collective: str = option(
        "the collective (default: allreduce)", choices=list(ALGORITHMS), default="allreduce"
    )
    algorithm: str | None = option(
        "ring, or of an allreduce tree, or of point-to-point collectives pairwise (default: the "
        "first of these that the collective has)",
        "NAME",
    )
    protocol: str = option(
        "how data are laid out on the wire (default: simple)", choices=PROTOCOLS, default="simple"
    )
    ranks: int = option(
        "GPUs, one rank each",
        "N",
        whole("a number of ranks", LEAST_RANKS, MOST_RANKS),
        required=True,
    )
    ranks_per_node: int = option(
        "GPUs of a node (default: 1)",
        "N",
        whole("a number of ranks per node", 1, MOST_RANKS),
        default=1,
    )
    channels: int = option(
        "channels, among which data are divided (default: 1)",
        "N",
        whole("a number of channels", 1, MOST_CHANNELS),
        default=1,
    )
    message_bytes: int = option(
        "size of the larger of a rank's two buffers, as nccl-tests counts (default: 1MiB)",
        "SIZE",
        lambda text: parse_size(text, "--bytes"),
        default=1 << 20,
        spelled="--bytes",
    )
    root: int = option(
        "the rank that a broadcast begins at, or a reduction ends at (default: 0)",
        "RANK",
        whole("a rank", 0),
        default=0,
    )
    nics: int = option(
        "network cards of a GPU, on which channels take turns (default: 1)",
        "N",
        whole("a number of network cards", 1, MOST_CHANNELS),
        default=1,
    )
    reduce_cost: float = option(
        "cost of combining a byte in a reduction, e.g. 0.001ns/B (default: 0)",
        "COST",
        lambda text: parse_per_byte(text, "reduce cost", "0.001ns/B"),
        default=0.0,
    )
    launch: float = option(
        "what a kernel takes before it moves data, in whole ns (default: 0)",
        "TIME",
        lambda text: parse_time(text, "--launch"),
        default=0.0,
    )


class Nccl:
    """Writes one of NCCL's collectives."""

    name = "nccl"
    summary = "one of NCCL's collectives on GPUs, step by step"
    description = """\
Writes the execution graph of a collective as NCCL performs it: algorithm, channels, chunks and
slices, the bytes that a protocol puts on the wire, and the window of eight slots, by which a sender
waits for its receiver. What is assumed is printed."""
    example = "latitude synthesize nccl --algorithm tree --ranks 16 --channels 2 -o tree.goal"
    options = NcclOptions

    def run(self, arguments: NcclOptions) -> None:
        form = graph_format(arguments)
        made = NcclCollective(
            collective=arguments.collective,
            algorithm=arguments.algorithm,
            protocol=arguments.protocol,
            ranks=arguments.ranks,
            ranks_per_node=arguments.ranks_per_node,
            channels=arguments.channels,
            message_bytes=arguments.message_bytes,
            root=arguments.root,
            nics=arguments.nics,
            reduce_ns_per_byte=arguments.reduce_cost,
            launch_ns=round(arguments.launch),
        )
        graph = made.graph()
        write_graph(graph, form, arguments, made.assumptions(graph))
