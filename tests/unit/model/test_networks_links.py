"""Links inside and between nodes, and topologies: what is computed by hand on small programs."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

import latitude
from latitude import InputError, Network, Placement, Program, Rule, Topology
from support.sections import known

WIRE, SWITCH = 274.0, 108.0
TREE = Topology("fat-tree:k=4,tiers=3")
"""Two nodes an edge switch, two edge switches a pod, four pods."""


@pytest.fixture
def relay(tmp_path: Path) -> Program:
    """Rank 0 computes 100 ns, and 101 bytes go on from rank to rank: 0, 1, 2, 3."""
    return relay_over(tmp_path / "relay.goal", [0, 1, 2, 3], 4)


def relay_over(path: Path, stations: Sequence[int], ranks: int) -> Program:
    lines: dict[int, list[str]] = {rank: [] for rank in range(ranks)}
    lines[stations[0]].append("a: calc 100")
    for source, destination in itertools.pairwise(stations):
        last = lines[source][-1].partition(":")[0]
        lines[source] += [f"s: send 101b to {destination} tag 0", f"s requires {last}"]
        lines[destination].append(f"r: recv 101b from {source} tag 0")
    body = "\n".join(f"rank {rank} {{\n" + "\n".join(text) + "\n}" for rank, text in lines.items())
    path.write_text(f"num_ranks {ranks}\n{body}\n")
    return latitude.load(path)


def runtime(program: Program, network: Network) -> float:
    return latitude.analyze(program, network).baseline.T_ns


def test_messages_inside_a_node_have_their_own_price(relay: Program) -> None:
    network = Network(
        L=1000.0,
        o=0.0,
        G=0.5,
        rules=[Rule("same node", 300.0, 0.1)],
        placement=Placement(ranks_per_node=2),
    )
    result = latitude.analyze(relay, network)
    inside, between = 300.0 + 100 * 0.1, 1000.0 + 100 * 0.5
    assert result.baseline.T_ns == pytest.approx(100 + inside + between + inside)
    assert result.baseline.lambda_L == 1, "of the messages between nodes"
    assert result.baseline.L_ns == 1000.0
    assert result.baseline.rho_L == pytest.approx(1600.0 / result.baseline.T_ns)
    assert [(c.name, c.pairs) for c in known(result.links).classes] == [
        ("between nodes", 8),
        ("inside a node", 4),
    ]
    everywhere = Network(L=1000.0, o=0.0, G=0.5)
    assert runtime(relay, everywhere) == pytest.approx(100 + 3 * between)


def test_intra_costs_per_byte_what_others_do_unless_given(relay: Program) -> None:
    network = Network(
        L=1000.0,
        o=0.0,
        G=0.5,
        rules=[Rule("same node", 300.0)],
        placement=Placement.explicit([0, 0, 0, 0]),
    )
    assert runtime(relay, network) == pytest.approx(100 + 3 * (300.0 + 50.0))


@pytest.mark.parametrize(("nodes", "switches"), [((0, 1), 1), ((0, 2), 3), ((0, 4), 5)])
def test_a_tree_by_hand(tmp_path: Path, nodes: tuple[int, int], switches: int) -> None:
    program = relay_over(tmp_path / "two.goal", [0, 1], 2)
    network = Network(o=0.0, G=0.5, topology=TREE, placement=Placement.explicit(nodes))
    latency = (switches + 1) * WIRE + switches * SWITCH
    result = latitude.analyze(program, network)
    assert result.baseline.T_ns == pytest.approx(100 + latency + 50)
    assert result.baseline.L_ns == pytest.approx(latency)
    assert result.theta.name == "l_wire"
    assert result.sensitivity.slope == switches + 1, "wires on the way"
    assert result.sensitivity.share == pytest.approx((switches + 1) * WIRE / (150 + latency))
    five = result.tolerance[-1]
    assert five.value == pytest.approx(WIRE + 0.05 * (150 + latency) / (switches + 1))


def test_switches_are_a_parameter_too(relay: Program) -> None:
    network = Network(o=0.0, G=0.0, topology=TREE, placement=Placement.explicit([0, 1, 2, 4]))
    result = latitude.analyze(relay, network, sweep="d_switch=108ns:208ns")
    assert result.sensitivity.slope == 1 + 3 + 5
    assert result.curve.T_ns[-1] - result.baseline.T_ns == pytest.approx(9 * 100.0)
    assert [c.name for c in known(result.links).classes] == ["1 switch", "3 switches", "5 switches"]


def test_of_topology_and_nodes_only_what_is_used_counts() -> None:
    placement = Placement.explicit([15, 12, 15])
    links = Network(topology=TREE, rules=[Rule("same node", 1.0)], placement=placement).links(3)
    assert links.nodes is not None
    assert links.nodes.tolist() == [12, 15]


def test_ranks_that_share_a_node_of_a_topology_need_a_price(relay: Program) -> None:
    packed = Placement(ranks_per_node=2)
    with pytest.raises(InputError, match=r"--intra L=0\.4us"):
        latitude.analyze(relay, Network(topology=TREE, placement=packed))
    network = Network(
        o=0.0, G=0.0, topology=TREE, rules=[Rule("same node", 400.0)], placement=packed
    )
    assert runtime(relay, network) == pytest.approx(100 + 2 * 400.0 + 2 * WIRE + SWITCH)


def test_intra_without_nodes_is_refused(relay: Program) -> None:
    with pytest.raises(InputError, match="which ranks share a node"):
        latitude.analyze(relay, Network(rules=[Rule("same node", 400.0)]))


def test_too_small_a_topology_is_refused(relay: Program) -> None:
    with pytest.raises(InputError, match="the topology has 2; give --ranks-per-node 2"):
        latitude.analyze(relay, Network(topology=Topology("fat-tree:k=2,tiers=2")))


def test_computation_is_scaled(relay: Program) -> None:
    def at(scale: float) -> float:
        return runtime(relay, Network(L=10.0, o=1.0, G=0.0, compute_scale=scale))

    assert at(1.0) == pytest.approx(100 + 36.0)
    assert at(0.5) == pytest.approx(50 + 36.0)
    assert at(0.0) == pytest.approx(36.0)
    with pytest.raises(InputError, match="compute_scale"):
        at(-1.0)
