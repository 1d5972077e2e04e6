"""MPI through ctypes, so that any Python can: one argument, MPI's library."""

import ctypes
import sys
from collections.abc import Iterator

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)  # the functions that the process finds first: those that are preloaded
mpi.MPI_Init(None, None)
try:
    handle = ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world"))
    world: object = ctypes.c_void_p(handle)
except ValueError:
    world = 0x44000000


def barrier() -> None:
    mpi.MPI_Barrier(world)  # barrier


def generated() -> Iterator[None]:
    barrier()  # generated
    yield None


class Größe:  # noqa: PLC2401 - the tracer writes names in UTF-8
    def warte(self) -> None:
        for _ in generated():
            pass  # the line before runs the generator


Größe().warte()  # outermost
mpi.MPI_Finalize()
