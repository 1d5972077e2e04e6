"""One trace predicts what SimGrid SMPI, an independent simulator, then measures.

docs/internals/validation.md has the whole sweep and the reasons for what is left.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latitude import _core, load
from support.simgrid.smpi import Platform, Smpi
from support.simgrid.ti import write_liballprof

BASE = Platform(latency_ns=1_000.0)
LATENCIES = np.array([1e3, 5e3, 1e4, 1e5, 1e6])


@pytest.fixture(scope="module")
def smpi(tmp_path_factory: pytest.TempPathFactory) -> Smpi:
    return Smpi(tmp_path_factory.mktemp("smpi"))


@pytest.fixture(scope="module")
def graph(smpi: Smpi, tmp_path_factory: pytest.TempPathFactory) -> _core.Graph:
    directory: Path = tmp_path_factory.mktemp("traced") / "trace"
    trace = write_liballprof(smpi.trace(BASE), directory)
    return load(trace, collectives=["allreduce=recursive-doubling"], async_progress=True).graph


def predicted(graph: _core.Graph, platform: Platform, rendezvous: str = "sync") -> np.ndarray:
    return _core.Model(graph, platform.network(rendezvous)).along().runtime(LATENCIES)


def measured(smpi: Smpi, platform: Platform) -> np.ndarray:
    return np.array([smpi.measure(replace(platform, latency_ns=L)) for L in LATENCIES.tolist()])


@pytest.mark.parametrize("contention", [False, True])
def test_eager_messages(smpi: Smpi, graph: _core.Graph, contention: bool) -> None:
    simulated = measured(smpi, replace(BASE, contention=contention))
    forecast = predicted(graph, BASE)
    assert forecast == pytest.approx(simulated, rel=2e-4)
    # λ: 107 latencies one after the other at 5 to 10 µs
    slope = (simulated[2] - simulated[1]) / (LATENCIES[2] - LATENCIES[1])
    assert slope == pytest.approx((forecast[2] - forecast[1]) / 5e3, abs=1e-2)


def test_messages_that_wait_for_their_receiver(smpi: Smpi, graph: _core.Graph) -> None:
    """SMPI's large sends have no handshake latency: the reading called sync."""
    platform = replace(BASE, eager_limit=4_096, overhead_ns=0.0)
    assert predicted(graph, platform) == pytest.approx(measured(smpi, platform), rel=2e-4)
