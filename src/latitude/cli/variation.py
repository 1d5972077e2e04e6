"""`latitude forecast … --suite variation`."""

import argparse
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.cli import options, progress
from latitude.cli.outputs import Outputs
from latitude.cli.random_options import latency_of, random_of

if TYPE_CHECKING:
    from latitude.experiments.variation import Lognormal
    from latitude.random.forecast import Random
    from latitude.results.variation import Variation

_OTHERS = ("precision", "tolerance", "dask", "resume")
"""Options that ask for what the suite does not do."""


def run_suite(arguments: argparse.Namespace) -> None:
    """Runs it for every input, prints the tables, writes page and data."""
    for name in _OTHERS:
        if getattr(arguments, name):
            raise InputError(f"--{name} has no meaning with --suite variation; leave it out")
    outputs = Outputs.of(arguments, "variation.html", "variation.json", "variation.csv")
    result = _result(arguments)
    from latitude.render.documents.variation import variation_document  # noqa: PLC0415 - pandas is slow

    outputs.give(variation_document(result))


def _result(arguments: argparse.Namespace) -> "Variation":
    from latitude.experiments.variation import design, variation_suite  # noqa: PLC0415 - pandas is slow
    from latitude.experiments.variation.suite import SAMPLES  # noqa: PLC0415

    plan = design(_base(arguments))
    network = options.network_of(arguments)
    with progress.shown() as display:
        programs = [options.loaded(path, arguments, network, display) for path in arguments.input]
        return variation_suite(
            programs,
            network,
            plan,
            _random(arguments),
            samples=SAMPLES if arguments.samples is None else arguments.samples,
            threads=arguments.threads,
            progress=display,
        )


def _base(arguments: argparse.Namespace) -> "Lognormal":
    from latitude.experiments.variation.design import PUBLISHED, fitted_to, lognormal_of  # noqa: PLC0415

    if arguments.background is not None:
        source = latency_of(arguments)
        return fitted_to(source.values, source.text)
    if arguments.latency is None:
        return PUBLISHED
    return lognormal_of(arguments.latency, arguments.unit)


def _random(arguments: argparse.Namespace) -> "Random":
    from latitude.experiments.variation import PUBLISHED  # noqa: PLC0415
    from latitude.random.forecast import parse_latency  # noqa: PLC0415

    return random_of(arguments, parse_latency(PUBLISHED.text), "sender")
