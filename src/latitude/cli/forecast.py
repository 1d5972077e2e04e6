"""`latitude forecast`: the distribution of runtime under random latency."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.cli import options, plain_options, progress
from latitude.cli.outputs import Outputs, add_results
from latitude.notices.saying import say
from latitude.units.quantities import parse_fraction, parse_size

if TYPE_CHECKING:
    from latitude.random.forecast import LatencySource, Question, Random
    from latitude.results.forecast import RuntimeForecast


class ForecastCommand:
    """Monte Carlo over the execution graph."""

    description = """\
Reads a trace or a GOAL file and draws runtimes under a random latency on each message: mean,
spread and quantiles of T with intervals, what variation alone costs, which messages decide, and
how much random latency keeps T within a limit. Latency is a distribution in words, such as
lognormal(mean=5us,sd=10us), a table, or a file of measured samples (docs/tables.md)."""
    example = 'latitude forecast trace.tar.xz --latency "lognormal(mean=5us,sd=10us)" -o forecast'

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("input", metavar="INPUT", type=Path, help="trace or GOAL file")
        _add_random(parser)
        _add_background(parser)
        _add_questions(parser)
        options.add_network(parser)
        options.add_replay(options.add_graph(parser))
        _add_work(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        if arguments.resume and arguments.directory is None:
            raise InputError("--resume goes on with the samples of a directory; give -o DIR")
        outputs = Outputs.of(arguments, "forecast.html", "forecast.json")
        random = _random_of(arguments)
        question = _question_of(arguments)
        result = _forecast(arguments, random, question)
        from latitude.render.documents.forecasts import (  # noqa: PLC0415 - as above
            SAMPLES_FILE,
            forecast_document,
        )

        outputs.give(forecast_document(result), elsewhere=[SAMPLES_FILE])


def _add_random(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("random latency")
    group.add_argument(
        "--latency",
        metavar="DIST",
        help="what each message's latency is drawn from: words, a table, or a file or store "
        "of samples",
    )
    group.add_argument(
        "--latency-is",
        choices=("added", "total"),
        default="added",
        help="comes on top of L, or is the whole latency in place of L (default: added)",
    )
    group.add_argument(
        "--where",
        choices=("flow", "sender"),
        default="flow",
        help="spent on the wire, or on the sender's CPU before it posts (default: flow)",
    )
    group.add_argument(
        "--per",
        choices=("message", "pair", "rank"),
        default="message",
        help="what shares a draw in a sample: nothing, messages from one rank to another, or all "
        "that a rank sends (default: message)",
    )
    group.add_argument(
        "--noise",
        metavar="DIST",
        help="factors on computation of mean 1: 5%% is lognormal with this sd; of a distribution "
        "in words or a file only the shape counts",
    )
    group.add_argument(
        "--noise-per",
        choices=("vertex", "rank"),
        default="vertex",
        help="one factor per computation between two calls, or one per rank and sample "
        "(default: vertex)",
    )
    plain_options.add_unit(group)


def _add_background(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "latency of the cluster", "Instead of --latency: what past runs saw at this background."
    )
    group.add_argument(
        "--background",
        metavar="HISTORY",
        type=Path,
        help="history of measured latencies with b (docs/background.md)",
    )
    group.add_argument(
        "--at",
        metavar="B",
        help="background traffic b to expect, e.g. 0.42, or now: asked from the Slurm queue",
    )
    group.add_argument("--of", metavar="NAME", help="collective of the history to take")
    group.add_argument(
        "--size",
        metavar="SIZE",
        default=0,
        type=plain_options.checked(lambda text: parse_size(text, "size", "1MiB")),
        help="its message size (default: none)",
    )
    group.add_argument("--locality", metavar="WORDS", help="its locality (default: any)")


def _add_questions(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("questions")
    group.add_argument(
        "--samples",
        metavar="N",
        type=plain_options.whole("a number of samples"),
        help="runtimes to draw (default: 1,000)",
    )
    group.add_argument(
        "--precision",
        metavar="SHARE",
        type=plain_options.checked(lambda text: parse_fraction(text, "precision", "1%")),
        help="draw until the interval of the quantile is no wider than ± this share of it",
    )
    group.add_argument(
        "--quantile",
        metavar="P",
        default=0.95,
        type=plain_options.checked(lambda text: parse_fraction(text, "quantile", "0.95 or 95%")),
        help="quantile of T that matters most (default: 0.95)",
    )
    group.add_argument(
        "--tolerance",
        metavar="SHARES",
        default=(),
        type=plain_options.checked(options.parse_tolerances),
        help="find the latency that keeps T within these shares, e.g. 5%% or 1%%,5%%",
    )
    group.add_argument(
        "--probability",
        metavar="P",
        default=0.95,
        type=plain_options.checked(lambda text: parse_fraction(text, "probability", "0.95 or 95%")),
        help="… with this probability (default: 0.95)",
    )


def _add_work(parser: argparse.ArgumentParser) -> None:
    work = parser.add_argument_group("work")
    plain_options.add_seed(work, "the random numbers")
    group = add_results(parser, "forecast.html, forecast.json and, as they come, the samples")
    group.add_argument(
        "--resume",
        action="store_true",
        help="go on with the samples that an interrupted run left in DIR",
    )
    work.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="draw on a Dask cluster: its scheduler's address, e.g. tcp://node1:8786; its workers "
        "read INPUT by the same path",
    )


def _random_of(arguments: argparse.Namespace) -> "Random":
    from latitude.random.forecast import Random, parse_noise  # noqa: PLC0415 - scipy is slow

    return Random(
        latency=_latency_of(arguments),
        where=arguments.where,
        per=arguments.per,
        total=arguments.latency_is == "total",
        noise=None if arguments.noise is None else parse_noise(arguments.noise, arguments.unit),
        noise_per=arguments.noise_per,
        seed=arguments.seed,
    )


def _latency_of(arguments: argparse.Namespace) -> "LatencySource":
    if (arguments.latency is None) == (arguments.background is None):
        raise InputError(
            "give --latency DIST, e.g. --latency 'lognormal(mean=5us,sd=10us)', or "
            "--background HISTORY, and not both"
        )
    if arguments.latency is not None:
        for name in ("at", "of", "size", "locality"):
            if getattr(arguments, name):
                raise InputError(f"--{name} chooses from a history; give --background HISTORY")
        from latitude.random.forecast import parse_latency  # noqa: PLC0415 - as above

        return parse_latency(arguments.latency, arguments.unit)
    from latitude.random.forecast.background import latency_at  # noqa: PLC0415 - as above

    return latency_at(
        arguments.background, arguments.at, arguments.of, arguments.size, arguments.locality
    )


def _question_of(arguments: argparse.Namespace) -> "Question":
    from latitude.random.forecast import Question  # noqa: PLC0415 - as above

    return Question(
        samples=arguments.samples,
        precision=arguments.precision,
        quantile=arguments.quantile,
        tolerance=arguments.tolerance,
        probability=arguments.probability,
    )


def _forecast(
    arguments: argparse.Namespace, random: "Random", question: "Question"
) -> "RuntimeForecast":
    from latitude.random.forecast import forecast  # noqa: PLC0415 - as above

    network = options.network_of(arguments, arguments.input).placed_as(arguments.input)
    keep = None if arguments.directory is None else arguments.directory / "samples"
    with progress.shown() as display:
        program = options.loaded(arguments.input, arguments, network, display)
        sampler = None
        if arguments.dask is not None:
            from latitude.random.forecast.cluster import Cluster, SamplingJob  # noqa: PLC0415 - an extra

            sampler = Cluster(
                arguments.dask,
                SamplingJob(arguments.input, options.loading(arguments), network, random),
            )
        try:
            return forecast(
                program,
                random,
                network,
                question,
                sampler=sampler,
                keep=keep,
                resume=arguments.resume,
                force=arguments.force,
                threads=arguments.threads,
                progress=display,
            )
        except KeyboardInterrupt:
            if keep is not None:
                say(f"latitude: interrupted; the samples so far are in {keep}: go on with --resume")
            raise
