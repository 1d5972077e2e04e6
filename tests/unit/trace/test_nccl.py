"""NCCL's collectives: latencies, bytes and steps against closed forms, derived from the papers."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude._core import InputError
from latitude.trace.nccl import ALGORITHMS, PROTOCOLS, NcclCollective
from support.tiers import first_of

L = 2000.0
KIB = 1024
SLOT = {"ll": 32 * KIB, "ll128": 576_000, "simple": 512 * KIB}
"""Data in one of the eight slots of a buffer."""
EXPANSION = {"ll": 8 / 4, "ll128": 128 / 120, "simple": 1.0}
"""Bytes on the wire per byte of data."""
RANKS = first_of([2, 3, 5, 8, 16, 33, 64], 4)
CHANNELS = first_of([1, 2, 7, 32], 2)


def analysed(graph: _core.Graph, folder: Path, **network: str) -> "latitude.Analysis":
    path = folder / "job.goal"
    _core.graph_format("goal").write(graph, str(path), 0)
    given = {"L": "2us", "o": "0ns", "G": "0ns/B", "S": "1GiB", **network}
    return latitude.analyze(
        latitude.load(path), latitude.Network.parse(given), sections=(), critical=1
    )


def latencies(graph: _core.Graph, folder: Path) -> float:
    """T in latencies, on a network where only latency takes time."""
    found = analysed(graph, folder).baseline
    assert found.lambda_L is not None
    assert found.T_ns == found.lambda_L * L
    return found.lambda_L


def slices(graph: _core.Graph, nic: int | None = None) -> tuple[list[int], list[int], list[int]]:
    """Sender, receiver and bytes of each message that carries data, not freed slots."""
    wanted = (graph.kind == _core.Kind.send) & (graph.value > 0)
    sends = np.flatnonzero(wanted if nic is None else wanted & (graph.nic == nic))
    rank_of = np.repeat(np.arange(graph.ranks), np.diff(graph.rank_begin))
    found = rank_of[sends], rank_of[graph.partner[sends]], graph.value[sends]
    sender, receiver, size = (each.tolist() for each in found)
    return sender, receiver, size


def per_link(graph: _core.Graph, nic: int | None = None) -> dict[tuple[int, int], tuple[int, int]]:
    """Messages and bytes of data of each pair of ranks."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for sender, receiver, size in zip(*slices(graph, nic), strict=True):
        count, total = found.get((sender, receiver), (0, 0))
        found[sender, receiver] = (count + 1, total + size)
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(
    ("collective", "steps"),
    [
        ("allreduce", lambda n: 2 * (n - 1)),
        ("allgather", lambda n: n - 1),
        ("reducescatter", lambda n: n - 1),
    ],
)
def test_rings(
    tmp_path: Path,
    collective: str,
    steps: Callable[[int], int],
    ranks: int,
    channels: int,
    protocol: str,
) -> None:
    chunk = 480 * 10  # whole lines in every protocol
    graph = NcclCollective(
        collective=collective,
        protocol=protocol,
        ranks=ranks,
        channels=channels,
        message_bytes=chunk * ranks * channels,
    ).graph()
    count = steps(ranks)
    assert latencies(graph, tmp_path) == count
    size = round(chunk * EXPANSION[protocol])
    ring = {(rank, (rank + 1) % ranks) for rank in range(ranks)}
    assert per_link(graph) == dict.fromkeys(ring, (count * channels, count * channels * size))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("loops", [1, 2, 5])
