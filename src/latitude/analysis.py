"""Execution graph × network → T, λ, ρ, critical latencies, tolerances, critical path."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.callsites import by_call_site
from latitude.network import Network
from latitude.notice import Notice
from latitude.path import Steps, by_call, stays, steps
from latitude.program import Program
from latitude.progress import Progress, Silent
from latitude.provenance import provenance
from latitude.results import (
    Analysis,
    Baseline,
    Breakpoints,
    Curve,
    Floats,
    GraphInfo,
    Pairs,
    Ranks,
    Tolerance,
)
from latitude.units import format_time, parse_interval

POINTS = 101
"""Points of the curve: every µs of the default interval, as in [S] Fig. 9."""
SPAN_NS = 100_000.0
"""Default interval: 100 µs above the baseline, the range [S] Fig. 9 and Table I look at."""
TOLERANCES = (0.01, 0.02, 0.05)
"""Degradations of [S] Fig. 1."""
_ROUNDING = 1e-12
"""Differences of instants below this share of T are rounding errors of zero."""


def analyze(
    program: Program,
    network: Network | None = None,
    *,
    latency: tuple[float, float] | str | None = None,
    tolerance: Sequence[float] = TOLERANCES,
    limits_ns: Sequence[float] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> Analysis:
    """Analyses a program on a network.

    Args:
        program: what `latitude.load` returned.
        network: LogGPS parameters; defaults are those of [S] §III.B.
        latency: interval of interest, ns or `"3us:103us"`; by default L to L + 100 µs.
        tolerance: degradations to find the tolerated latency of, e.g. 0.01 for 1 % slower.
        limits_ns: runtimes (ns) to find the tolerated latency of.
        threads: threads for the critical latencies; 0 means one a core.
        progress: told how far the work is.

    Raises:
        InputError: the options are wrong, or a limit is below the runtime already.
    """
    network = network or Network()
    progress = progress or Silent()
    low, high = _interval(latency, network)
    core_network = network.core()
    progress.stage("Compiling graph and model")
    dag = _core.compile(program.graph, core_network, "L")
    progress.stage("Finding critical path and slack")
    core_path = _core.critical_path(program.graph, core_network)
    path = steps(program.graph, network, core_path)
    baseline = _baseline(dag, core_path, path, network)
    progress.stage("Finding source lines")
    sites = by_call_site(
        program.graph,
        path,
        _slack(core_path.site_least_slack_ns, core_path.T_ns),
        baseline.T_ns,
    )
    progress.stage("Finding tolerances")
    tolerances = _tolerances(dag, baseline, tolerance, limits_ns)
    progress.stage("Finding critical latencies")
    curve = _curve(dag, low, high)
    breakpoints = Breakpoints(*dag.breakpoints(low, high, threads))
    return Analysis(
        provenance=provenance(program.path, program.digest),
        trace=program.trace,
        graph=GraphInfo(
            program.graph.vertices,
            program.graph.edges,
            program.graph.messages,
            program.graph.bytes,
        ),
        network=network,
        collectives=program.collectives,
        reduce_ns_per_byte=program.reduce_ns_per_byte,
        interval_ns=(low, high),
        baseline=baseline,
        tolerance=tolerances,
        curve=curve,
        breakpoints=breakpoints,
        path=path,
        critical_path=stays(path),
        by_rank=_ranks(core_path, path),
        by_call=by_call(program.graph, path, program.trace.calls),
        by_call_site=sites.shares,
        path_call_site=sites.of_step,
        pairs=_pairs(core_path),
        warnings=program.warnings + sites.warnings + _warnings(network),
    )


def _interval(latency: tuple[float, float] | str | None, network: Network) -> tuple[float, float]:
    if latency is None:
        return network.L, network.L + SPAN_NS
    if isinstance(latency, str):
        return parse_interval(latency, "latency")
    low, high = float(latency[0]), float(latency[1])
    if not 0 <= low < high < np.inf:
        raise _core.InputError(
            f"latency: {low:g}:{high:g} ns is no interval; give (low, high) with 0 ≤ low < high"
        )
    return low, high


def _baseline(
    dag: _core.AffineDag, core_path: _core.CriticalPath, path: Steps, network: Network
) -> Baseline:
    runtime, left, right = (float(a[0]) for a in dag.slopes(np.array([network.L])))
    # What g and O cost is computation to the core and overhead here (see path.steps).
    overhead = float(path.overhead.sum()) if network.g or network.O else core_path.overhead_ns
    return Baseline(
        L_ns=network.L,
        T_ns=runtime,
        lambda_L=right,
        lambda_L_left=left,
        lambda_L_right=right,
        rho_L=network.L * right / runtime if runtime > 0 else 0.0,
        lambda_G=core_path.byte_count,
        lambda_o=core_path.overhead_count,
        calc_ns=core_path.calc_ns + core_path.overhead_ns - overhead,
        overhead_ns=overhead,
        latency_ns=core_path.latency_ns,
        bandwidth_ns=core_path.bandwidth_ns,
    )


def _tolerances(
    dag: _core.AffineDag,
    baseline: Baseline,
    degradations: Sequence[float],
    limits_ns: Sequence[float],
) -> list[Tolerance]:
    runtime = baseline.T_ns
    for degradation in degradations:
        if not 0 < degradation < np.inf:
            raise _core.InputError(
                f"tolerance: {degradation:g} is not a positive share; give e.g. 0.05 for 5 %"
            )
    for limit in limits_ns:
        if not limit >= runtime:
            raise _core.InputError(
                f"limit: T is {format_time(runtime)} at L = {format_time(baseline.L_ns)} already; "
                f"a limit of {format_time(limit)} needs a lower L"
            )
    shares = [(x, runtime * (1 + x)) for x in degradations]
    shares += [(limit / runtime - 1 if runtime > 0 else np.inf, limit) for limit in limits_ns]
    shares.sort(key=lambda share: share[1])
    limits = np.array([limit for _, limit in shares])
    found = dag.tolerance(limits, baseline.L_ns) if shares else np.array([])
    return [
        Tolerance(x, limit, float(L), float(L) - baseline.L_ns)
        for (x, limit), L in zip(shares, found, strict=True)
    ]


def _curve(dag: _core.AffineDag, low: float, high: float) -> Curve:
    latency = np.linspace(low, high, POINTS)
    runtime, _, slope = dag.slopes(latency)
    share = np.divide(latency * slope, runtime, out=np.zeros(POINTS), where=runtime > 0)
    return Curve(latency, runtime, slope, share)


def _ranks(core_path: _core.CriticalPath, path: Steps) -> Ranks:
    calc, overhead, end = (
        core_path.rank_calc_ns,
        core_path.rank_overhead_ns,
        core_path.rank_end_ns,
    )
    time = path.end - path.start
    return Ranks(
        calc_ns=calc,
        overhead_ns=overhead,
        wait_ns=np.maximum(0.0, end - calc - overhead),
        end_ns=end,
        path_ns=np.bincount(path.rank, weights=time, minlength=end.size).astype(np.float64),
    )


def _pairs(core_path: _core.CriticalPath) -> Pairs:
    def whole(values: NDArray[np.uint32] | NDArray[np.uint64]) -> NDArray[np.int64]:
        return values.astype(np.int64)

    return Pairs(
        source=whole(core_path.pair_source),
        destination=whole(core_path.pair_destination),
        messages=whole(core_path.pair_messages),
        bytes=whole(core_path.pair_bytes),
        lambda_L=core_path.pair_lambda,
        least_slack_ns=_slack(core_path.pair_least_slack_ns, core_path.T_ns),
        mean_slack_ns=_slack(core_path.pair_mean_slack_ns, core_path.T_ns),
    )


def _slack(slack: Floats, runtime: float) -> Floats:
    """Slack without what is only a rounding error of T."""
    return np.where(slack <= _ROUNDING * runtime, 0.0, slack)


def _warnings(network: Network) -> list[Notice]:
    defaults = network.defaults()
    if not defaults:
        return []
    values = network.describe()
    stated = ", ".join(f"{name} = {values[name]}" for name in defaults)
    return [
        Notice(
            "default-network",
            f"{stated}: default{'s' if len(defaults) > 1 else ''}, not your network's",
            "give your own with --L, --o, --G, --S or --network FILE; the defaults are a "
            "ConnectX-3 fat tree's (Shen et al., SC'24, §III.B)",
        )
    ]
