"""The engine against HiGHS' solution of [S]'s linear program, on every shared trace.

HiGHS starts from the schedule at the value the engine claims (oracle/schedule.py says why that
cannot change its answer); on the smaller traces it also starts from nothing.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from oracle import lp
from oracle.arrays import Parameters
from oracle.traces import ARCHIVES, graph_of

from latitude import _core

pytestmark = pytest.mark.skipif(not ARCHIVES, reason="no ../shared/traces beside this checkout")

CLUSTER = Parameters(L=3000.0, o=5000.0, G=0.018, S=256 * 1024)
DEGRADATIONS = (0.01, 0.02, 0.05)
READINGS = ("handshake", "llamp", "sync")
COLD_ROWS = 25_000
"""Programs with fewer rows are also solved without a start (some seconds each at most)."""

cached_graph = lru_cache(maxsize=1)(graph_of)


def compare(graph: _core.Graph, costs: Parameters, theta: lp.Theta = "L") -> None:
    """T, λ and the tolerances of `theta` by both."""
    dag = _core.compile(graph, _core.Network(**costs.keywords()), theta)
    program = lp.build(graph, costs, theta)
    solver = lp.Solver(program)
    baseline = program.baseline

    (runtime,), (left,), (right,) = dag.slopes(np.array([baseline]))
    solver.start_from(baseline, theta_is_free=False)
    check_runtime(solver.minimise_t(baseline), runtime, left, right)

    limits = np.array([runtime * (1 + x) for x in DEGRADATIONS])
    tolerances = dag.tolerance(limits, baseline)
    for limit, tolerance in zip(limits, tolerances, strict=True):
        if np.isfinite(tolerance):
            solver.start_from(tolerance, theta_is_free=True)
        found = solver.maximise_theta(limit, baseline)
        assert tolerance == pytest.approx(found.theta, rel=1e-9)

    if program.rows < COLD_ROWS:
        check_runtime(lp.Solver(program).minimise_t(baseline), runtime, left, right)
        found = lp.Solver(program).maximise_theta(limits[-1], baseline)
        assert tolerances[-1] == pytest.approx(found.theta, rel=1e-9)


def check_runtime(found: lp.Solution, runtime: float, left: float, right: float) -> None:
    assert runtime == pytest.approx(found.t, rel=1e-9)
    assert left * (1 - 1e-9) <= found.reduced_cost <= right * (1 + 1e-9)


@pytest.mark.parametrize("name", ARCHIVES)
def test_latency(name: str) -> None:
    compare(cached_graph(name), CLUSTER)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", ["lulesh-8-i20-s8", "npb-is.S-8", "npb-ft.S-8", "npb-bt.S-9"])
def test_latency_with_rendezvous(name: str, reading: str) -> None:
    compare(cached_graph(name), replace(CLUSTER, S=1024, rendezvous=reading))


@pytest.mark.parametrize("theta", ["G", "o"])
@pytest.mark.parametrize("name", ["lulesh-8-i20-s8", "npb-is.S-8"])
def test_bandwidth_and_overhead(name: str, theta: lp.Theta) -> None:
    compare(cached_graph(name), CLUSTER, theta)
