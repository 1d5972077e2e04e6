"""The MPIs, each over the transports that the flow injector delays."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from support.mpi.library import (
    Library,
    intel_ofi,
    mpich,
    mpich_5_ucx,
    mpich_ofi,
    openmpi,
    openmpi_5,
    openmpi_5_ofi,
    openmpi_ofi,
)

Maker = Callable[[Path], Library]
UCX: dict[str, Maker] = {"openmpi": openmpi, "mpich": mpich}
OFI: dict[str, Maker] = {"openmpi-net": openmpi_ofi, "mpich-tcp": mpich_ofi}
STACKS = {**UCX, **OFI}
"""Stacks with which every feature of the injector is tested."""
OTHERS: dict[str, Maker] = {
    "openmpi-5": openmpi_5,
    "openmpi-5-tcp": openmpi_5_ofi,
    "mpich-5": mpich_5_ucx,
    "intel-tcp": intel_ofi,
    "intel-shm": partial(intel_ofi, provider="shm"),
}
"""The same network libraries under other MPIs, tested only for a message's latency."""


def stack(name: str, builds: Path) -> Library:
    """One of `STACKS` or `OTHERS`, which must be installed."""
    return {**STACKS, **OTHERS}[name](builds).needed()
