"""NCCL's published cost model: by hand, and against measurements on two GPUs."""

import json
import math
from dataclasses import replace
from itertools import starmap
from statistics import median

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import least_squares

from latitude.trace.nccl_costs import VERSIONS, CostModel, published
from support.paths import TRACES

RING = ("ring",)
BOTH = ("ring", "tree")


def hopper(nodes: int = 1, version: str = "2.30", cpu: str = "intel") -> CostModel:
    return published(version, "hopper", nodes=nodes, channels=8, channel_gb_per_s=20.0, cpu=cpu)


@pytest.mark.parametrize(
    ("collective", "protocol", "size", "us"),
    [
        ("allreduce", "ll", 8, 6.6 + 2 * 0.6),
        ("allgather", "ll", 8, 6.6 + 0.6),
        ("broadcast", "ll", 8, 6.6 + 0.6),
        ("allreduce", "simple", 160_000_000, 8.4 + 2 * 3.4 + 1000),
        ("reducescatter", "simple", 160_000_000, 8.4 + 3.4 + 500),
    ],
)
def test_rings_of_two_gpus(collective: str, protocol: str, size: int, us: float) -> None:
    found = hopper().cost_ns(collective, "ring", protocol, 2, size)
    assert found == pytest.approx(1000 * us, abs=0.2)


def test_trees_and_rings_over_nodes() -> None:
    # 4 nodes of 8: 62 steps of which 6 are between nodes; a tree has 14 steps and 2 · log2(4).
    model = hopper(4)
    ring = model.cost_ns("allreduce", "ring", "ll", 32, 0)
    assert ring == pytest.approx(1000 * (6.6 + 56 * 1.0 + 6 * 2.7))
    tree = model.cost_ns("allreduce", "tree", "ll", 32, 0)
    assert tree == pytest.approx(1000 * (6.8 + 14 * 0.6 + 4 * 5.0))
    assert model.choice("allreduce", 32, 8, BOTH).algorithm == "tree"
    large = model.choice("allreduce", 32, 1 << 32, BOTH)
    assert (large.algorithm, large.protocol) == ("ring", "simple")
    # One GPU on each node: the tree's latency for all.
    alone = model.cost_ns("allreduce", "ring", "ll", 4, 0)
    assert alone == pytest.approx(1000 * (6.6 + 6 * 5.0))
    assert model.cost_ns("allgather", "tree", "ll", 32, 0) == math.inf


def test_aggregated_trees_are_for_one_gpu_on_each_node_since_2_23() -> None:
    found = hopper(64).cost_ns("allgather", "pat", "simple", 64, 0)
    assert found == pytest.approx(1000 * (8 + 6 * 14 / 3.5 + 64 * 2.8))
    large = hopper(64).cost_ns("allgather", "pat", "simple", 64, 1_200_000_000) - found
    assert large == pytest.approx(1e7)  # three quarters of 8 × 20 GB/s
    for model, protocol, ranks in (
        (hopper(64), "ll", 64),
        (hopper(64), "simple", 128),
        (hopper(64, "2.19"), "simple", 64),
    ):
        assert model.cost_ns("allgather", "pat", protocol, ranks, 0) == math.inf
    for ranks, size, algorithm in (
        (2, 1 << 10, "ring"),
        (64, 1 << 10, "pat"),
        (64, 1 << 32, "ring"),
    ):
        found_way = hopper(ranks).choice("allgather", ranks, size, ("ring", "pat"))
        assert found_way.algorithm == algorithm


MIB = 1 << 20


@pytest.mark.parametrize(
    ("algorithm", "collective", "nodes", "us", "us_per_mb"),
    [
        # NVLS has 0.85 of the links, less a channel of 8; an allreduce pipelines two operations.
        ("nvls", "allreduce", 1, 25, 14 / 8 / 160 * 1000),
        ("nvls", "allgather", 1, 25, 1000 / (160 * 0.85 * 7 / 8 * 7 / 8)),
        ("nvls", "allreduce", 4, 25 + 18, 62 / 32 / 160 * 1000),
        ("nvls_tree", "allreduce", 2, 25 + 2 * 20.9, 30 / 16 / (2 * 160 * 0.85 * 7 / 8) * 1000),
        ("nvls_tree", "allreduce", 4, 25 + 4 * 20.9, 62 / 32 / 160 * 1000),
        # Of 8 GPUs with 8 channels each has a card.
        ("collnet_direct", "allreduce", 4, 2 * (3.7 + 7 * 0.4) + 31, 2 / (160 * 0.85) * 1000),
        ("collnet_chain", "allreduce", 4, 2 * 7 * 2.8 + 30, 2 / 160 * 1000),
    ],
)
def test_algorithms_in_switches(
    algorithm: str, collective: str, nodes: int, us: float, us_per_mb: float
) -> None:
    model, ranks = hopper(nodes), 8 * nodes
    least = model.cost_ns(collective, algorithm, "simple", ranks, 0)
    assert least == pytest.approx(1000 * us)
    larger = model.cost_ns(collective, algorithm, "simple", ranks, 1_000_000)
    assert larger - least == pytest.approx(1000 * us_per_mb)
    assert model.cost_ns(collective, algorithm, "ll", ranks, 0) == math.inf


