"""`latitude measure loggps`: the parameters of the model."""

from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli.measure.launching import directory_of, launch_line
from latitude.cli.measure.loading import WithLoadOptions, with_load
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.notices.saying import say
from latitude.render.documents.measurement import beside_sentence, loggps_document
from latitude.results.measurement import AchievedLoad
from latitude.units.options import option
from latitude.units.quantities import parse_fraction, parse_size, parse_time, parse_whole

_JSON = "loggps.json"
_TIME = "30s"
_PAIRS = 4
_STARTS, _MOST_STARTS = 5, 100
_WARM, _COLD = "warm", "cold"
_MOST = "1MiB"
_LARGEST = 1 << 30


def _pairs(text: str) -> int:
    if text == "all":
        return 0
    return parse_whole(text, "all or a number of pairs", 1)


def _share(text: str) -> float:
    share = parse_fraction(text, "share", "10%")
    if share >= 1:
        raise InputError(f"'{text}' is not below 1; write e.g. 10%")
    return share


def _size(text: str) -> int:
    size = parse_size(text, "size", "8KiB")
    if not 1 <= size <= _LARGEST:
        raise InputError(f"size: '{text}' is not between 1B and 1GiB")
    return size


@dataclass(kw_only=True)
class LoggpsOptions(WithLoadOptions, ResultOptions):
    """Options for the measurement of parameters."""

    size: int = option(
        "size of the messages whose overhead counts (default: 1B)",
        "SIZE",
        _size,
        default=1,
        alternative="size",
    )
    trace: Path | None = option(
        "the size is the mean message size in this trace",
        "TRACE",
        Path,
        alternative="size",
    )
    most: int = option(
        f"largest message (default: {_MOST})", "SIZE", _size, default=parse_size(_MOST)
    )
    pairs: int = option(
        "pairs of ranks to measure, drawn at random, half of them inside nodes if both kinds "
        f"exist (default: {_PAIRS})",
        "all|N",
        _pairs,
        default=_PAIRS,
    )
    rules: Path | None = option(
        "measure each link rule of this cluster file, between ranks that it fits; by default "
        "nodes and their insides",
        "FILE",
        Path,
    )
    quantile: float = option(
        "the quantile of the samples that counts, e.g. 10% if ranks share cores (default: 50%)",
        "SHARE",
        _share,
        default=0.5,
    )
    precision: float = option(
        "a test ends once its 95 % interval is within ± this share (default: 2%)",
        "SHARE",
        _share,
        default=0.02,
    )
    starts: int = option(
        "number of starts of the program, which share --time; intervals include the differences "
        "between "
        f"them (default: {_STARTS})",
        "N",
        lambda text: parse_whole(text, "a number of starts", 1, _MOST_STARTS),
        default=_STARTS,
    )
    cache: str = option(
        "place of the messages: in the caches, as after a program has written them, "
        f"or in memory (default: {_WARM})",
        default=_WARM,
        choices=(_WARM, _COLD),
    )
    time: float = option(
        f"most time to spend (default: {_TIME})",
        "TIME",
        lambda text: parse_time(text, "time", _TIME),
        default=parse_time(_TIME),
    )
    directory: Path = directory_option(f"cluster.toml and {_JSON}", directory_of("loggps"))


class Loggps:
    """Measures L, o, g, G and S of the user's MPI on the user's network."""

    name = "loggps"
    summary = "L, o, g, G and S; writes cluster.toml for analyze --network"
    description = """\
Measures the LogGPS parameters between the ranks of the launch line, and writes them as cluster.toml
for `latitude analyze --network`. Give one rank on each of two nodes for the network, and more ranks
per node to measure the inside of a node as well. With --size, or --trace of your program, the
overheads are those at the size of its messages (Shen et al., SC'24, §III.B)."""
    example = "latitude measure loggps -o network -- mpirun -n 2 --map-by node"
    options = LoggpsOptions

    def run(self, arguments: LoggpsOptions) -> None:
        # Scientific libraries take a second to load.
        from latitude.measure.loggps import (  # noqa: PLC0415
            PROGRAM,
            Wishes,
            measure,
            measurement_of,
        )
        from latitude.measure.session import built  # noqa: PLC0415
        from latitude.model.cluster_file import read_cluster  # noqa: PLC0415

        launch = launch_line(arguments, self.name)
        outputs = Outputs.of(arguments, _JSON)
        size = arguments.size if arguments.trace is None else _average(arguments.trace)
        wishes = Wishes(
            size=size,
            most=max(arguments.most, size),
            pairs=arguments.pairs,
            described=None if arguments.rules is None else read_cluster(arguments.rules),
            quantile=arguments.quantile,
            precision=arguments.precision,
            time_ns=arguments.time,
            starts=arguments.starts,
            cold=arguments.cache == _COLD,
            pin=not arguments.no_pin,
            force=arguments.force,
            mpi=built(PROGRAM, launch, arguments.mpicc),  # before the load, which slows compilers
        )
        with with_load(arguments, launch, arguments.directory) as load:
            measured = measure(launch, arguments.directory, wishes, say)
        beside, words = None, ""
        if load is not None:
            achieved = None if load.load is None else load.load.achieved
            beside = AchievedLoad(asked=load.asked, achieved=achieved)
            words = beside_sentence(load.asked, load.load)
        result = measurement_of(measured, beside)
        outputs.give(loggps_document(result, measured.cluster, words))


def _average(trace: Path) -> int:
    """Mean size of the messages between ranks in a trace, bytes."""
    from latitude.analysis.messages import crossing  # noqa: PLC0415
    from latitude.trace.load import load  # noqa: PLC0415

    graph = load(trace).graph
    sizes = graph.value[crossing(graph)]
    if sizes.size == 0:
        raise InputError(f"{trace}: no messages between ranks; give --size instead")
    return max(round(float(sizes.mean())), 1)
