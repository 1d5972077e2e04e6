"""`latitude background advise`: run now or wait?"""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.background.history import history_of
from latitude.cli.background.locality import topology_of, topology_option
from latitude.cli.background.queue import Meter, SavedQueueOptions
from latitude.cli.background.samples import HistoryOptions
from latitude.cli.outputs import Outputs, ResultOptions
from latitude.lab.cluster.advice import advise
from latitude.lab.results.background import TailQuestion
from latitude.units.options import option
from latitude.units.quantities import parse_fraction, parse_size


@dataclass(kw_only=True)
class AdviseOptions(HistoryOptions, SavedQueueOptions, ResultOptions, topic="the run"):
    """A run, and the history for its forecast."""

    collective: str = option("as in the history, e.g. reduce", "NAME", required=True)
    size: int = option(
        "message size, e.g. 1MiB (default: runs without a size)", "SIZE", parse_size, default=0
    )
    placement: str | None = option(
        "as in the history, e.g. 'different islands' (default: any, as often as before)",
        "TEXT",
        alternative="where",
    )
    on: str | None = option(
        "host list of the job; its locality is the placement", "NODES", alternative="where"
    )
    b: float | None = option(
        "b, e.g. 0.42 or 42% (default: b of the present queue)",
        "SHARE",
        lambda text: parse_fraction(text, "b", "0.42 or 42%"),
    )
    wait_above: float | None = option(
        "probability of the tail above which the advice is to wait (default: 30%, twice "
        "the base rate)",
        "SHARE",
        lambda text: parse_fraction(text, "wait-above", "30%"),
    )
    topology: Path | None = topology_option(topic="the run")


class Advise:
    """A forecast at submission."""

    name = "advise"
    summary = "whether a run now is likely to land in the long tail: run now, or wait, and why"
    description = """\
Forecasts from past runs the probability that a run at today's b lands in the long tail: a mean
latency over the 85th percentile of past runs of its collective and size. Tests that forecast on the
newest runs. Answers: run now, wait, cannot say, or not enough history, with the missing part."""
    example = "latitude background advise history.csv --collective reduce --size 1MiB"
    options = AdviseOptions

    def run(self, arguments: AdviseOptions) -> None:
        outputs = Outputs.of(arguments)
        from latitude.lab.cluster.advice.advice import WAIT_ABOVE  # noqa: PLC0415

        placement = arguments.placement
        if arguments.on is not None:
            from latitude.units.host_lists import hosts  # noqa: PLC0415

            placement = topology_of(arguments.topology).locality(hosts(arguments.on, "--on")).level
        b = arguments.b if arguments.b is not None else Meter(arguments)().b
        history = history_of(arguments)
        question = TailQuestion(
            b=b, collective=arguments.collective, bytes=arguments.size, placement=placement
        )
        from latitude.lab.documents.background import advice_document  # noqa: PLC0415

        limit = arguments.wait_above or WAIT_ABOVE
        outputs.give(advice_document(advise(history, question, wait_above=limit)))
