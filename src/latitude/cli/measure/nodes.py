"""`latitude measure nodes`: is a node worse than its neighbours?"""

import argparse

from latitude._core import InputError
from latitude.cli import plain_options, progress
from latitude.cli.measure.launching import add_launching, directory_of, launch_line
from latitude.cli.outputs import Outputs, add_results
from latitude.files.progress import Progress
from latitude.measure.results import BenchResults
from latitude.measure.running import running
from latitude.measure.session import BenchRequest
from latitude.render.documents.measurement import nodes_document
from latitude.units.quantities import (
    parse_fraction,
    parse_size,
    parse_time,
)

_FILE = "nodes.json"
_PASSES, _LEAST_PASSES = 20, 6
"""With fewer passes the exact test cannot reach 5 % after the correction for a few nodes."""
_TRIPS, _BYTES, _QUANTA, _QUANTUM_NS = 100, 8, 20, 1e6
_LEAST_QUANTUM_NS = 1e3
_EFFECT = 0.05


class Nodes:
    """[U] §4.1.1's check."""

    name = "nodes"
    summary = "name nodes whose latency is higher than their neighbours', and noisy cores"
    description = """\
Plays ping-pong between every two nodes in several passes and names the nodes whose latency is
statistically higher than that between their neighbours (Underwood, Anderson and Apon, ICPE'18,
§4.1.1; Mann-Whitney, corrected by Holm, 5 %); works off equal quanta on every core, and says what
share of the time each loses to something else."""
    example = "latitude measure nodes -- srun -N 8"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_launching(parser)
        group = parser.add_argument_group("check")
        group.add_argument(
            "--by",
            choices=("node", "rank"),
            default="node",
            help="compare nodes, by the first rank of each, or all ranks (default: node)",
        )
        group.add_argument(
            "--passes",
            metavar="N",
            default=_PASSES,
            type=plain_options.whole("a number of passes", _LEAST_PASSES),
            help=f"times every pair meets (default: {_PASSES})",
        )
        group.add_argument(
            "--trips",
            metavar="N",
            default=_TRIPS,
            type=plain_options.whole("a number of trips", 1),
            help=f"round trips of a pair in a pass, of which the median counts (default: {_TRIPS})",
        )
        group.add_argument(
            "--size",
            metavar="SIZE",
            default=_BYTES,
            type=plain_options.checked(parse_size),
            help=f"of the messages (default: {_BYTES}B)",
        )
        group.add_argument(
            "--at-once",
            metavar="N",
            type=plain_options.whole("a number of pairs", 1),
            help="pairs at work at a time (default: all that can with --by node, one with --by "
            "rank)",
        )
        group.add_argument(
            "--at-least",
            metavar="SHARE",
            default=_EFFECT,
            type=plain_options.checked(lambda text: parse_fraction(text, "share", "5%")),
            help="name a node only if it is higher by this share, too (default: 5%%)",
        )
        group.add_argument(
            "--quanta",
            metavar="N",
            default=_QUANTA,
            type=plain_options.whole("a number of pieces", 1),
            help=f"pieces of work on each core in a pass (default: {_QUANTA})",
        )
        group.add_argument(
            "--quantum",
            metavar="TIME",
            default=_QUANTUM_NS,
            type=plain_options.checked(_quantum),
            help="what a piece takes at best (default: 1ms)",
        )
        add_results(parser, _FILE, default=directory_of(self.name))

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.measure.neighbours import PROGRAM, nodes_of  # noqa: PLC0415

        launch = launch_line(arguments)
        each_rank = arguments.by == "rank"
        outputs = Outputs.of(arguments, _FILE)
        words: dict[str, str | float] = {
            "pin": int(not arguments.no_pin),
            "passes": arguments.passes,
            "trips": arguments.trips,
            "bytes": arguments.size,
            "each_rank": int(each_rank),
            "at_once": arguments.at_once or int(each_rank),
            "quanta": arguments.quanta,
            "quantum_ns": arguments.quantum,
        }
        wanted = BenchRequest(PROGRAM, launch, words, arguments.mpicc)
        with progress.shown() as bar, running(wanted, arguments.directory) as job:
            results = job.wait(_Watch(bar, arguments.passes))
        found = nodes_of(results, each_rank=each_rank, effect=arguments.at_least)
        outputs.give(nodes_document(found))


def _quantum(text: str) -> float:
    time = parse_time(text, "quantum", "1ms")
    if time < _LEAST_QUANTUM_NS:
        raise InputError(f"quantum: '{text}' is too short to be timed; write e.g. 1ms")
    return time


class _Watch:
    """The bar of passes."""

    def __init__(self, bar: Progress, passes: int) -> None:
        self._bar, self._passes = bar, 0
        bar.stage("Passes", passes)

    def __call__(self, results: BenchResults) -> None:
        """What there is so far."""
        passes = sum(name == "pass" for name, _ in results.texts) - 1
        self._bar.advance(max(passes - self._passes, 0))
        self._passes = max(passes, self._passes)
