"""The program a command line starts, and which MPI it is linked to."""

import os
import re
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude.runtime.ask import ask
from latitude.runtime.mpi import MPICH, OPENMPI, STANDARD

# Not the C++ and Fortran layers (libmpi_cxx, libmpi_mpifh): they come with this one.
_LIBRARY = re.compile(
    r"^\s*(libmpi(?:ch|_abi|_cray\w*|_gnu\w*|_intel\w*)?\.so[.\d]*) => (/\S+)", re.MULTILINE
)
_OPENMPI_PARTS = ("libopen-pal.so", "libopen-rte.so")
_ELF = b"\x7fELF"


@dataclass(frozen=True, slots=True)
class Application:
    """A compiled program."""

    path: Path
    libmpi: Path | None
    """The MPI library its loader finds; None when it is linked to none."""
    abi: str
    """Of that library, as in `mpi`; empty when there is none or it is not known."""
    static: bool
    """Statically linked: nothing can be preloaded."""
    privileged: bool
    """Set-user-ID, set-group-ID or with capabilities: the loader ignores LD_PRELOAD."""


def application(command: Sequence[str]) -> Application | None:
    """The first compiled program linked to MPI among the words of `command`.

    Launchers have hundreds of options and are linked to no MPI, so the words are looked at instead
    of the options understood. Without such a program the last launched one that nothing can be
    preloaded into, which explains an empty trace, is returned; None for scripts.
    """
    hindered = None
    for word in command:
        path = _executable(word)
        if path is None:
            continue
        found = _read(path)
        if found.libmpi is not None:
            return found
        if found.static or found.privileged:
            hindered = found
    return hindered


def _executable(word: str) -> Path | None:
    found = shutil.which(word) if word and not word.startswith("-") else None
    if found is None:
        return None
    try:
        with Path(found).open("rb") as file:
            return Path(found) if file.read(4) == _ELF else None
    except OSError:
        return None


def _read(path: Path) -> Application:
    linked = ask(["ldd", path])
    libmpi, abi = _mpi_of(linked.text)
    return Application(
        path=path,
        libmpi=libmpi,
        abi=abi,
        static="not a dynamic executable" in linked.text or "statically linked" in linked.text,
        privileged=_privileged(path),
    )


def _privileged(path: Path) -> bool:
    if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        return True
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def _mpi_of(linked: str) -> tuple[Path | None, str]:
    match = _LIBRARY.search(linked)
    if match is None:
        return None, ""
    return Path(match[2]).resolve(), _abi(match[1], linked)


def _abi(name: str, linked: str) -> str:
    if name.startswith("libmpi_abi"):
        return STANDARD
    # The name alone does not tell: libmpi.so.12 is Open MPI 1.10, MPICH or Intel MPI.
    return OPENMPI if any(part in linked for part in _OPENMPI_PARTS) else MPICH
