"""Other algorithms and nodes of a job: against unfolded collectives, closed forms, and by hand."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude.results.analysis import Analysis
from latitude.results.reading import read_analysis
from latitude.sections.job_algorithms.compute import crossings
from latitude.sections.job_algorithms.result import FasterAlgorithm
from latitude.trace.jobs.job import ALGORITHMS
from latitude.trace.nccl import NcclCollective
from latitude.trace.nccl_costs import NcclMachine, published
from support.random_jobs import job_of
from support.tiers import first_of

INSIDE = "same node"


def written(folder: Path, ranks: int, *parts: dict[str, Any], ns: int = 0) -> Path:
    """Collectives of all ranks one after the other, each after 1 ms of computation."""
    entries = []
    for sequence, part in enumerate(parts):
        for rank in range(ranks):
            own = {"group": "all", "sequence": sequence, **part}
            entries.append({"rank": rank, "on": "stream 7", "ns": 1_000_000})
            entries.append({"rank": rank, "on": "stream 7", "ns": ns, "collective": own})
    path = folder / "it.job.json"
    path.write_text(
        json.dumps(job_of(ranks=ranks, groups={"all": [*range(ranks)]}, operations=entries))
    )
    return path


def network(per_node: int = 1, **prices: float) -> latitude.Network:
    inside = latitude.Rule(INSIDE, L=prices.get("L_inside", 0.0), G=prices.get("G_inside", 0.0))
    return latitude.Network(
        L=prices.get("L", 0.0),
        G=prices.get("G", 0.0),
        o=0,
        S="1GiB",
        given=frozenset("LGoS"),
        rules=[inside] if per_node > 1 else [],
        placement=latitude.Placement(ranks_per_node=per_node),
    )


def what_if(path: Path, on: latitude.Network, *asked: str, **more: Any) -> list[float]:
    found = latitude.analyze(latitude.load(path), on, what_if=asked, sections=(), **more)
    return [found.baseline.T_ns, *(each.T_ns for each in found.what_if)]


def unfolded_T(collective: NcclCollective, on: latitude.Network, folder: Path) -> float:
    """T of NCCL's collective, message by message."""
    path = folder / "unfolded.goal"
    _core.graph_format("goal").write(collective.graph(), str(path), 0)
    return latitude.analyze(latitude.load(path), on, sections=()).baseline.T_ns


SHAPES = [(2, 1), (3, 1), (5, 1), (16, 1), (33, 1), (4, 2), (8, 8), (12, 4), (24, 8), (40, 8)]


UNFOLDED = [("all_reduce", "tree", *shape) for shape in SHAPES] + [
    (kind, "pat", ranks, 1)
    for kind in ("all_gather", "reduce_scatter")
    for ranks, per_node in SHAPES
    if per_node == 1  # NCCL's pat is for one GPU on each node
]


@pytest.mark.parametrize("collective", UNFOLDED, ids=str)
def test_latencies_are_those_of_the_unfolded_collective(
    collective: tuple[str, str, int, int], tmp_path: Path
) -> None:
    """The messages of one chunk, with a latency inside nodes, between nodes, and at both."""
    kind, algorithm, ranks, per_node = collective
    path = written(tmp_path, ranks, {"kind": kind, "bytes": 64})
    unfolded = NcclCollective(
        collective=kind.replace("_", ""),
        algorithm=algorithm,
        ranks=ranks,
        ranks_per_node=per_node,
        message_bytes=64,
    )
    for prices in ({"L": 1000.0}, {"L_inside": 1000.0}, {"L": 700.0, "L_inside": 100.0}):
        on = network(per_node, **prices)
        _, found = what_if(path, on, f"{kind}={algorithm}")
        assert found == 1_000_000 + unfolded_T(unfolded, on, tmp_path)


def latencies_of(path: Path, per_node: int, asked: str) -> tuple[float, float]:
    """Latencies of the changed job inside nodes, and between them."""
    program, on = latitude.load(path), network(per_node)

    def slope(theta: str) -> float:
        found = latitude.analyze(program, on, what_if=[asked], sections=(), sweep=theta)
        return found.what_if[0].slope

    return slope("L:intra") if per_node > 1 else 0.0, slope("L")


