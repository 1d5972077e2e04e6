"""`latitude lp`: the linear program of LLAMP, as a second opinion and as a file."""

import argparse
import math
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from latitude import _core
from latitude._core import InputError
from latitude.analysis.lp.answers import second_opinion
from latitude.analysis.lp.budget import Spending
from latitude.analysis.lp.export import check_suffix, export
from latitude.analysis.lp.program import program_of
from latitude.analysis.lp.results import ALL, Both, SecondOpinion
from latitude.analysis.lp.solver import SOLVERS, solver_named
from latitude.analysis.lp.write import to_json
from latitude.cli import options, progress
from latitude.cli.outputs import Outputs, add_results
from latitude.model.links import INTER, INTRA
from latitude.render.terminal import plain_table, results_console
from latitude.units.quantities import (
    format_count,
    format_share,
    format_time,
    parse_interval,
    parse_number,
)

_ALIASES = {"intra": INTRA, "inter": INTER}


class Lp:
    """The LP of [S] §II.C: solved beside the engine, spent over links, written to a file."""

    description = """\
Builds the linear program of Shen et al., SC'24, §II.C, straight from the execution graph. With
--solve, HiGHS solves it, and both answers stand side by side: runtime T, λ as the reduced cost of
l, the critical latencies next to L, the tolerances. With --export it is written for other solvers.
--budget asks what only a linear program answers: how to spend a tolerance over link classes."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument("input", metavar="INPUT", type=Path, help="trace or GOAL file")
        group = parser.add_argument_group("linear program")
        group.add_argument("--solve", action="store_true", help="solve it, and ask the engine too")
        group.add_argument(
            "--export",
            metavar="FILE",
            type=Path,
            help="write it: FILE.mps or FILE.lp, as LLAMP's analyzer, HiGHS and Gurobi read it",
        )
        group.add_argument(
            "--solver", choices=SOLVERS, default=SOLVERS[0], help="who solves it (default: highs)"
        )
        group.add_argument(
            "--ranging",
            action="store_true",
            help="also the range of l in which the solver's final basis stays optimal: part of "
            "the interval in which λ holds, and slow",
        )
        options.add_tolerance(group)
        group.add_argument(
            "--budget",
            metavar="CLASS=WEIGHT,…",
            type=options.checked(_weights),
            help="find the latencies of the link classes that are worth most within each "
            "tolerance; a weight is what a ns of the class's latency is worth, e.g. "
            "intra=4,inter=1",
        )
        group.add_argument(
            "--bound",
            metavar="CLASS=LOW:HIGH",
            action="append",
            default=[],
            type=options.checked(_bound),
            help="where the latency of a class may lie in --budget, e.g. intra=0.2us:2us "
            "(default: from its L upwards); may be repeated",
        )
        options.add_network(parser)
        options.add_replay(options.add_graph(parser))
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        solves = _solves(arguments)
        outputs = _outputs(arguments)
        network = options.network_of(arguments).placed_as(arguments.input)
        make_solver = solver_named(arguments.solver)
        opinion = None
        with progress.shown() as display:
            program = options.loaded(arguments.input, arguments, network, display)
            core = network.core(program.ranks)
            if solves:
                opinion = second_opinion(
                    program.graph,
                    core,
                    arguments.tolerance,
                    make_solver,
                    _spending(arguments),
                    ranging=arguments.ranging,
                    progress=display,
                )
            if arguments.export is not None:
                display.stage(f"Writing {arguments.export}")
                if not solves:
                    _core.Model(program.graph, core).along()  # names what waits in a circle
                written = program_of(program.graph, core)
                export(written, arguments.export, force=arguments.force)
        console = results_console()
        if opinion is None:
            size = (
                f"{written.joins + 1 + len(core.classes):,} variables, {written.rows:,} constraints"
            )
            console.print(f"{arguments.export}: {size}", markup=False, soft_wrap=True)
            return
        outputs.write(json=lambda: to_json(opinion, program, network))
        if outputs.uses_stdout():
            return
        for part in _summary(opinion):
            console.print(part)


def _solves(arguments: argparse.Namespace) -> bool:
    solves = bool(arguments.solve or arguments.budget or arguments.json)
    if not solves and arguments.export is None:
        raise InputError("nothing to do: give --solve, --budget or --export FILE.mps")
    if arguments.bound and arguments.budget is None:
        raise InputError("--bound needs --budget: what is a ns of each class worth?")
    return solves


def _outputs(arguments: argparse.Namespace) -> Outputs:
    if arguments.export is None:
        return Outputs.of(arguments)
    check_suffix(arguments.export)
    return Outputs.of(arguments, others=[arguments.export])


def _spending(arguments: argparse.Namespace) -> Spending | None:
    if arguments.budget is None:
        return None
    return Spending(arguments.budget, dict(arguments.bound))


def _class(text: str) -> str:
    """A link class as its network calls it: `intra`, `inter`, or `3` for 3 switches."""
    name = text.strip()
    if name.isdecimal():
        return f"{name} switch" if int(name) == 1 else f"{name} switches"
    return _ALIASES.get(name, name)


def _weights(text: str) -> dict[str, float]:
    weights = {}
    for part in text.split(","):
        name, _, value = part.rpartition("=")
        if not name:
            raise InputError(f"budget: '{part}' is not understood; write e.g. intra=4,inter=1")
        weights[_class(name)] = parse_number(value, "a weight", 0)
    return weights


def _bound(text: str) -> tuple[str, tuple[float, float]]:
    name, _, interval = text.rpartition("=")
    if not name:
        raise InputError(f"bound: '{text}' is not understood; write e.g. intra=0.2us:2us")
    return _class(name), parse_interval(interval, "bound", "0.2us:2us")


def _summary(opinion: SecondOpinion) -> list[Padding | Text]:
    parts: list[Padding | Text] = [
        Text(_headline(opinion), style="bold"),
        Text(
            f"{opinion.solver}: {opinion.variables:,} variables, {opinion.constraints:,} "
            "constraints",
            style="dim",
        ),
        Text(),
        _answers(opinion),
        _times(opinion),
    ]
    if opinion.budget:
        parts.append(_budget(opinion))
    return parts


def _headline(opinion: SecondOpinion) -> str:
    difference = opinion.largest_difference
    if difference == 0:
        return "Engine and linear program agree in every digit."
    return f"Engine and linear program agree to {difference:.0e}."


def _answers(opinion: SecondOpinion) -> Padding:
    table = plain_table("Answers", "", "engine", "linear program", "difference")
    several = len(opinion.sensitivity) > 1

    def add(what: str, both: Both, none: str) -> None:
        table.add_row(
            what, *(_time(x, none) for x in (both.engine, both.lp)), _off(both.difference)
        )

    add("runtime T", opinion.T_ns, "")
    for s in opinion.sensitivity:
        of = f", {s.link}" if several else ""
        slopes = format_count(s.lambda_right)
        if s.lambda_left != s.lambda_right:
            slopes = f"{format_count(s.lambda_left)} to {slopes}"
        table.add_row(f"λ{of}", slopes, format_count(round(s.reduced_cost, 6)), _off(s.difference))
        add(f"λ holds from L ={of}", s.critical_below, "0 ns")
        add(f"λ holds up to L ={of}", s.critical_above, "any")
        if s.basis_ns is not None:
            low, high = (_time(x, "any") for x in s.basis_ns)
            table.add_row(f"final basis holds{of}", "", f"{low} to {high}", "")
    for t in opinion.tolerance:
        slower = format_share(t.degradation)
        extra = "extra latency" if t.link == ALL else "latency"
        what = f"{slower} slower: {extra}" + (f", {t.link}" if several else "")
        add(what, t.latency, "any")
    return Padding(table, (0, 0, 1, 0))


def _time(ns: float, none: str) -> str:
    return none if math.isinf(ns) else format_time(ns, 10)


def _off(difference: float) -> str:
    return "0" if difference == 0 else f"{difference:.0e}"


def _times(opinion: SecondOpinion) -> Padding:
    times = opinion.times
    table = plain_table("Time taken", "", "engine", "linear program")
    rest = "λ, tolerances, critical latencies"
    for what, engine, lp in (
        ("from graph to model", times.engine_build, times.lp_build),
        ("T" if len(opinion.tolerance) else "T and λ", None, times.lp_runtime),
        (rest, times.engine_solve, times.lp_rest),
    ):
        shown = "" if engine is None else format_time(engine * 1e9, 3)
        table.add_row(what, shown, format_time(lp * 1e9, 3))
    return Padding(table, (0, 0, 1, 0))


def _budget(opinion: SecondOpinion) -> Padding:
    names = [s.link for s in opinion.sensitivity]
    table = plain_table("Budget: latencies worth most within each tolerance", "slower by", *names)
    table.add_column("T by the engine", justify="right")
    table.add_row("worth of a ns", *(f"{opinion.weight.get(n, 0.0):g}" for n in names), "")
    table.add_row("now", *(format_time(s.L_ns) for s in opinion.sensitivity), _now(opinion))
    for spent in opinion.budget:
        table.add_row(
            format_share(spent.degradation),
            *(_time(x, "any") for x in spent.latency_ns),
            format_time(spent.engine_T_ns, 10),
        )
    return Padding(table, (0, 0, 1, 0))


def _now(opinion: SecondOpinion) -> str:
    return format_time(opinion.T_ns.engine, 10)
