"""The C sources that travel with the package.

    runtime/tracer/   a library: FLAGS, *.c, *.h …
    runtime/inject/
    runtime/transports/
    runtime/bench/    programs: FLAGS, common/ for all of them, a directory for each
    runtime/relay/    a program that needs no MPI
    runtime/clock/    clocks and waits, a part of nearly each of them
    runtime/preload/  finds functions of other libraries behind wrappers of ours
    runtime/abi/      the mpi.h that a tracer for the standard's binary interface is built with

Tests of them, in directories named tests, do not travel.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from latitude._core import InputError

FLAGS = "FLAGS"
"""File next to the sources with the compiler's options, on one line."""

_SOURCES = ("*.c", "*.S")
_HEADERS = ("*.h", "*.def")
_PROGRAMS = "bench"
_COMMON = "common"
_CLOCK = "clock"
_ABI = "abi"
_PRELOAD = "preload"
_PARTS = {
    "tracer": (_CLOCK, _ABI),
    "inject": (_CLOCK, _PRELOAD),
    "transports": (_PRELOAD,),
}
"""Shared directories in each library."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one library or program."""

    root: Path
    """The directory that FLAGS is in."""
    directories: tuple[Path, ...]

    def compiled(self) -> list[Path]:
        """The files that the compiler gets."""
        return self._matching(_SOURCES)

    def all_files(self) -> list[Path]:
        """Everything, in a fixed order, but for the flags."""
        return self._matching(_SOURCES + _HEADERS)

    def _matching(self, patterns: tuple[str, ...]) -> list[Path]:
        found = (
            path
            for directory in self.directories
            for pattern in patterns
            for path in directory.rglob(pattern)
        )
        return sorted(path for path in found if "tests" not in self.name_of(path).parts)

    def name_of(self, path: Path) -> Path:
        """The name of one of the files relative to runtime/."""
        return path.relative_to(self.root.parent)


def of_library(name: str) -> Sources:
    """The sources of a library."""
    root = directory(name)
    return Sources(root, (root, *map(directory, _PARTS[name])))


def shipped(file: str) -> Path | None:
    """A library that was built with the package, for the standard's binary interface."""
    path = _data() / _ABI / file
    return path if path.is_file() else None


def _data() -> Path:
    return Path(str(files("latitude"))) / "data"


def of_program(name: str) -> Sources:
    """The sources of a program of runtime/bench."""
    root = directory(_PROGRAMS)
    return Sources(root, (root / _COMMON, root / name, directory(_CLOCK)))


def of_own_program(name: str) -> Sources:
    """The sources of a program that has a directory of its own, and needs no MPI."""
    root = directory(name)
    return Sources(root, (root, directory(_CLOCK)))


def directory(name: str) -> Path:
    """A directory of sources: in the installed package, or in the source tree."""
    installed = _data() / "runtime" / name
    tree = Path(__file__).resolve().parents[3] / "runtime" / name
    for path in (installed, tree):
        if path.is_dir():
            return path
    raise InputError(f"the sources of '{name}' are not installed; reinstall latitude")
