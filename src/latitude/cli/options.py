"""Options that several commands share."""

from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude import _core
from latitude._core import InputError
from latitude.analysis.overheads import traced_overheads
from latitude.analysis.recorded_costs import measured_for, recorded_costs
from latitude.analysis.replay import replayed
from latitude.files.progress import Progress
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.default_network import default_description
from latitude.model.network import GAPS, RENDEZVOUS, Network
from latitude.model.parameters import PARAMETERS
from latitude.model.placement import RULES
from latitude.model.rules import PRICES, LinkChange, Rule
from latitude.trace.costs import RecordedCosts
from latitude.trace.formats import reading_options
from latitude.trace.load import read
from latitude.trace.program import Program
from latitude.trace.recording import ASSUMPTIONS, CPU_ORDERS, Recording
from latitude.trace.wrappers import Wrappers
from latitude.units.options import Options, flag, option, whole
from latitude.units.quantities import parse_number, parse_per_byte

COSTS = ("auto", "recorded", "loggps")
"""Values of --costs, the default first."""
_OF_TRACE = "trace"
"""Value of --o that takes the overheads from the trace."""
_MOST_THREADS = 4096
_MOST_NODES = 2**20
_MOST_FACTOR = 1e6


@dataclass(kw_only=True)
class ParameterOptions(Options, topic="network"):
    """The LogGPS parameters."""

    L: str | None = option("latency of a message, e.g. 1.2us", "TIME", often=True)
    o: str | None = option(
        "CPU time of a message at each end, e.g. 500ns; or `trace`: the cost of the trace's calls "
        "that did not wait, with O if the trace shows O",
        "TIME",
        often=True,
    )
    G: str | None = option(
        "time per byte on the wire, e.g. 0.018ns/B or 50GB/s", "COST", often=True
    )
    S: str | None = option(
        "largest message sent eagerly, e.g. 64KiB; larger ones wait for the receiver (rendezvous)",
        "SIZE",
    )
    S_isend: str | None = option("the same for nonblocking sends (default: as --S)", "SIZE")
    g: str | None = option("least time between two messages of a rank (default: off)", "TIME")
    gap: str | None = option(
        "end that keeps a rank's messages max(g, B) apart (default: send if g is given)",
        choices=GAPS,
    )
    O: str | None = option("CPU time per byte at each end (default: off)", "COST")
    network: Path | None = option(
        "TOML file with the network, its topology and a placement (docs/reference/networks.md); "
        "options override it (default: the one of `latitude network use`)",
        "FILE",
        Path,
        often=True,
    )
    rendezvous: str | None = option(
        "reading of the rendezvous protocol (default: handshake, three latencies)",
        choices=RENDEZVOUS,
    )
    compute_scale: float = option(
        "factor on recorded computation, e.g. 0.5 (default: 1)",
        "FACTOR",
        lambda text: parse_number(text, "a factor", 0, _MOST_FACTOR),
        default=1.0,
    )


def _intra(text: str) -> Rule:
    """Parses `L=0.4us,G=0.05ns`."""
    parts = dict(part.partition("=")[::2] for part in text.split(","))
    if not all(parts.values()):
        raise InputError(f"intra: '{text}' is not understood; write e.g. L=0.4us,G=0.05ns")
    return Rule.parse("same node", parts)


@dataclass(kw_only=True)
class NodeOptions(Options, topic="nodes"):
    """Links inside and between nodes, topology, placement."""

    intra: Rule | None = option(
        "latency (and time per byte) inside a node, e.g. L=0.4us,G=0.05ns; --L and --G then "
        "apply only between nodes",
        "L=TIME[,G=COST]",
        _intra,
    )
    link: list[LinkChange] = option(
        f"change the prices ({', '.join(PRICES)}) of a link rule, by its name or its place, "
        "e.g. 'between groups:L=3us,G=0.1ns/B'; may be repeated",
        "RULE:PRICES",
        LinkChange.parse,
        repeated=True,
    )
    topology: str | None = option(
        "interconnect: "
        + ", ".join(kind.example for kind in _core.topology_kinds())
        + " or hops:FILE; the latency of a message over h switches is then (h+1)·l_wire + "
        "h·d_switch",
        "SPEC",
    )
    l_wire: str | None = option("latency of a wire (default: 274ns)", "TIME")
    d_switch: str | None = option("latency of a switch (default: 108ns)", "TIME")
    nodes: int | None = option("nodes to use", "N", whole("a number of nodes", 1, _MOST_NODES))
    ranks_per_node: int | None = option(
        "most ranks on a node (default: 1)", "P", whole("a number of ranks", 1)
    )
    placement: str | None = option(f"{RULES} (default: as traced, or block)", "RULE")


