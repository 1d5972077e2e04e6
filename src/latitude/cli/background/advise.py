"""`latitude background advise`: run now or wait?"""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from latitude.cli import options
from latitude.cli.background.history import history_of
from latitude.cli.background.locality import add_topology, topology_of
from latitude.cli.background.queue import Meter, add_queue
from latitude.cli.background.samples import add_history
from latitude.cli.outputs import Outputs, add_results
from latitude.files.provenance import stamped
from latitude.files.text import json_text
from latitude.render.terminal import results_console
from latitude.units.quantities import counted, format_share, format_time, parse_fraction, parse_size

if TYPE_CHECKING:
    from latitude.cluster.advice import Advice

SCHEMA = "latitude.background.advise/1"


class Advise:
    """A forecast at submission."""

    name = "advise"
    summary = "whether a run now is likely to land in the long tail: run now, or wait, and why"
    description = """\
Forecasts, from past runs, the probability that a run at today's b lands in the long tail (its mean
latency over the 85th percentile of past runs of its collective and size), tests that forecast on
the newest runs, and answers: run now, wait, cannot say, or not enough history (and what is
missing)."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        add_history(parser)
        group = parser.add_argument_group("the run")
        group.add_argument(
            "--collective", metavar="NAME", required=True, help="as in the history, e.g. reduce"
        )
        group.add_argument(
            "--size",
            metavar="SIZE",
            default=0,
            type=options.checked(parse_size),
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
            type=options.checked(lambda text: parse_fraction(text, "b", "0.42 or 42%")),
            help="b, e.g. 0.42 or 42%% (default: of the queue now)",
        )
        group.add_argument(
            "--wait-above",
            metavar="SHARE",
            type=options.checked(lambda text: parse_fraction(text, "wait-above", "30%")),
            help="probability from which on to wait (default: 30%%, twice the base rate)",
        )
        add_queue(parser)
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        outputs = Outputs.of(arguments)
        from latitude.cluster.advice import Question, advise  # noqa: PLC0415 - scipy is slow
        from latitude.cluster.advice.advice import WAIT_ABOVE  # noqa: PLC0415

        placement = arguments.placement
        if arguments.on is not None:
            from latitude.cluster.hosts import hosts  # noqa: PLC0415

            placement = topology_of(arguments).locality(hosts(arguments.on, "--on")).level
        b = arguments.b if arguments.b is not None else Meter(arguments)().b
        history = history_of(arguments)
        advice = advise(
            history,
            Question(b, arguments.collective, arguments.size, placement),
            wait_above=arguments.wait_above or WAIT_ABOVE,
        )
        content = {**advice.to_dict(), "synthetic": history.synthetic}
        outputs.write(json=lambda: json_text(stamped(SCHEMA, content)))
        if not outputs.uses_stdout():
            if history.synthetic:
                results_console().print(Text("Synthetic history: nothing in it was measured."))
            show(results_console(), advice)


def show(shown: Console, advice: "Advice") -> None:
    """The answer, the numbers, the reasons."""
    from latitude.cluster.advice.advice import QUANTILES  # noqa: PLC0415

    head = advice.answer[:1].upper() + advice.answer[1:]
    shown.print(Text(head, style="bold"), end="")
    shown.print(f": {advice.question.name} at b = {advice.question.b:.2f}", markup=False)
    shown.print()
    found = advice.forecast
    if found is None:
        shown.print(f"The history ({counted(advice.runs, 'run')}) lacks:")
        _show_reasons(shown, advice.reasons)
        return
    shown.print(
        f"Probability of the long tail: {format_share(found.probability)} "
        f"({format_share(found.low)} to {format_share(found.high)}); "
        f"{format_share(found.base_rate)} of all runs land there, with a mean latency over "
        f"{format_time(found.threshold_ns)}.",
        markup=False,
    )
    _show_reasons(shown, advice.reasons)
    values = found.expected.quantiles(QUANTILES).tolist()
    named = ", ".join(
        f"p{100 * share:g} {format_time(ns)}" for share, ns in zip(QUANTILES, values, strict=True)
    )
    shown.print(
        f"Expected latency, from the {found.expected.runs} runs nearest in b: {named}.",
        markup=False,
    )
    score = found.score
    if score.precision is not None and score.recall is not None:
        shown.print(
            f"Tested on {score.tested:,} newer runs: of those it would have held back, "
            f"{format_share(score.precision)} landed in the tail; it would have held back "
            f"{format_share(score.recall)} of the tail."
        )


def _show_reasons(shown: Console, reasons: Iterable[str]) -> None:
    for text in reasons:
        shown.print(Padding(Text(text), (0, 0, 0, 2), expand=False))
