"""`latitude measure pingpong`, `barrier`, `collective`: the latency of every iteration."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.cli import progress
from latitude.cli.measure.launching import directory_of, launch_line
from latitude.cli.measure.loading import WithLoadOptions, with_load
from latitude.files.progress import Progress
from latitude.files.writing import refuse_file
from latitude.lab.cluster.keeping import PER_RANK, WARM_UP, keep
from latitude.lab.cluster.surroundings import QueueAround, utilization
from latitude.lab.cluster.topology import read_topology
from latitude.measure import sampling
from latitude.measure.results import BenchResults
from latitude.measure.running import running
from latitude.measure.sampling import Sampling
from latitude.measure.session import BenchRequest, built
from latitude.render.document import Line, code
from latitude.render.documents.measurement import beside_sentence, samples_document
from latitude.render.terminal import print_document
from latitude.units.options import Options, flag, option, whole
from latitude.units.quantities import format_size, parse_fraction, parse_size, parse_time


@dataclass(kw_only=True)
class IterationOptions(Options, topic="iterations"):
    """Number and rate of iterations."""

    iterations: int = option(
        f"iterations of each operation and size (default: {sampling.ITERATIONS})",
        "N",
        whole("a number of iterations", 1),
        default=sampling.ITERATIONS,
    )
    warmup: int = option(
        f"iterations before, kept in DIR/{WARM_UP} (default: {sampling.WARMUP})",
        "N",
        whole("a number of iterations"),
        default=sampling.WARMUP,
    )
    interval: float = option(
        "time between the starts of two iterations; grows to twice the 90th percentile of the "
        "warm-up's durations, if that is longer (default: 1ms)",
        "TIME",
        lambda text: parse_time(text, "interval", "1ms"),
        default=sampling.INTERVAL_NS,
    )
    until_ci: float | None = option(
        "continue until the median's 95% interval is within this share of the median on either "
        "side, e.g. 1%",
        "SHARE",
        lambda text: parse_fraction(text, "interval", "1%"),
    )
    at_most: float = option(
        "time limit of --until-ci for one operation and size (default: 60s)",
        "TIME",
        lambda text: parse_time(text, "time", "60s"),
        default=6e10,
    )
    per_rank: bool = flag(f"also keep the time of each rank in the operation, in DIR/{PER_RANK}")


@dataclass(kw_only=True)
class ClockOptions(Options, topic="clocks and labels"):
    """Clocks and labels of ranks and nodes."""

    each_clock: bool = flag(
        "measure the clock of every rank, also of those on one node, which read the same one"
    )
    topology: Path | None = option(
        "topology.conf of the cluster, for the label `placement` (default: ask Slurm)", "FILE", Path
    )


@dataclass(kw_only=True)
class TimedOptions(IterationOptions, ClockOptions, WithLoadOptions):
    """Common options of the three actions."""

    directory: Path


def _added(name: str) -> Any:
    """The option -o, which adds samples to an existing store."""
    default = directory_of(name)
    return option(
        f"add the samples to those in DIR (default: {default})",
        "DIR",
        Path,
        default=default,
        spelled="-o",
    )


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(parse_size(part, "size", "4B,1KiB") for part in text.split(","))


@dataclass(kw_only=True)
class SizedOptions(TimedOptions):
    """The options of TimedOptions, and the sizes of messages."""

    sizes: tuple[int, ...] = option(
        "message sizes (default: 4B,1KiB,32KiB,1MiB)",
        "SIZE,…",
        _sizes,
        default=sampling.SIZES,
        spelled="--size",
        topic="what",
    )


@dataclass(kw_only=True)
class BarrierOptions(TimedOptions):
    """Options for timing barriers."""

    directory: Path = _added("barrier")


class _Timed:
    """Common parts of the three actions."""

    name: str
    summary: str
    description: str
    example: str
    options: type[TimedOptions]
    _operations: Sequence[str]

    def _wanted(self, arguments: Any) -> list[Sampling]:
        common = {
            "iterations": arguments.iterations,
            "warmup": arguments.warmup,
            "interval_ns": arguments.interval,
            "precision": arguments.until_ci or 0.0,
            "at_most_ns": arguments.at_most,
            "each_rank": arguments.per_rank,
            "each_clock": arguments.each_clock,
            "sizes": getattr(arguments, "sizes", (0,)),
            "pair": getattr(arguments, "pair", (0, 1)),
        }
        chosen = getattr(arguments, "operation", self._operations)
        return [Sampling(operation, **common) for operation in chosen]

    def run(self, arguments: Any) -> None:
        launch = launch_line(arguments, self.name)
        wanted = self._wanted(arguments)
        refuse_file(arguments.directory)
        if arguments.topology is not None:
            read_topology(arguments.topology)  # an error in this file appears before the ranks run
        # Before the load begins: during the load, mpicc takes up to a minute on few cores.
        choice = built(sampling.PROGRAM, launch, arguments.mpicc)
        before = utilization()
        found: list[BenchResults] = []
        interrupted = False
        with progress.shown() as bar, with_load(arguments, launch, arguments.directory) as load:
            for each in wanted:
                request = BenchRequest(
                    sampling.PROGRAM,
                    launch,
                    each.arguments(pin=not arguments.no_pin, beside=load is not None),
                    mpi=choice,
                )
                with running(request, arguments.directory) as job:
                    found.append(job.wait(_Watch(bar, each)))
                    interrupted = job.interrupted
                if interrupted:
                    break
        around = QueueAround(before, utilization())
        kept = keep(
            arguments.directory, found, around, load, arguments.topology, interrupted=interrupted
        )
        closing: list[Line] = [] if load is None else [beside_sentence(load.asked, load.load)]
        if interrupted:
            closing.append("Interrupted: the samples so far are kept.")
        closing += [(code(str(path)), ": added") for path in kept.paths]
        following = f"latitude stats tail {arguments.directory} --by collective --by bytes"
        closing.append(("Next: ", code(following)))
        print_document(samples_document(kept.summaries, kept.notices, closing), None)


def _pair(text: str) -> tuple[int, int]:
    first, _, second = text.partition(":")
    if not (first.isdecimal() and second.isdecimal()) or first == second:
        raise InputError(f"'{text}' is not a pair of ranks; write e.g. 0:1")
    return int(first), int(second)


@dataclass(kw_only=True)
class PingpongOptions(SizedOptions):
    """Options for timing two ranks."""

    directory: Path = _added("pingpong")
    pair: tuple[int, int] = option(
        "the two ranks; A begins (default: 0:1)", "A:B", _pair, default=(0, 1), topic="what"
    )


class Pingpong(_Timed):
    """Times messages between two ranks."""

    name = "pingpong"
    summary = "time every round trip between two ranks"
    description = """\