@dataclass(kw_only=True)
class NetworkOptions(ParameterOptions, NodeOptions):
    """The network: its parameters, and the places of ranks."""


def network_of(
    arguments: "ProgramOptions", trace: Path | None = None, progress: Progress | None = None
) -> Network:
    """The network that the options describe, completed with the user's default network.

    With `trace`, overheads come from the trace if --o is `trace`. InputError: --o demands a
    trace, but none is given.
    """
    network = description_of(arguments).network()
    if not of_trace(arguments):
        return network
    if trace is None:
        raise InputError("o: --o trace needs exactly one trace; give a time")
    return with_overheads(arguments, network, trace, progress)


def of_trace(arguments: ParameterOptions) -> bool:
    """Whether the overheads should come from the trace."""
    return bool(arguments.o == _OF_TRACE)


def with_overheads(
    arguments: "ProgramOptions",
    network: Network,
    trace: Path,
    progress: Progress | None = None,
    **more: Any,
) -> Network:
    """The network with the overheads of a trace, while L and G from options stay.

    `more`: arguments of `traced_overheads` that are not options.
    """
    if arguments.O is not None:
        raise InputError("O: --o trace takes O from the trace, too; leave out --O")
    return traced_overheads(
        network,
        trace,
        fixed=[name for name in PARAMETERS if getattr(arguments, name) is not None],
        assume=arguments.assume,
        threads=arguments.threads,
        progress=progress,
        **{**reading(arguments), **more},
    )


def description_of(arguments: NetworkOptions) -> Description:
    """The network of `network_of` as a description, with the texts of options and files."""
    stated = stated_network(arguments)
    return stated if arguments.network is not None else stated.over(default_description())


def stated_network(arguments: NetworkOptions) -> Description:
    """The network from options and --network alone."""
    texts = {name: getattr(arguments, name) for name in PARAMETERS}
    if of_trace(arguments):
        texts["o"] = None
    wires = {"l_wire": arguments.l_wire, "d_switch": arguments.d_switch}
    options = Description(
        values={name: text for name, text in texts.items() if text is not None},
        rendezvous=arguments.rendezvous,
        gap=arguments.gap,
        rules=() if arguments.intra is None else (arguments.intra,),
        changes=tuple(arguments.link),
        topology=arguments.topology,
        wires={name: text for name, text in wires.items() if text is not None},
        placement=arguments.placement,
        nodes=arguments.nodes,
        ranks_per_node=arguments.ranks_per_node,
        compute_scale=arguments.compute_scale,
    )
    return options if arguments.network is None else options.over(read_cluster(arguments.network))


def _wrapper(text: str) -> str:
    Wrappers([text])
    return text


if TYPE_CHECKING:

    @dataclass(kw_only=True)
    class FormatOptions(Options):
        """Options that the trace formats declare."""

        clock: str
        incomplete: bool

else:
    FormatOptions = make_dataclass(
        "FormatOptions",
        [
            (name, str, option(each.help, choices=each.choices, default=each.standard))
            if each.choices
            else (name, bool, flag(each.help))
            for name, each in reading_options().items()
        ],
        bases=(Options,),
        kw_only=True,
    )
    FormatOptions.topic = "trace"


def threads_option(what: str = "threads", **more: Any) -> Any:
    """The option --threads; 0 is one per core."""
    return option(
        f"{what} (default: one per core)",
        "N",
        whole(f"a number of {what}", 0, _MOST_THREADS),
        default=0,
        **more,
    )


@dataclass(kw_only=True)
class GraphOptions(FormatOptions, topic="trace"):
    """Options for building a graph from a trace."""

    replay = False
    collective: list[str] = option(
        "algorithm of a collective, or the rules of a library: openmpi or mpich; may be "
        "repeated; `latitude help collectives` lists them",
        "NAME=ALGORITHM",
        repeated=True,
        often=True,
    )
    reduce_cost: float = option(
        "cost of combining a byte in a reduction, e.g. 0.1ns/B (default: 0)",
        "COST",
        lambda text: parse_per_byte(text, "reduce cost", "0.1ns/B"),
        default=0.0,
    )
    skip_unsupported: bool = flag(
        "leave out calls that the graph cannot express, with a warning, instead of rejecting the "
        "trace"
    )
    async_progress: bool = flag(
        "let a rank answer a rendezvous while it computes, as an MPI with a progress thread does "
        "(default: in the rank's next call that may wait)"
    )
    through: list[str] = option(
        "source file or library that wraps MPI, e.g. my_mpi.c or 'libmesh*.so*', so that "
        "a call's place is the caller of this layer; needs a trace with callers "
        "(--stacks); `none` switches off even known layers; may be repeated",
        "FILE",
        _wrapper,
        repeated=True,
    )
    cpu_order: str = option(
        "order of the operations of one cpu that a GOAL file leaves "
        "open: as in a simulation at the baseline network (baseline), as in the file (file), or "
        f"overlapping (none) (default: {CPU_ORDERS[0]})",
        default=CPU_ORDERS[0],
        choices=CPU_ORDERS,
    )
    assume: list[str] = option(
        "decide the open choices of a trace by liballprof or DUMPI by simulation at the "
        "baseline network, so that receives from any source take the first message, and "
        "MPI_Test, MPI_Waitany and similar calls complete the requests that are done",
        choices=ASSUMPTIONS,
        repeated=True,
    )
    threads: int = threads_option()


