"""The engine against HiGHS' solution of [S]'s linear program, on every shared trace.

HiGHS starts from the schedule at the value the engine claims (oracle/schedule.py says why that
cannot change its answer); on the smaller traces it also starts from nothing.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from latitude import _core
from support.oracle import lp
from support.oracle.arrays import Parameters, Theta
from support.oracle.traces import ARCHIVES, graph_of

pytestmark = [pytest.mark.traces, pytest.mark.usefixtures("traces")]

CLUSTER = Parameters(L=3000.0, o=5000.0, G=0.018, S=256 * 1024)
DEGRADATIONS = (0.01, 0.02, 0.05)
INTERVAL = (3000.0, 103_000.0)
ROUNDED = 1e-9
"""Rounding of θ: beyond it, paths that tie except for rounding no longer tie."""
READINGS = ("handshake", "put", "llamp", "sync")
RENDEZVOUS = [
    ("lulesh-8-i20-s8", 1024),
    ("npb-is.S-8", 1024),
    ("npb-ft.S-8", 1024),
    ("npb-bt.S-9", 1024),
    ("lammps-melt-8", 256),  # blocking sends
    ("npb-lu.S-8", 64),  # blocking sends
]
"""Traces and an eager limit that many of their messages exceed."""
COLD_ROWS = 25_000
"""Programs with fewer rows are also solved without a start (some seconds each at most)."""

CURVE_ROWS = 600_000
"""Rows of all solves together when a curve is checked; long curves are sampled."""

cached_graph = cache(graph_of)
Both = tuple[_core.Graph, lp.LatencyProgram]


@pytest.fixture(scope="module", params=ARCHIVES)
def by_latency(request: pytest.FixtureRequest) -> Both:
    """A trace's graph and its linear program, for all tests of it that ask of L."""
    graph = cached_graph(request.param)
    return graph, lp.build(graph, CLUSTER)


def compare(
    graph: _core.Graph,
    costs: Parameters,
    theta: Theta = "L",
    along: tuple[tuple[float, float], ...] | None = None,
    program: lp.LatencyProgram | None = None,
) -> None:
    """T, λ and the tolerances of `theta` by both; `program` where it is built already."""
    network = _core.Network(**costs.keywords())
    fixed, weight = np.array(along).T.copy() if along else (None, None)
    dag = _core.Model(graph, network).along(theta, fixed, weight)
    program = program or lp.build(graph, costs, theta, along)
    solver = lp.Solver(program)
    baseline = program.baseline

    (runtime,) = dag.runtime(np.array([baseline]))
    # If paths are equally long except for rounding, each method may take another path.
    beside = np.array([baseline * (1 - ROUNDED), baseline * (1 + ROUNDED)])
    _, (left, _), (_, right) = dag.slopes(beside)
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
        solver.forget()
        check_runtime(solver.minimise_t(baseline), runtime, left, right)
        solver.forget()
        found = solver.maximise_theta(limits[-1], baseline)
        assert tolerances[-1] == pytest.approx(found.theta, rel=1e-9)


def check_runtime(found: lp.Solution, runtime: float, left: float, right: float) -> None:
    assert runtime == pytest.approx(found.t, rel=1e-9)
    assert left * (1 - 1e-9) <= found.reduced_cost <= right * (1 + 1e-9)


def test_latency(by_latency: Both) -> None:
    graph, program = by_latency
    compare(graph, CLUSTER, program=program)


def test_critical_latencies(by_latency: Both) -> None:
    """Just inside both ends of a piece HiGHS finds the piece's slope; T is convex, so the slope
    is the same in between and no critical latency is missing there."""
    graph, program = by_latency
    dag = _core.Model(graph, _core.Network(**CLUSTER.keywords())).along()
    solver = lp.Solver(program)
    theta, value, left, right = dag.breakpoints(*INTERVAL)
    assert (left < right).all()
    assert (left[1:] == right[:-1]).all()

    pieces = len(theta) + 1
    ends = np.concatenate([[INTERVAL[0]], theta, [INTERVAL[1]]])
    slopes = np.concatenate([left, right[-1:]]) if len(theta) else dag.slopes(ends[:1])[1]
    chosen = max(2, min(pieces, CURVE_ROWS // solver.program.rows))
    for i in np.unique(np.linspace(0, pieces - 1, chosen).astype(int)):
        for share in (0.01, 0.99):
            latency = ends[i] + share * (ends[i + 1] - ends[i])
            solver.start_from(latency, theta_is_free=False)
            assert solver.minimise_t(latency).reduced_cost == pytest.approx(slopes[i], rel=1e-9)
        if i < pieces - 1:
            solver.start_from(ends[i + 1], theta_is_free=False)
            assert solver.minimise_t(ends[i + 1]).t == pytest.approx(value[i], rel=1e-9)


def placed(costs: Parameters, ranks: int) -> Parameters:
    """Ranks round-robin on nodes of about three in a ring: links in a node, to a neighbour, and
    further away."""
    nodes = max(2, ranks // 3)
    apart = [[min((a - b) % nodes, (b - a) % nodes) for b in range(nodes)] for a in range(nodes)]
    return replace(
        costs,
        classes=(("node", 500.0, 0.01), ("near", 2800.0, 0.018), ("far", 4100.0, 0.025)),
        node_of_rank=tuple(rank % nodes for rank in range(ranks)),
        class_of=tuple(tuple(min(distance, 2) for distance in row) for row in apart),
    )


@pytest.mark.parametrize("name", ARCHIVES)
def test_link_classes(name: str) -> None:
    """θ is the latency of a wire: none in a node, two to a neighbour, four further away."""
    graph = cached_graph(name)
    costs = placed(CLUSTER, graph.ranks)
    compare(graph, costs, along=((500.0, 0.0), (2200.0, 2.0), (2900.0, 4.0)))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", ["lulesh-8-i20-s8", "npb-is.S-8"])
def test_gaps_with_link_classes(name: str, reading: str) -> None:
    graph = cached_graph(name)
    costs = replace(CLUSTER, S=1024, rendezvous=reading, g=700.0, O=0.01, gap="both")
    compare(graph, placed(costs, graph.ranks))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("name", "eager_limit"), RENDEZVOUS)
def test_latency_with_rendezvous(name: str, eager_limit: int, reading: str) -> None:
    compare(cached_graph(name), replace(CLUSTER, S=eager_limit, rendezvous=reading))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", ["lulesh-8-i20-s8", "npb-bt.S-9"])
def test_calls_with_an_eager_limit_of_their_own(name: str, reading: str) -> None:
    """Both programs send by MPI_Isend; messages between the limits are then rendezvous."""
    compare(cached_graph(name), replace(CLUSTER, S_isend=1024, rendezvous=reading))


@pytest.mark.parametrize("theta", ["G", "o"])
@pytest.mark.parametrize("name", ["lulesh-8-i20-s8", "npb-is.S-8"])
def test_bandwidth_and_overhead(name: str, theta: Theta) -> None:
    compare(cached_graph(name), CLUSTER, theta)
