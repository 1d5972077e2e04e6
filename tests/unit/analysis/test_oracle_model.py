"""The engine against docs/explanation/model.md by enumeration, in every reading and with every gap.

2,000 programs are drawn, each for fifteen networks, in half a minute of CPU time;
LATITUDE_ORACLE_PROGRAMS=20000 draws more of them.
"""

import os
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from latitude import _core
from latitude.analysis.path import steps
from support.oracle.arrays import Parameters
from support.oracle.model import Answers, Program, slack_by_delays
from support.oracle.programs import random_cluster, random_program
from support.oracle.threaded_programs import random_threads
from support.oracle.traced_programs import random_trace
from support.oracle.traces import graph_of_texts, random_call_times
from support.tiers import first_of

READINGS = ("handshake", "put", "get", "llamp", "sync")
GAPS = ("none", "send", "both")
CHUNKS = 20
PROGRAMS = int(os.environ.get("LATITUDE_ORACLE_PROGRAMS", "2000"))
RAISES = (1.0, 1.01, 1.05, 2.0)
NEAR = 12


def networks(rng: Random, ranks: int) -> list[Parameters]:
    """One program's networks: every reading with every gap, the rest as drawn."""
    drawn = replace(random_cluster(rng, ranks), compute_scale=rng.choice([1.0, 1.0, 0.5, 3.0]))
    scale = rng.choice([1.0, 1.0, 100.0])
    drawn = replace(
        drawn,
        L=drawn.L * scale,
        classes=tuple((name, L * scale, G) for name, L, G in drawn.classes),
    )
    g = rng.choice([0.0, 0.0, 1.0, 4.0])
    spaced = replace(drawn, g=g), replace(drawn, g=0.0, g_of_class=())
    return [
        replace(spaced[gap == "none"], rendezvous=reading, gap=gap)
        for reading, gap in product(READINGS, GAPS)
    ]


def graph_of(seed: int, rng: Random, path: Path) -> _core.Graph:
    """Makes, by turns, a GOAL file and the trace of an MPI program, with recorded costs or several
    threads.
    """
    if seed % 2 == 0:
        path.write_text(random_program(rng).text())
        return _core.graph_format("goal").read(str(path))
    if seed % 8 == 3:
        return random_threads(rng).graph()
    return graph_of_texts(random_trace(rng), random_call_times(rng) if seed % 4 == 1 else None)


def check(graph: _core.Graph, costs: Parameters) -> None:
    model = _core.Model(graph, _core.Network(**costs.keywords()))
    answers = Answers(Program(graph, costs))
    L = costs.links[0][0]

    dag = model.along()
    (value,), (left,), (right,) = dag.slopes(np.array([L]))
    assert value == answers.T
    assert model.runtime() == answers.T
    if L > 0:  # θ = 0 has no left
        assert (left, right) == answers.slopes()
    assert right == answers.slopes()[1]
    limits = [answers.T * raised for raised in RAISES]
    expected = [answers.tolerance(limit) for limit in limits]
    assert dag.tolerance(np.array(limits), L) == pytest.approx(expected, rel=1e-12, abs=1e-9)

    messages = model.messages()
    slack = dict(zip(messages.receive.tolist(), messages.slack(L).tolist(), strict=True))
    assert slack == pytest.approx(answers.slack(), rel=1e-12, abs=1e-9)
    check_pairs(model.critical_path(), model.slack(), answers, slack)
    check_path(model.critical_path(), graph, answers)
    check_near(model.top_paths(NEAR), answers)
    if costs.node_of_rank:
        placements = _core.Placements(graph, _core.Network(**costs.keywords()))
        check_placed(placements, costs, answers)