@dataclass(kw_only=True)
class ReplayOptions(GraphOptions, topic="trace"):
    """The options of GraphOptions, and --replay."""

    replay: bool = flag(
        "keep the recorded run's time beyond the model, so that T is the recorded "
        "runtime, if the run was on this network"
    )


@dataclass(kw_only=True)
class ProgramOptions(NetworkOptions, GraphOptions, topic="network"):
    """A program's graph, and the network for its evaluation."""

    one_run = True
    """Whether the question is about the recorded run on its own network, not about other runs or
    networks."""
    costs: str = option(
        "cost of MPI calls: their recorded durations, if the run was on this network (recorded), "
        "or o and O (loggps). An analysis of one run on a measured network takes the recorded "
        f"ones if the trace has them, any other loggps (default: {COSTS[0]})",
        default=COSTS[0],
        choices=COSTS,
    )


@dataclass(kw_only=True)
class ReplayedOptions(ProgramOptions, ReplayOptions):
    """The options of ProgramOptions, and --replay."""


def reading(arguments: GraphOptions) -> dict[str, str | bool]:
    """The chosen options of the trace formats, for `latitude.load` and similar functions."""
    return {name: getattr(arguments, name) for name in reading_options()}


def loaded(path: Path, arguments: ProgramOptions, network: Network, progress: Progress) -> Program:
    """The program at `path`, loaded with the options of `GraphOptions` and `ReplayOptions`."""
    recording = recorded(path, arguments, progress)
    costs = costs_of(recording, arguments, network, progress)
    program = recording.program(**building(arguments), costs=costs, consume=True, progress=progress)
    return replayed(program, network) if arguments.replay else program


def recorded_asked(arguments: ProgramOptions, network: Network, recording: Recording) -> bool:
    """Whether calls cost their recorded durations, by --costs.

    `auto` needs the measured network of the recorded run: no option changes a parameter, a place,
    an algorithm or the computation.
    """
    if arguments.costs != "auto":
        return arguments.costs == "recorded"
    changed = [
        *(getattr(arguments, name) for name in PARAMETERS),
        *(arguments.intra, arguments.link, arguments.topology, arguments.placement),
        *(arguments.rendezvous, arguments.gap, arguments.compute_scale != 1),
        *(arguments.collective, arguments.replay),
    ]
    if not arguments.one_run or any(changed):
        return False
    return measured_for(recording, network.ran_as(recording.path))


def costs_of(
    recording: Recording, arguments: ProgramOptions, network: Network, progress: Progress
) -> RecordedCosts | None:
    """The recorded costs of calls; None if calls cost o."""
    if not recorded_asked(arguments, network, recording):
        return None
    return recorded_costs(
        recording,
        network,
        collectives=arguments.collective,
        reduce_ns_per_byte=arguments.reduce_cost,
        threads=arguments.threads,
        progress=progress,
        options=reading(arguments),
    )


def recorded(path: Path, arguments: GraphOptions, progress: Progress) -> Recording:
    """The recording of the trace at `path`, from which one graph or several can be built."""
    return read(
        path,
        threads=arguments.threads,
        assume=arguments.assume,
        progress=progress,
        **reading(arguments),
    )


def loading(arguments: GraphOptions) -> dict[str, Any]:
    """Arguments of `latitude.load` for the requested graph."""
    return {**building(arguments), **reading(arguments)}


def building(arguments: GraphOptions) -> dict[str, Any]:
    """Arguments for building a graph from a recording."""
    return {**expressed(arguments), "traced_times": arguments.replay}


def expressed(arguments: GraphOptions) -> dict[str, Any]:
    """The arguments of `building` without that of --replay."""
    return {
        "collectives": arguments.collective,
        "reduce_ns_per_byte": arguments.reduce_cost,
        "skip_unsupported": arguments.skip_unsupported,
        "async_progress": arguments.async_progress,
        "cpu_order": arguments.cpu_order,
        "assume": arguments.assume,
        "through": arguments.through,
        "threads": arguments.threads,
    }
