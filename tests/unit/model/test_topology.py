"""Switch counts by formula against shortest paths that networkx finds on the explicit graph."""

import re
from math import ceil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from latitude import InputError, _core
from support.paths import ROOT

DRAGONFLIES = [
    "dragonfly:g=2,a=1,p=1",
    "dragonfly:g=1,a=5,p=2",
    "dragonfly:g=3,a=4,p=2",
    "dragonfly:g=9,a=4,p=2",
    "dragonfly:g=28,a=4,p=8",
    "dragonfly:g=8,a=4,p=8",
    "dragonfly:g=5,a=2,p=3",
    "dragonfly:g=5,a=4,p=1,h=3",
    "dragonfly:g=4,a=6,p=2,h=2",
    "dragonfly:g=33,a=8,p=4,h=4",
]
KINDS = _core.topology_kinds()
SHORTEST = [
    *(kind.example for kind in KINDS if kind.name != "dragonfly"),
    "fat-tree:k=2,tiers=2",
    "fat-tree:k=4,tiers=2",
    "fat-tree:k=12,tiers=2",
    "fat-tree:k=2",
    "fat-tree:k=4,tiers=3",
    "fat-tree:k=8,tiers=3",
    "fat-tree:k=16,tiers=3",
    "dragonfly+:groups=1,leaves=3,spines=2,p=2",
    "dragonfly+:groups=4,leaves=3,spines=3,p=2",
    "dragonfly+:groups=4,leaves=6,spines=6,p=8,h=4",
    "dragonfly+:groups=9,leaves=2,spines=3,p=1",
    "torus:1,p=3",
    "torus:2",
    "torus:7,p=2",
    "torus:4x4x2,p=1",
    "torus:3x5x2x4",
    "torus:8x8x8",
    "hyperx:1,p=3",
    "hyperx:5,p=2",
    "hyperx:3x4x5,p=2",
    "slim-fly:q=3",
    "slim-fly:q=4,p=2",
    "slim-fly:q=5,p=4",
    "slim-fly:q=7,p=1",
    "slim-fly:q=8,p=1",
    "slim-fly:q=9,p=1",
    "slim-fly:q=11,p=1",
    "slim-fly:q=13,p=1",
]


