"""`latitude forecast`: the distribution of runtime under random latency."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from latitude._core import InputError
from latitude.analysis.question_options import parse_tolerances
from latitude.cli import options, progress
from latitude.cli.options import ReplayedOptions
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.cli.plain_options import seed_option, size_option, unit_option
from latitude.notices.saying import say
from latitude.units.options import Options, argument, flag, option, whole
from latitude.units.quantities import parse_fraction

if TYPE_CHECKING:
    from latitude.random.forecast import LatencySource, Question, Random
    from latitude.results.forecast import RuntimeForecast


@dataclass(kw_only=True)
class AskedOptions(Options, topic="the answer"):
    """The number of runtimes to draw, and the questions about their distribution."""

    samples: int | None = option(
        "runtimes to draw (default: 1,000)", "N", whole("a number of samples")
    )
    precision: float | None = option(
        "draw until the interval of the quantile is at most ± this share of the quantile",
        "SHARE",
        lambda text: parse_fraction(text, "precision", "1%"),
    )
    quantile: float = option(
        "quantile of T for the headline (default: 0.95)",
        "P",
        lambda text: parse_fraction(text, "quantile", "0.95 or 95%"),
        default=0.95,
    )
    tolerance: tuple[float, ...] = option(
        "find the latency that keeps T within these shares, e.g. 5% or 1%,5%",
        "SHARES",
        parse_tolerances,
        default=(),
    )
    probability: float = option(
        "… with this probability (default: 0.95)",
        "P",
        lambda text: parse_fraction(text, "probability", "0.95 or 95%"),
        default=0.95,
    )


@dataclass(kw_only=True)
class BackgroundOptions(Options, topic="latency of the cluster"):
    """Latencies of past runs, in place of --latency."""

    background: Path | None = option(
        "history of measured latencies with b (docs/explanation/background.md)", "HISTORY", Path
    )
    at: str | None = option(
        "background traffic b to expect, e.g. 0.42, or `now` for that of the Slurm queue", "B"
    )
    of: str | None = option("collective of the history to take", "NAME")
    size: int | None = size_option(
        "message size of the samples or the collective, e.g. 4B; needed if they have several sizes"
    )
    locality: str | None = option("its locality (default: any)", "WORDS")


@dataclass(kw_only=True)
class RandomOptions(Options, topic="random latency"):
    """Options for the random quantities."""

    latency: str | None = option(
        "distribution of each message's latency: words, a table, or a file or store of samples",
        "DIST",
    )
    latency_is: str = option(
        "added to L, or total: in place of L (default: added)",
        default="added",
        choices=("added", "total"),
    )
    where: Literal["flow", "sender"] = option(
        "spent on the wire, or on the sender's CPU before it posts (default: flow)",
        default="flow",
        choices=("flow", "sender"),
    )
    per: Literal["message", "pair", "rank"] = option(
        "messages that share a draw in a sample: none, those from one rank to another, or all "
        "that a rank sends (default: message)",
        default="message",
        choices=("message", "pair", "rank"),
    )
    unit: str | None = unit_option()
    noise: str | None = option(
        "random factors of mean 1 on computation: 5% means lognormal with an sd of 5%; Latitude "
        "scales any other distribution to mean 1",
        "DIST",
    )
    noise_per: Literal["vertex", "rank"] = option(
        "one factor per computation between two calls, or one per rank and sample "
        "(default: vertex)",
        default="vertex",
        choices=("vertex", "rank"),
    )


@dataclass(kw_only=True)
class WorkOptions(ResultOptions):
    """Options for the computation of runtimes, and the results' destination."""

    directory: Path | None = directory_option(
        "forecast.html, forecast.json and, as they come, the samples"
    )
    seed: int = seed_option("the random numbers", topic="work")
    resume: bool = flag(
        "continue with the samples that an interrupted run left in DIR", topic="results"
    )
    dask: str | None = option(
        "draw on the Dask cluster with this scheduler, e.g. tcp://node1:8786; its workers"
        " read INPUT by the same path",
        "ADDRESS",
        topic="work",
    )


@dataclass(kw_only=True)
class ForecastOptions(RandomOptions, BackgroundOptions, AskedOptions, ReplayedOptions, WorkOptions):
    """A program, and its random latency."""

    input: Path = argument("trace or GOAL file", "INPUT", Path)


class ForecastCommand:
    """Monte Carlo over the execution graph."""

    description = """\
Reads a trace or a GOAL file and draws runtimes under a random latency on each message. Gives mean,
spread and quantiles of T with intervals, the cost of variation alone, the decisive messages, and
the random latency that keeps T within a limit. Latency is a distribution in words, such as
lognormal(mean=5us,sd=10us), a table, or a file of measured samples (docs/reference/tables.md)."""
    example = 'latitude forecast trace.tar.xz --latency "lognormal(mean=5us,sd=10us)" -o forecast'
    options = ForecastOptions

    def run(self, arguments: ForecastOptions) -> None:
        if arguments.resume and arguments.directory is None:
            raise InputError("--resume continues with the samples of a directory; give -o DIR")
        outputs = Outputs.of(arguments, "forecast.html", "forecast.json")
        random = _random_of(arguments)
        question = _question_of(arguments)
        result = _forecast(arguments, random, question)
        from latitude.render.documents.forecasts import (  # noqa: PLC0415 - as above
            SAMPLES_FILE,
            forecast_document,
        )

        outputs.give(forecast_document(result), elsewhere=[SAMPLES_FILE])


def _random_of(arguments: ForecastOptions) -> "Random":
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


def _latency_of(arguments: ForecastOptions) -> "LatencySource":
    if arguments.latency is not None and arguments.background is None:
        for name in ("at", "of", "locality"):
            if getattr(arguments, name):
                raise InputError(f"--{name} chooses from a history; give --background HISTORY")
        from latitude.random.forecast import parse_latency  # noqa: PLC0415 - as above

        return parse_latency(arguments.latency, arguments.unit, arguments.size)
    if arguments.latency is not None or arguments.background is None:
        raise InputError(
            "give --latency DIST, e.g. --latency 'lognormal(mean=5us,sd=10us)', or "
            "--background HISTORY, and not both"
        )
    from latitude.lab.cluster.latency import latency_table  # noqa: PLC0415 - as above
    from latitude.random.forecast import LatencySource  # noqa: PLC0415 - as above

    text, table = latency_table(
        arguments.background, arguments.at, arguments.of, arguments.size or 0, arguments.locality
    )
    return LatencySource.of(text, table)


def _question_of(arguments: ForecastOptions) -> "Question":
    from latitude.random.forecast import Question  # noqa: PLC0415 - as above

    return Question(
        samples=arguments.samples,
        precision=arguments.precision,
        quantile=arguments.quantile,
        tolerance=arguments.tolerance,
        probability=arguments.probability,
    )


def _forecast(
    arguments: ForecastOptions, random: "Random", question: "Question"
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
                SamplingJob(
                    arguments.input,
                    {**options.loading(arguments), "costs": program.costs},
                    network,
                    random,
                ),
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
