"""Messages in the ways that MPIs seldom ask libfabric for come in time."""

from collections.abc import Mapping
from pathlib import Path

from support.mpi.injecting import POLLING, Injecting
from support.mpi.library import openmpi_ofi
from support.mpi.ofi_program import ofi_program
from support.timing import Machine

NOISE_NS = 30_000_000


def test_waiting_and_asking_in_libfabrics_other_ways(
    machine: Machine, builds: Path, tmp_path: Path
) -> None:
    """Found: a sleep that nobody ends, which lasts a second or more."""
    injecting = Injecting(openmpi_ofi(builds, "tcp;ofi_rxm"), tmp_path, transports=POLLING)

    def block() -> Mapping[str, float]:
        return {"faults": injecting.start(ofi_program(injecting, NOISE_NS)).returncode}

    machine.holds(block, {"faults": (0, 0)})
