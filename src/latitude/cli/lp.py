"""`latitude lp`: the linear program of LLAMP, as a check of the engine and as a file."""

from dataclasses import dataclass
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.analysis.cpu_order import in_order
from latitude.analysis.lp.answers import second_opinion
from latitude.analysis.lp.budget import Spending
from latitude.analysis.lp.export import check_suffix, export
from latitude.analysis.lp.program import program_of
from latitude.analysis.lp.solver import SOLVERS, solver_named
from latitude.analysis.question_options import tolerance_option
from latitude.cli import options, progress
from latitude.cli.options import ReplayedOptions
from latitude.cli.outputs import Outputs, ResultOptions
from latitude.model.rules import full_name
from latitude.render.documents.lp import export_document, lp_document
from latitude.results.assumptions import Assumptions
from latitude.units.options import argument, flag, option
from latitude.units.quantities import parse_interval, parse_number


def _bound(text: str) -> tuple[str, tuple[float, float]]:
    name, _, interval = text.rpartition("=")
    if not name:
        raise InputError(f"bound: '{text}' is not understood; write e.g. intra=0.2us:2us")
    return _class(name), parse_interval(interval, "bound", "0.2us:2us")


def _weights(text: str) -> dict[str, float]:
    weights = {}
    for part in text.split(","):
        name, _, value = part.rpartition("=")
        if not name:
            raise InputError(f"budget: '{part}' is not understood; write e.g. intra=4,inter=1")
        weights[_class(name)] = parse_number(value, "a weight", 0)
    return weights


@dataclass(kw_only=True)
class LpOptions(ReplayedOptions, ResultOptions):
    """Questions for the linear program."""

    input: Path = argument("trace or GOAL file", "INPUT", Path)
    solve: bool = flag("solve it, and ask the engine too", topic="linear program")
    export: Path | None = option(
        "write it: FILE.mps or FILE.lp, as LLAMP's analyzer, HiGHS and Gurobi read it",
        "FILE",
        Path,
        topic="linear program",
    )
    solver: str = option(
        "solver (default: highs)",
        default=SOLVERS[0],
        topic="linear program",
        choices=SOLVERS,
    )
    ranging: bool = flag(
        "also find the range of l in which the solver's final basis stays optimal, which "
        "is slow; it is part of the interval in which λ holds",
        topic="linear program",
    )
    budget: dict[str, float] | None = option(
        "find the latencies of the link classes with the greatest worth within each "
        "tolerance; a weight is the worth of a ns of the class's latency, e.g. "
        "intra=4,inter=1",
        "CLASS=WEIGHT,…",
        _weights,
        topic="linear program",
    )
    bound: list[tuple[str, tuple[float, float]]] = option(
        "interval of a class's latency in --budget, e.g. intra=0.2us:2us (default: from its L "
        "upwards); may be repeated",
        "CLASS=LOW:HIGH",
        _bound,
        topic="linear program",
        repeated=True,
    )
    tolerance: tuple[float, ...] = tolerance_option(topic="linear program")


class LpCommand:
    """Solves the LP of Shen et al. 2024, §II.C, to check the engine, spends limits, or exports."""

    description = """\
Builds the linear program of Shen et al., SC'24, §II.C, directly from the execution graph. With
--solve, HiGHS solves it, and both answers are compared: runtime T, λ as the reduced cost of l, the
critical latencies next to L, the tolerances. --export writes it for other solvers. --budget finds
the best way to spend a tolerance over link classes."""
    example = "latitude lp trace.tar.xz --solve"
    options = LpOptions

    def run(self, arguments: LpOptions) -> None:
        solves = _solves(arguments)
        outputs = _outputs(arguments)
        network = options.network_of(arguments, arguments.input).placed_as(arguments.input)
        make_solver = solver_named(arguments.solver)
        opinion = None
        with progress.shown() as display:
            program = options.loaded(arguments.input, arguments, network, display)
            program = in_order(program, network)
            core = network.core(program.ranks)
            made = program.provenance()
            if solves:
                opinion = second_opinion(
                    program.graph,
                    core,
                    arguments.tolerance,
                    make_solver,
                    _spending(arguments),
                    provenance=made,
                    model=Assumptions.of(network, program),
                    warnings=program.warnings,
                    ranging=arguments.ranging,
                    progress=display,
                )
            if arguments.export is not None:
                display.stage(f"Writing {arguments.export}")
                if not solves:
                    _core.Model(program.graph, core).along()  # the error names a cycle
                written = program_of(program.graph, core)
                export(written, arguments.export, force=arguments.force)
        if opinion is not None:
            outputs.give(lp_document(opinion))
        elif arguments.export is not None:
            variables = written.joins + 1 + len(core.classes)
            outputs.give(
                export_document(made, arguments.export, variables, written.rows, program.warnings)
            )


def _solves(arguments: LpOptions) -> bool:
    solves = bool(arguments.solve or arguments.budget or arguments.json)
    if not solves and arguments.export is None:
        raise InputError("nothing to do: give --solve, --budget or --export FILE.mps")
    if arguments.bound and arguments.budget is None:
        raise InputError(
            "--bound needs --budget with the weight of each class, e.g. --budget intra=4,inter=1"
        )
    return solves


def _outputs(arguments: LpOptions) -> Outputs:
    if arguments.export is None:
        return Outputs.of(arguments)
    check_suffix(arguments.export)
    return Outputs.of(arguments, others=[arguments.export])


def _spending(arguments: LpOptions) -> Spending | None:
    if arguments.budget is None:
        return None
    return Spending(arguments.budget, dict(arguments.bound))


def _class(text: str) -> str:
    """A link class by its name in the network: `intra`, `inter`, or `3` for 3 switches."""
    name = text.strip()
    if name.isdecimal():
        return f"{name} switch" if int(name) == 1 else f"{name} switches"
    return full_name(name)
