"""The MPIs, each over the transports that the flow injector delays."""

from collections.abc import Callable
from pathlib import Path

from support.mpi.library import Library, mpich, mpich_ofi, openmpi, openmpi_ofi

UCX: dict[str, Callable[[Path], Library]] = {"openmpi": openmpi, "mpich": mpich}
OFI: dict[str, Callable[[Path], Library]] = {"openmpi-net": openmpi_ofi, "mpich-tcp": mpich_ofi}
STACKS = {**UCX, **OFI}


def stack(name: str, builds: Path) -> Library:
    """One of `STACKS`, which must be installed."""
    library = STACKS[name](builds)
    missing = library.missing()
    assert not missing, f"missing: {missing}; run tools/need-mpi.sh, tools/need-ofi.sh"
    return library
