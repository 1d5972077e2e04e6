"""The compiler of the injector, which needs no MPI, so any C compiler suffices."""

from pathlib import Path

from latitude.launch.build import library, without_mpi

LIBRARY = "inject"


def injector() -> Path:
    """The injector, built if it is not in the cache. InputError without a C compiler."""
    return library(LIBRARY, without_mpi())
