"""Options several commands share."""

import argparse
from pathlib import Path
from typing import Any

from latitude import _core
from latitude._core import InputError
from latitude.analysis.overheads import traced_overheads
from latitude.analysis.replay import replayed
from latitude.cli.plain_options import checked, whole
from latitude.files.progress import Progress
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.default_network import default_description
from latitude.model.network import GAPS, PARAMETERS, RENDEZVOUS, Network
from latitude.model.placement import RULES
from latitude.model.theta import TOLERANCES
from latitude.trace.formats import reading_options
from latitude.trace.load import load, read
from latitude.trace.program import Program
from latitude.trace.recording import ASSUMPTIONS, CPU_ORDERS, Recording
from latitude.trace.wrappers import Wrappers
from latitude.units.quantities import (
    parse_fraction,
    parse_number,
    parse_per_byte,
)

_OF_TRACE = "trace"
"""--o: as the trace has it."""
_MOST_THREADS = 4096
_MOST_NODES = 2**20
_MOST_FACTOR = 1e6


def add_network(parser: argparse.ArgumentParser) -> None:
    """The network: its parameters, and where ranks are in it."""
    add_parameters(parser)
    add_nodes(parser)


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """The LogGPS parameters."""
    group = parser.add_argument_group(
        "network (LogGPS)",
        "Values carry a unit. Defaults: L=3us G=0.018ns/B S=256KiB, the ConnectX-3 fat tree\n"
        "of Shen et al., SC'24, §III.B, and o=5us; results name the defaults they used.",
    )
    group.add_argument("--L", metavar="TIME", help="latency of a message, e.g. 1.2us")
    group.add_argument(
        "--o",
        metavar="TIME",
        help="CPU time of a message at each end, e.g. 500ns; or trace: what calls cost in the "
        "trace that waited for nothing, with O where it tells that, too",
    )
    group.add_argument(
        "--G", metavar="COST", help="time a byte takes on the wire, e.g. 0.018ns/B or 50GB/s"
    )
    group.add_argument(
        "--S",
        metavar="SIZE",
        help="largest message sent eagerly, e.g. 64KiB; larger ones wait "
        "for the receiver (rendezvous)",
    )
    group.add_argument(
        "--S-isend",
        metavar="SIZE",
        help="the same of MPI_Isend and its kind (default: as --S)",
    )
    group.add_argument(
        "--g", metavar="TIME", help="least time between two messages of a rank (default: off)"
    )
    group.add_argument(
        "--gap",
        choices=GAPS,
        help="who holds a rank's messages max(g, B) apart (default: send if g is given)",
    )
    group.add_argument("--O", metavar="COST", help="CPU time a byte at each end (default: off)")
    group.add_argument(
        "--network",
        metavar="FILE",
        type=Path,
        help="TOML file with the network, its topology and a placement (docs/networks.md); "
        "options win over it (default: the one of `latitude network use`)",
    )
    group.add_argument(
        "--rendezvous",
        choices=RENDEZVOUS,
        help="reading of the rendezvous protocol (default: handshake, three latencies)",
    )
    group.add_argument(
        "--compute-scale",
        metavar="FACTOR",
        default=1.0,
        type=checked(lambda text: parse_number(text, "a factor", 0, _MOST_FACTOR)),
        help="let computation take so many times what was recorded, e.g. 0.5 (default: 1)",
    )


def add_nodes(parser: argparse.ArgumentParser) -> None:
    """Links inside and between nodes, topology, placement."""
    group = parser.add_argument_group(
        "nodes",
        "With any of these, messages inside a node and between nodes differ (docs/networks.md).",
    )
    group.add_argument(
        "--intra",
        metavar="L=TIME[,G=COST]",
        type=checked(_intra),
        help="latency (and time per byte) inside a node, e.g. L=0.4us,G=0.05ns; L and G are "
        "then those between nodes",
    )
    group.add_argument(
        "--topology",
        metavar="SPEC",
        help="interconnect: "
        + ", ".join(kind.example for kind in _core.topology_kinds())
        + " or hops:FILE; a message over h switches then takes (h+1)·l_wire + h·d_switch",
    )
    group.add_argument("--l-wire", metavar="TIME", help="latency of a wire (default: 274ns)")
    group.add_argument("--d-switch", metavar="TIME", help="latency of a switch (default: 108ns)")
    group.add_argument(
        "--nodes", metavar="N", type=whole("a number of nodes", 1, _MOST_NODES), help="nodes to use"
    )
    group.add_argument(
        "--ranks-per-node",
        metavar="P",
        type=whole("a number of ranks", 1),
        help="most ranks on a node (default: 1)",
    )
    group.add_argument(
        "--placement",
        metavar="RULE",
        help=f"{RULES} (default: as traced, or block)",
    )


