"""`--with-load`: the congestion generator during another measurement."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.cli.measure.launching import LaunchingOptions
from latitude.measure.congestion import MESSAGE, LoadBeside, load_beside, request
from latitude.units.options import option
from latitude.units.quantities import (
    format_size,
    parse_fraction,
    parse_per_byte,
    parse_size,
)


def share(text: str) -> float:
    """Parses a share of the bandwidth, above 0 and up to 1."""
    value = parse_fraction(text, "share", "40%")
    if value > 1:
        raise InputError(f"share: '{text}' is more than the bandwidth; write e.g. 40%")
    return value


def _peak(text: str) -> float:
    """Parses a bandwidth, bytes per second."""
    ns_per_byte = parse_per_byte(text, "peak", "12GB/s")
    if ns_per_byte == 0:
        raise InputError(
            "peak: the bandwidth is unlimited, so a share of it does not exist; write e.g. 12GB/s"
        )
    return 1e9 / ns_per_byte


def message_option(**more: Any) -> Any:
    """The option --message, the size of the generator's messages."""
    return option(
        f"size of the load's messages (default: {format_size(MESSAGE)})",
        "SIZE",
        lambda text: parse_size(text, "message", "256KiB"),
        default=MESSAGE,
        **more,
    )


def peak_option(**more: Any) -> Any:
    """The option --peak, the bandwidth to which the generator's shares refer, bytes per second."""
    return option(
        "the one-way bandwidth of a pair, e.g. 12GB/s (default: measure it for 1 s)",
        "RATE",
        _peak,
        default=0.0,
        **more,
    )


@dataclass(kw_only=True)
class WithLoadOptions(LaunchingOptions, topic="load during the measurement"):
    """The load during a measurement."""

    with_load: float | None = option(
        "keep this share of the one-way bandwidth between the nodes busy during the measurement, "
        "e.g. 40% (see latitude measure load)",
        "SHARE",
        share,
    )
    load_launcher: str | None = option(
        "launch line of the load, with two ranks per node, e.g. 'mpirun -n 16 --map-by "
        "ppr:2:node' (default: the launch line)",
        "LINE",
    )
    message: int = message_option()
    peak: float = peak_option()


@contextmanager
def with_load(
    arguments: WithLoadOptions, launch: Sequence[str], directory: Path
) -> Iterator[LoadBeside | None]:
    """The requested load while it runs; None without a request."""
    if arguments.with_load is None:
        if arguments.load_launcher is not None:
            raise InputError("--load-launcher: needs a load; add e.g. --with-load 40%")
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
    with load_beside(wanted, directory) as found:
        yield found
