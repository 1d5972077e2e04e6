"""`latitude synthesize nccl`: one of NCCL's collectives as a graph."""

from dataclasses import dataclass

from latitude._core import InputError
from latitude.cli.synthesize.graph_output import GraphOutputOptions, graph_format, write_graph
from latitude.trace.nccl import (
    ALGORITHMS,
    LEAST_RANKS,
    MOST_CHANNELS,
    MOST_RANKS,
    PROTOCOLS,
    NcclCollective,
)
from latitude.trace.nccl_costs import COLLECTIVES, CPUS, GPUS, VERSIONS, published
from latitude.units.options import option, whole
from latitude.units.quantities import (
    format_rate,
    format_time,
    parse_per_byte,
    parse_size,
    parse_time,
)


def _bandwidth(text: str) -> float:
    """Parses a bandwidth into ns per byte."""
    found = parse_per_byte(text, "--channel-bandwidth", "20GB/s")
    if found == 0:
        raise InputError("--channel-bandwidth: must be finite; write e.g. 20GB/s")
    return found


@dataclass(kw_only=True)
class MachineOptions(GraphOutputOptions):
    """GPUs, and NCCL's view of the machine."""

    gpu: str = option("the GPUs, for --nccl (default: hopper)", choices=GPUS, default="hopper")
    cpu: str = option(
        "the CPUs, for --nccl over several nodes (default: intel)", choices=CPUS, default="intel"
    )
    channel_bandwidth: float = option(
        "bandwidth of a channel, for --nccl (default: 20GB/s)",
        "RATE",
        _bandwidth,
        default=0.05,
    )
    channels: int = option(
        "channels of a collective, among which data are divided (default: 1)",
        "N",
        whole("a number of channels", 1, MOST_CHANNELS),
        default=1,
    )
    nics: int = option(
        "network cards of a GPU, on which channels take turns (default: 1)",
        "N",
        whole("a number of network cards", 1, MOST_CHANNELS),
        default=1,
    )


@dataclass(kw_only=True)
class NcclOptions(MachineOptions):
    """A collective of GPUs."""

    nccl: str | None = option(
        "choose algorithm and protocol by the cost model of this version of NCCL, which "
        "also serves versions up to the next listed one",
        choices=VERSIONS,
    )

    collective: str = option(
        "the collective (default: allreduce)", choices=list(ALGORITHMS), default="allreduce"
    )
    algorithm: str | None = option(
        "ring, tree (allreduce), pat (allgather, reducescatter) or pairwise (point to point; "
        "default: the first one of the collective, or the choice of --nccl)",
        "NAME",
    )
    protocol: str | None = option(
        "layout of data on the wire (default: simple, or the choice of --nccl)",
        choices=PROTOCOLS,
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
    message_bytes: int = option(
        "size of the larger of a rank's two buffers, as nccl-tests counts (default: 1MiB)",
        "SIZE",
        lambda text: parse_size(text, "--bytes"),
        default=1 << 20,
        spelled="--bytes",
    )
    root: int = option(
        "the rank at which a broadcast begins, or a reduction ends (default: 0)",
        "RANK",
        whole("a rank", 0),
        default=0,
    )
    reduce_cost: float = option(
        "cost of combining a byte in a reduction, e.g. 0.001ns/B (default: 0)",
        "COST",
        lambda text: parse_per_byte(text, "reduce cost", "0.001ns/B"),
        default=0.0,
    )
    launch: float = option(
        "time of a kernel before it moves data, in whole ns (default: 0)",
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
slices, the bytes that a protocol puts on the wire, and the window of eight slots. The command
prints its assumptions."""
    example = "latitude synthesize nccl --algorithm tree --ranks 16 --channels 2 -o tree.goal"
    options = NcclOptions

    def run(self, arguments: NcclOptions) -> None:
        form = graph_format(arguments)
        algorithm, protocol, said = _chosen(arguments)
        made = NcclCollective(
            collective=arguments.collective,
            algorithm=algorithm,
            protocol=protocol,
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
        write_graph(graph, form, arguments, [*made.assumptions(graph), *said])


def _chosen(arguments: NcclOptions) -> tuple[str | None, str, list[str]]:
    """Algorithm, protocol, and a sentence about NCCL's choice, if NCCL chooses."""
    offered = ALGORITHMS[arguments.collective]
    algorithms = [arguments.algorithm] if arguments.algorithm else offered
    protocols = [arguments.protocol] if arguments.protocol else PROTOCOLS
    without = arguments.collective not in COLLECTIVES or not {*algorithms} <= {*offered}
    if arguments.nccl is None or without:
        return arguments.algorithm, arguments.protocol or "simple", []
    costs = published(
        arguments.nccl,
        arguments.gpu,
        nodes=-(-arguments.ranks // arguments.ranks_per_node),
        channels=arguments.channels,
        channel_gb_per_s=1 / arguments.channel_bandwidth,
        cpu=arguments.cpu,
    )
    found = costs.choice(
        arguments.collective, arguments.ranks, arguments.message_bytes, algorithms, protocols
    )
    said = (
        f"NCCL {arguments.nccl} takes {found.algorithm} by {found.protocol}, as its cost model "
        f"gives it {format_time(found.cost_ns)} ({arguments.gpu} GPUs, NVLink in a node, "
        f"{format_rate(1e9 / arguments.channel_bandwidth)} per channel)."
    )
    return found.algorithm, found.protocol, [said]