Times MPI_Send and MPI_Recv between two ranks, one round trip every --interval, and keeps half of
each round trip: samples for `latitude fit` and `latitude stats`."""
    example = "latitude measure pingpong --size 4B,1MiB -- mpirun -n 2 --map-by node"
    _operations = (sampling.PINGPONG,)
    options = PingpongOptions


class Barrier(_Timed):
    """Times barriers of all ranks."""

    name = "barrier"
    summary = "time every MPI_Barrier"
    description = """\
Times MPI_Barrier, begun on all ranks at agreed times, from the first rank's begin to the last one's
end, and keeps every iteration: samples for `latitude fit` and `latitude stats`."""
    example = "latitude measure barrier -- srun -N 8"
    _operations = (sampling.BARRIER,)
    options = BarrierOptions


def _operations(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in sampling.COLLECTIVES:
            raise InputError(f"'{name}' is not one of {', '.join(sampling.COLLECTIVES)}")
    return names


@dataclass(kw_only=True)
class CollectiveOptions(SizedOptions):
    """Options for timing collectives."""

    directory: Path = _added("collective")
    operation: tuple[str, ...] = option(
        f"of {', '.join(sampling.COLLECTIVES)} (default: bcast,reduce,alltoall)",
        "NAME,…",
        _operations,
        default=("bcast", "reduce", "alltoall"),
        spelled="--collective",
        topic="what",
    )


class Collective(_Timed):
    """Times collectives of all ranks."""

    name = "collective"
    summary = "time every iteration of collectives"
    description = """\
Times collectives, begun on all ranks at agreed times, from the first rank's begin to the last one's
end, and keeps every iteration: samples for `latitude fit`, `latitude stats` and `latitude
background correlate`. Defaults are those of Salimi Beni and Cosenza, Bench'22, §3.3."""
    example = "latitude measure collective --collective bcast --size 1MiB -- srun -N 8"
    _operations = ()
    options = CollectiveOptions


class _Watch:
    """Moves the progress bar; a stage is one size."""

    def __init__(self, bar: Progress, wanted: Sampling) -> None:
        self._bar, self._wanted = bar, wanted
        self._size = -1
        self._shown = 0
        bar.stage(f"{wanted.operation}: clocks, warm-up")

    def __call__(self, results: BenchResults) -> None:
        """Reports the results so far."""
        size, count = sampling.done(results)
        if not count:
            return
        if size != self._size:
            known = None if self._wanted.precision else self._wanted.iterations
            words = f", {format_size(size)}" if size else ""
            self._bar.stage(f"{self._wanted.operation}{words}", known)
            self._size, self._shown = size, 0
        self._bar.advance(count - self._shown)
        self._shown = count
