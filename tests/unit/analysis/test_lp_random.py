"""The product's linear program against all paths, and against the engine with several classes."""

from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from latitude import InputError, _core
from latitude.analysis.lp.budget import Spending
from latitude.analysis.lp.highs import Highs
from latitude.analysis.lp.model import model_of
from latitude.analysis.lp.program import program_of
from support.oracle.arrays import Parameters
from support.oracle.brute_force import Envelope, all_paths, lines
from support.oracle.programs import random_cluster, random_direction, random_program
from support.oracle.threaded_programs import random_threads
from support.oracle.traced_programs import random_trace
from support.oracle.traces import graph_of_texts, random_call_times
from support.second_opinion import asked_of_both
from support.tiers import first_of

PROGRAMS = 150
DEGRADATIONS = (0.01, 0.3)
AGREE = 1e-9


def goal_graph(rng: Random, path: Path) -> _core.Graph:
    path.write_text(random_program(rng).text(rng))
    return _core.graph_format("goal").read(str(path))


def random_graph(rng: Random, directory: Path, *, recorded: bool = False) -> _core.Graph:
    if not recorded and rng.random() < 0.2:
        return random_threads(rng).graph()
    if rng.random() < 0.5:
        texts = random_trace(rng, collectives=2 if recorded else 0)
        return graph_of_texts(texts, random_call_times(rng) if recorded else None)
    return goal_graph(rng, directory / "a.goal")


def waits_in_a_circle(graph: _core.Graph, costs: Parameters) -> bool:
    """Messages that enter a rank in turn may wait for each other."""
    try:
        _core.Model(graph, _core.Network(**costs.keywords())).along()
    except InputError:
        return True
    return False


def network_of_classes(rng: Random, ranks: int) -> _core.Network:
    """2 to 4 classes between any nodes, and every option of the model."""
    nodes, classes = rng.randint(1, ranks), rng.randint(2, 4)
    gap = rng.choice(["none", "send", "both"])
    return _core.Network(
        L=0,
        o=float(rng.choice([0, 1, 300])),
        G=0,
        S=8,
        g=0.0 if gap == "none" else float(rng.choice([0, 2, 700])),
        O=rng.choice([0.0, 0.0, 0.25, 40.0]),
        rendezvous=rng.choice(["handshake", "put", "get", "llamp", "sync"]),
        gap=gap,
        compute_scale=rng.choice([1.0, 0.5, 3.0]),
        o_of_class=[rng.choice([None, 0.0, 40.0]) for _ in range(classes)],
        O_of_class=[rng.choice([None, None, 2.0]) for _ in range(classes)],
        g_of_class=[None if gap == "none" else rng.choice([None, 900.0]) for _ in range(classes)],
        classes=[
            (f"class {c}", float(rng.choice([0, 5, 700, 3000])), rng.choice([0.0, 0.5, 64.0]))
            for c in range(classes)
        ],
        node_of_rank=np.array([rng.randrange(nodes) for _ in range(ranks)], np.uint32),
        class_of=np.array(
            [[rng.randrange(classes) for _ in range(nodes)] for _ in range(nodes)], np.uint16
        ),
    )


@pytest.mark.parametrize("seed", first_of(range(PROGRAMS), 40))
def test_runtime_and_reduced_cost_equal_all_paths(seed: int, tmp_path: Path) -> None:
    """The latencies of several classes follow one variable, each in its own way."""
    rng = Random(seed)
    graph = random_graph(rng, tmp_path)
    costs = random_cluster(rng, graph.ranks)
    while waits_in_a_circle(graph, costs):
        costs = random_cluster(rng, graph.ranks)
    along = random_direction(rng, costs)
    exact = Envelope.of(lines(all_paths(graph, costs), costs.prices("L", along)))
    fixed, weight = (np.array(column) for column in zip(*along, strict=True))
    program = program_of(graph, _core.Network(**costs.keywords())).along(fixed, weight)
    solver = Highs(model_of(program))
    for theta in (0.0, 1.5, 7.0, 400.0):
        found = solver.minimise_t(np.array([theta]))
        assert found.t_ns == pytest.approx(float(exact.value(Fraction(theta))), rel=AGREE)
        left, right = exact.slopes(Fraction(theta))
        least = 0 if theta == 0 else left
        assert least - AGREE <= found.reduced_cost[0] <= right + AGREE
    limit = exact.value(Fraction(3, 2)) * 2
    largest = solver.maximise(np.ones(1), float(limit), np.array([1.5]), np.array([np.inf]))
    assert largest.latency_ns[0] == pytest.approx(float(exact.tolerance(limit)), rel=AGREE)


@pytest.mark.parametrize("seed", first_of(range(PROGRAMS), 40))
def test_every_answer_is_the_engine_s_with_several_classes(seed: int, tmp_path: Path) -> None:
    rng = Random(1_000 + seed)
    graph = random_graph(rng, tmp_path, recorded=seed % 2 == 1)
    network = network_of_classes(rng, graph.ranks)
    opinion = asked_of_both(graph, network, DEGRADATIONS)
    assert opinion.largest_difference < AGREE, (opinion, network.rendezvous, network.gap, network.O)
    assert len(opinion.tolerance) == len(DEGRADATIONS) * (len(network.classes) + 1)


@pytest.mark.parametrize("seed", range(PROGRAMS // 3))
def test_no_latencies_are_worth_more_than_the_budget_s(seed: int, tmp_path: Path) -> None:
    """Two classes: one is set to any share of what it may have, the engine gives the other's."""
    rng = Random(2_000 + seed)
    graph = random_graph(rng, tmp_path)
    network = network_of_classes(rng, graph.ranks)
    names = [name for name, _, _ in network.classes]
    first, second = rng.sample(range(len(names)), 2)
    weight = {names[first]: float(rng.randint(1, 4)), names[second]: float(rng.randint(1, 4))}
    opinion = asked_of_both(graph, network, (0.3,), Spending(weight))
    (spent,) = opinion.budget.spent
    present = np.array([L for _, L, _ in network.classes])
    found = np.array(list(spent.L_ns.values()))
    assert (found >= present * (1 - AGREE)).all()
    others = [i for i in range(len(names)) if i not in (first, second)]
    assert found[others] == pytest.approx(present[others])
    if np.isinf(found).any():
        return
    assert spent.engine_T_ns <= spent.T_limit_ns * (1 + AGREE)
    worth = found @ np.array([weight.get(name, 0.0) for name in names])
    reach = next(t.L_ns.engine for t in opinion.tolerance if t.link == names[first])
    for share in np.linspace(0, 1, 21):
        fixed, direction = present.copy(), np.zeros(len(names))
        fixed[first] += share * (reach - present[first])
        start, fixed[second], direction[second] = fixed[second], 0.0, 1.0
        dag = _core.Model(graph, network).along("L", fixed, direction)
        if dag.runtime(np.array([start]))[0] > spent.T_limit_ns:
            continue
        fixed[second] = dag.tolerance(np.array([spent.T_limit_ns]), start)[0]
        other = fixed @ np.array([weight.get(name, 0.0) for name in names])
        assert other <= worth * (1 + AGREE)
