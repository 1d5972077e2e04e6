"""Large messages under injected latency cost every latency of the protocol that moves them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.mpi.injecting import POLLING, Injecting
from support.mpi.stacks import UCX, stack
from support.timing import SHARP, Machine

NS = 500_000
LARGE = 512 * 1024
PROTOCOLS = {
    "tcp,self": 5,  # request, answer, data put, acknowledgement, notice
    "posix,cma,self": 3,  # request, data asked for and got
    "posix,self": 3,  # request, answer, data
}


@pytest.mark.parametrize("transports", PROTOCOLS)
@pytest.mark.parametrize("name", UCX)
def test_half_a_round_trip(
    machine: Machine, builds: Path, tmp_path: Path, name: str, transports: str
) -> None:
    """Found: one latency more or less. The least of many round trips, both delays in one run."""
    injecting = Injecting(stack(name, builds), tmp_path, transports=POLLING)
    words = (injecting.mpi.program("pingpong.c"), tmp_path / "run", 1, LARGE, 0, NS)
    claim = f"{PROTOCOLS[transports]} latencies"

    def block() -> Mapping[str, float]:
        done = injecting.flow("0", 2, *words, environment={"UCX_TLS": transports})
        none, late = (float(line.split()[1]) for line in done.stdout.splitlines())
        return {claim: (late - none) / NS}

    within = (PROTOCOLS[transports] - 0.3, PROTOCOLS[transports] + 0.3)
    machine.holds(block, {claim: within}, stray=SHARP)
