"""Link rules against what docs/reference/networks.md says, in every reading and gap.

3,000 programs of one to four lines a rank are drawn, each for fifteen networks;
LATITUDE_ORACLE_PROGRAMS=20000 draws more of them.
"""

import os
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from latitude import InputError, _core
from latitude.model.network import Network
from latitude.model.placement import Placement
from latitude.model.places import PlaceSizes
from latitude.model.rules import Rule
from latitude.model.theta import theta_of
from support.oracle.arrays import Parameters
from support.oracle.model import Answers, Program
from support.oracle.places import Cluster, random_places, random_rules
from support.oracle.programs import random_parameters, random_program
from support.oracle.threaded_programs import random_threads
from support.oracle.traced_programs import random_trace
from support.oracle.traces import graph_of_texts
from support.oracle.unordered_goal import independent_program
from support.tiers import first_of

CHUNKS = 99
PROGRAMS = int(os.environ.get("LATITUDE_ORACLE_PROGRAMS", "3000"))
READINGS = ("handshake", "put", "get", "llamp", "sync")
GAPS = ("none", "send", "both")


def graph_of(turn: int, rng: Random, path: Path) -> _core.Graph:
    """Makes, by turns, a GOAL file, the trace of an MPI program, one with threads, and a GOAL file
    of several CPUs and NICs.
    """
    match turn:
        case 1:
            return graph_of_texts(random_trace(rng))
        case 2:
            return random_threads(rng, messages=6).graph()
    several = turn == 3
    path.write_text(
        independent_program(rng, rng.randint(4, 9), range(1, 5))
        if several
        else random_program(rng).text()
    )
    return _core.graph_format("goal").read(str(path))


def network_of(cluster: Cluster, costs: Parameters) -> Network:
    """Makes the package's form of a cluster and its costs."""
    named = {
        level: {name: ", ".join(map(str, nodes)) for name, nodes in places.items()}
        for level, places in cluster.named.items()
    }
    return Network(
        L=costs.L,
        o=costs.o,
        g=costs.g,
        G=costs.G,
        O=costs.O,
        S=costs.S,
        S_isend=costs.S_isend,
        rendezvous=costs.rendezvous,
        gap=costs.gap,
        rules=[Rule(**vars(rule)) for rule in cluster.rules],
        places=PlaceSizes({**cluster.nodes_per, **cluster.parts}, named),
        placement=Placement.explicit(cluster.node),
    )


def check(
    graph: _core.Graph, cluster: Cluster, costs: Parameters, rng: Random, *, several: bool
) -> bool:
    """`several`: each CPU takes its operations as they come in the baseline.

    False: with the gap, the file's order is one in which it cannot run.
    """
    network = network_of(cluster, costs)
    links = network.links(graph.ranks)
    core = network.core_of(links)
    model = _core.Model(graph, core)
    if several:
        try:
            graph = _core.in_order_of(graph, model.service(core.L))
            model = _core.Model(graph, core)
            model.runtime()
        except InputError:
            return False
    answers = Answers(Program(graph, cluster.parameters(costs)))
    assert model.runtime() == answers.T
    path = model.critical_path()
    assert path.T_ns == answers.T

    found = model.slack()
    counts = tuple(found.pair_lambda_L.tolist()), tuple(found.pair_lambda_G.tolist())
    assert counts in answers.shares()

    # A rule's θ: one of its parameters is another one, everything else stays.
    rule = rng.choice(cluster.rules)
    parameter = rng.choice("LGo" if costs.gap == "none" else "LGog")
    more = rng.choice((0.5, 1.0, 7.0))
    name = Rule(rule.where, rule.L).name
    theta = theta_of(f"{parameter}:{name}", network, links)
    own = getattr(rule, parameter)
    known = getattr(costs, parameter) if own is None else own
    assert theta.base == known
    prices: dict[str, Any] = {parameter: known + more}
    moved = replace(rule, **prices)
    others = replace(cluster, rules=[moved if r is rule else r for r in cluster.rules])
    dag = theta.along(model)
    assert dag.runtime_at(theta.base) == answers.T
    at = Answers(Program(graph, others.parameters(costs)))
    assert dag.runtime_at(theta.base + more) == pytest.approx(at.T, rel=1e-12, abs=1e-9)
    return True


def check_seed(seed: int, path: Path) -> int:
    """Number of networks on which the seed's program can run."""
    rng, turn = Random(seed), seed % 4
    graph = graph_of(turn, rng, path)
    drawn = replace(random_parameters(rng), O=rng.choice([0.0, 0.0, 0.125]))
    cluster = random_places(rng, graph.ranks)
    prices = [
        (drawn.L + rng.choice([0, 1, 3, 8]), drawn.G + rng.choice([0.0, 0.25, 1.0]))
        for _ in range(4)
    ]
    g = rng.choice([0.0, 0.0, 1.0, 4.0])
    ran = 0
    for reading, gap in product(READINGS, GAPS):
        costs = replace(drawn, rendezvous=reading, gap=gap, g=0.0 if gap == "none" else g)
        placed = replace(cluster, rules=random_rules(rng, prices, gap))
        try:
            ran += check(graph, placed, costs, rng, several=turn == 3)
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"seed {seed}, {costs}, {placed}") from error
    return ran


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_rules_cost_what_the_page_says(chunk: int, tmp_path: Path) -> None:
    seeds = range(chunk, PROGRAMS, CHUNKS)
    ran = [check_seed(seed, tmp_path / "program.goal") for seed in seeds]
    assert sum(ran) > 0.8 * len(READINGS) * len(GAPS) * len(seeds)
