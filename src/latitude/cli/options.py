"""Options several commands share."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from latitude import _core
from latitude._core import InputError
from latitude.analysis import TOLERANCES
from latitude.network import PARAMETERS, RENDEZVOUS, Network, read_network
from latitude.units import parse_fraction, parse_per_byte


def checked(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Lets argparse show a parser's own message, with the option's name before it."""

    def convert(text: str) -> Any:
        try:
            return parse(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert


def add_network(parser: argparse.ArgumentParser) -> None:
    """The LogGPS parameters."""
    group = parser.add_argument_group(
        "network (LogGPS)",
        "Values carry a unit. Defaults: L=3us G=0.018ns/B S=256KiB, the ConnectX-3 fat tree\n"
        "of Shen et al., SC'24, §III.B, and o=5us; results name the defaults they used.",
    )
    group.add_argument("--L", metavar="TIME", help="latency of a message, e.g. 1.2us")
    group.add_argument("--o", metavar="TIME", help="CPU time of a message at each end, e.g. 500ns")
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
        "--g", metavar="TIME", help="least time between two sends of a rank (default: off)"
    )
    group.add_argument("--O", metavar="COST", help="CPU time a byte at each end (default: off)")
    group.add_argument(
        "--network",
        metavar="FILE",
        type=Path,
        help='TOML file with L, o, g, G, O, S as strings, e.g. L = "1.2us"; options win over it',
    )
    group.add_argument(
        "--rendezvous",
        choices=RENDEZVOUS,
        help="reading of the rendezvous protocol (default: handshake, three latencies)",
    )


def network_of(arguments: argparse.Namespace) -> Network:
    """The network the options describe."""
    values: dict[str, str] = {}
    rendezvous: str | None = None
    if arguments.network is not None:
        values, rendezvous = read_network(arguments.network)
    for name in PARAMETERS:
        text = getattr(arguments, name)
        if text is not None:
            values[name] = text
    return Network.parse(values, arguments.rendezvous or rendezvous)


def add_graph(parser: argparse.ArgumentParser) -> None:
    """How a trace becomes a graph."""
    parser.epilog = algorithms()
    group = parser.add_argument_group("trace")
    group.add_argument(
        "--collective",
        metavar="NAME=ALGORITHM",
        action="append",
        default=[],
        help="algorithm of a collective, or the rules of a library: openmpi or mpich; may be "
        "repeated (see below)",
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
        "--mpi",
        choices=["detect", "openmpi", "mpich"],
        default="detect",
        help="the MPI that wrote a trace, where the trace does not tell (default: detect)",
    )
    group.add_argument(
        "--clock",
        choices=["auto", "wall", "cpu"],
        default="auto",
        help="what computation is measured by in a trace of latitude trace: the wall clock, or the "
        "CPU time of the thread (default: auto, CPU time where the trace carries it)",
    )
    group.add_argument(
        "--incomplete",
        action="store_true",
        help="of a trace of a job that was killed, analyse what all ranks completed",
    )
    group.add_argument(
        "--threads", metavar="N", type=_threads, default=0, help="threads (default: one a core)"
    )


def algorithms() -> str:
    """Epilog: what --collective takes, the default first."""
    lines = [
        f"  {name:<22}{', '.join(choices)}"
        for name, choices in _core.collective_algorithms().items()
        if len(choices) > 1
    ]
    return "\n".join(["collective algorithms, the default first:", *lines])


def _threads(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of threads; write e.g. 2")
    return int(text)


def parse_tolerances(text: str) -> tuple[float, ...]:
    """Degradations, e.g. `0.01,0.02,0.05` or `1%,2%,5%`."""
    return tuple(
        parse_fraction(part, "tolerance", "0.01,0.02,0.05 or 1%,2%,5%") for part in text.split(",")
    )


def tolerance_default() -> str:
    """The default of --tolerance, for help."""
    return ",".join(f"{x:g}" for x in TOLERANCES)
