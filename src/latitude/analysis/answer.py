"""The answer: T, λ, ρ, tolerances, curve and critical latencies, in a bounded number of sweeps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latitude import _core
from latitude.analysis.context import GraphContext
from latitude.analysis.cpu_order import choices_of, warnings_of_order
from latitude.analysis.polls import warnings_of_polls
from latitude.analysis.prediction import Asked, answers_of, not_known, together
from latitude.files.progress import Progress
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Sweep, Theta, VariedParameter, default_name, theta_of
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.answer import (
    AnalysisAnswer,
    Baseline,
    Bounds,
    Breakpoints,
    Cost,
    Critical,
    Curve,
    GraphInfo,
    Interval,
    Intervals,
    PathParts,
    Sensitivity,
    Tangents,
    Tolerance,
    ToleranceBounds,
)
from latitude.results.assumptions import Assumptions
from latitude.results.critical_path import WholePath
from latitude.statistics.conventions import PREDICTED_CONFIDENCE
from latitude.units.quantities import format_share, format_time, parse_interval

POINTS = 101
"""Points of the curve: every µs of the default interval, as in Fig. 9 of Shen et al. 2024."""
CRITICAL = 1000
"""Default number of listed breakpoints, which bounds the cost of a search."""
_STEPS = 1000
"""Number of steps in the display of progress."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions about a program on a network."""

    interval: tuple[float, float] | None
    """Values of θ; None means up to the tolerances."""
    tolerance: Sequence[float]
    limits_ns: Sequence[float]
    costs: Sequence[float]
    """Extra amounts of θ."""
    critical: int | None
    threads: int


def answer(asked: Questions, context: GraphContext) -> AnalysisAnswer:
    """Answers the questions about a program on a network, and gives the context T and the curve.

    Args:
        asked: the questions.
        context: the program and the network. Afterwards the engine holds T(θ).

    Raises:
        InputError: a limit is below the runtime already, or operations wait in a cycle.
    """
    program, network, links, theta = (
        context.program,
        context.network,
        context.links,
        context.theta,
    )
    model, progress = context.model, context.progress
    path = context.path
    progress.stage("Compiling graph and model")
    dag = context.dag = context.compiled.take()
    latency_dag = dag if theta.name == "L" else theta_of("L", network, links).along(model)
    core_path = model.critical_path()
    if program.job is not None and core_path.bandwidth_ns < 0:
        raise _core.InputError(
            "L: the recorded transfers on the critical path took less than their latencies, "
            f"{format_time(core_path.latency_ns)}; give the L of the network that the job was "
            "recorded on, or none"
        )
    baseline = _baseline(latency_dag, core_path, path, links)
    del latency_dag
    progress.stage("Finding tolerances")
    tolerances = tolerances_of(dag, theta, baseline.T_ns, asked.tolerance, asked.limits_ns)
    interval = asked.interval or theta.default_interval(found.value for found in tolerances)
    curve = curve_of(dag, interval, asked.threads)
    intervals = _intervals(model, network, theta, asked.tolerance, curve, progress)
    bends, listed = critical_values(dag, interval, asked.critical, asked.threads, progress)
    cpu_order = choices_of(program, network, links, theta, interval)
    context.T_ns, context.curve = baseline.T_ns, curve
    context.warnings += warnings_of_order(cpu_order, theta, interval) + first_only(listed, theta)
    context.warnings += warnings_of_polls(context, baseline.T_ns)
    return AnalysisAnswer(
        provenance=program.provenance(),
        trace=program.trace,
        graph=GraphInfo.of(program.graph),
        model=Assumptions.of(network, program),
        cpu_order=cpu_order,
        wildcards=program.wildcards,
        baseline=baseline,
        sensitivity=sensitivity_of(dag, theta),
        span=Interval(low=interval[0], high=interval[1]),
        tolerance=tolerances,
        cost=_costs_of(dag, theta, baseline.T_ns, asked.costs),
        curve=curve,
        breakpoints=bends,
        critical=listed,
        intervals=intervals,
    )


def _costs_of(
    dag: _core.AffineDag, theta: Theta, base_ns: float, deltas: Sequence[float]
) -> list[Cost]:
    """Costs of extra amounts of θ. InputError: θ is a time per byte, but the amounts are times."""
    if not deltas:
        return []
    if theta.unit == "ns/B":
        raise _core.InputError(f"cost: {theta.symbol} is a time per byte; use --tolerance")
    runtimes, _ = dag.tangents(theta.base + np.array(deltas))
    return [
        Cost(delta=delta, T_ns=runtime, share=runtime / base_ns - 1 if base_ns else 0.0)
        for delta, runtime in zip(deltas, runtimes.tolist(), strict=True)
    ]


