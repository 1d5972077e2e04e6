"""What `latitude forecast` draws from, by its options."""

import argparse
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.random.forecast import Random, parse_latency, parse_noise

if TYPE_CHECKING:
    from latitude.random.forecast import LatencySource, Random
    from latitude.random.forecast.random import Where


def random_of(arguments: argparse.Namespace, latency: "LatencySource", where: "Where") -> "Random":
    """What the options say is random; `where` unless they say where."""
    return Random(
        latency=latency,
        where=arguments.where or where,
        per=arguments.per,
        total=arguments.latency_is == "total",
        noise=None if arguments.noise is None else parse_noise(arguments.noise, arguments.unit),
        noise_per=arguments.noise_per,
        seed=arguments.seed,
    )


def latency_of(arguments: argparse.Namespace) -> "LatencySource":
    """What each message's latency is drawn from."""
    if (arguments.latency is None) == (arguments.background is None):
        raise InputError(
            "give --latency DIST, e.g. --latency 'lognormal(mean=5us,sd=10us)', or "
            "--background HISTORY, and not both"
        )
    if arguments.latency is not None:
        for name in ("at", "of", "size", "locality"):
            if getattr(arguments, name):
                raise InputError(f"--{name} chooses from a history; give --background HISTORY")
        return parse_latency(arguments.latency, arguments.unit)
    from latitude.random.forecast.background import latency_at  # noqa: PLC0415

    return latency_at(
        arguments.background, arguments.at, arguments.of, arguments.size, arguments.locality
    )