def check_pairs(
    path: _core.CriticalPath,
    found: _core.MessageSlack,
    answers: Answers,
    slack: dict[int, float],
) -> None:
    pairs = list(zip(found.pair_source.tolist(), found.pair_destination.tolist(), strict=True))
    program = answers.program
    own = [
        [slack[program.partner[s]] for s in program.messages if program.pair(s) == p] for p in pairs
    ]
    assert pairs == sorted({program.pair(send) for send in program.messages})
    assert found.pair_least_slack_ns.tolist() == [min(some) for some in own]
    assert found.pair_mean_slack_ns == pytest.approx([sum(some) / len(some) for some in own])

    counts = tuple(found.pair_lambda_L.tolist()), tuple(found.pair_lambda_G.tolist())
    assert counts in answers.shares()
    assert path.latency_count == sum(counts[0])
    assert path.byte_count == sum(counts[1])


def check_path(path: _core.CriticalPath, graph: _core.Graph, answers: Answers) -> None:
    assert path.T_ns == answers.T
    assert path.start_ns[1:].tolist() == path.end_ns[:-1].tolist()
    whole = steps(path, graph)
    columns = (whole.calc, whole.overhead, whole.network, whole.latency, whole.latencies)
    calc, overhead, network, latency, latencies = map(np.asarray, columns)
    assert all((values >= 0).all() for values in (calc, overhead, network, latency, latencies))
    assert calc + overhead + network == pytest.approx(path.end_ns - path.start_ns)
    assert (latency <= network).all()
    bandwidth = network.sum() - latency.sum()
    assert bandwidth == pytest.approx(path.bandwidth_ns, rel=1e-9, abs=1e-6)
    assert latency.sum() == pytest.approx(path.latency_ns, rel=1e-9)
    assert latencies.sum() == path.latency_count
    least = min(answers.program.costs.overheads) * path.overhead_count
    assert overhead.sum() >= least - 1e-9 * path.T_ns


def check_near(found: list[_core.MessagePath], answers: Answers) -> None:
    near = answers.near()
    assert [path.length_ns for path in found] == sorted(near.values(), reverse=True)[:NEAR]
    sets = [frozenset(path.receive.tolist()) for path in found]
    assert len(set(sets)) == len(sets)
    assert [near[some] for some in sets] == [path.length_ns for path in found]


def check_placed(dag: _core.Placements, costs: Parameters, answers: Answers) -> None:
    """Checks the numbers that `place` uses as a subgradient."""
    node_of_rank = np.array(costs.node_of_rank, np.uint32)
    assert dag.runtimes(node_of_rank[None, :]).tolist() == [answers.T]
    source, destination, latencies, sizes = dag.shares(node_of_rank, 0.0)
    pairs = zip(source.tolist(), destination.tolist(), strict=True)
    order = [i for pair, i in sorted((p, i) for i, p in enumerate(pairs)) if pair[0] != pair[1]]
    assert (tuple(latencies[order].tolist()), tuple(sizes[order].tolist())) in answers.shares()


def check_in_every_reading(seed: int, path: Path) -> None:
    rng = Random(seed)
    graph = graph_of(seed, rng, path)
    for costs in networks(rng, graph.ranks):
        case = f"seed {seed}, {costs}"
        try:
            check(graph, costs)
        except (AssertionError, ValueError) as error:
            raise AssertionError(case) from error


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_engine_equals_the_model(chunk: int, tmp_path: Path) -> None:
    for seed in range(chunk, PROGRAMS, CHUNKS):
        check_in_every_reading(seed, tmp_path / "program.goal")


@pytest.mark.parametrize("seed", range(6))
def test_slack_is_the_delay_that_a_message_can_take(seed: int, tmp_path: Path) -> None:
    """The oracle's own slack, by its paths, is the largest delay with the same T."""
    rng = Random(seed)
    graph = graph_of(seed, rng, tmp_path / "program.goal")
    for costs in networks(rng, graph.ranks):
        program = Program(graph, costs)
        slack = Answers(program).slack()
        for send in program.messages:
            assert slack[program.partner[send]] == float(slack_by_delays(program, send)), costs
