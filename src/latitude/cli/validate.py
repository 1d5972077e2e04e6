"""`latitude validate`: measured against predicted, for the user's own program."""

import argparse
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.cli import options, plain_options, progress
from latitude.cli.outputs import Outputs, add_results
from latitude.cli.runs_log import RunsLog
from latitude.experiments.validation.plan import Setup, ValidationQuestion, parse_deltas, title
from latitude.experiments.validation.runs import Performer, ValidationStore
from latitude.experiments.validation.tolerance import TARGET
from latitude.experiments.validation.validate import validate
from latitude.launch.child import terminated_like_interrupted
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.notices.saying import say
from latitude.trace.program import Program
from latitude.trace.recording import Recording
from latitude.units.quantities import format_share, parse_fraction, parse_time

DIRECTORY = Path("latitude-validate")
_DELTAS = "0:2ms:9"
_BEYOND = 1


class ValidateCommand:
    """The way from a program to how right its predictions are."""

    description = """\
Traces COMMAND, predicts its runtime T for each added latency ΔL, runs it under the flow injector
for each ΔL in random order, and compares: the overlay of Shen et al., SC'24, Fig. 9 and the RRMSE
of their Table I. Around each predicted tolerance runs are made, too, by which it is measured. Runs
are kept in DIR: the same command goes on after Ctrl-C, and more ΔL or repetitions only make what is
missing. The exit status is 0 when the work is done, however right
the predictions are, and 1 when --at-most is exceeded."""
    example = "latitude validate --delta 0:100us:5 -- mpirun -n 8 ./app"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        plain_options.add_command(parser)
        group = parser.add_argument_group("runs")
        group.add_argument(
            "--delta",
            metavar="LATENCIES",
            default=parse_deltas(_DELTAS),
            type=plain_options.checked(parse_deltas),
            help="latencies to add: FROM:TO:COUNT, or a list, e.g. 0,100us,1ms "
            f"(default: {_DELTAS})",
        )
        group.add_argument(
            "--repetitions",
            metavar="N",
            type=plain_options.whole("a number of runs", 1),
            default=5,
            help="runs of each (default: 5)",
        )
        group.add_argument(
            "--precision",
            metavar="SHARE",
            type=plain_options.checked(lambda text: parse_fraction(text, "precision", "20%")),
            help="repeat until the 90%% interval of each measured tolerance is at most ± SHARE of "
            "it (default: as often as --repetitions says; the result says what "
            f"± {format_share(TARGET).replace('%', '%%')} takes)",
        )
        group.add_argument(
            "--most",
            metavar="N",
            type=plain_options.whole("a number of runs", 1),
            default=50,
            help="repetitions at most, with --precision (default: 50)",
        )
        group.add_argument(
            "--only-delta",
            action="store_true",
            help="make no runs around predicted tolerances",
        )
        group.add_argument(
            "--traces",
            metavar="N",
            type=plain_options.whole("a number of runs", 1),
            default=3,
            help="traced runs at ΔL = 0, of which the median of what they predict counts, and as "
            "many at the largest ΔL (default: 3)",
        )
        group.add_argument(
            "--trace",
            metavar="FILE",
            type=Path,
            help="predict from this trace of the same COMMAND, of any format, and trace nothing",
        )
        group.add_argument(
            "--intra-node",
            action="store_true",
            help="delay messages within a node, too; makes MPI send them through UCX",
        )
        group.add_argument(
            "--base",
            metavar="TIME",
            type=plain_options.checked(lambda text: round(parse_time(text, "base", "200us"))),
            default=0,
            help="latency that every message of every run has besides, the traced one and ΔL = 0 "
            "included: emulates a slower network (default: 0us)",
        )
        group.add_argument(
            "--time-limit",
            metavar="TIME",
            type=plain_options.checked(lambda text: parse_time(text, "time limit", "600s") * 1e-9),
            help="end runs that take longer; they have failed (default: none)",
        )
        plain_options.add_seed(group, "the order of the runs")
        plain_options.add_mpicc(group)
        group.add_argument(
            "--at-most",
            metavar="SHARE",
            type=plain_options.checked(lambda text: parse_fraction(text, "at most", "2%")),
            help="exit with status 1 when the RRMSE is larger, e.g. 2%%",
        )
        options.add_tolerance(group)
        options.add_network(parser)
        options.add_replay(options.add_graph(parser))
        add_results(
            parser,
            files="runs, report.html, validation.json and validation.csv",
            csv="a row per run",
            default=DIRECTORY,
        )

    def run(self, arguments: argparse.Namespace) -> None:
        if arguments.trace is not None and arguments.replay:
            raise InputError(
                "replay: what a run took beyond the model is known of runs traced here, under the "
                "injector; leave out --replay or --trace"
            )
        recording = _recording(arguments)
        setup = _setup(arguments)
        given = options.stated_network(arguments).network()
        arguments.force, fresh = True, arguments.force  # the page is made anew from what is there
        outputs = Outputs.of(arguments, "report.html", "validation.json", "validation.csv")
        store = ValidationStore.opened(arguments.directory, setup, force=fresh)
        question = ValidationQuestion(
            deltas_ns=arguments.delta,
            repetitions=arguments.repetitions,
            traces=arguments.traces if recording is None else 0,
            tolerance=sorted(arguments.tolerance),
            replay=arguments.replay,
            seed=arguments.seed,
            limit_s=arguments.time_limit,
            places=not arguments.only_delta,
            precision=arguments.precision,
            most=arguments.most,
        )
        log = RunsLog(label=lambda run: title(run.level, run.asked_mean_ns, run.repetition))
        performer = Performer.of(setup, store, arguments.mpicc, log)
        algorithms = _algorithms(arguments, performer)
        building = {**options.building(arguments), "collectives": algorithms}
        traced = None if recording is None else recording.program(**building)
        try:
            with terminated_like_interrupted(), log.bar():
                result = validate(
                    performer,
                    question,
                    lambda program: _network(arguments, given, performer, program),
                    {**options.loading(arguments), "clock": setup.clock, "collectives": algorithms},
                    traced,
                )
        except KeyboardInterrupt:
            say(
                f"latitude: interrupted; finished runs are in {store.path}: the same command goes "
                "on"
            )
            raise
        from latitude.render.documents.validation import validation_document  # noqa: PLC0415

        outputs.give(validation_document(result))
        if not result.measured:
            raise InputError(f"every run failed, the first: {result.failures[0].why}")
        if arguments.at_most is not None and not result.rrmse <= arguments.at_most:
            raise SystemExit(_BEYOND)


