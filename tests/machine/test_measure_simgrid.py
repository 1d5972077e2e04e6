"""`latitude measure loggps` finds the parameters of networks that SimGrid simulates.

Beside real ones, these are known exactly. SMPI's eager limit excludes its threshold; above it a
message waits for its receiver without a handshake: the reading called sync.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latitude import _core, load
from latitude.measure.loggps import Measured, Wishes, measure
from support.simgrid.smpi import Platform, Smpi, launch
from support.simgrid.ti import write_liballprof

BASE = Platform(latency_ns=2_000.0, overhead_ns=700.0, clock_ns=1_000.0)
SHARE = 0.02
WISHES = Wishes(mpicc=Path("smpicc"), starts=1)


def measured(
    platform: Platform, tmp_path: Path, ranks: int = 2, wishes: Wishes = WISHES
) -> Measured:
    """Between the nodes of the platform, two of them."""
    return measure(launch(platform, tmp_path, ranks, 2), tmp_path / "out", wishes)


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
    assert each.G(found.O_used).value == pytest.approx(platform.ns_per_byte, rel=SHARE)
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
