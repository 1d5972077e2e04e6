"""Compiles the injector, which does not need MPI, so any C compiler suffices."""

from pathlib import Path

from latitude.launch.build import library, without_mpi

LIBRARY = "inject"


def injector() -> Path:
    """The injector's library, built if it is not in the cache.

    InputError: no C compiler exists.
    """
    return library(LIBRARY, without_mpi())
