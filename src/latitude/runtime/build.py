"""Libraries built against an MPI, once, and kept in the user's cache directory.

    ~/.cache/latitude/runtime/tracer-3f2a…/libtracer.so
                                           build.log

The directory's name is a hash of everything that decides what the library is: MPI, compiler line,
sources, flags. Two builds at once each make their own; the last rename wins, and both are the same.
"""

import fcntl
import hashlib
import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path

from latitude._core import InputError
from latitude.runtime import sources
from latitude.runtime.ask import ask
from latitude.runtime.mpi import Mpi

_FLAGS = "FLAGS"
"""File beside the sources: what the compiler is told, on one line."""
_HASH_LETTERS = 16
_LIMIT_S = 600


def cache() -> Path:
    """Where built libraries are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "latitude" / "runtime"


def path_of(name: str, mpi: Mpi) -> Path:
    """Where the library is, or will be once built."""
    state = hashlib.sha256()
    for part in (name, *map(str, astuple(mpi))):
        state.update(part.encode() + b"\0")
    root = sources.directory(name)
    for path in (*sources.all_files(name), root / _FLAGS):
        state.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return cache() / f"{name}-{state.hexdigest()[:_HASH_LETTERS]}" / f"lib{name}.so"


def library(name: str, mpi: Mpi) -> Path:
    """The library `name` for this MPI, built if it is not in the cache."""
    path = path_of(name, mpi)
    if path.is_file():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            if not path.is_file():
                _build(name, mpi, path)
    except OSError as error:
        raise InputError(
            f"{path.parent}: the library '{name}' cannot be kept there: {error.strerror or error}; "
            "set XDG_CACHE_HOME to a directory you can write"
        ) from error
    return path


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Ranks of one job start at once: one builds, the others wait, where locks work."""
    with (directory / "lock").open("w") as file:
        with suppress(OSError):  # some network file systems have none; the rename is safe anyway
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(name: str, mpi: Mpi, path: Path) -> None:
    root = sources.directory(name)
    log = path.parent / "build.log"
    with tempfile.TemporaryDirectory(prefix="build-", dir=path.parent) as scratch:
        built = Path(scratch) / path.name
        command = [
            str(mpi.mpicc),
            *shlex.split((root / _FLAGS).read_text(encoding="utf-8")),
            "-o",
            str(built),
            *map(str, sources.compiled(name)),
        ]
        said = ask(command, _LIMIT_S).text
        log.write_text(f"{shlex.join(command)}\n{said}", encoding="utf-8")
        if not built.is_file():
            raise InputError(f"{mpi.mpicc} cannot build '{name}': {_first_error(said)} (see {log})")
        built.replace(path)


def _first_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["the compiler said nothing"])[0]
