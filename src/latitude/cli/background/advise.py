"""`latitude background advise`: run now or wait?"""

import argparse

from latitude.cli import plain_options
from latitude.cli.background.history import history_of
from latitude.cli.background.locality import add_topology, topology_of
from latitude.cli.background.queue import Meter, add_queue
from latitude.cli.background.samples import add_history
from latitude.cli.outputs import Outputs, add_results
from latitude.cluster.advice import advise
from latitude.results.background import TailQuestion
from latitude.units.quantities import parse_fraction, parse_size


class Advise:
    """A forecast at submission."""

    name = "advise"
    summary = "whether a run now is likely to land in the long tail: run now, or wait, and why"
    description = """\
Forecasts, from past runs, the probability that a run at today's b lands in the long tail (its mean
latency over the 85th percentile of past runs of its collective and size), tests that forecast on
the newest runs, and answers: run now, wait, cannot say, or not enough history (and what is
missing)."""
    example = "latitude background advise history.csv --collective reduce --size 1MiB"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_history(parser)
        group = parser.add_argument_group("the run")
        group.add_argument(
            "--collective", metavar="NAME", required=True, help="as in the history, e.g. reduce"
        )
        group.add_argument(
            "--size",
            metavar="SIZE",
            default=0,
            type=plain_options.checked(parse_size),
            help="message size, e.g. 1MiB (default: of runs without one)",
        )
        where = group.add_mutually_exclusive_group()
        where.add_argument(
            "--placement",
            metavar="TEXT",
            help="as in the history, e.g. 'different islands' (default: any, as often as before)",
        )
        where.add_argument(
            "--on", metavar="NODES", help="host list of the job; its locality is the placement"
        )
        add_topology(group)
        group.add_argument(
            "--b",
            metavar="SHARE",
            type=plain_options.checked(lambda text: parse_fraction(text, "b", "0.42 or 42%")),
            help="b, e.g. 0.42 or 42%% (default: of the queue now)",
        )
        group.add_argument(
            "--wait-above",
            metavar="SHARE",
            type=plain_options.checked(lambda text: parse_fraction(text, "wait-above", "30%")),
            help="probability from which on to wait (default: 30%%, twice the base rate)",
        )
        add_queue(parser)
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        outputs = Outputs.of(arguments)
        from latitude.cluster.advice.advice import WAIT_ABOVE  # noqa: PLC0415

        placement = arguments.placement
        if arguments.on is not None:
            from latitude.units.host_lists import hosts  # noqa: PLC0415

            placement = topology_of(arguments).locality(hosts(arguments.on, "--on")).level
        b = arguments.b if arguments.b is not None else Meter(arguments)().b
        history = history_of(arguments)
        question = TailQuestion(
            b=b, collective=arguments.collective, bytes=arguments.size, placement=placement
        )
        from latitude.render.documents.background import advice_document  # noqa: PLC0415

        limit = arguments.wait_above or WAIT_ABOVE
        outputs.give(advice_document(advise(history, question, wait_above=limit)))
