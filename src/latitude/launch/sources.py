"""The C sources in the package.

    runtime/tracer/   a library: FLAGS, *.c, *.h …
    runtime/inject/
    runtime/transports/
    runtime/bench/    programs: FLAGS, common/ for all of them, a directory for each
    runtime/relay/    a program that needs no MPI
    runtime/clock/    clocks and waits, for nearly all libraries and programs
    runtime/preload/  finds the other libraries' functions behind our wrappers
    runtime/abi/      the mpi.h for building a tracer for the standard's binary interface

The package leaves out their tests, in directories named tests.
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
"""Shared directories that each library needs."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one library or program."""

    root: Path
    """The directory with FLAGS."""
    directories: tuple[Path, ...]

    def compiled(self) -> list[Path]:
        """The files for the compiler."""
        return self._matching(_SOURCES)

    def all_files(self) -> list[Path]:
        """All files except FLAGS, in a fixed order."""
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
        """Name of one of the files, relative to runtime/."""
        return path.relative_to(self.root.parent)


def of_library(name: str) -> Sources:
    """The sources of a library."""
    root = directory(name)
    return Sources(root, (root, *map(directory, _PARTS[name])))


def shipped(file: str) -> Path | None:
    """A library in the package that was built with it, for the standard's binary interface."""
    path = _data() / _ABI / file
    return path if path.is_file() else None


def _data() -> Path:
    return Path(str(files("latitude"))) / "data"


def of_program(name: str) -> Sources:
    """The sources of a program of runtime/bench."""
    root = directory(_PROGRAMS)
    return Sources(root, (root / _COMMON, root / name, directory(_CLOCK)))


def of_own_program(name: str) -> Sources:
    """The sources of a program that has its own directory, and needs no MPI."""
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