def question(
    network: Network,
    links: Links,
    latency: tuple[float, float] | str | None,
    sweep: Sweep | str | None,
) -> tuple[Theta, tuple[float, float] | None]:
    """The varied parameter θ, and its interval if given.

    InputError: both latency and sweep are given.
    """
    if sweep is not None and latency is not None:
        raise _core.InputError(
            "latency and sweep: both set the parameter to vary; give one of them"
        )
    if isinstance(sweep, str):
        sweep = Sweep.parse(sweep)
    if isinstance(latency, str):
        sweep = Sweep("L", parse_interval(latency, "latency"))
    elif latency is not None:
        low, high = float(latency[0]), float(latency[1])
        if not 0 <= low < high < np.inf:
            raise _core.InputError(
                f"latency: {low:g}:{high:g} ns is not an interval; give (low, high) with 0 ≤ low "
                "< high"
            )
        sweep = Sweep("L", (low, high))
    sweep = sweep or Sweep(default_name(network))
    theta = theta_of(sweep.name, network, links)
    if sweep.interval is not None:
        theta.refuse_below(sweep.interval[0])
    return theta, sweep.interval


def _baseline(
    dag: _core.AffineDag,
    core_path: _core.CriticalPath,
    path: WholePath,
    links: Links,
) -> Baseline:
    latency = links.classes[0].L
    runtime, left, right = (float(a[0]) for a in dag.slopes(np.array([latency])))
    on_path = latency * right if len(links.classes) == 1 else core_path.latency_ns
    return Baseline(
        L_ns=latency,
        T_ns=runtime,
        lambda_L=right,
        lambda_L_left=left,
        lambda_L_right=right,
        rho_L=on_path / runtime if runtime > 0 else 0.0,
        path=path_parts(core_path, path, links),
    )


def path_parts(core_path: _core.CriticalPath, path: WholePath, links: Links) -> PathParts:
    """The parts of a critical path."""
    # The costs of g and O are computation in the core, but overhead here (see path.steps).
    overhead = (
        float(np.sum(np.asarray(path.overhead)))
        if any(link.g or link.O for link in links.classes)
        else core_path.overhead_ns
    )
    return PathParts(
        lambda_G=core_path.byte_count,
        lambda_o=core_path.overhead_count,
        calc_ns=core_path.calc_ns + core_path.overhead_ns - overhead,
        overhead_ns=overhead,
        latency_ns=core_path.latency_ns,
        bandwidth_ns=core_path.bandwidth_ns,
    )


def sensitivity_of(dag: _core.AffineDag, theta: Theta) -> Sensitivity:
    """λ and ρ of θ at its baseline."""
    runtime, left, right = (float(a[0]) for a in dag.slopes(np.array([theta.base])))
    return Sensitivity.of(theta, runtime, left, right)


def _intervals(
    model: _core.Model,
    network: Network,
    theta: Theta,
    degradations: Sequence[float],
    curve: Curve,
    progress: Progress,
) -> Intervals:
    """Intervals of the answers, from the draws of the network's parameters."""
    asked = Asked([0.0], sorted(degradations), curve.value - theta.base, theta.name)
    others = list(network.varied())
    if others:
        progress.stage("Finding intervals", len(others))
    changed = []
    for other in others:
        placed = _core.Model(model.graph, other.core(model.graph.ranks))
        changed.append(answers_of(placed, other, asked))
        progress.advance(1)
    unknown = not_known(1, network)
    if not changed:
        nothing = np.empty(0)
        return Intervals(
            confidence=PREDICTED_CONFIDENCE,
            not_known=unknown,
            T_ns=None,
            slope=None,
            tolerance=[],
            low_T_ns=nothing,
            high_T_ns=nothing,
        )
    found = together([answers_of(model, network, asked)], changed)
    low, high = found.low, found.high
    bounds = zip(asked.tolerance, low.tolerated.tolist(), high.tolerated.tolist(), strict=True)
    return Intervals(
        confidence=PREDICTED_CONFIDENCE,
        not_known=unknown,
        T_ns=Bounds(low=float(low.T_ns[0]), high=float(high.T_ns[0])),
        slope=Bounds(low=float(low.slope[0]), high=float(high.slope[0])),
        tolerance=[
            ToleranceBounds(degradation=share, delta=Bounds(low=least, high=most))
            for share, least, most in bounds
        ],
        low_T_ns=low.curve_T_ns,
        high_T_ns=high.curve_T_ns,
    )