def network_of(
    arguments: argparse.Namespace, trace: Path | None = None, progress: Progress | None = None
) -> Network:
    """The network the options describe, over the user's default one.

    `trace`: that overheads are taken from where --o says so. InputError: it does, and there is
    none.
    """
    network = description_of(arguments).network()
    if not of_trace(arguments):
        return network
    if trace is None:
        raise InputError("o: there are several traces here, or none to take it from; give a time")
    return with_overheads(arguments, network, trace, progress)


def of_trace(arguments: argparse.Namespace) -> bool:
    """Whether overheads are to be those of the trace."""
    return bool(arguments.o == _OF_TRACE)


def with_overheads(
    arguments: argparse.Namespace,
    network: Network,
    trace: Path,
    progress: Progress | None = None,
    **more: Any,
) -> Network:
    """The network with the overheads of a trace; what options state of L and G stays.

    `more`: arguments of `traced_overheads` that the options do not say.
    """
    if arguments.O is not None:
        raise InputError("O: with --o trace it is the trace's, where it tells it; leave out --O")
    return traced_overheads(
        network,
        trace,
        fixed=[name for name in PARAMETERS if getattr(arguments, name) is not None],
        assume=arguments.assume,
        threads=arguments.threads,
        progress=progress,
        **{**reading(arguments), **more},
    )


def description_of(arguments: argparse.Namespace) -> Description:
    """The same in the words of options and file."""
    stated = stated_network(arguments)
    return stated if arguments.network is not None else stated.over(default_description())


def stated_network(arguments: argparse.Namespace) -> Description:
    """What options and --network say, and nothing else."""
    texts = {name: getattr(arguments, name) for name in PARAMETERS}
    if of_trace(arguments):
        texts["o"] = None
    wires = {"l_wire": arguments.l_wire, "d_switch": arguments.d_switch}
    options = Description(
        values={name: text for name, text in texts.items() if text is not None},
        rendezvous=arguments.rendezvous,
        gap=arguments.gap,
        intra=arguments.intra,
        topology=arguments.topology,
        wires={name: text for name, text in wires.items() if text is not None},
        placement=arguments.placement,
        nodes=arguments.nodes,
        ranks_per_node=arguments.ranks_per_node,
        compute_scale=arguments.compute_scale,
    )
    return options if arguments.network is None else options.over(read_cluster(arguments.network))


def _intra(text: str) -> dict[str, str]:
    """`L=0.4us,G=0.05ns`."""
    parts = dict(part.partition("=")[::2] for part in text.split(","))
    if not all(parts.values()):
        raise InputError(f"intra: '{text}' is not understood; write e.g. L=0.4us,G=0.05ns")
    return parts


