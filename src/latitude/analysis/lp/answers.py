"""The same questions to the engine and to the linear program."""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from latitude import _core
from latitude.analysis.lp.budget import Spending
from latitude.analysis.lp.engine import EngineAnswers
from latitude.analysis.lp.model import Matrix, Solution, model_of, unit_for
from latitude.analysis.lp.program import program_of
from latitude.analysis.lp.rows import links_of
from latitude.analysis.lp.solver import Solver
from latitude.analysis.messages import crossing
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.lp import (
    ALL,
    Budget,
    LinkSensitivity,
    LinkTolerance,
    LpSize,
    SecondOpinion,
    SolveTimes,
    Spent,
    TwoAnswers,
    largest_difference,
)


def second_opinion(
    graph: _core.Graph,
    network: _core.Network,
    degradations: Sequence[float],
    make_solver: Callable[[Matrix], Solver],
    spending: Spending | None = None,
    *,
    provenance: Provenance,
    model: Assumptions,
    warnings: Sequence[Notice] = (),
    ranging: bool = False,
    progress: Progress | None = None,
) -> SecondOpinion:
    """T, λ of every class, the critical latencies next to its L, and tolerances, by engine and LP.

    Args:
        graph: execution graph.
        network: LogGPS parameters and link classes.
        degradations: shares by which T may grow, e.g. 0.01.
        make_solver: the function that `solver_named` returned.
        spending: weights and bounds of the classes, to spend each degradation, if wanted.
        provenance: origin of the graph.
        model: the assumptions, for the result.
        warnings: warnings of the program, for the result.
        ranging: whether the solver finds the range of its basis, too, which can take longer than
            solving.
        progress: display of the progress.
    """
    progress = progress or Silent()
    names = [name for name, _, _ in network.classes]
    if spending is not None:
        spending.check(names)
    progress.stage("Asking the engine")
    clock = _Clock()
    engine = EngineAnswers(graph, network)
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

    tolerance = [
        LinkTolerance(
            link=names[i],
            degradation=degradations[k],
            T_limit_ns=limits[k],
            L_ns=TwoAnswers(engine=float(tolerances[i][k]), lp=largest[i, k]),
        )
        for i, k in asked
    ]
    tolerance += [
        LinkTolerance(
            link=ALL,
            degradation=degradations[k],
            T_limit_ns=limits[k],
            L_ns=TwoAnswers(engine=float(extra[k]), lp=x),
        )
        for k, x in enumerate(extras)
    ]
    spent = []
    if spending is not None:
        progress.stage(f"{solver.name}: budget")
        carries = links_of(graph, network)[crossing(graph)]
        used = np.bincount(carries, minlength=len(names)) > 0
        for x, limit in zip(degradations, limits, strict=True):
            latency = spending.maximise(solver, names, program.latency, used, limit)
            spent.append(
                Spent(
                    degradation=x,
                    T_limit_ns=limit,
                    L_ns=dict(zip(names, latency.tolist(), strict=True)),
                    engine_T_ns=engine.runtime_at(np.where(np.isinf(latency), 0.0, latency)),
                )
            )
    runtime = TwoAnswers(engine=engine.runtime_ns, lp=at.t_ns)
    sensitivity = [
        _sensitivity(engine, name, i, slopes[i], at, pieces[i]) for i, name in enumerate(names)
    ]
    return SecondOpinion(
        provenance=provenance,
        model=model,
        lp=LpSize(
            solver=solver.name,
            variables=program.joins + 1 + len(names),
            constraints=program.rows,
        ),
        largest_difference=largest_difference(runtime, sensitivity, tolerance),
        T_ns=runtime,
        sensitivity=sensitivity,
        tolerance=tolerance,
        budget=Budget(weight={} if spending is None else dict(spending.weight), spent=spent),
        seconds=SolveTimes(
            engine_build=engine_build,
            engine_solve=engine_solve,
            lp_build=lp_build,
            lp_runtime=lp_runtime,
            lp_rest=lp_rest,
        ),
        warnings=list(warnings),
    )


class _Clock:
    def __init__(self) -> None:
        self._last = perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        before, self._last = self._last, perf_counter()
        return self._last - before


def _alone(solver: Solver, latency: np.ndarray, link: int, limit_ns: float) -> float:
    """The largest latency of one class while the other classes keep theirs."""
    weight, high = np.zeros(latency.size), latency.copy()
    weight[link], high[link] = 1.0, np.inf
    return float(solver.maximise(weight, limit_ns, latency, high).latency_ns[link])


def _sensitivity(
    engine: EngineAnswers,
    name: str,
    link: int,
    slopes: tuple[float, float],
    at: Solution,
    piece: tuple[float, float],
) -> LinkSensitivity:
    below, above = engine.critical(link, round(float(at.reduced_cost[link]), 6))
    return LinkSensitivity(
        link=name,
        L_ns=float(at.latency_ns[link]),
        lambda_left=slopes[0],
        lambda_right=slopes[1],
        reduced_cost=float(at.reduced_cost[link]),
        critical_below_ns=TwoAnswers(engine=below, lp=piece[0]),
        critical_above_ns=TwoAnswers(engine=above, lp=piece[1]),
        basis_ns=(
            None
            if np.isnan(at.low_ns[link])
            else (max(0.0, float(at.low_ns[link])), float(at.high_ns[link]))
        ),
    )