def tolerances_of(
    dag: _core.AffineDag,
    theta: Theta,
    runtime: float,
    degradations: Sequence[float],
    limits_ns: Sequence[float],
) -> list[Tolerance]:
    """The highest θ within each limit, in the order of rising limits."""
    shares = limits_of(theta, runtime, degradations, limits_ns)
    limits = np.array([limit for _, limit in shares])
    found = dag.tolerance(limits, theta.base) if shares else np.array([])
    return [
        Tolerance(degradation=x, T_limit_ns=limit, value=value, delta=value - theta.base)
        for (x, limit), value in zip(shares, found.tolist(), strict=True)
    ]


def limits_of(
    theta: Theta, runtime: float, degradations: Sequence[float], limits_ns: Sequence[float]
) -> list[tuple[float, float]]:
    """Each limit on T, as a share of the runtime and in ns, in rising order.

    InputError: a limit is invalid, or T exceeds it at the baseline.
    """
    for degradation in degradations:
        if not 0 < degradation < np.inf:
            raise _core.InputError(
                f"tolerance: {degradation:g} is not a positive share; give e.g. 0.05 for 5 %"
            )
    for limit in limits_ns:
        if not limit >= runtime:
            raise _core.InputError(
                f"limit: T is {format_time(runtime)} at {theta.symbol} = {theta.text(theta.base)} "
                f"already; a limit of {format_time(limit)} needs a lower {theta.symbol}"
            )
    shares = [(x, runtime * (1 + x)) for x in degradations]
    shares += [(limit / runtime - 1 if runtime > 0 else np.inf, limit) for limit in limits_ns]
    shares.sort(key=lambda share: share[1])
    return shares


@dataclass(frozen=True, slots=True)
class Listed:
    """The number of breakpoints to list."""

    most: int | None
    """The number; None means all."""


def critical_values(
    dag: _core.AffineDag,
    interval: tuple[float, float],
    most: int | None,
    threads: int,
    progress: Progress,
) -> tuple[Breakpoints, Critical]:
    """The first `most` breakpoints (all if None), and T beyond the list."""
    progress.stage("Finding breakpoints", _STEPS)
    done = 0

    def tell(share: float) -> None:
        nonlocal done
        steps = max(0, int(share * _STEPS) - done)
        done += steps
        progress.advance(steps)

    return listed_of(dag.curve(*interval, most=most, threads=threads, progress=tell), interval)


def listed_of(
    found: _core.CurveFound, interval: tuple[float, float]
) -> tuple[Breakpoints, Critical]:
    """The breakpoints that a search has found, and T beyond the last one."""
    bends = Breakpoints(
        value=found.value, T_ns=found.T_ns, lambda_left=found.left, lambda_right=found.right
    )
    beyond = Tangents(value=found.beyond_value, T_ns=found.beyond_T_ns, slope=found.beyond_slope)
    complete = len(beyond) == 0
    return bends, Critical(
        complete=complete,
        listed=len(bends),
        until=interval[1] if complete else float([interval[0], *bends.value][-1]),
        bound=found.bound,
        beyond=beyond,
    )


def first_only(critical: Critical, theta: VariedParameter) -> list[Notice]:
    """A warning if some breakpoints are not listed."""
    if critical.complete:
        return []
    return [
        kinds.FIRST_CRITICAL_VALUES(
            f"{theta.symbol} has more than the first {theta.changes(critical.listed)}, which "
            f"are listed and end at {theta.text(critical.until)}; beyond, T is known within "
            f"{format_share(critical.bound)} of it"
        )
    ]


def curve_of(dag: _core.AffineDag, interval: tuple[float, float], threads: int = 1) -> Curve:
    """T and λ at evenly spaced values of θ."""
    value = np.linspace(*interval, POINTS)
    runtime, slope = dag.tangents(value, threads)
    share = np.divide(value * slope, runtime, out=np.zeros(POINTS), where=runtime > 0)
    return Curve(value=value, T_ns=runtime, slope=slope, share=share)
