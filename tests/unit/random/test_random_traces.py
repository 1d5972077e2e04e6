"""Random latency on every shared trace: pruning, lanes and Jensen's inequality."""

from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude.model.network import Network
from latitude.random.forecast import parse_latency
from support.paths import TRACE_NAMES

pytestmark = pytest.mark.traces
SAMPLES = 64


@pytest.mark.parametrize("name", TRACE_NAMES)
def test_pruning_changes_no_bit_and_variation_never_helps(traces: Path, name: str) -> None:
    graph = latitude.load(traces / name).graph
    network = Network().core(graph.ranks)
    table = parse_latency("lognormal(mean=5us,sd=10us)").values
    pruned = _core.Model(graph, network).random(table)
    T = pruned.runtimes(1, 0, SAMPLES)
    full = _core.Model(graph, network).random(table, prune=False)
    assert full.nodes >= pruned.nodes
    assert np.array_equal(T, full.runtimes(1, 0, SAMPLES))
    part = pruned.runtimes(1, 5, 13, threads=1, lanes=1)
    assert np.array_equal(T[5:18], part)
    assert T.mean() >= pruned.lower_ns()
    assert T.max() <= pruned.upper_ns()

    constant = np.full(4096, 5000.0)
    same = pruned.with_table(constant)
    values = same.runtimes(1, 0, 3)
    assert set(values.tolist()) == {same.lower_ns(), same.upper_ns()}
    at = _core.Model(graph, network).along().runtime(np.array([8000.0]))
    assert values[0] == pytest.approx(at[0], rel=1e-10)


def test_criticality_does_not_depend_on_pruning(traces: Path) -> None:
    graph = latitude.load(traces / "npb-mg.S-8.tar.xz").graph
    network = Network().core(graph.ranks)
    table = parse_latency("lognormal(mean=5us,sd=10us)").values
    groups = np.where(graph.kind == 2, 0, 2**32 - 1).astype(np.uint32)
    counts = [
        _core.Model(graph, network).random(table, prune=prune).critical(1, 0, 200, [groups])[1][0]
        for prune in (True, False)
    ]
    assert counts[0][0].tolist() == counts[1][0].tolist() == [200]
    # Where two paths tie, the pruned graph may have kept the other one.
    assert counts[0][1][0] == pytest.approx(int(counts[1][1][0]), rel=0.02)