@pytest.mark.parametrize("ranks", [2, 3, 6])
def test_a_ring_goes_round_again_for_each_loop_of_chunks(
    tmp_path: Path, ranks: int, loops: int, protocol: str
) -> None:
    # Simple moves chunks of 4 slots in slices of 2; each loop ends before the next begins.
    slots, halves = (4, 2) if protocol == "simple" else (1, 1)
    data = loops * ranks * slots * SLOT[protocol]
    graph = NcclCollective(protocol=protocol, ranks=ranks, message_bytes=data).graph()
    steps = 2 * (ranks - 1) * loops
    assert latencies(graph, tmp_path) == steps
    assert {count for count, _ in per_link(graph).values()} == {steps * halves}
    assert {total for _, total in per_link(graph).values()} == {
        round(steps * slots * SLOT[protocol] * EXPANSION[protocol])
    }
    # A slice of Simple takes two of the eight slots; nobody waits for the last ones to be freed.
    freed = np.count_nonzero((graph.kind == _core.Kind.send) & (graph.value == 0))
    assert freed == ranks * max(0, steps * halves - 8 // halves)


@pytest.mark.parametrize("protocol", ["ll", "simple"])
@pytest.mark.parametrize("slots", [1, 8, 9, 16, 17, 100])
@pytest.mark.parametrize("channels", [1, 4])
def test_a_window_of_eight_slots_bounds_what_is_sent_in_a_round_trip(
    tmp_path: Path, channels: int, slots: int, protocol: str
) -> None:
    slot = {"ll": 32 * KIB, "simple": 128 * KIB}[protocol]  # Simple on a network: 128 KiB
    graph = NcclCollective(
        collective="send",
        protocol=protocol,
        ranks=2,
        channels=channels,
        message_bytes=slots * slot * channels,
    ).graph()
    # 8 slots leave at once; slot k waits until the one 8 before it has come and its credit is back.
    assert latencies(graph, tmp_path) == 1 + 2 * ((slots - 1) // 8)
    assert per_link(graph)[0, 1][0] == slots * channels
    found = analysed(graph, tmp_path, G="1ns/B")
    wire = slot * EXPANSION[protocol]
    assert found.baseline.T_ns == (1 + 2 * ((slots - 1) // 8)) * L + (1 + (slots - 1) // 8) * (
        wire - 1
    )


def test_throughput_over_a_distance_is_eight_slots_per_round_trip(tmp_path: Path) -> None:
    data, slot = 1 << 30, 128 * KIB
    graph = NcclCollective(collective="send", ranks=2, message_bytes=data).graph()
    far = analysed(graph, tmp_path, L="20ms").baseline.T_ns
    assert data / far == pytest.approx(8 * slot / (2 * 20e6), rel=1e-3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
@pytest.mark.parametrize(("ranks", "root"), [(2, 0), (2, 1), (5, 3), (16, 0)])
@pytest.mark.parametrize("slots", [1, 8, 20])
def test_a_broadcast_goes_once_round_the_ring(
    tmp_path: Path, ranks: int, root: int, slots: int, collective: str, protocol: str
) -> None:
    graph = NcclCollective(
        collective=collective,
        protocol=protocol,
        ranks=ranks,
        root=root,
        message_bytes=slots * SLOT[protocol],
    ).graph()
    assert latencies(graph, tmp_path) == ranks - 1 + 2 * ((slots - 1) // 8)
    after = root if collective == "broadcast" else root + 1
    way = {((after + step) % ranks, (after + step + 1) % ranks) for step in range(ranks - 1)}
    assert per_link(graph).keys() == way
    assert {count for count, _ in per_link(graph).values()} == {slots}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("per_node", [1, 8])
@pytest.mark.parametrize("nodes", first_of([1, 2, 4, 8, 16, 32, 64], 4))
def test_trees_of_a_power_of_two_of_nodes(
    tmp_path: Path, nodes: int, per_node: int, channels: int, protocol: str
) -> None:
    if nodes * per_node not in range(2, 65):
        return
    chunk = 480 * 10
    graph = NcclCollective(
        algorithm="tree",
        protocol=protocol,
        ranks=nodes * per_node,
        ranks_per_node=per_node,
        channels=channels,
        message_bytes=chunk * channels,
    ).graph()
    # Up and down: the chain of a node, and log2 of the nodes.
    assert latencies(graph, tmp_path) == 2 * (per_node - 1 + math.log2(nodes))
    # Each rank but the root sends what it has up, and gets the result.
    edges = (nodes * per_node - 1) * channels
    size = round(chunk * EXPANSION[protocol])
    senders, _, sizes = slices(graph)
    assert (len(senders), set(sizes)) == (2 * edges, {size})


def tree_of(nodes: int, channel: int) -> dict[int, set[int]]:
    """Neighbours of each rank in the tree of one of two channels, which have a NIC each."""
    graph = NcclCollective(
        algorithm="tree", ranks=nodes, channels=2, nics=2, message_bytes=32
    ).graph()
    links = set(per_link(graph, channel))
    assert links == {(b, a) for a, b in links}, "up and down"
    neighbours: dict[int, set[int]] = {rank: set() for rank in range(nodes)}
    for a, b in links:
        neighbours[a].add(b)
    return neighbours


@pytest.mark.parametrize("nodes", range(2, 65))
def test_the_double_tree_of_any_number_of_nodes(nodes: int) -> None:
    trees = [tree_of(nodes, channel) for channel in (0, 1)]
    for tree, root in zip(trees, (0, nodes - 1 if nodes % 2 == 0 else 1), strict=True):
        assert sum(map(len, tree.values())) == 2 * (nodes - 1)
        assert max(map(len, tree.values())) <= 3, "a parent and two children"
        depth, front, seen = 0, {root}, {root}
        while more := {b for a in front for b in tree[a]} - seen:
            depth, front, seen = depth + 1, more, seen | more
        assert seen == set(range(nodes)), "all are reached from the root"
        assert math.floor(math.log2(nodes)) <= depth <= math.ceil(math.log2(nodes))
    # What makes two trees worth while: nobody but the roots has children in both.
    if nodes % 2 == 0:
        inner = [{rank for rank, near in tree.items() if len(near) > 1} for tree in trees]
        assert not inner[0] & inner[1]


@pytest.mark.parametrize("slots", [1, 8, 9, 30])
def test_chunks_follow_each_other_through_a_tree(tmp_path: Path, slots: int) -> None:
    graph = NcclCollective(algorithm="tree", ranks=8, message_bytes=slots * SLOT["simple"]).graph()
    assert latencies(graph, tmp_path) == 2 * 3 + 2 * ((slots - 1) // 8)


@pytest.mark.parametrize(
    ("data", "chunk"),
    [(720_000, 18_000), (28_800_000, 144_000), (46_080_000, 288_000), (80_640_000, 576_000)],
)
def test_chunks_of_an_ll128_tree_shrink_until_they_fill_it(data: int, chunk: int) -> None:
    # Two nodes have two steps, and one rank each 0.1 more: first 2.1 · 64 chunks are wanted, and
    # below 128 KiB no more than 2.1 · 16.
    graph = NcclCollective(algorithm="tree", protocol="ll128", ranks=2, message_bytes=data).graph()
    count = data // chunk
    one_way = (count, round(data * EXPANSION["ll128"]))
    assert per_link(graph) == {(0, 1): one_way, (1, 0): one_way}


@pytest.mark.parametrize("per_node", [1, 8])
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("ranks", [2, 3, 8, 16])
@pytest.mark.parametrize("slots", [1, 9])
def test_an_all_to_all_sends_to_each_other_rank_once(
    tmp_path: Path, ranks: int, channels: int, per_node: int, slots: int
) -> None:
    slot = (512 if ranks <= per_node else 128) * KIB
    graph = NcclCollective(
        collective="alltoall",
        ranks=ranks,
        ranks_per_node=per_node,
        channels=channels,
        message_bytes=slots * slot * ranks,
    ).graph()
    pairs = {(a, b) for a in range(ranks) for b in range(ranks) if a != b}
    assert per_link(graph) == dict.fromkeys(pairs, (slots, slots * slot))
    rounds = max(
        sum(turn % channels == channel for turn in range(1, ranks)) for channel in range(channels)
    )
    assert latencies(graph, tmp_path) == 1 + 2 * rounds * ((slots - 1) // 8)


def test_a_ring_of_sends_is_one_latency(tmp_path: Path) -> None:
    graph = NcclCollective(collective="sendrecv", ranks=5, message_bytes=100).graph()
    assert latencies(graph, tmp_path) == 1
    assert per_link(graph) == {(rank, (rank + 1) % 5): (1, 100) for rank in range(5)}


@pytest.mark.parametrize("collective", ["allgather", "reducescatter"])
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("ranks", RANKS)
def test_aggregated_trees(tmp_path: Path, ranks: int, channels: int, collective: str) -> None:
    """T has one latency per bit of the rank numbers, and each block reaches all others once."""
    block = 480
    graph = NcclCollective(
        collective=collective,
        algorithm="pat",
        ranks=ranks,
        channels=channels,
        message_bytes=block * ranks * channels,
        reduce_ns_per_byte=0.0,
    ).graph()
    steps = (ranks - 1).bit_length()
    assert latencies(graph, tmp_path) == steps
    sender, receiver, sizes = slices(graph)
    assert len(sizes) == steps * ranks * channels
    assert sum(sizes) == block * ranks * (ranks - 1) * channels
    # The farther, the less.
    by_distance: dict[int, set[int]] = {}
    for a, b, size in zip(sender, receiver, sizes, strict=True):
        distance = (b - a if collective == "allgather" else a - b) % ranks
        by_distance.setdefault(distance, set()).add(size)
    assert sorted(by_distance) == [1 << bit for bit in range(steps)]
    assert all(len(each) == 1 for each in by_distance.values())
    far_first = [by_distance[distance].pop() for distance in sorted(by_distance, reverse=True)]
    assert far_first == sorted(far_first)


def test_pieces_of_a_step_of_an_aggregated_tree_fit_into_a_slot() -> None:
    graph = NcclCollective(
        collective="allgather", algorithm="pat", ranks=8, message_bytes=64 * SLOT["simple"]
    ).graph()
    *_, sizes = slices(graph)
    assert max(sizes) == SLOT["simple"]
    assert sum(sizes) == 7 * 64 * SLOT["simple"]


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ({"algorithm": "ring"}, [1, 1, 1]),
        ({"algorithm": "tree"}, [1, 2, 2]),  # the root's only group turns round
        ({"collective": "alltoall"}, [2, 2, 2]),
    ],
)
def test_each_group_of_threads_of_a_channel_has_a_line(
    given: dict[str, Any], lines: list[int]
) -> None:
    graph = NcclCollective(ranks=3, message_bytes=64 * KIB, **given).graph()
    of_ranks = np.split(graph.line, graph.rank_begin[1:-1])
    assert [len(np.unique(each)) for each in of_ranks] == lines


HAND_MADE_STEPS, HAND_MADE_BYTES, REDUCTION_NS = 14, 131_072, 7_000


def hand_made_ring(path: Path) -> None:
    """The ring of 8 ranks that ASTRA-sim ships as files of Chakra: a chain of each rank."""
    ranks = 8
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        names: list[str] = []

        def add(text: str, lines: list[str] = lines, names: list[str] = names) -> None:
            name = f"l{len(names)}"
            lines.append(f"{name}: {text}")
            if names:
                lines.append(f"{name} requires {names[-1]}")
            names.append(name)

        for step in range(HAND_MADE_STEPS):
            add(f"send {HAND_MADE_BYTES}b to {(rank + 1) % ranks}")
            add(f"recv {HAND_MADE_BYTES}b from {(rank - 1) % ranks}")
            if step < HAND_MADE_STEPS // 2:
                add(f"calc {REDUCTION_NS}")
        lines.append("}")
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("latency", ["1us", "50us"])
def test_the_ring_of_astra_sim(tmp_path: Path, latency: str) -> None:
    given = {"L": latency, "o": "0ns", "G": "0.02ns/B", "S": "1GiB"}
    network = latitude.Network.parse(given)
    hand_made_ring(tmp_path / "ring.goal")
    found = latitude.analyze(latitude.load(tmp_path / "ring.goal"), network, sections=())
    steps = HAND_MADE_STEPS
    expected = steps * (network.L + (HAND_MADE_BYTES - 1) * network.G) + 49_000
    assert found.baseline.T_ns == pytest.approx(expected, rel=1e-12)
    assert found.baseline.lambda_L == steps
    # NCCL's own ring moves such a chunk whole by LL128, whose lines carry 120 of 128 bytes.
    made = NcclCollective(
        protocol="ll128",
        ranks=8,
        message_bytes=8 * HAND_MADE_BYTES,
        reduce_ns_per_byte=REDUCTION_NS / HAND_MADE_BYTES,
    )
    wire = 128 * math.ceil(HAND_MADE_BYTES / 120)
    baseline = analysed(made.graph(), tmp_path, **given).baseline
    assert baseline.T_ns == pytest.approx(steps * (network.L + (wire - 1) * network.G) + 49_000)
    assert baseline.lambda_L == steps


def test_a_tree_overtakes_a_ring_at_an_exact_latency(tmp_path: Path) -> None:
    # 16 ranks, G = 0.1 ns/B: a ring has 30 steps of 1/16 of the data, the tree 8 of all of them.
    data, per_byte = 512 * KIB, 0.1
    ring = NcclCollective(protocol="ll128", ranks=16, message_bytes=data).graph()
    tree = NcclCollective(algorithm="tree", ranks=16, message_bytes=data).graph()
    in_ring = 30 * (128 * math.ceil(data / 16 / 120) - 1) * per_byte
    in_tree = 8 * (data - 1) * per_byte
    crossing = (in_tree - in_ring) / (30 - 8)
    for latency, faster in ((crossing - 1, "ring"), (crossing + 1, "tree")):
        given = {"L": f"{latency:.3f}ns", "G": f"{per_byte}ns/B"}
        times = {
            name: analysed(graph, tmp_path, **given).baseline.T_ns
            for name, graph in (("ring", ring), ("tree", tree))
        }
        assert min(times, key=times.__getitem__) == faster
        assert abs(times["ring"] - times["tree"]) == pytest.approx(22, abs=0.1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"algorithm": "tre", "ranks": 4}, "allreduce has no algorithm 'tre'; it has ring, tree"),
        ({"collective": "broadcast", "ranks": 4, "root": 4}, "root 4 is not one of 4 ranks"),
        ({"collective": "send", "ranks": 3}, "write --ranks 2"),
        ({"collective": "alltoall", "protocol": "ll128", "ranks": 2}, "by LL or Simple"),
        ({"collective": "allgather", "algorithm": "pat", "protocol": "ll", "ranks": 2}, "Simple"),
        (
            {"collective": "allgather", "algorithm": "pat", "ranks": 4, "ranks_per_node": 2},
            "write --ranks-per-node 1",
        ),
        ({"protocol": "ll", "ranks": 64, "message_bytes": 1 << 40}, "take fewer bytes"),
        ({"ranks": 4096, "channels": 64}, "take fewer bytes, ranks or channels"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, int | str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        NcclCollective(**given).graph()  # type: ignore[arg-type]


def test_every_collective_has_an_algorithm() -> None:
    assert list(ALGORITHMS) == [
        *("allreduce", "allgather", "reducescatter", "broadcast", "reduce", "alltoall"),
        *("sendrecv", "send"),
    ]
    assert all(ALGORITHMS.values())