def _setup(arguments: argparse.Namespace) -> Setup:
    command = plain_options.command_of(arguments, "latitude validate -- mpirun -n 8 ./app")
    clock = "cpu" if arguments.clock == "cpu" else "wall"
    return Setup.here(command, clock, arguments.base, intra_node=arguments.intra_node)


def _recording(arguments: argparse.Namespace) -> Recording | None:
    """The trace that is given."""
    if arguments.trace is None:
        return None
    with progress.shown() as display:
        return options.recorded(arguments.trace, arguments, display)


def _algorithms(arguments: argparse.Namespace, performer: Performer) -> list[str]:
    """Those of the program's MPI, unless options say otherwise."""
    preset = performer.preset()
    return [*([preset] if preset else []), *arguments.collective]


def _network(
    arguments: argparse.Namespace,
    given: Network,
    performer: Performer,
    program: Program,
) -> tuple[Network, str, list[Notice]]:
    """As given; measured when nothing of it is given; with the trace's overheads where asked."""
    told: list[Notice] = []
    if arguments.network is not None:
        network, origin = given, f"from {arguments.network}"
    elif given == Network():
        from latitude.experiments.validation.measured_network import (  # noqa: PLC0415
            measured_network,
        )

        directory = performer.store.path / "network"
        network, origin = measured_network(
            directory, performer.setup, performer.choice, program, say
        )
    else:
        network, origin = given, "partly defaults" if given.defaults() else "as given"
    if not options.of_trace(arguments):
        return network, origin, told
    more: dict[str, Any] = {"base_ns": arguments.base}
    if arguments.trace is None:
        more["clock"] = performer.setup.clock
    network = options.with_overheads(arguments, network, program.path, **more)
    return network, f"{origin}; o from the trace", told
