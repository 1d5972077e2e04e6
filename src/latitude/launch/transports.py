"""The library (runtime/transports) through which a run records the transports of its messages."""

from collections.abc import Mapping
from pathlib import Path

from latitude._core import InputError
from latitude.launch import launcher as launchers
from latitude.launch.application import Application
from latitude.launch.build import library, without_mpi
from latitude.trace.transports import told_in

LIBRARY = "transports"


def telling(
    directory: Path, environment: Mapping[str, str], program: Application | None = None
) -> dict[str, str]:
    """Variables under which the processes of a run record their transports.

    `trace.transports.gathered(directory)` reads the records. If the library cannot be built, for
    example without a C compiler, the result is empty, because no run depends on the library.
    """
    try:
        path = library(LIBRARY, without_mpi())
    except InputError:
        return {}
    return {
        "LD_PRELOAD": launchers.preloaded(path, environment, program),
        "LATITUDE_TRANSPORTS": str(told_in(directory).absolute()),
    }
