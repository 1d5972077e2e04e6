"""Finds the functions that an mpi.h declares.

A header's version is not reliable: Open MPI 5 claims MPI 3.1, but has functions of MPI 4.
"""

import re
from pathlib import Path

from latitude._core import InputError
from latitude.launch.ask import ask
from latitude.launch.mpi import STANDARD

_FUNCTION = re.compile(r"\bPMPI_([A-Z][a-z]\w*)\s*\(")


def declared(mpicc: str | Path, scratch: Path) -> frozenset[str]:
    """The functions' names without MPI_; `scratch` is a directory for temporary files.

    InputError: the wrapper cannot preprocess mpi.h.
    """
    source = scratch / "declared.c"
    source.write_text("#include <mpi.h>\n", encoding="utf-8")
    answer = ask([mpicc, "-E", "-P", source])
    if not answer.ok:
        raise InputError(f"{mpicc} cannot find mpi.h; give the MPI compiler wrapper")
    return frozenset(_FUNCTION.findall(answer.text))


def flags(sources: Path, mpicc: str | Path, scratch: Path, abi: str = "") -> list[str]:
    """Additional compiler options, after FLAGS, to build the library in the directory `sources`.

    The tracer gets a header in the directory `scratch`; other libraries need none. For the
    standard's binary interface (`abi`) the header is mpi.h itself. Errors as for `declared`.
    """
    if not (sources / "calls.def").is_file():
        return []
    if abi == STANDARD:
        return ["-I", str(sources.parent / "abi")]
    path = scratch / "declared.h"
    lines = [f"#define LAT_DECLARED_{name} ~, ~\n" for name in sorted(declared(mpicc, scratch))]
    path.write_text("#define LAT_DECLARED\n" + "".join(lines), encoding="utf-8")
    return ["-include", str(path)]
