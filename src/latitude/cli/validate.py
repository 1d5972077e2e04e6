"""`latitude validate`: compares measured and predicted runtimes of the user's program."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.analysis.question_options import parse_tolerances
from latitude.analysis.recorded_costs import recorded_costs
from latitude.cli import options, plain_options, progress
from latitude.cli.options import ReplayedOptions
from latitude.cli.outputs import Outputs, ResultOptions, csv_option, directory_option
from latitude.cli.plain_options import CommandOptions, mpicc_option, seed_option
from latitude.cli.runs_log import RunsLog
from latitude.experiments.validation.plan import Setup, ValidationQuestion, parse_deltas, title
from latitude.experiments.validation.runs import Performer, ValidationStore
from latitude.experiments.validation.tolerance import TARGET
from latitude.experiments.validation.validate import validate
from latitude.launch.child import terminated_like_interrupted
from latitude.model.links import AddedLatency
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.notices.saying import say
from latitude.trace.costs import RecordedCosts
from latitude.trace.load import read
from latitude.trace.program import Program
from latitude.trace.recording import Recording
from latitude.units.options import flag, option, whole
from latitude.units.quantities import format_share, parse_fraction, parse_number, parse_time

DIRECTORY = Path("latitude-validate")
_DELTAS = "0:2ms:9"
_BEYOND = 1


def _minutes(text: str) -> float:
    return parse_number(text, "minutes", 0.0)


_ALL = "all"


def _traces(text: str) -> int | str:
    return _ALL if text == _ALL else whole("a number of runs", 1)(text)


@dataclass(kw_only=True)
class ValidateOptions(CommandOptions, ReplayedOptions, ResultOptions, topic="runs"):
    """A command to predict and to measure."""

    one_run = False
    delta: Any = option(
        f"latencies to add: FROM:TO:COUNT, or a list, e.g. 0,100us,1ms (default: {_DELTAS})",
        "LATENCIES",
        parse_deltas,
        default=parse_deltas(_DELTAS),
    )
    repetitions: int = option(
        "runs of each (default: 5)", "N", whole("a number of runs", 1), default=5
    )
    minutes: float | None = option(
        "in place of --delta and --repetitions: as many runs as fit into N minutes, at ΔL = 0 and "
        "at the ΔL that make the program 25% and 100% slower",
        "N",
        _minutes,
    )
    precision: float | None = option(
        "repeat until the 90% interval of each measured tolerance is at most ± SHARE of "
        "it (default: --repetitions runs; the result gives the number for "
        f"± {format_share(TARGET).replace('%', '%')})",
        "SHARE",
        lambda text: parse_fraction(text, "precision", "20%"),
    )
    most: int = option(
        "repetitions at most, with --precision (default: 50)",
        "N",
        whole("a number of runs", 1),
        default=50,
    )
    only_delta: bool = flag("make no runs around predicted tolerances")
    traces: int | str | None = option(
        "trace all runs, or N runs at ΔL = 0 and as many at the largest ΔL (default: all if a "
        "trace is small, else 3)",
        "all|N",
        _traces,
    )
    trace: Path | None = option(
        "predict from this trace of the same COMMAND, of any format, and trace nothing",
        "FILE",
        Path,
    )
    intra_node: bool = flag(
        "delay messages within a node, too; makes MPI send them through its network"
    )
    base: int = option(
        "additional latency of every message of every run, including recorded runs and ΔL"
        " = 0, which emulates a slower network (default: 0us)",
        "TIME",
        lambda text: round(parse_time(text, "base", "200us")),
        default=0,
    )
    time_limit: float | None = option(
        "end runs that take longer; they have failed (default: none)",
        "TIME",
        lambda text: parse_time(text, "time limit", "600s") * 1e-9,
    )
    at_most: float | None = option(
        "exit with status 1 unless the verdict is right within this share; without this option "
        "the verdict uses 5%, and does not change the status",
        "SHARE",
        lambda text: parse_fraction(text, "at most", "2%"),
    )
    seed: int = seed_option("the order of the runs", topic="runs")
    mpicc: Path | None = mpicc_option(topic="runs")
    tolerance: tuple[float, ...] | None = option(
        "degradations for which to find the tolerated latency, e.g. 1%,2% (default: 1%,2%,5% if "
        "every run is traced, else 10%,20%)",
        "SHARES",
        parse_tolerances,
    )
    directory: Path = directory_option(
        "runs, report.html, validation.json and validation.csv", DIRECTORY
    )
    csv: Path | None = csv_option("a row per run")


class ValidateCommand:
    """Tests the predictions for a program."""

    description = """\
