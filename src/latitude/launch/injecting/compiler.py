"""What the injector is built with: it needs no MPI, so any C compiler does."""

from pathlib import Path

from latitude.launch.build import library
from latitude.launch.mpi import Mpi, compiler

LIBRARY = "inject"


def injector() -> Path:
    """The injector, built if it is not in the cache. InputError without a C compiler."""
    found = compiler()
    return library(LIBRARY, Mpi(found.path, "no MPI", "", "", "", found.version))
