"""Loads of cables: every message crosses the cables of its routes, and no others."""

from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from latitude import InputError, _core
from latitude.model.routes import Routes

KINDS = [kind.example for kind in _core.topology_kinds()]


def drawn(nodes: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    source, destination = rng.integers(0, nodes, (2, count))
    apart = source != destination
    amounts = rng.integers(1, 9, (2, count)).astype(np.float64)
    return source[apart], destination[apart], amounts[:, apart]


@pytest.mark.parametrize("spec", [*KINDS, "dragonfly:g=9,a=4,p=2", "fat-tree:k=4,tiers=2"])
def test_a_message_crosses_one_cable_more_than_switches(spec: str) -> None:
    topology = _core.Topology(spec)
    source, destination, amounts = drawn(topology.nodes, 500)
    loads = Routes(topology).loads(source, destination, amounts)
    hops = topology.hops(np.arange(topology.nodes, dtype=np.uint32))[source, destination]
    assert loads.amounts.sum(axis=1) == pytest.approx((amounts * (hops + 1.0)).sum(axis=1))


@pytest.mark.parametrize("spec", ["fat-tree:k=4,tiers=3", "torus:3x4,p=2", "slim-fly:q=3,p=1"])
def test_cables_have_what_equal_turns_at_each_switch_give(spec: str) -> None:
    """An oracle of its own: one walk along all shortest routes that networkx finds."""
    topology = _core.Topology(spec)
    cables = list(zip(*(end.tolist() for end in topology.links()), strict=True))
    graph: nx.Graph[int] = nx.Graph(cables)
    source, destination, amounts = drawn(topology.nodes, 60)
    expected = dict.fromkeys((tuple(sorted(cable)) for cable in cables), 0.0)
    for a, b, amount in zip(source.tolist(), destination.tolist(), amounts[0], strict=True):
        routes = list(nx.all_shortest_paths(graph, a, b))
        for route in routes:
            part = amount
            for place in range(len(route) - 1):
                beside = {
                    other[place + 1] for other in routes if other[: place + 1] == route[: place + 1]
                }
                part /= len(beside)
            for one, other in pairwise(route):
                expected[min(one, other), max(one, other)] += part
    loads = Routes(topology).loads(source, destination, amounts)
    found = dict(
        zip(
            zip(loads.one_end.tolist(), loads.other_end.tolist(), strict=True),
            loads.amounts[0],
            strict=True,
        )
    )
    assert found.keys() == expected.keys()
    for cable, amount in expected.items():
        assert found[cable] == pytest.approx(amount), cable


def test_a_matrix_of_hops_has_no_cables(tmp_path: Path) -> None:
    path = tmp_path / "hops.txt"
    path.write_text("0 1\n1 0\n")
    with pytest.raises(InputError):
        Routes(_core.Topology(f"hops:{path}"))
