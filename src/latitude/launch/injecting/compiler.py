"""What the injector is built with: it needs no MPI, so any C compiler does."""

import os
import shutil
from pathlib import Path

from latitude._core import InputError
from latitude.launch import mpi
from latitude.launch.ask import ask
from latitude.launch.build import library
from latitude.launch.mpi import Mpi

LIBRARY = "inject"
_COMPILERS = ("cc", "gcc", "clang")


def compiler() -> Mpi:
    """The C compiler: CC, else cc, gcc or clang, else that of an MPI."""
    for name in filter(None, (os.environ.get("CC"), *_COMPILERS)):
        found = shutil.which(name)
        if found is not None:
            version = ask([found, "--version"]).text.partition("\n")[0].strip()
            return Mpi(Path(found), "no MPI", "", "", "", version)
    known = next(mpi.find(), None)
    if known is None:
        raise InputError("no C compiler found to build the injector; install gcc, or set CC")
    return known


def injector() -> Path:
    """The injector, built if it is not in the cache."""
    return library(LIBRARY, compiler())