def test_switches_that_reduce_need_their_machine() -> None:
    ampere = published("2.30", "ampere", nodes=4, channels=8, channel_gb_per_s=20.0, cpu="intel")
    one_channel = published("2.30", "hopper", nodes=1, channels=1, channel_gb_per_s=20, cpu="amd")
    for model, algorithm, collective, ranks in (
        (ampere, "nvls", "allreduce", 32),
        (ampere, "nvls_tree", "allreduce", 32),
        (one_channel, "nvls", "allreduce", 8),
        (hopper(1), "nvls_tree", "allreduce", 8),
        (hopper(4), "nvls_tree", "allreduce", 4),
        (hopper(4), "nvls", "allgather", 4),
        (hopper(1), "collnet_chain", "allreduce", 8),
        (hopper(4), "collnet_direct", "allgather", 32),
        (hopper(4), "nvls_tree", "reducescatter", 32),
    ):
        assert model.cost_ns(collective, algorithm, "simple", ranks, MIB) == math.inf
    # One GPU on each node: the tree's network latency; before Hopper the full bandwidth.
    alone = ampere.cost_ns("allreduce", "collnet_direct", "simple", 4, 0)
    assert alone == pytest.approx(14_000)
    sized = ampere.cost_ns("allreduce", "collnet_direct", "simple", 4, 1_000_000) - alone
    assert sized == pytest.approx(2e6 / (160 / ((1 + 1 / 8) / 2)))


def test_versions_differ_in_nvls_trees_and_blackwell_corrects_them() -> None:
    old, new = (hopper(4, version) for version in ("2.23", "2.30"))
    found = [each.cost_ns("allreduce", "nvls_tree", "simple", 32, 0) for each in (old, new)]
    assert found == pytest.approx([25_000 + 4 * 14_000, 25_000 + 4 * 20_900])
    blackwell = published(
        "2.30", "blackwell", nodes=4, channels=8, channel_gb_per_s=20.0, cpu="intel"
    )
    least = blackwell.cost_ns("allreduce", "nvls_tree", "simple", 32, 0)
    larger = blackwell.cost_ns("allreduce", "nvls_tree", "simple", 32, 64 << 11)
    assert larger - least == pytest.approx((64 << 11) * 62 / 32 / (160 * 0.5))


def test_versions_differ_in_trees_by_simple() -> None:
    found = [
        hopper(4, version).cost_ns("allreduce", "tree", "simple", 32, 0) / 1000
        for version in VERSIONS
    ]
    chain = 14 * 4.0
    assert found == pytest.approx([chain + 4 * 14, chain + 4 * 28, *[8.4 + chain + 4 * 14] * 2])


def test_over_nodes_ll_and_the_steps_of_a_ring_depend_on_the_cpu() -> None:
    intel, amd = (hopper(4, cpu=cpu) for cpu in ("intel", "amd"))
    assert (intel.bus_gb_per_s["ring"][0], amd.bus_gb_per_s["ring"][0]) == (20.4, 19.0)
    waits = [
        model.cost_ns("allreduce", "ring", "ll", 32, 0) / 1000 - 6.6 - 6 * 2.7
        for model in (intel, amd)
    ]
    assert waits == pytest.approx([56 * 1.0, 56 * 2.0])


Row = tuple[str, int, float]


def measured(name: str) -> list[Row]:
    """Collective, bytes and microseconds, each collective's by size."""
    path = TRACES / "ai" / f"nccl-2.31.2-{name}-n2.json"
    rows = json.loads(path.read_text())["collectives"]
    return sorted((row["op"], row["bytes"], row["time_us"]) for row in rows if row["width"] == 2)


def with_parameters(model: CostModel, logs: NDArray[np.float64]) -> CostModel:
    base, *steps = np.exp(logs[:4]).tolist()
    bandwidths = np.exp(logs[4:]).tolist()
    return replace(
        model,
        base_us={"ring": (base,) * 3},
        step_us={"ring": tuple(steps)},
        bus_gb_per_s={"ring": tuple(bandwidths)},
    )


def errors(model: CostModel, rows: list[Row]) -> list[float]:
    def of(collective: str, size: int, us: float) -> float:
        return model.choice(collective, 2, size, RING).cost_ns / 1000 / us - 1

    return list(starmap(of, rows))


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize(
    ("name", "gpu", "bus"), [("gh200", "hopper", 133.0), ("a100", "ampere", 94.0)]
)
def test_two_gpus_as_measured(name: str, gpu: str, bus: float) -> None:
    # `bus`: what one copy from GPU to GPU reaches in the same file, in GB/s.
    rows = measured(name)
    half, other = rows[::2], rows[1::2]
    own = published("2.30", gpu, nodes=1, channels=12, channel_gb_per_s=bus / 12, cpu="amd")
    start = np.log([5.0, 0.6, 1.9, 3.4, 20.0, 60.0, 120.0])

    def excess(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log1p(errors(with_parameters(own, logs), half))

    found = least_squares(
        excess,
        start,
        loss="soft_l1",
        f_scale=0.05,
    )
    fitted = with_parameters(own, found.x)
    error = median(map(abs, errors(fitted, other)))
    assert error <= 0.15
    assert error < median(map(abs, errors(own, other)))
