"""The slack of each message, and the longest paths by their messages, against the inequalities."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from latitude import _core
from support.oracle.arrays import RECV, REQUIRES_END, SEND, Arrays, Parameters, flies
from support.oracle.instants import END, START, Inequalities, at, inequalities
from support.oracle.lp import program_of
from support.oracle.programs import Program, random_cluster, random_parameters, random_program
from support.oracle.schedule import Schedule
from support.tiers import first_of

FAR = 100_000.0
"""Longer than any small program: a message this late decides T."""
EAGER = 1000
"""Every message is eager: one latency, one row each."""


def graph_of(program: Program, tmp_path: Path) -> _core.Graph:
    path = tmp_path / "program.goal"
    path.write_text(program.text())
    return _core.graph_format("goal").read(str(path))


@pytest.mark.parametrize("seed", first_of(range(150), 60))
def test_slack_of_each_message(seed: int, tmp_path: Path) -> None:
    """Tests link classes, gaps and O: T with this one message late, by the inequalities."""
    rng = Random(seed)
    program = random_program(rng)
    costs = replace(random_cluster(rng, program.ranks), S=EAGER)
    rows = inequalities(program.arrays(), costs)

    def runtime(rows: Inequalities) -> float:
        return float(Schedule(program_of(rows, costs.prices())).at(costs.L)[0][-1])

    dag = _core.Model(graph_of(program, tmp_path), _core.Network(**costs.keywords())).messages()
    found = dict(zip(dag.receive.tolist(), dag.slack(costs.L).tolist(), strict=True))
    graph = program.arrays()
    flying = flies(graph)
    assert sorted(found) == np.flatnonzero((graph.kind == RECV) & flying).tolist()
    for send in np.flatnonzero((graph.kind == SEND) & flying):
        late = (rows.source == at(send, START)) & (rows.latencies == 1)
        assert late.sum() == 1
        delayed = runtime(replace(rows, calc=rows.calc + late * FAR))
        assert found[int(graph.partner[send])] == runtime(rows) + FAR - delayed


def lengths_by_messages(graph: Arrays, costs: Parameters) -> list[float]:
    """Gives, for each set of messages that some path waits for, the longest such path; longest
    first.
    """
    rows = inequalities(graph, costs)
    weight = rows.calc + rows.latencies * costs.L + rows.bytes * costs.G + rows.overheads * costs.o
    partner = graph.partner.astype(np.int64)
    after = defaultdict(list)
    for row, source in enumerate(rows.source.tolist()):
        after[source].append(row)
    sends = np.flatnonzero((graph.kind == SEND) & flies(graph))
    arrivals = {(at(v, START), at(partner[v], END)) for v in sends}
    waited_for = set(graph.dep_vertex[graph.dep_kind == REQUIRES_END].tolist())
    last = {at(v, END) for v in range(len(graph.kind)) if v not in waited_for}
    longest: dict[frozenset[int], float] = {}

    def walk(instant: int, length: float, messages: frozenset[int]) -> None:
        if instant in last:
            longest[messages] = max(length, longest.get(messages, 0.0))
        for row in after[instant]:
            target = int(rows.target[row])
            more = {target} if (instant, target) in arrivals else set()
            walk(target, length + weight[row], messages | more)

    walk(rows.origin, 0.0, frozenset())
    return sorted(longest.values(), reverse=True)


@pytest.mark.parametrize("seed", range(150))
def test_longest_paths_of_small_programs(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    program = random_program(rng, steps=10)
    costs = replace(random_parameters(rng), S=EAGER)
    expected = lengths_by_messages(program.arrays(), costs)
    graph, network = graph_of(program, tmp_path), _core.Network(**costs.keywords())
    for k in (1, 3, len(expected) + 1):
        found = _core.Model(graph, network).top_paths(k)
        assert [path.length_ns for path in found] == expected[:k]
        assert len({tuple(path.receive.tolist()) for path in found}) == len(found)


def test_many_equal_paths_do_not_multiply(tmp_path: Path) -> None:
    """Forty rounds in which three ranks send to both others: 3·2⁴⁰ paths of the same length."""
    lines = ["num_ranks 3"]
    for rank in range(3):
        lines.append(f"rank {rank} {{")
        for i in range(40):
            others = [peer for peer in range(3) if peer != rank]
            lines += [f"s{i}{peer}: send 8b to {peer} tag {i}" for peer in others]
            lines += [f"r{i}{peer}: recv 8b from {peer} tag {i}" for peer in others]
            if i:
                lines += [f"s{i}{a} requires r{i - 1}{b}" for a in others for b in others]
        lines.append("}")
    path = tmp_path / "exchange.goal"
    path.write_text("\n".join(lines) + "\n")
    network = _core.Network(L=1000.0, o=0.0, G=1.0, S=EAGER)
    found = _core.Model(_core.graph_format("goal").read(str(path)), network).top_paths(10)
    assert len({tuple(path.receive.tolist()) for path in found}) == 10
    assert {path.length_ns for path in found} == {40 * 1007}
    assert {len(path.receive) for path in found} == {40}
