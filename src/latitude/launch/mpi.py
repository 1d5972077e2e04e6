"""Finds the MPI libraries of this machine by their compiler wrappers."""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.launch.ask import ask

OPENMPI = "openmpi"
MPICH = "mpich"
"""Binary interface of MPICH, Intel MPI, MVAPICH and Cray MPICH."""
STANDARD = "mpi-abi"
"""Binary interface that MPI-5 defines."""
NAMES = {OPENMPI: "Open MPI", MPICH: "MPICH", STANDARD: "the MPI standard's ABI"}
ANY_STANDARD = "abi"
"""Value of --mpicc for the tracer that serves all libraries with the standard's interface, and
needs no wrapper."""

WRAPPERS = ("mpicc", "mpicc.openmpi", "mpicc.mpich", "mpiicx", "mpiicc", "mpicc_abi")
_CRAY = "cc"
_COMPILERS = ("cc", "gcc", "clang")

INSTALL = (
    "install your MPI's development package (Debian: libopenmpi-dev or libmpich-dev; Fedora: "
    "openmpi-devel or mpich-devel), load its module, or pass --mpicc FILE"
)

# mpi.h's own macros, the most specific first: derivatives of MPICH define MPICH's too.
_NAMES = (
    ("I_MPI_VERSION", "Intel MPI", MPICH),
    ("MVAPICH2_VERSION", "MVAPICH2", MPICH),
    ("MVAPICH_VERSION", "MVAPICH", MPICH),
    ("CRAY_MPICH_VERSION", "Cray MPICH", MPICH),
    ("MPICH_VERSION", "MPICH", MPICH),
)


@dataclass(frozen=True, slots=True)
class Mpi:
    """An MPI with which Latitude can compile."""

    mpicc: Path
    name: str
    """Common name: `Open MPI`, `MPICH`, `Intel MPI`."""
    version: str
    abi: str
    """OPENMPI, MPICH, STANDARD, or empty if its mpi.h does not tell."""
    show: str
    """The compiler line behind the wrapper."""
    compiler: str
    """The first line of the compiler's `--version`."""

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


def identify(mpicc: Path) -> Mpi | None:
    """The MPI behind a wrapper; None if the wrapper cannot preprocess mpi.h."""
    answer = ask([mpicc, "-E", "-dM", "-include", "mpi.h", "-x", "c", os.devnull])
    if not answer.ok:
        return None
    macros = dict(re.findall(r"^#define (\w+) (.*)$", answer.text, re.MULTILINE))
    name, version, abi = _named(macros)
    show = ask([mpicc, "-show"])
    line = show.text.strip() if show.ok else ""
    return Mpi(mpicc, name, version, abi, line, _first_line(mpicc))


def _named(macros: dict[str, str]) -> tuple[str, str, str]:
    if "OMPI_MAJOR_VERSION" in macros:
        parts = [macros.get(f"OMPI_{part}_VERSION", "") for part in ("MAJOR", "MINOR", "RELEASE")]
        return "Open MPI", ".".join(filter(None, parts)), OPENMPI
    for macro, name, abi in _NAMES:
        if macro in macros:
            return name, macros[macro].strip('"'), abi
    if "MPI_ABI_VERSION" in macros:
        return "the MPI standard's ABI", macros["MPI_ABI_VERSION"], STANDARD
    return "unknown MPI", "", ""


def standard() -> Mpi:
    """Any MPI that offers the standard's binary interface; it has no wrapper, and needs none."""
    return Mpi(Path(ANY_STANDARD), "the MPI standard's ABI", "1", STANDARD, "", "")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler."""

    path: Path
    version: str
    """The first line of its `--version`."""


def compiler() -> Compiler:
    """The C compiler: CC, else cc, gcc or clang, else that of an MPI. InputError if none exists."""
    for name in filter(None, (os.environ.get("CC"), *_COMPILERS)):
        found = shutil.which(name)
        if found is not None:
            return Compiler(Path(found), _first_line(Path(found)))
    known = next(find(), None)
    if known is None:
        raise InputError("no C compiler found; install gcc, or set CC")
    return Compiler(known.mpicc, known.compiler)


def _first_line(program: Path) -> str:
    """The first line of a program's version."""
    return ask([program, "--version"]).text.partition("\n")[0].strip()


def from_wrapper(mpicc: Path) -> Mpi:
    """The MPI of the user's wrapper; ANY_STANDARD means the standard's interface."""
    if str(mpicc) == ANY_STANDARD:
        return standard()
    found = shutil.which(str(mpicc))
    if found is None:
        raise InputError(f"--mpicc: {mpicc}: no such program; give the MPI compiler wrapper")
    known = identify(Path(found))
    if known is None:
        raise InputError(f"--mpicc: {found} cannot find mpi.h; give the MPI compiler wrapper")
    return known


def find(beside: Iterable[Path] = ()) -> Iterator[Mpi]:
    """The MPIs, each once: from MPICC, the directories `beside`, MPI_HOME, then PATH."""
    seen: set[str] = set()
    for wrapper in _wrappers(beside):
        if str(wrapper) in seen:
            continue
        seen.add(str(wrapper))
        known = identify(wrapper)
        if known is not None and (not known.show or known.show not in seen):
            seen.add(known.show)
            yield known


def _wrappers(beside: Iterable[Path]) -> Iterator[Path]:
    named = os.environ.get("MPICC", "")
    home = os.environ.get("MPI_HOME", "")
    directories = [str(path) for path in beside]
    if home:
        directories.append(str(Path(home) / "bin"))
    places: list[tuple[str, str | None]] = [(w, path) for path in directories for w in WRAPPERS]
    if named:
        places.insert(0, (named, None))
    places += [(wrapper, None) for wrapper in WRAPPERS]
    if os.environ.get("CRAY_MPICH_DIR"):
        places.append((_CRAY, None))
    for name, path in places:
        found = shutil.which(name, path=path)
        if found is not None:
            yield Path(found)
