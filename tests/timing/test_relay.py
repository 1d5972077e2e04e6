"""The relay and the flow injector add the same latency, and predictions hold under either."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from support.mpi.library import openmpi
from support.mpi.outcome import Done
from support.mpi.spanning import UCX_BETWEEN, Spanning
from support.paths import EXAMPLE_PROGRAMS
from support.timing import SHARP, Machine

US, MS = 1_000, 1_000_000
TRIPS = 30
CONNECTED = {**UCX_BETWEEN, "OMPI_MCA_mpi_preconnect_mpi": "1"}
"""Below IP a connection costs latencies, too, which the flow injector does not delay."""
HALO = ("--iterations", "150", "--compute", "4ms", "--bytes", "1024")
NETWORK = ("--o", "2us", "--G", "0.1ns", "--S", "8KiB")


@pytest.fixture
def spanning(builds: Path, tmp_path: Path) -> Spanning:
    """Two hosts without a rate, and MPI over UCX's TCP, which both can delay."""
    return Spanning(openmpi(builds), tmp_path, rate="")


def injecting(delay: str) -> list[str]:
    return ["inject", "--flow", delay, "-o", "i", "--force", "--"]


@pytest.mark.parametrize("ms", [1, 5, 20])
def test_a_ping_pong_gains_the_same(machine: Machine, spanning: Spanning, ms: int) -> None:
    """Found: a relay that delays one way only, or an injector that is off by a tenth."""
    launch = spanning.mpi.run(2, spanning.mpi.program("apart.c"), TRIPS)
    delay = f"{ms}ms"

    def half_ns(done: Done) -> float:
        return float(done.stdout.split()[-1])

    def block() -> Mapping[str, float]:
        none = half_ns(spanning.run(*launch, environment=CONNECTED))
        flow = half_ns(spanning.latitude(*injecting(delay), *launch, environment=CONNECTED))
        relay = half_ns(replace(spanning, delay=delay).run(*launch, environment=CONNECTED))
        return {"relay less flow": (relay - none) - (flow - none), "relay": relay - none - ms * MS}

    within = 0.05 * ms * MS + 20 * US
    limits = {"relay less flow": (-within, within), "relay": (-within, within)}
    machine.holds(block, limits, stray=SHARP)


def test_a_halo_exchange_is_predicted_under_either(machine: Machine, spanning: Spanning) -> None:
    """Found: one latency an iteration too many or too few, 45 % at 8 ms."""
    launch = spanning.mpi.run(2, spanning.mpi.program(EXAMPLE_PROGRAMS / "halo.c"), *HALO)

    def seconds(done: Done) -> float:
        found = re.search(r"iterations in ([\d.]+) s", done.stdout)
        assert found is not None
        return float(found[1])

    def predicted_ns(L: str) -> float:
        spanning.latitude("analyze", "t", "--L", L, *NETWORK, "--json", "a.json", "--force")
        return float(spanning.json("a.json")["baseline"]["T_ns"])

    def block() -> Mapping[str, float]:
        tracing = ["trace", "--clock", "wall", "-o", "t", "--force", "--", *launch]
        none = seconds(spanning.latitude(*tracing, environment=CONNECTED))
        predicted = none + (predicted_ns("8015us") - predicted_ns("15us")) / 1e9
        flow = seconds(spanning.latitude(*injecting("8ms"), *launch, environment=CONNECTED))
        relay = seconds(replace(spanning, delay="8ms").run(*launch, environment=CONNECTED))
        return {"flow": flow / predicted, "relay": relay / predicted}

    machine.holds(block, {"flow": (0.97, 1.03), "relay": (0.97, 1.03)}, stray=SHARP)