Traces COMMAND, predicts its runtime T for each added latency ΔL, runs it under the flow injector
for each ΔL in random order, and compares both, with the overlay of Shen et al., SC'24, Fig. 9 and
the RRMSE of their Table I. Runs around each predicted tolerance measure it, too. DIR keeps all
runs, so the same command continues after Ctrl-C, and more ΔL or repetitions only add the missing
runs. The exit status is 0 if the work is done, however right the predictions are. With --at-most it
is 1 unless the verdict is that the predictions are right."""
    example = "latitude validate --delta 0:100us:5 -- mpirun -n 8 ./app"
    options = ValidateOptions

    def run(self, arguments: ValidateOptions) -> None:
        if arguments.trace is not None and arguments.replay:
            raise InputError(
                "replay: needs runs that are traced here, under the injector; leave out --replay "
                "or --trace"
            )
        recording = _recording(arguments)
        setup = _setup(arguments)
        given = options.stated_network(arguments).network()
        arguments.force, fresh = True, arguments.force  # new pages replace old ones
        outputs = Outputs.of(arguments, "report.html", "validation.json", "validation.csv")
        store = ValidationStore.opened(arguments.directory, setup, force=fresh)
        question = ValidationQuestion(
            deltas_ns=arguments.delta,
            repetitions=arguments.repetitions,
            traces=_wanted_traces(arguments, recording),
            few_if_large=arguments.traces is None,
            tolerance=None if arguments.tolerance is None else sorted(arguments.tolerance),
            replay=arguments.replay,
            seed=arguments.seed,
            limit_s=arguments.time_limit,
            places=not arguments.only_delta,
            precision=arguments.precision,
            most=arguments.most,
            at_most=arguments.at_most,
            minutes=arguments.minutes,
        )
        log = RunsLog(label=lambda run: title(run.level, run.asked_mean_ns, run.repetition))
        performer = Performer.of(setup, store, arguments.mpicc, log)
        algorithms = _algorithms(arguments, performer)
        building = {**options.building(arguments), "collectives": algorithms}
        loading = {**options.loading(arguments), "clock": setup.clock, "collectives": algorithms}
        traced = None if recording is None else recording.program(**building)
        try:
            with terminated_like_interrupted(), log.bar():
                result = validate(
                    performer,
                    question,
                    lambda program: _network(arguments, given, performer, program),
                    loading,
                    partial(_costs, arguments, algorithms, setup.clock),
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
        if arguments.at_most is not None and result.conclusion.verdict != "right":
            raise SystemExit(_BEYOND)


def _wanted_traces(arguments: ValidateOptions, recording: Recording | None) -> int | None:
    """Number of traced runs at ΔL = 0 and at the largest ΔL; None for all runs."""
    if recording is not None:
        return 0
    return arguments.traces if isinstance(arguments.traces, int) else None


def _setup(arguments: ValidateOptions) -> Setup:
    command = plain_options.command_of(arguments, "latitude validate -- mpirun -n 8 ./app")
    clock = "cpu" if arguments.clock == "cpu" else "wall"
    return Setup.here(command, clock, arguments.base, intra_node=arguments.intra_node)


def _recording(arguments: ValidateOptions) -> Recording | None:
    """The recording of --trace; None without this option."""
    if arguments.trace is None:
        return None
    with progress.shown() as display:
        return options.recorded(arguments.trace, arguments, display)


def _algorithms(arguments: ValidateOptions, performer: Performer) -> list[str]:
    """Algorithms of the program's MPI, unless options choose others."""
    preset = performer.preset()
    return [*([preset] if preset else []), *arguments.collective]


def _costs(
    arguments: ValidateOptions,
    algorithms: list[str],
    clock: str,
    trace: Path,
    network: Network,
    added: AddedLatency,
) -> RecordedCosts | None:
    """Costs of calls in a traced run, if --costs demands recorded costs."""
    if arguments.costs != "recorded":
        return None
    how: dict[str, Any] = {**options.reading(arguments), "clock": clock}
    return recorded_costs(
        read(trace, threads=arguments.threads, **how),
        network,
        added=added,
        collectives=algorithms,
        reduce_ns_per_byte=arguments.reduce_cost,
        threads=arguments.threads,
        options=how,
    )


def _refuse_other_transports(file: Path, network: Network) -> None:
    """Raises InputError if this program's runs use other transports than the measured network."""
    if network.other_transports is not None:
        raise InputError(f"{file}: {network.other_transports}")


def _network(
    arguments: ValidateOptions,
    given: Network,
    performer: Performer,
    program: Program,
) -> tuple[Network, str, list[Notice]]:
    """The given network or a measured one, on request with the trace's overheads."""
    told: list[Notice] = []
    if arguments.network is not None:
        network, origin = given.ran_as(program.path), f"from {arguments.network}"
        _refuse_other_transports(arguments.network, network)
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
