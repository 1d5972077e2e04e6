"""`latitude measure loggps` finds the parameters of networks that SimGrid simulates.

Beside real ones, these are known exactly. SMPI's eager limit excludes its threshold; above it a
message waits for its receiver without a handshake: the reading called sync.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latitude import _core, load
from latitude.measure.loggps import Measured, Wishes, measure, measurement_of
from latitude.model.cluster_file import read_cluster
from latitude.model.placement import Placement
from support.simgrid.smpi import Platform, Smpi, launch
from support.simgrid.ti import write_liballprof

BASE = Platform(latency_ns=2_000.0, overhead_ns=700.0, clock_ns=1_000.0)
SHARE = 0.02
WISHES = Wishes(mpi=Path("smpicc"), starts=1)


def measured(
    platform: Platform, tmp_path: Path, ranks: int = 2, wishes: Wishes = WISHES, nodes: int = 2
) -> Measured:
    """Between the nodes of the platform."""
    return measure(launch(platform, tmp_path, ranks, nodes), tmp_path / "out", wishes)


@pytest.mark.parametrize(
    "platform",
    [
        BASE,
        Platform(latency_ns=20_000.0, ns_per_byte=1.0, overhead_ns=200.0, clock_ns=2_000.0),
        Platform(latency_ns=500.0, ns_per_byte=0.02, overhead_ns=100.0, clock_ns=500.0),
        replace(BASE, eager_limit=4_096),
        replace(BASE, contention=True),
    ],
    ids=["base", "slow", "fast", "early-rendezvous", "shared-links"],
)
def test_parameters_are_found(platform: Platform, tmp_path: Path) -> None:
    found = measured(platform, tmp_path)
    (each,) = found.classes
    assert each.name == "between nodes"
    assert each.L.value == pytest.approx(platform.latency_ns, rel=SHARE)
    assert each.G(found.O_of(each)).value == pytest.approx(platform.ns_per_byte, rel=SHARE)
    for overhead in (each.o, each.o_send, each.o_receive, each.o_delayed):
        assert overhead is not None
        assert overhead.value == pytest.approx(platform.overhead_ns, rel=SHARE)
    eager = platform.eager_limit - 1
    assert (each.S, each.rendezvous) == (eager, "sync")
    assert [each.code for each in found.warnings] == ["one-start"]
    network = found.network
    written = {"L": network.L, "o": network.o, "S": network.S}
    assert written["L"] == pytest.approx(each.L.value, rel=1e-4)
    assert written["o"] == pytest.approx(each.o.value, rel=1e-4)
    assert written["S"] == eager


def test_the_two_kinds_of_links_are_told_apart(tmp_path: Path) -> None:
    platform = replace(BASE, inside_ns=300.0, eager_limit=1_024)
    found = measured(platform, tmp_path, ranks=4, wishes=replace(WISHES, pairs=0, most=1 << 12))
    between, inside = found.classes
    assert (between.pairs, inside.pairs) == (4, 2)
    assert between.L.value == pytest.approx(2_000, rel=SHARE)
    assert inside.L.value == pytest.approx(300, rel=SHARE)
    (rule,) = found.network.rules
    assert abs(rule.L - 300) < SHARE * 300


def test_a_sample_of_pairs_holds_both_kinds(tmp_path: Path) -> None:
    platform = replace(BASE, inside_ns=300.0, eager_limit=1_024)
    found = measured(platform, tmp_path, ranks=6, wishes=replace(WISHES, pairs=4, most=1 << 12))
    between, inside = found.classes
    assert (between.pairs, inside.pairs) == (2, 2)
    assert len({(pair.leader, pair.other) for pair in found.pairs}) == 4


RULES = """\
L = "1us"
o = "1us"
G = "1ns/B"

[[link]]
where = "same socket"
L = "123ns"

[[link]]
where = "same node"
name = "shared memory"
L = "1us"
S = "1B"

[[link]]
where = "different group"
L = "1us"

[places]
nodes_per_group = 2
sockets_per_node = 2

[placement]
rule = "round-robin"
nodes = 4
"""


def test_every_rule_that_ranks_meet_over_is_measured(tmp_path: Path) -> None:
    """One that no two ranks meet over keeps the prices of the file."""
    platform = replace(BASE, inside_ns=300.0, apart_ns=9_000.0, eager_limit=1_024)
    (tmp_path / "rules.toml").write_text(RULES)
    wishes = replace(WISHES, pairs=6, most=1 << 12, described=read_cluster(tmp_path / "rules.toml"))
    found = measured(platform, tmp_path, ranks=8, wishes=wishes, nodes=4)
    assert {each.name: each.pairs for each in found.classes} == {
        "between nodes": 2,
        "shared memory": 2,
        "between groups": 2,
    }
    network = found.network
    socket, node, group = network.rules
    latencies = [network.L, node.L, group.L]
    assert latencies == pytest.approx([2_000, 300, 9_000], rel=SHARE)
    assert (socket.L, socket.o, socket.S) == (123, None, None)
    assert (node.name, node.S) == ("shared memory", 1_023)
    assert network.places.count == {"group": 2, "socket": 2}
    assert network.placement == Placement("round-robin", nodes=4)
    for rule in (node, group):
        prices = [rule.o, rule.G]
        assert prices == pytest.approx([platform.overhead_ns, platform.ns_per_byte], rel=SHARE)
    of_pairs = {pair.ranks: pair.links for pair in measurement_of(found, None).pairs}
    assert of_pairs.keys() == {(pair.leader, pair.other) for pair in found.pairs}
    for (a, b), links in of_pairs.items():
        distance = "between groups" if a // 4 != b // 4 else "between nodes"
        assert links == ("shared memory" if a // 2 == b // 2 else distance)


def test_links_of_the_file_stay_where_no_ranks_meet_over_them(tmp_path: Path) -> None:
    """All ranks of one node: the network between nodes is the file's."""
    (tmp_path / "rules.toml").write_text(RULES)
    wishes = replace(WISHES, most=1 << 12, described=read_cluster(tmp_path / "rules.toml"))
    platform = replace(BASE, inside_ns=300.0, eager_limit=1_024)
    found = measured(platform, tmp_path, wishes=wishes, nodes=1)
    assert [each.name for each in found.classes] == ["shared memory"]
    network = found.network
    assert (network.L, network.o, network.G, network.draws) == (1_000, 1_000, 1.0, {})
    latencies = [rule.L for rule in network.rules]
    assert latencies == pytest.approx([123, 300, 1_000], rel=SHARE)


def test_a_program_is_predicted_from_what_was_measured(tmp_path: Path) -> None:
    """Ping-pongs, a halo exchange and allreduces: measured parameters in, simulated time out."""
    found = measured(BASE, tmp_path).network
    smpi = Smpi(tmp_path)
    graph = load(
        write_liballprof(smpi.trace(BASE), tmp_path / "trace"),
        collectives=["allreduce=recursive-doubling"],
    ).graph
    (forecast,) = _core.Model(graph, found.core(smpi.ranks)).along().runtime(np.array([found.L]))
    assert forecast == pytest.approx(smpi.measure(replace(BASE, clock_ns=0.0)), rel=0.01)