@pytest.mark.parametrize(
    ("nodes", "per_node"), [(1, 4), (2, 1), (2, 4), (3, 1), (3, 4), (4, 1), (4, 4)]
)
def test_algorithms_in_switches_have_published_latencies(
    nodes: int, per_node: int, tmp_path: Path
) -> None:
    """Latencies inside and between nodes."""
    n, depth = nodes * per_node, (nodes - 1).bit_length()
    expected = {
        "tree": (2 * (per_node - 1), 2 * depth),
        "nvls": (1, int(nodes > 1)) if per_node > 1 else None,
        "nvls_tree": (1, 2 * depth) if per_node > 1 and nodes > 1 else None,
        "collnet_direct": (2 * min(per_node - 1, 1), 1) if nodes > 1 else None,
        "collnet_chain": (2 * (per_node - 1), 1) if nodes > 1 else None,
    }
    path = written(tmp_path, n, {"kind": "all_reduce", "bytes": 1200}, ns=90_000)
    for algorithm, counts in expected.items():
        asked = f"all_reduce={algorithm}"
        if counts is not None:
            assert latencies_of(path, per_node, asked) == counts
            continue
        with pytest.raises(latitude.InputError, match="can go so on these nodes"):
            what_if(path, network(per_node), asked)


def test_algorithms_in_switches_answer_about_latency_alone(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    """NCCL publishes the time of their bytes, but not how many each link carries."""
    path = written(tmp_path, 8, {"kind": "all_reduce", "bytes": 1 << 26}, ns=900_000)
    nodes = ("--ranks-per-node", "4", "--intra", "L=0us,G=0ns")
    said = refused("analyze", path, *nodes, "--sweep", "G", "--what-if", "all_reduce=nvls_tree")
    assert "no answer about G; ask about a latency" in said
    program, on = latitude.load(path), network(4)
    for theta, some in (("G", False), ("L", True)):
        found = latitude.analyze(program, on, sweep=theta, what_if=["nccl=1ms"])
        assert any(row.faster == "nvls_tree" for row in faster_in(found)) == some
        assert found.what_if[0].collectives == 1
    unknown = written(tmp_path, 8, {"kind": "all_reduce", "bytes": 1 << 26})
    with pytest.raises(latitude.InputError, match="possible are ring, tree"):
        what_if(unknown, on, "all_reduce=nvls")


def test_nvls_gathers_inside_a_node_alone(tmp_path: Path) -> None:
    path = written(tmp_path, 4, {"kind": "all_gather", "bytes": 1200}, ns=90_000)
    assert latencies_of(path, 4, "all_gather=nvls") == (1, 0)
    with pytest.raises(latitude.InputError, match="possible are ring"):
        what_if(path, network(2), "all_gather=nvls")


def test_a_recorded_tree_has_the_latencies_of_a_tree(tmp_path: Path) -> None:
    """Without nodes it is over ranks, else over nodes; its recorded time stays."""
    path = written(tmp_path, 8, {"kind": "all_reduce", "bytes": 64, "algorithm": "tree"}, ns=90_000)
    program = latitude.load(path)
    alone = latitude.analyze(program, sections=())
    assert (alone.baseline.T_ns, alone.baseline.lambda_L) == (1_090_000, 6)
    for per_node, between in ((2, 4), (4, 2), (8, 0)):
        placed = latitude.analyze(program, network(per_node), sections=())
        assert (placed.baseline.T_ns, placed.baseline.lambda_L) == (1_090_000, between)


def test_a_recorded_time_changes_by_the_published_ratio(tmp_path: Path) -> None:
    parts = [{"kind": "all_reduce", "bytes": size} for size in (64, 1 << 26)]
    path = written(tmp_path, 16, *parts, ns=500_000)
    model = published("2.30", "ampere", nodes=4, channels=8, channel_gb_per_s=10.0, cpu="amd")

    def least(algorithm: str, size: int) -> float:
        protocols = ("ll", "ll128", "simple")
        return min(model.cost_ns("allreduce", algorithm, each, 16, size) for each in protocols)

    expected = sum(
        1_000_000 + round(500_000 * least("tree", size) / least("ring", size))
        for size in (64, 1 << 26)
    )
    machine = "gpu=ampere,channels=8,bandwidth=10GB/s,cpu=amd"
    before, after = what_if(path, network(4), "all_reduce=tree", nccl=machine)
    assert (before, after) == (3_000_000, expected)
    again = what_if(path, network(4), "all_reduce=ring", nccl=machine)
    assert again == [3_000_000, 3_000_000]


def lowest(times: np.ndarray, slopes: np.ndarray, at: float) -> float:
    return float((times + slopes * at).min())


@pytest.mark.parametrize("seed", first_of(range(200), 40))
def test_crossings_follow_the_lowest_of_drawn_lines(seed: int) -> None:
    draw = np.random.default_rng(seed)
    count = int(draw.integers(1, 7))
    times = draw.integers(0, 12, count).astype(float)
    slopes = draw.integers(0, 8, count).astype(float)
    own = int(draw.integers(count))
    times[(draw.random(count) < 0.3) & (np.arange(count) != own)] = np.inf
    found = [*crossings(times, slopes, own)]
    deltas = [each.delta for each in found]
    assert deltas == sorted(deltas)
    at, changes = own, [*found]
    for probe in np.linspace(0, 15, 301) + 1e-6:
        while changes and changes[0].delta < probe:
            assert changes[0].before == at
            at = changes.pop(0).after
        assert times[at] + slopes[at] * probe == pytest.approx(lowest(times, slopes, probe))


def faster_in(found: Analysis) -> list[FasterAlgorithm]:
    return found.job_algorithms


@pytest.mark.parametrize("per_node", [1, 2])
def test_at_a_crossing_both_algorithms_take_as_long(per_node: int, tmp_path: Path) -> None:
    """Of 16 ranks, 2 MiB, without recorded times: from L and G alone."""
    path = written(tmp_path, 16, {"kind": "all_reduce", "bytes": 1 << 21})
    on = network(per_node, L=100.0, G=0.1, L_inside=100.0, G_inside=0.1)
    found = latitude.analyze(latitude.load(path), on, nccl="gpu=ampere")
    (row,) = faster_in(found)
    assert (row.algorithm, row.faster) == ("ring", "tree")
    assert (row.published, row.kind, row.collectives) == (False, "all_reduce", 1)
    there = replace(on, L=100 + row.delta)
    own, tree = what_if(path, there, "all_reduce=tree")
    assert own == pytest.approx(tree, rel=1e-12)
    assert row.T_ns == pytest.approx(own, rel=1e-12)
    for L, faster in ((0.99, False), (1.01, True)):
        own, tree = what_if(path, replace(on, L=100 + L * row.delta), "all_reduce=tree")
        assert (tree < own) == faster


def test_the_crossing_of_a_ring_and_a_tree_in_closed_form(tmp_path: Path) -> None:
    """16 nodes: 30 L + 30/16 B G of a ring, 8 L + 2 B G of a tree."""
    path = written(tmp_path, 16, {"kind": "all_reduce", "bytes": 1 << 21})
    found = latitude.analyze(latitude.load(path), network(G=0.1))
    (row,) = faster_in(found)
    assert row.delta == pytest.approx((2 - 30 / 16) * (1 << 21) * 0.1 / 22)
    assert (row.slope, row.faster_slope) == (30, 8)
    assert row.T_ns == pytest.approx(1_000_000 + 30 * row.delta + 30 / 16 * (1 << 21) * 0.1)


def test_recorded_collectives_cross_where_nccl_s_model_says(tmp_path: Path) -> None:
    path = written(tmp_path, 16, *[{"kind": "all_reduce", "bytes": 1 << 30}] * 3, ns=8_000_000)
    found = latitude.analyze(latitude.load(path), network(), nccl="gpu=ampere")
    (row,) = faster_in(found)
    model = NcclMachine(gpu="ampere").model(16)
    ring, tree = (
        min(model.cost_ns("allreduce", name, each, 16, 1 << 30) for each in ("ll128", "simple"))
        for name in ("ring", "tree")
    )
    assert (row.algorithm, row.faster, row.collectives, row.published) == ("ring", "tree", 3, True)
    assert row.delta == pytest.approx(8_000_000 * (tree / ring - 1) / (30 - 8))
    assert row.T_ns == pytest.approx(3 * (9_000_000 + 30 * row.delta))


def test_a_swept_bandwidth_has_crossings_of_its_own(tmp_path: Path) -> None:
    """A tree is faster at G = 0, and a ring from where 22 L = B G / 8."""
    path = written(tmp_path, 16, {"kind": "all_reduce", "bytes": 1 << 20})
    found = latitude.analyze(latitude.load(path), network(L=1000.0), sweep="G")
    first, second = faster_in(found)
    assert (first.delta, first.faster) == (0, "tree")
    assert (second.algorithm, second.faster) == ("tree", "ring")
    assert second.delta == pytest.approx(22_000 / ((1 << 20) / 8))


def test_nccl_chooses_what_is_fastest_at_a_latency(tmp_path: Path) -> None:
    """Below a collective's crossing its ring stays, above it takes the tree."""
    sizes = (1 << 18, 1 << 24)
    path = written(tmp_path, 16, *[{"kind": "all_reduce", "bytes": size} for size in sizes])
    on = network(L=0.0, G=0.1)
    found = latitude.analyze(latitude.load(path), on)
    small, large = (row.delta for row in faster_in(found))
    asked = [f"nccl={ns:.0f}ns" for ns in (small / 2, (small + large) / 2, 2 * large)]
    answers = latitude.analyze(latitude.load(path), on, what_if=asked, sections=()).what_if
    assert [each.collectives for each in answers] == [0, 1, 2]
    rings, trees = ([share * size * 0.1 for size in sizes] for share in (30 / 16, 2))
    expected = [sum(rings), trees[0] + rings[1], sum(trees)]
    assert [each.T_ns - 2_000_000 for each in answers] == pytest.approx(expected)
    assert [each.slope for each in answers] == [60, 38, 16]


@pytest.mark.parametrize("seed", first_of(range(40), 10))
def test_twice_the_ranks_per_node_is_the_job_on_these_nodes(seed: int, tmp_path: Path) -> None:
    draw = Random(seed)
    kinds = ["all_reduce", "all_gather", "broadcast", "all_to_all", "send"]
    parts = [{"kind": draw.choice(kinds), "bytes": draw.randrange(9999)} for _ in range(4)]
    for part in parts:
        if part["kind"] == "all_reduce":
            part["algorithm"] = draw.choice(["ring", "tree"])
    path = written(tmp_path, 8, *parts)
    before, after = (
        network(many, L=5000.0, G=0.5, L_inside=700.0, G_inside=0.25) for many in (2, 4)
    )
    found = what_if(path, before, "ranks-per-node=4")
    assert found[1] == pytest.approx(what_if(path, after)[0], rel=1e-12)


def test_recorded_transfers_change_by_the_prices_of_their_links(tmp_path: Path) -> None:
    """A ring of 4 ranks on 2 nodes and then on one: 3 of 6 latencies were between nodes."""
    path = written(tmp_path, 4, {"kind": "all_reduce", "bytes": 800}, ns=90_000)
    on = network(2, L=5000.0, G=1.0, L_inside=1000.0, G_inside=0.5)
    found = latitude.analyze(latitude.load(path), on, what_if=["ranks-per-node=4"], sections=())
    (moved,) = found.what_if
    assert found.baseline.T_ns == 1_090_000
    assert moved.T_ns == 1_090_000 - 3 * (4000 + 200 * 0.5)
    assert (moved.collectives, moved.slope, found.baseline.lambda_L) == (1, 0, 3)
    slow = replace(on, G=100.0)
    short = written(tmp_path, 4, {"kind": "all_reduce", "bytes": 800}, ns=20_000)
    with pytest.raises(latitude.InputError, match="took less than its links cost"):
        what_if(short, slow, "ranks-per-node=4")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--what-if", "all_reduce=nvls"), "no all_reduce can go so on these nodes"),
        (("--what-if", "all_gather=pat"), "all_gather=pat: the job has no all_gather"),
        (("--what-if", "all_reduce=bush"), "'bush' is not an algorithm of NCCL; use ring, tree"),
        (("--what-if", "nccl=20s s"), "unknown unit 's s'"),
        (("--what-if", "ranks-per-node=0"), "'0' is not a number of ranks per node"),
        (("--what-if", "ranks-per-node=4"), "give --ranks-per-node and --intra"),
        (("--what-if", "tree"), "all_reduce=tree, nccl=20us or ranks-per-node=16"),
        (("--nccl", "gpu=kepler"), "gpu is 'kepler'; use volta, ampere, hopper, blackwell"),
        (("--nccl", "speed=2"), "nccl: unknown 'speed'; use version, gpu, cpu, channels"),
        (("--nccl", "channels=0"), "'0' is not a number of channels"),
        (("--nccl", "bandwidth=0ns/B"), "a channel has a bandwidth, e.g. bandwidth=20GB/s"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_is_one_line(
    options: tuple[str, ...], why: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = written(tmp_path, 4, {"kind": "all_reduce", "bytes": 64}, ns=50_000)
    assert why in refused("analyze", path, *options)


def test_without_prices_other_nodes_tell_nothing(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = written(tmp_path, 4, {"kind": "all_reduce"}, ns=50_000)
    placed = ("--ranks-per-node", "2", "--intra", "L=0us,G=0ns", "--what-if", "ranks-per-node=4")
    assert "needs the different prices of links" in refused("analyze", path, *placed)


def test_an_mpi_program_has_no_algorithms_of_nccl(
    two_ranks: Path, refused: Callable[..., str]
) -> None:
    for asked in ("all_reduce=tree", "nccl=20us", "ranks-per-node=4"):
        assert "the collectives of a PyTorch job" in refused(
            "analyze", two_ranks, "--what-if", asked
        )
    assert "--nccl is for jobs of PyTorch alone" in refused(
        "analyze", two_ranks, "--nccl", "gpu=volta"
    )


def test_gloo_has_no_tree(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = written(tmp_path, 4, {"kind": "all_reduce", "trips": 2, "bytes": 64}, ns=50_000)
    assert "possible are ring" in refused("analyze", path, "--what-if", "all_reduce=tree")
    assert faster_in(latitude.analyze(latitude.load(path))) == []


def test_page_terminal_and_files_show_crossings_and_answers(
    tmp_path: Path, latitude: Callable[..., Any]
) -> None:
    path = written(tmp_path, 16, {"kind": "all_reduce", "bytes": 1 << 30}, ns=8_000_000)
    done = latitude("analyze", path, "--what-if", "all_reduce=tree", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "all-reduce in group all of 16 1 1 GiB ring tree 30 → 8 +27.63 µs 9.829 ms" in said
    assert "all_reduce=tree (1 collective)" in said
    page = (tmp_path / "out" / "report.html").read_text()
    assert "tree is faster than ring: all-reduce in group all of 16 of 1 GiB" in page
    rows = (tmp_path / "out" / "algorithms.csv").read_text().splitlines()
    assert rows[1].startswith("all,1,16,all_reduce,1,")


def test_what_is_read_back_is_what_was_found(tmp_path: Path) -> None:
    path = written(tmp_path, 16, {"kind": "all_reduce", "bytes": 1 << 30}, ns=8_000_000)
    found = latitude.analyze(latitude.load(path), what_if=["nccl=1ms"])
    assert [each.collectives for each in found.what_if] == [1]
    (tmp_path / "analysis.json").write_text(found.to_json())
    assert read_analysis(tmp_path / "analysis.json").to_json() == found.to_json()


def test_without_its_size_no_other_time_of_a_recorded_collective_is_known(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = written(tmp_path, 4, {"kind": "all_reduce"}, ns=50_000)
    said = refused("analyze", path, "--what-if", "all_reduce=tree")
    assert "its size is not in the trace" in said
    assert faster_in(latitude.analyze(latitude.load(path))) == []
    barrier = written(tmp_path, 4, {"kind": "barrier"}, ns=50_000)
    assert len(what_if(barrier, network(), "barrier=tree")) == 2


def test_every_algorithm_is_in_the_cost_model() -> None:
    model = NcclMachine().model(2)
    assert {*ALGORITHMS} == {*model.bus_gb_per_s}
    assert math.isfinite(model.cost_ns("allreduce", "nvls_tree", "simple", 16, 1024))
