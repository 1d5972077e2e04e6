"""`latitude measure loggps`: the parameters of the model."""

import argparse
from pathlib import Path

from latitude._core import InputError
from latitude.cli.measure.launching import add_launching, add_time, directory_of, launch_line
from latitude.cli.measure.loading import add_with_load, with_load
from latitude.cli.outputs import Outputs, add_results
from latitude.cli.plain_options import checked
from latitude.notices.saying import say
from latitude.render.documents.measurement import beside_sentence, loggps_document
from latitude.results.measurement import AchievedLoad
from latitude.units.quantities import parse_fraction, parse_size, parse_whole

_JSON = "loggps.json"
_PAIRS = 4
_STARTS, _MOST_STARTS = 5, 100
_WARM, _COLD = "warm", "cold"
_MOST = "1MiB"
_LARGEST = 1 << 30


class Loggps:
    """L, o, g, G and S of the user's MPI on the user's network."""

    name = "loggps"
    summary = "L, o, g, G and S; writes cluster.toml for analyze --network"
    description = """\
Measures the LogGPS parameters between the ranks that the launch line starts, and writes them as
cluster.toml for `latitude analyze --network`. Give two nodes, one rank each, for the network;
more ranks a node to tell the inside of a node from it. --size, or --trace with the trace of your
program, takes the overheads at the size of its messages (Shen et al., SC'24, §III.B)."""
    example = "latitude measure loggps -o network -- mpirun -n 2 --map-by node"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_launching(parser)
        size = parser.add_mutually_exclusive_group()
        size.add_argument(
            "--size",
            metavar="SIZE",
            type=checked(_size),
            default=1,
            help="size of the messages whose overhead counts (default: 1B)",
        )
        size.add_argument(
            "--trace",
            metavar="TRACE",
            type=Path,
            help="the same: the average message of this program, as it sent them in the trace",
        )
        parser.add_argument(
            "--most",
            metavar="SIZE",
            type=checked(_size),
            default=parse_size(_MOST),
            help=f"largest message (default: {_MOST})",
        )
        parser.add_argument(
            "--pairs",
            metavar="all|N",
            type=checked(_pairs),
            default=_PAIRS,
            help="pairs of ranks to measure, drawn at random, half of them inside nodes where "
            f"there are both kinds (default: {_PAIRS})",
        )
        parser.add_argument(
            "--quantile",
            metavar="SHARE",
            type=checked(_share),
            default=0.5,
            help="the sample that counts, e.g. 10%% where cores are shared (default: 50%%)",
        )
        parser.add_argument(
            "--precision",
            metavar="SHARE",
            type=checked(_share),
            default=0.02,
            help="a test is done when its 95 %% interval is within ± this share (default: 2%%)",
        )
        parser.add_argument(
            "--starts",
            metavar="N",
            type=checked(lambda text: parse_whole(text, "a number of starts", 1, _MOST_STARTS)),
            default=_STARTS,
            help="starts of the program, which share --time; intervals hold what differs between "
            f"them (default: {_STARTS})",
        )
        parser.add_argument(
            "--cache",
            choices=(_WARM, _COLD),
            default=_WARM,
            help="where messages lie: in the caches, as of a program that has just written them, "
            f"or in memory (default: {_WARM})",
        )
        add_time(parser, "30s")
        add_with_load(parser)
        add_results(parser, f"cluster.toml and {_JSON}", default=directory_of(self.name))

    def run(self, arguments: argparse.Namespace) -> None:
        # Scientific libraries take a second to load.
        from latitude.measure.loggps import Wishes, measure, measurement_of  # noqa: PLC0415

        launch = launch_line(arguments)
        outputs = Outputs.of(arguments, _JSON)
        size = arguments.size if arguments.trace is None else _average(arguments.trace)
        wishes = Wishes(
            size=size,
            most=max(arguments.most, size),
            pairs=arguments.pairs,
            quantile=arguments.quantile,
            precision=arguments.precision,
            time_ns=arguments.time,
            starts=arguments.starts,
            cold=arguments.cache == _COLD,
            pin=not arguments.no_pin,
            mpicc=arguments.mpicc,
            force=arguments.force,
        )
        with with_load(arguments, launch) as load:
            measured = measure(launch, arguments.directory, wishes, say)
        beside, words = None, ""
        if load is not None:
            achieved = None if load.load is None else load.load.achieved
            beside = AchievedLoad(asked=load.asked, achieved=achieved)
            words = beside_sentence(load.asked, load.load)
        result = measurement_of(measured, beside)
        outputs.give(loggps_document(result, measured.cluster, words))


def _average(trace: Path) -> int:
    """Bytes a message between ranks has in a trace, on average."""
    from latitude.analysis.messages import crossing  # noqa: PLC0415
    from latitude.trace.load import load  # noqa: PLC0415

    graph = load(trace).graph
    sizes = graph.value[crossing(graph)]
    if sizes.size == 0:
        raise InputError(f"{trace}: no messages between ranks; give --size instead")
    return max(round(float(sizes.mean())), 1)


def _size(text: str) -> int:
    size = parse_size(text, "size", "8KiB")
    if not 1 <= size <= _LARGEST:
        raise InputError(f"size: '{text}' is not between 1B and 1GiB")
    return size


def _pairs(text: str) -> int:
    if text == "all":
        return 0
    return parse_whole(text, "all or a number of pairs", 1)


def _share(text: str) -> float:
    share = parse_fraction(text, "share", "10%")
    if share >= 1:
        raise InputError(f"'{text}' is not below 1; write e.g. 10%")
    return share
