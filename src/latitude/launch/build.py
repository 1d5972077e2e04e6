"""Builds libraries and programs against an MPI, once, and keeps them in the user's cache directory.

    ~/.cache/latitude/runtime/tracer-3f2a…/libtracer.so
                                           build.log
                              loggps-91c0…/latitude-loggps

The directory's name is a hash of everything that determines its content: MPI, compiler line,
sources, flags. If two builds of the same content run at once, the last rename wins. A second file
holds the SHA-256 of each built file. If a file was cut off or changed, Latitude builds it again,
because a half-written preloaded library kills the job.
"""

import fcntl
import hashlib
import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, replace
from pathlib import Path

from latitude._core import InputError
from latitude.launch import declared, sources
from latitude.launch.ask import ask
from latitude.launch.mpi import ANY_STANDARD, STANDARD, Mpi, compiler
from latitude.launch.sources import Sources

_HASH_LETTERS = 16
_LIMIT_S = 600


def cache() -> Path:
    """The directory of built libraries."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "latitude" / "runtime"


def path_of(name: str, mpi: Mpi) -> Path:
    """The path of the library, whether built or not."""
    return _shipped(name, mpi) or _kept(name, _file(name), sources.of_library(name), _wrapped(mpi))


def library(name: str, mpi: Mpi) -> Path:
    """The library `name` for this MPI, built if it is not in the cache.

    For the standard's binary interface, a wheel contains the library.
    """
    if (shipped := _shipped(name, mpi)) is not None:
        return shipped
    built_by = _wrapped(mpi)
    return ensure_built(path_of(name, built_by), name, sources.of_library(name), built_by)


def _file(name: str) -> str:
    return f"lib{name}.so"


def _shipped(name: str, mpi: Mpi) -> Path | None:
    return sources.shipped(_file(name)) if mpi.abi == STANDARD else None


def _wrapped(mpi: Mpi) -> Mpi:
    """The MPI itself, with a C compiler if it has no wrapper."""
    if mpi.mpicc != Path(ANY_STANDARD):
        return mpi
    found = compiler()
    return replace(mpi, mpicc=found.path, compiler=found.version)


def program(name: str, mpi: Mpi) -> Path:
    """The program `name` of runtime/bench for this MPI, built if it is not in the cache."""
    if mpi.mpicc == Path(ANY_STANDARD):
        raise InputError(
            "the MPI's own wrapper must build the measuring programs; pass --mpicc FILE, such as "
            "mpicc_abi"
        )
    made_of = sources.of_program(name)
    return ensure_built(_kept(name, f"latitude-{name}", made_of, mpi), name, made_of, mpi)


def own_program(name: str) -> Path:
    """The program `name` that needs no MPI, built if it is not in the cache.

    InputError: no C compiler exists.
    """
    mpi, made_of = without_mpi(), sources.of_own_program(name)
    return ensure_built(_kept(name, f"latitude-{name}", made_of, mpi), name, made_of, mpi)


def without_mpi() -> Mpi:
    """A stand-in for an MPI, with any C compiler, for sources that need no MPI."""
    found = compiler()
    return Mpi(found.path, "no MPI", "", "", "", found.version)


def _kept(name: str, file: str, made_of: Sources, mpi: Mpi) -> Path:
    state = hashlib.sha256()
    for part in (name, *map(str, astuple(mpi))):
        state.update(part.encode() + b"\0")
    for path in (*made_of.all_files(), made_of.root / sources.FLAGS):
        state.update(str(made_of.name_of(path)).encode() + b"\0")
        state.update(path.read_bytes() + b"\0")
    return cache() / f"{name}-{state.hexdigest()[:_HASH_LETTERS]}" / file


def ensure_built(path: Path, name: str, made_of: Sources, mpi: Mpi) -> Path:
    """Builds the file at this path if necessary, and returns the path."""
    if _whole(path):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            if not _whole(path):
                _build(name, made_of, mpi, path)
    except OSError as error:
        raise InputError(
            f"{path.parent}: '{name}' cannot be kept there: {error.strerror or error}; "
            "set XDG_CACHE_HOME to a directory you can write"
        ) from error
    return path


def _whole(path: Path) -> bool:
    """Whether the file has the content that was built."""
    try:
        return _digest_file(path).read_bytes() == _digest(path)
    except OSError:
        return False


def _digest_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _digest(path: Path) -> bytes:
    """SHA-256 in the form of `sha256sum`, for `sha256sum -c`."""
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n".encode()


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Lets one rank of a job build while the others wait, if locks work."""
    with (directory / "lock").open("w") as file:
        with suppress(OSError):  # some network file systems have no locks; the rename is safe
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(name: str, made_of: Sources, mpi: Mpi, path: Path) -> None:
    log = path.parent / "build.log"
    with tempfile.TemporaryDirectory(prefix="build-", dir=path.parent) as scratch:
        built = Path(scratch) / path.name
        command = [
            str(mpi.mpicc),
            *shlex.split((made_of.root / sources.FLAGS).read_text(encoding="utf-8")),
            *declared.flags(made_of.root, mpi.mpicc, Path(scratch), mpi.abi),
            "-o",
            str(built),
            *map(str, made_of.compiled()),
        ]
        said = ask(command, _LIMIT_S).text
        log.write_text(f"{shlex.join(command)}\n{said}", encoding="utf-8")
        if not built.is_file():
            raise InputError(f"{mpi.mpicc} cannot build '{name}': {_first_error(said)} (see {log})")
        digest = _digest_file(built)
        digest.write_bytes(_digest(built))
        digest.replace(_digest_file(path))
        built.replace(path)


def _first_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["the compiler said nothing"])[0]
