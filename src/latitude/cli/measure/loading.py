"""`--with-load`: the congestion generator beside another measurement."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from latitude._core import InputError
from latitude.cli.plain_options import checked
from latitude.measure.congestion import MESSAGE, LoadBeside, load_beside, request
from latitude.units.quantities import (
    format_size,
    parse_fraction,
    parse_per_byte,
    parse_size,
)


def share(text: str) -> float:
    """A share of the bandwidth, over 0 and up to 1."""
    value = parse_fraction(text, "share", "40%")
    if value > 1:
        raise InputError(f"share: '{text}' is more than the bandwidth; write e.g. 40%")
    return value


def add_generator(group: "argparse._ArgumentGroup") -> None:
    """The generator's message size, and the bandwidth its shares are of."""
    group.add_argument(
        "--message",
        metavar="SIZE",
        default=MESSAGE,
        type=checked(lambda text: parse_size(text, "message", "256KiB")),
        help=f"size of the load's messages (default: {format_size(MESSAGE)})",
    )
    group.add_argument(
        "--peak",
        metavar="RATE",
        default=0.0,
        type=checked(_peak),
        help="the one-way bandwidth of a pair, e.g. 12GB/s (default: measure it for 1 s)",
    )


def _peak(text: str) -> float:
    """Bytes a second."""
    ns_per_byte = parse_per_byte(text, "peak", "12GB/s")
    if ns_per_byte == 0:
        raise InputError("peak: no share of an unlimited bandwidth can be sent; write e.g. 12GB/s")
    return 1e9 / ns_per_byte


def add_with_load(parser: argparse.ArgumentParser) -> None:
    """--with-load, --load-launcher, --message, --peak."""
    group = parser.add_argument_group("load beside it")
    group.add_argument(
        "--with-load",
        metavar="SHARE",
        type=checked(share),
        help="keep this share of the one-way bandwidth between the nodes busy meanwhile, e.g. 40%% "
        "(see latitude measure load)",
    )
    group.add_argument(
        "--load-launcher",
        metavar="LINE",
        help="what starts the load, with two ranks a node, e.g. 'mpirun -n 16 --map-by ppr:2:node' "
        "(default: the launch line)",
    )
    add_generator(group)


@contextmanager
def with_load(arguments: argparse.Namespace, launch: Sequence[str]) -> Iterator[LoadBeside | None]:
    """The load that is asked for, running; None when none is."""
    if arguments.with_load is None:
        if arguments.load_launcher is not None:
            raise InputError("--load-launcher: there is no load; add e.g. --with-load 40%")
        yield None
        return
    line = list(launch) if arguments.load_launcher is None else shlex.split(arguments.load_launcher)
    wanted = request(
        line,
        arguments.with_load,
        message=arguments.message,
        peak=arguments.peak,
        beside=True,
        mpicc=arguments.mpicc,
    )
    with load_beside(wanted, arguments.directory) as found:
        yield found
