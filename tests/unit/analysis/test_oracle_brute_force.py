"""The engine against every path of more than 10,000 small random programs."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from latitude import _core
from support.oracle.arrays import GraphArrays, Parameters, Theta
from support.oracle.brute_force import Envelope, Line, all_paths, lines
from support.oracle.programs import (
    Program,
    racing_program,
    random_cluster,
    random_direction,
    random_parameters,
    random_program,
)
from support.oracle.threaded_programs import random_threads
from support.oracle.traced_programs import random_trace
from support.oracle.traces import graph_of_texts
from support.tiers import first_of

THETAS: tuple[Theta, ...] = ("L", "G", "o")
CHUNKS, SMALL, RACING, TRACED = 20, 500, 75, 75
CLUSTERS, TRACED_CLUSTERS = 120, 60
GRID = np.concatenate([np.arange(0.0, 32.0, 0.5), 2.0 ** np.arange(5, 16)])
LOW, HIGH = 0.5, 20_000.0
RELATIVE = 1e-10
"""A breakpoint is where two tangents meet, each known to rounding at its own, distant, θ."""
RAISES = (1.0, 1.01, 1.05, 1.5, 4.0)


def read(program: Program, rng: Random, path: Path) -> _core.Graph:
    path.write_text(program.text(rng))
    return _core.graph_format("goal").read(str(path))


def check(dag: _core.AffineDag, exact: Envelope, candidates: list[Line]) -> None:
    """Everything the engine says of one program and one θ."""
    a = np.array([float(slope) for slope, _ in candidates])
    c = np.array([float(constant) for _, constant in candidates])
    paths = a[:, None] * GRID + c[:, None]  # exact: all numbers are dyadic and small
    longest = paths.max(axis=0)
    assert np.array_equal(dag.runtime(GRID), longest)

    value, left, right = dag.slopes(GRID)
    assert np.array_equal(value, longest)
    critical = paths == longest
    assert np.array_equal(right, np.where(critical, a[:, None], -np.inf).max(axis=0))
    least = np.where(critical, a[:, None], np.inf).min(axis=0)
    assert np.array_equal(left[1:], least[1:])  # θ = 0 has no left

    check_breakpoints(dag, exact)
    check_tolerance(dag, exact)


def check_breakpoints(dag: _core.AffineDag, exact: Envelope) -> None:
    theta, value, left, right = dag.breakpoints(LOW, HIGH)
    expected = exact.breakpoints(Fraction(LOW), Fraction(HIGH))
    assert left.tolist() == [change[1] for change in expected]
    assert right.tolist() == [change[2] for change in expected]
    at = [float(change[0]) for change in expected]
    assert theta == pytest.approx(at, rel=RELATIVE, abs=HIGH * 1e-13)
    others = [float(exact.value(change[0])) for change in expected]
    np.testing.assert_allclose(value, others, rtol=RELATIVE)


def check_tolerance(dag: _core.AffineDag, exact: Envelope) -> None:
    start = Fraction(3, 2)
    runtime = float(exact.value(start))
    limits = [runtime * raised for raised in RAISES]
    expected = [float(exact.tolerance(Fraction(limit))) for limit in limits]
    found = dag.tolerance(np.array(limits), float(start))
    np.testing.assert_allclose(found, expected, rtol=RELATIVE)


def check_graph(graph: _core.Graph, costs: Parameters, arrays: GraphArrays | None = None) -> None:
    """`arrays`: the same graph, where it is known without the core."""
    network = _core.Network(**costs.keywords())
    paths = all_paths(arrays or graph, costs)
    for theta in THETAS:
        candidates = lines(paths, costs.prices(theta))
        check(_core.Model(graph, network).along(theta), Envelope.of(candidates), candidates)


def check_cluster(graph: _core.Graph, costs: Parameters, rng: Random) -> None:
    """Every θ of a network of several link classes, along random functions of it too."""
    network = _core.Network(**costs.keywords())
    paths = all_paths(graph, costs)
    spaced: tuple[Theta, ...] = () if costs.gap == "none" else ("g",)
    for theta in (*THETAS, *spaced):
        candidates = lines(paths, costs.prices(theta))
        model = _core.Model(graph, network)
        check(model.along(theta), Envelope.of(candidates), candidates)
        value = float(Envelope.of(candidates).value(Fraction(costs.prices(theta).baseline)))
        assert model.critical_path().T_ns == value
        assert model.runtime() == value
    for theta in (*THETAS, *spaced):
        along = random_direction(rng, costs)
        fixed, weight = np.array(along).T.copy()
        candidates = lines(paths, costs.prices(theta, along))
        dag = _core.Model(graph, network).along(theta, fixed, weight)
        check(dag, Envelope.of(candidates), candidates)


def check_program(program: Program, costs: Parameters, rng: Random, path: Path) -> None:
    check_graph(read(program, rng, path), costs, program.arrays())


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
@pytest.mark.parametrize(("draw", "count"), [(random_program, SMALL), (racing_program, RACING)])
def test_engine_equals_all_paths(
    draw: Callable[[Random], Program], count: int, chunk: int, tmp_path: Path
) -> None:
    for seed in range(chunk * count, (chunk + 1) * count):
        rng = Random(seed)
        program, costs = draw(rng), random_parameters(rng)
        try:
            check_program(program, costs, rng, tmp_path / "program.goal")
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"seed {seed}, {costs}\n{program.text()}") from error


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_engine_equals_all_paths_of_traced_programs(chunk: int) -> None:
    """Dependencies that GOAL cannot say: program order, posting points, blocking sends."""
    for seed in range(chunk * TRACED, (chunk + 1) * TRACED):
        rng = Random(seed)
        texts, costs = random_trace(rng), random_parameters(rng)
        costs = replace(costs, L=costs.L * 500, o=costs.o * 500)
        try:
            check_graph(graph_of_texts(texts), costs)
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"seed {seed}, {costs}\n" + "\n".join(texts)) from error


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_engine_equals_all_paths_with_link_classes_and_gaps(chunk: int, tmp_path: Path) -> None:
    """Operations stand in an order in which they can run, which is the order the gaps keep."""
    path = tmp_path / "program.goal"
    for seed in range(chunk * CLUSTERS, (chunk + 1) * CLUSTERS):
        rng = Random(seed)
        program = random_program(rng)
        costs = random_cluster(rng, program.ranks)
        path.write_text(program.text())
        try:
            check_cluster(_core.graph_format("goal").read(str(path)), costs, rng)
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"seed {seed}, {costs}\n{program.text()}") from error


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_engine_equals_all_paths_of_traced_programs_with_link_classes_and_gaps(chunk: int) -> None:
    for seed in range(chunk * TRACED_CLUSTERS, (chunk + 1) * TRACED_CLUSTERS):
        rng = Random(seed)
        texts = random_trace(rng)
        costs = random_cluster(rng, len(texts))
        try:
            check_cluster(graph_of_texts(texts), costs, rng)
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"seed {seed}, {costs}\n" + "\n".join(texts)) from error


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_engine_equals_all_paths_of_programs_with_threads(chunk: int) -> None:
    """1 to 4 threads of each rank call MPI; requests may be completed by another thread."""
    several = 0
    for seed in range(chunk * TRACED, (chunk + 1) * TRACED):
        rng = Random(seed)
        program = random_threads(rng)
        several += max(program.threads) > 1
        graph, costs = program.graph(), random_cluster(rng, len(program.files))
        try:
            check_cluster(graph, costs, rng)
            check_graph(graph, replace(random_parameters(rng), L=costs.L * 500))
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"seed {seed}, {costs}") from error
    assert several > TRACED / 2


@pytest.mark.thorough
@given(st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_engine_equals_all_paths_shrinking(
    tmp_path_factory: pytest.TempPathFactory, rng: Random
) -> None:
    """Compares programs of Hypothesis' choices, which it can shrink to a small counterexample."""
    program, costs = random_program(rng), random_parameters(rng)
    check_program(program, costs, rng, tmp_path_factory.getbasetemp() / "shrinking.goal")


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_lanes_do_not_change_results(lanes: int, tmp_path: Path) -> None:
    for seed in range(40):
        rng = Random(seed)
        program, costs = random_program(rng), random_parameters(rng)
        graph = read(program, rng, tmp_path / "program.goal")
        dag = _core.Model(graph, _core.Network(**costs.keywords())).along()
        thetas = np.array([rng.uniform(0, 50) for _ in range(rng.randint(1, 37))])
        one_by_one = [dag.runtime(np.array([x]), lanes=1)[0] for x in thetas]
        assert dag.runtime(thetas, lanes=lanes).tolist() == one_by_one
