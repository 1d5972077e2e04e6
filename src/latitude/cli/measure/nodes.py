"""`latitude measure nodes`: is a node worse than its neighbours?"""

from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli import progress
from latitude.cli.measure.launching import LaunchingOptions, directory_of, launch_line
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.files.progress import Progress
from latitude.measure.results import BenchResults
from latitude.measure.running import running
from latitude.measure.session import BenchRequest
from latitude.render.documents.measurement import nodes_document
from latitude.units.options import option, whole
from latitude.units.quantities import (
    parse_fraction,
    parse_size,
    parse_time,
)

_FILE = "nodes.json"
_PASSES, _LEAST_PASSES = 20, 6
"""Default and least number of passes. With fewer passes, the exact test cannot reach 5 % after the
correction for a few nodes."""
_TRIPS, _BYTES, _QUANTA, _QUANTUM_NS = 100, 8, 20, 1e6
_LEAST_QUANTUM_NS = 1e3
_EFFECT = 0.05


def _quantum(text: str) -> float:
    time = parse_time(text, "quantum", "1ms")
    if time < _LEAST_QUANTUM_NS:
        raise InputError(f"quantum: '{text}' is too short to be timed; write e.g. 1ms")
    return time


@dataclass(kw_only=True)
class NodesOptions(LaunchingOptions, ResultOptions, topic="check"):
    """Options for comparing nodes."""

    by: str = option(
        "compare nodes, by the first rank of each, or all ranks (default: node)",
        default="node",
        choices=("node", "rank"),
    )
    passes: int = option(
        f"times every pair meets (default: {_PASSES})",
        "N",
        whole("a number of passes", _LEAST_PASSES),
        default=_PASSES,
    )
    trips: int = option(
        f"round trips of a pair in a pass, of which the median counts (default: {_TRIPS})",
        "N",
        whole("a number of trips", 1),
        default=_TRIPS,
    )
    size: int = option(f"message size (default: {_BYTES}B)", "SIZE", parse_size, default=_BYTES)
    at_once: int | None = option(
        "pairs that measure at the same time (default: as many as possible with --by node, one "
        "with --by rank)",
        "N",
        whole("a number of pairs", 1),
    )
    at_least: float = option(
        "name a node only if it is higher by this share, too (default: 5%)",
        "SHARE",
        lambda text: parse_fraction(text, "share", "5%"),
        default=_EFFECT,
    )
    quanta: int = option(
        f"pieces of work on each core in a pass (default: {_QUANTA})",
        "N",
        whole("a number of pieces", 1),
        default=_QUANTA,
    )
    quantum: float = option(
        "duration of a quantum at best (default: 1ms)", "TIME", _quantum, default=_QUANTUM_NS
    )
    directory: Path = directory_option(_FILE, directory_of("nodes"))


class Nodes:
    """Compares nodes as in Underwood et al. 2018, §4.1.1."""

    name = "nodes"
    summary = "name nodes whose latency is higher than their neighbours', and noisy cores"
    description = """\
Plays ping-pong between every two nodes in several passes. Names the nodes with statistically higher
latency than their neighbours (Underwood, Anderson and Apon, ICPE'18, §4.1.1; Mann-Whitney,
corrected by Holm, 5 %). Also times equal quanta on every core, and gives the share of time that
each core loses to something else."""
    example = "latitude measure nodes -- srun -N 8"
    options = NodesOptions

    def run(self, arguments: NodesOptions) -> None:
        from latitude.measure.neighbours import PROGRAM, nodes_of  # noqa: PLC0415

        launch = launch_line(arguments, self.name)
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


class _Watch:
    """Moves a progress bar of passes."""

    def __init__(self, bar: Progress, passes: int) -> None:
        self._bar, self._passes = bar, 0
        bar.stage("Passes", passes)

    def __call__(self, results: BenchResults) -> None:
        """Reports the results so far."""
        passes = sum(name == "pass" for name, _ in results.texts) - 1
        self._bar.advance(max(passes - self._passes, 0))
        self._passes = max(passes, self._passes)