def explicit_graph(topology: _core.Topology) -> "nx.Graph[int]":
    """Nodes and switches; no cable twice, none from a switch to itself."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(topology.nodes))
    a, b = topology.links()
    graph.add_edges_from(zip(a.tolist(), b.tolist(), strict=True))
    assert not any(graph.has_edge(v, v) for v in graph)
    return graph


def parameters(spec: str) -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\d+)", spec))


def all_hops(topology: _core.Topology) -> np.ndarray:
    return topology.hops(np.arange(topology.nodes, dtype=np.uint32))


def some_nodes(topology: _core.Topology) -> list[int]:
    rng = np.random.default_rng(topology.nodes)
    return sorted(set(rng.integers(0, topology.nodes, 40).tolist()))


def switches(graph: "nx.Graph[int]", topology: _core.Topology) -> "nx.Graph[int]":
    return graph.subgraph(range(topology.nodes, len(graph)))


@pytest.mark.parametrize("spec", SHORTEST)
def test_switch_counts_are_those_of_shortest_paths(spec: str) -> None:
    topology = _core.Topology(spec)
    graph = explicit_graph(topology)
    hops = all_hops(topology)
    for source in some_nodes(topology):
        distance = nx.single_source_shortest_path_length(graph, source)
        expected = [max(distance[node] - 1, 0) for node in range(topology.nodes)]
        assert hops[source].tolist() == expected


@pytest.mark.parametrize("spec", DRAGONFLIES)
def test_dragonfly_routes_take_one_global_cable(spec: str) -> None:
    """Minimal routing of Kim et al. 2008: a dear global cable keeps networkx from taking two."""
    topology = _core.Topology(spec)
    routers = int(parameters(spec)["a"])
    graph = explicit_graph(topology)
    dear = 1000

    def price(a: int, b: int, _: object) -> int:
        ends = [v for v in (a, b) if v >= topology.nodes]
        groups = {(v - topology.nodes) // routers for v in ends}
        return dear if len(groups) == 2 else 1

    hops = all_hops(topology)
    for source in some_nodes(topology):
        distance = nx.single_source_dijkstra_path_length(graph, source, weight=price)
        assert max(distance.values()) < 2 * dear
        expected = [max(sum(divmod(distance[node], dear)) - 1, 0) for node in range(topology.nodes)]
        assert hops[source].tolist() == expected


@pytest.mark.parametrize("spec", DRAGONFLIES)
def test_each_pair_of_dragonfly_groups_is_linked(spec: str) -> None:
    topology = _core.Topology(spec)
    values = parameters(spec)
    groups, routers = int(values["g"]), int(values["a"])
    cables = int(values.get("h", max(1, ceil((groups - 1) / routers))))
    graph = switches(explicit_graph(topology), topology)
    linked = set()
    for a, b in graph.edges:
        ends = sorted(((v - topology.nodes) // routers) for v in (a, b))
        linked.add(tuple(ends))
    across = {(i, j) for i in range(groups) for j in range(i + 1, groups)}
    assert across <= linked
    assert max(dict(graph.degree).values()) <= routers - 1 + cables


@pytest.mark.parametrize("spec", DRAGONFLIES)
def test_dragonfly_cables_are_laid_as_the_model_says(spec: str) -> None:
    """Ports router by router, in rounds over the other groups (docs/internals/model-details.md)."""
    topology = _core.Topology(spec)
    values = {name: int(value) for name, value in parameters(spec).items()}
    groups, routers = values["g"], values["a"]
    cables = values.get("h", max(1, ceil((groups - 1) / routers)))

    def router(group: int, other: int, turn: int) -> int:
        others = [i for i in range(groups) if i != group]
        port = turn * len(others) + others.index(other)
        return topology.nodes + group * routers + port // cables

    expected = {
        frozenset((router(i, j, turn), router(j, i, turn)))
        for i in range(groups)
        for j in range(i)
        for turn in range(routers * cables // (groups - 1))
    }
    graph = switches(explicit_graph(topology), topology)
    across = {
        frozenset(ends)
        for ends in graph.edges
        if len({(v - topology.nodes) // routers for v in ends}) == 2
    }
    assert across == expected


@pytest.mark.parametrize("q", [3, 4, 5, 7, 8, 9, 11, 13])
def test_slim_fly_is_the_graph_of_mckay_miller_siran(q: int) -> None:
    """2q² routers of degree (3q − δ)/2, no two more than two cables apart."""
    topology = _core.Topology(f"slim-fly:q={q},p=1")
    graph = switches(explicit_graph(topology), topology)
    delta = {0: 0, 1: 1, 3: -1}[q % 4]
    assert len(graph) == 2 * q * q
    assert set(dict(graph.degree).values()) == {(3 * q - delta) // 2}
    assert nx.diameter(graph) == 2


def test_slim_fly_of_five_is_the_hoffman_singleton_graph() -> None:
    """The one graph of degree 7, diameter 2 and 50 vertices."""
    topology = _core.Topology("slim-fly:q=5,p=1")
    graph = switches(explicit_graph(topology), topology)
    assert nx.girth(graph) == 5
    assert nx.is_isomorphic(graph, nx.hoffman_singleton_graph())


@pytest.mark.parametrize(
    ("spec", "ports"),
    [("fat-tree:k=4,tiers=3", 4), ("fat-tree:k=12,tiers=2", 12), ("torus:4x4x2,p=1", 6)],
)
def test_every_switch_uses_its_ports(spec: str, ports: int) -> None:
    topology = _core.Topology(spec)
    graph = explicit_graph(topology)
    degrees = [graph.degree(v) for v in range(topology.nodes, len(graph))]
    assert set(degrees) == {ports}


@pytest.mark.parametrize("spec", [*SHORTEST, *DRAGONFLIES])
def test_counts_are_symmetric_and_zero_on_the_diagonal_only(spec: str) -> None:
    hops = all_hops(_core.Topology(spec))
    assert np.array_equal(hops, hops.T)
    assert np.array_equal(hops == 0, np.eye(len(hops), dtype=bool))


def test_chosen_nodes_in_any_order_and_twice() -> None:
    topology = _core.Topology("fat-tree:k=4,tiers=3")
    found = topology.hops(np.array([15, 0, 1, 0], np.uint32))
    assert found.tolist() == [
        [0, 5, 5, 5],
        [5, 0, 1, 0],
        [5, 1, 0, 1],
        [5, 0, 1, 0],
    ]
    with pytest.raises(InputError, match="node 16 is beyond the 16 nodes of the fat tree, k = 4"):
        topology.hops(np.array([16], np.uint32))


def test_the_shape_is_described() -> None:
    spec = "fat-tree:k=16,tiers=3"
    topology = _core.Topology(spec)
    assert topology.spec == spec
    assert topology.describe() == "fat tree, k = 16, 3 tiers, 1024 nodes"


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ("fattree:k=4", "write it like fat-tree:k=16,tiers=3, dragonfly:"),
        ("", "write it like"),
        ("fat-tree", "k is missing"),
        ("fat-tree:k=5", "k = 5 ports do not halve"),
        ("fat-tree:k=4,tiers=4", "neither 2 nor 3"),
        ("fat-tree:k=1024", "nodes are more than"),
        ("fat-tree:k=4,,tiers=2", "an empty parameter"),
        ("dragonfly:g=9,a=4", "p is missing; write it like dragonfly:g=9,a=4,p=2"),
        ("dragonfly:g=9,a=4,p=2,p=2", "p is given twice"),
        ("dragonfly:g=9,a=4,p=2,h=1", "not all groups are linked; with 2 they are"),
        ("dragonfly:g=9,a=4,p=2,z=1", "unknown parameter 'z'"),
        ("dragonfly:9,a=4,p=2", "g is missing"),
        ("dragonfly+:groups=9,leaves=2,spines=2,p=1,h=3", "with 4 they are"),
        ("torus:4y4", "a side = '4y4' is not a whole number"),
        ("torus:4x", "the shape ends early"),
        ("torus:p=2", "the shape is missing"),
        ("torus:0x4", "a side = '0'"),
        ("torus:4,4", "two values without a name"),
        ("torus:1048576", "nodes|sides"),
        ("slim-fly:q=15", "15 is not a power of a prime"),
        ("slim-fly:q=6", "q = 6 is not a power of a prime"),
        ("hops:", "give a file, hops:FILE"),
        ("hops:/nowhere/at/all", "cannot read the hop matrix"),
        ("hops:/", "cannot read the hop matrix"),
    ],
)
def test_wrong_topologies_are_refused_with_the_fix(spec: str, advice: str) -> None:
    with pytest.raises(InputError, match=advice):
        _core.Topology(spec)


def test_a_hop_matrix_is_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "hops.txt"
    path.write_text("# three nodes\n0 1 3\n\n1, 0, 5  # the far one\n3\t5\t0\n")
    topology = _core.Topology(f"hops:{path}")
    assert topology.nodes == 3
    assert all_hops(topology).tolist() == [[0, 1, 3], [1, 0, 5], [3, 5, 0]]
    with pytest.raises(InputError, match="does not say which cables"):
        topology.links()


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("0 1\n1 x\n", r"hops\.txt:2: entry 2 is not a number of switches"),
        ("0 1\n1 70000\n", r"hops\.txt:2: entry 2 is not a number of switches"),
        ("0 1\n\n1 0 2\n", r"hops\.txt:3: row 2 has 3 entries; the first row has 2"),
        ("0 1\n1 0\n1 1\n", r"hops\.txt:3: row 3 has 2 entries"),
        ("0 1\n", r"hops\.txt: 1 rows of 2 entries"),
        ("# nothing\n", r"hops\.txt: 0 rows"),
        ("0 0\n1 0\n", r"hops\.txt:1: entry 2 is 0; 0 stands on the diagonal"),
        ("0 1\n1 1\n", r"hops\.txt:2: entry 2 is 1; 0 stands on the diagonal"),
    ],
)
def test_wrong_hop_matrices_name_the_line(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "hops.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=advice):
        _core.Topology(f"hops:{path}")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_docs_have_each_kind(kind: _core.TopologyKind) -> None:
    networks = (ROOT / "docs" / "reference" / "networks.md").read_text("utf-8")
    assert f"| `{kind.example}` | {kind.what} | {kind.nodes} | {kind.hops} |" in networks
