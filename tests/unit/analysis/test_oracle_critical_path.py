"""The critical path and the slack of messages against the inequalities of the cost model."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from latitude import _core
from latitude.analysis.path import steps
from support.oracle.arrays import SEND, Arrays, Parameters, flies
from support.oracle.instants import START, at, inequalities
from support.oracle.lp import program_of
from support.oracle.programs import Program, random_parameters, random_program
from support.oracle.schedule import Schedule
from support.oracle.traces import ARCHIVES, graph_of
from support.tiers import first_of

CLUSTER = Parameters(L=3000.0, o=5000.0, G=0.018, S=256 * 1024)
FAR = 100_000.0
"""Longer than any small program: a message this late decides T."""


def runtime(graph: Arrays, costs: Parameters, late: int | None = None) -> float:
    """T, with the message of send `late` delayed by FAR."""
    rows = inequalities(graph, costs)
    if late is not None:
        message = (rows.source == at(late, START)) & (rows.latencies == 1)
        rows = replace(rows, calc=rows.calc + message * int(FAR))
    return float(Schedule(program_of(rows, costs.prices())).at(costs.L)[0][-1])


def slack_by_pair(program: Program, costs: Parameters) -> dict[tuple[int, int], list[float]]:
    """Gives the delay that each message between ranks can take alone without a longer T."""
    graph = program.arrays()
    ranks = np.repeat(np.arange(program.ranks), [len(own) for own in program.by_rank()])
    on_time = runtime(graph, costs)
    slack = defaultdict(list)
    for send in np.flatnonzero((graph.kind == SEND) & flies(graph)):
        pair = int(ranks[send]), int(ranks[graph.partner[send]])
        slack[pair].append(on_time + FAR - runtime(graph, costs, int(send)))
    return slack


@pytest.mark.parametrize("seed", first_of(range(200), 60))
def test_slack_of_small_programs(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    program = random_program(rng)
    costs = replace(random_parameters(rng), S=1000)  # one latency, one edge a message
    path = tmp_path / "program.goal"
    path.write_text(program.text())
    model = _core.Model(
        _core.graph_format("goal").read(str(path)), _core.Network(**costs.keywords())
    )
    found = model.slack()
    assert model.critical_path().T_ns == runtime(program.arrays(), costs)

    expected = slack_by_pair(program, costs)
    pairs = list(zip(found.pair_source.tolist(), found.pair_destination.tolist(), strict=True))
    assert sorted(pairs) == sorted(expected)
    assert found.pair_messages.tolist() == [len(expected[pair]) for pair in pairs]
    assert found.pair_least_slack_ns.tolist() == [min(expected[pair]) for pair in pairs]
    assert found.pair_mean_slack_ns == pytest.approx([np.mean(expected[pair]) for pair in pairs])


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("name", ARCHIVES)
def test_path_accounts_for_runtime_and_slopes(name: str) -> None:
    graph, network = graph_of(name), _core.Network(**CLUSTER.keywords())
    model = _core.Model(graph, network)
    path, slack = model.critical_path(), model.slack()
    counts = {"L": path.latency_count, "G": path.byte_count, "o": path.overhead_count}
    for theta, count in counts.items():
        at = np.array([getattr(CLUSTER, theta)])
        (value,), (left,), (right,) = _core.Model(graph, network).along(theta).slopes(at)
        assert path.T_ns == pytest.approx(value, rel=1e-12)
        assert left <= count <= right
    parts = path.calc_ns + path.overhead_ns + path.latency_ns + path.bandwidth_ns
    assert parts == pytest.approx(path.T_ns, rel=1e-9)
    assert path.rank_end_ns.max() == pytest.approx(path.T_ns, rel=1e-12)
    assert np.sum(np.asarray(steps(path, graph).latencies)) == pytest.approx(path.latency_count)
    assert slack.pair_lambda_L.sum() == pytest.approx(path.latency_count)
    assert slack.pair_lambda_G.sum() == path.byte_count
