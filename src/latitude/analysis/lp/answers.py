"""The same questions asked of the engine and of the linear program."""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from latitude import _core
from latitude.analysis.lp.budget import Spending
from latitude.analysis.lp.engine import Engine
from latitude.analysis.lp.model import Model, model_of, unit_for
from latitude.analysis.lp.program import program_of
from latitude.analysis.lp.results import (
    ALL,
    Both,
    Budget,
    SecondOpinion,
    Sensitivity,
    Times,
    Tolerated,
)
from latitude.analysis.lp.rows import links_of
from latitude.analysis.lp.solution import Solution
from latitude.analysis.lp.solver import Solver
from latitude.analysis.pairs import crossing
from latitude.files.progress import Progress, Silent


def second_opinion(
    graph: _core.Graph,
    network: _core.Network,
    degradations: Sequence[float],
    make_solver: Callable[[Model], Solver],
    spending: Spending | None = None,
    *,
    ranging: bool = False,
    progress: Progress | None = None,
) -> SecondOpinion:
    """T, λ of every class, the critical latencies next to its L, and tolerances, by both.

    Args:
        graph: execution graph.
        network: LogGPS parameters and link classes.
        degradations: shares by which T may grow, e.g. 0.01.
        make_solver: what `solver_named` returned.
        ranging: asks the solver for the range of its basis too, which can take it longer than to
            solve.
        spending: asks how to spend each degradation over the classes.
        progress: told how far the work is.
    """
    progress = progress or Silent()
    names = [name for name, _, _ in network.classes]
    if spending is not None:
        spending.check(names)
    progress.stage("Asking the engine")
    clock = _Clock()
    engine = Engine(graph, network)
    engine_build = clock.lap()
    limits = [engine.runtime_ns * (1 + x) for x in degradations]
    slopes = [engine.slopes(link) for link in range(len(names))]
    tolerances = [engine.tolerance(link, limits) for link in range(len(names))]
    extra = engine.extra_for_all(limits)
    engine_solve = clock.lap()

    progress.stage("Building the linear program")
    program = program_of(graph, network)
    unit = unit_for(engine.runtime_ns)
    solver = make_solver(model_of(program, unit))
    lp_build = clock.lap()
    progress.stage(f"{solver.name}: runtime, from {program.rows:,} constraints")
    at = solver.minimise_t(program.latency, ranging=ranging)
    lp_runtime = clock.lap()
    progress.stage(f"{solver.name}: critical latencies and tolerances")
    pieces = [solver.piece(link, at) for link in range(len(names))]
    asked = [(i, k) for i in range(len(names)) for k in range(len(limits))]
    largest = {(i, k): _alone(solver, program.latency, i, limits[k]) for i, k in asked}
    together = None
    if len(names) > 1:
        together = make_solver(model_of(program.along(program.latency, np.ones(len(names))), unit))
    extras = [] if together is None else [_alone(together, np.zeros(1), 0, x) for x in limits]
    lp_rest = clock.lap()

    tolerated = [
        Tolerated(
            names[i], degradations[k], limits[k], Both(float(tolerances[i][k]), largest[i, k])
        )
        for i, k in asked
    ]
    tolerated += [
        Tolerated(ALL, degradations[k], limits[k], Both(float(extra[k]), x))
        for k, x in enumerate(extras)
    ]
    budget = []
    if spending is not None:
        progress.stage(f"{solver.name}: budget")
        carries = links_of(graph, network)[crossing(graph)]
        used = np.bincount(carries, minlength=len(names)) > 0
        for x, limit in zip(degradations, limits, strict=True):
            latency = spending.maximise(solver, names, program.latency, used, limit)
            runtime = engine.runtime_at(np.where(np.isinf(latency), 0.0, latency))
            budget.append(Budget(x, limit, latency.tolist(), runtime))
    return SecondOpinion(
        solver=solver.name,
        variables=program.joins + 1 + len(names),
        constraints=program.rows,
        T_ns=Both(engine.runtime_ns, at.t_ns),
        sensitivity=[
            _sensitivity(engine, name, i, slopes[i], at, pieces[i]) for i, name in enumerate(names)
        ],
        tolerance=tolerated,
        budget=budget,
        weight={} if spending is None else dict(spending.weight),
        times=Times(engine_build, engine_solve, lp_build, lp_runtime, lp_rest),
    )


class _Clock:
    def __init__(self) -> None:
        self._last = perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        before, self._last = self._last, perf_counter()
        return self._last - before


def _alone(solver: Solver, latency: np.ndarray, link: int, limit_ns: float) -> float:
    """The largest latency of one class, the others as they are."""
    weight, high = np.zeros(latency.size), latency.copy()
    weight[link], high[link] = 1.0, np.inf
    return float(solver.maximise(weight, limit_ns, latency, high).latency_ns[link])


def _sensitivity(
    engine: Engine,
    name: str,
    link: int,
    slopes: tuple[float, float],
    at: Solution,
    piece: tuple[float, float],
) -> Sensitivity:
    below, above = engine.critical(link, round(float(at.reduced_cost[link]), 6))
    return Sensitivity(
        link=name,
        L_ns=float(at.latency_ns[link]),
        lambda_left=slopes[0],
        lambda_right=slopes[1],
        reduced_cost=float(at.reduced_cost[link]),
        critical_below=Both(below, piece[0]),
        critical_above=Both(above, piece[1]),
        basis_ns=(
            None
            if np.isnan(at.low_ns[link])
            else (max(0.0, float(at.low_ns[link])), float(at.high_ns[link]))
        ),
    )