def add_graph(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """How a trace becomes a graph; returns the group of its options."""
    parser.set_defaults(replay=False)
    group = parser.add_argument_group("trace")
    group.add_argument(
        "--collective",
        metavar="NAME=ALGORITHM",
        action="append",
        default=[],
        help="algorithm of a collective, or the rules of a library: openmpi or mpich; may be "
        "repeated; `latitude help collectives` lists them",
    )
    group.add_argument(
        "--reduce-cost",
        metavar="COST",
        default=0.0,
        type=checked(lambda text: parse_per_byte(text, "reduce cost", "0.1ns/B")),
        help="cost of combining a byte in a reduction, e.g. 0.1ns/B (default: 0)",
    )
    group.add_argument(
        "--skip-unsupported",
        action="store_true",
        help="leave out calls that cannot be expressed, with a warning, instead of refusing them",
    )
    group.add_argument(
        "--async-progress",
        action="store_true",
        help="a receive answers a rendezvous as soon as both are there, also while its rank "
        "computes, as of an MPI with a progress thread (default: in the rank's next call that may "
        "wait)",
    )
    group.add_argument(
        "--through",
        metavar="FILE",
        action="append",
        default=[],
        type=checked(_wrapper),
        help="source file or library that wraps MPI, e.g. my_mpi.c or 'libmesh*.so*': in a trace "
        "with callers (--stacks) a call is placed where that layer was called; `none`: not even "
        "those that are known; may be repeated",
    )
    for option in reading_options().values():
        _add_reading_option(group, option)
    group.add_argument(
        "--cpu-order",
        choices=CPU_ORDERS,
        default=CPU_ORDERS[0],
        help="in what order each cpu of a GOAL file takes operations that the file leaves "
        "independent: as they come in a simulation at the baseline network, as the file has them, "
        f"or none: they overlap (default: {CPU_ORDERS[0]})",
    )
    group.add_argument(
        "--assume",
        choices=ASSUMPTIONS,
        action="append",
        default=[],
        help="what a trace of liballprof or DUMPI does not say: wildcards=arrival, receives from "
        "any source take the message that comes first in a simulation at the baseline network, and "
        "MPI_Test, MPI_Waitany and their like complete what is done there",
    )
    add_threads(group)
    return group


def _wrapper(text: str) -> str:
    Wrappers([text])
    return text


def _add_reading_option(group: argparse._ActionsContainer, option: _core.FormatOption) -> None:
    """What a trace format lets its users choose, as it declares it."""
    if option.choices:
        group.add_argument(
            f"--{option.name}",
            choices=option.choices,
            default=option.standard,
            help=option.help,
        )
    else:
        group.add_argument(f"--{option.name}", action="store_true", help=option.help)


def reading(arguments: argparse.Namespace) -> dict[str, str | bool]:
    """What was chosen of the trace formats' options, for `latitude.load` and its like."""
    return {name: getattr(arguments, name) for name in reading_options()}


def add_threads(group: argparse._ActionsContainer, what: str = "threads") -> None:
    """--threads; 0 is one per core."""
    group.add_argument(
        "--threads",
        metavar="N",
        type=whole(f"a number of {what}", 0, _MOST_THREADS),
        default=0,
        help=f"{what} (default: one per core)",
    )


def add_replay(group: argparse._ActionsContainer) -> None:
    """--replay."""
    group.add_argument(
        "--replay",
        action="store_true",
        help="keep what the traced run took beyond the model, when it ran on this network: T is "
        "then the time it took",
    )


def loaded(
    path: Path, arguments: argparse.Namespace, network: Network, progress: Progress
) -> Program:
    """The program as the options of `add_graph` and `add_replay` say."""
    program = load(path, **loading(arguments), progress=progress)
    return replayed(program, network) if arguments.replay else program


def recorded(path: Path, arguments: argparse.Namespace, progress: Progress) -> Recording:
    """What a trace has recorded, as the options of `add_graph` say, for one graph or several."""
    return read(
        path,
        threads=arguments.threads,
        assume=arguments.assume,
        progress=progress,
        **reading(arguments),
    )


def loading(arguments: argparse.Namespace) -> dict[str, Any]:
    """How `latitude.load` is to read and build what is asked for."""
    return {**building(arguments), **reading(arguments)}


def building(arguments: argparse.Namespace) -> dict[str, Any]:
    """How a graph is to be built of what was read."""
    return {**expressed(arguments), "traced_times": arguments.replay}


def expressed(arguments: argparse.Namespace) -> dict[str, Any]:
    """The same but for what --replay needs: how calls become operations and messages."""
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


def algorithms() -> str:
    """What --collective takes, the default first."""
    lines = [
        f"  {name:<22}{', '.join(choices)}"
        for name, choices in _core.collective_algorithms().items()
        if len(choices) > 1
    ]
    return "\n".join(["collective algorithms, the default first:", *lines])


def add_tolerance(group: argparse._ActionsContainer) -> None:
    """--tolerance, a tuple of shares."""
    default = ",".join(f"{share:g}" for share in TOLERANCES)
    group.add_argument(
        "--tolerance",
        metavar="SHARES",
        default=TOLERANCES,
        type=checked(parse_tolerances),
        help="degradations to find the tolerated latency of, e.g. 0.01,0.02 or 1%%,2%% "
        f"(default: {default})",
    )


def parse_tolerances(text: str) -> tuple[float, ...]:
    """Degradations, e.g. `0.01,0.02,0.05` or `1%,2%,5%`."""
    return tuple(
        parse_fraction(part, "tolerance", "0.01,0.02,0.05 or 1%,2%,5%") for part in text.split(",")
    )
