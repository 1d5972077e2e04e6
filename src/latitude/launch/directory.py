"""The directory in which the ranks of a run leave their files."""

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.files.writing import refuse_file

_LOCK = ".latitude.lock"
_ADVICE = "; give -o a directory that all ranks can write"


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files that a command leaves in the directory."""

    what: str
    """The files in words, e.g. `a trace`."""
    pattern: str
    """Pattern that matches the files of all ranks."""
    of_rank: str
    """Name of one rank's file, with {} for its number."""
    shared: tuple[str, ...]
    """Names of files that all ranks share."""


def prepare(directory: Path, results: RunFiles, rank: int | None, *, force: bool) -> None:
    """Makes the directory, and removes old results of one rank or of all.

    InputError: the directory is not writable, or has old results and `force` is false.
    """
    with made(directory, _ADVICE):
        _clear(directory, results, rank, force=force)


@contextmanager
def alone_in(directory: Path, rank: int | None) -> Iterator[None]:
    """Keeps other runs out of the directory, on all hosts whose file system has locks.

    In a job, rank 0 locks the directory for all ranks. Without locks, Latitude rejects a second run
    only once the ranks of the first run have begun.

    Raises:
        InputError: another run uses the directory, or it is not writable.
    """
    with made(directory, _ADVICE):
        lock = None if rank else _locked(directory)
    try:
        yield
    finally:
        if lock is not None:
            (directory / _LOCK).unlink(missing_ok=True)
            os.close(lock)


def _locked(directory: Path) -> int | None:
    """A file that holds the lock; None if the file system has no locks."""
    path = directory / _LOCK
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is(path, file):
                return file
        except OSError as error:
            os.close(file)
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                path.unlink(missing_ok=True)
                return None
            raise InputError(
                f"{directory}: another run is writing into it; wait for its end, or give another -o"
            ) from error
        os.close(file)  # its former holder has removed the file, so the lock is void


def _is(path: Path, file: int) -> bool:
    """Whether the open file is still the file at this path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


@contextmanager
def made(directory: Path, advice: str = "") -> Iterator[None]:
    """Makes the directory if necessary, and checks that it is writable, for the work inside.

    InputError, whose text ends with `advice`: the directory is not writable.
    """
    refuse_file(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
        yield
    except OSError as error:
        raise InputError(
            f"{directory}: cannot be written: {error.strerror or error}{advice}"
        ) from error


def _clear(directory: Path, results: RunFiles, rank: int | None, *, force: bool) -> None:
    # Each rank of a job clears only its own file, because other ranks may have begun.
    own = results.pattern if rank is None else results.of_rank.format(f"{rank:07d}")
    files = list(directory.glob(own))
    if not rank:
        files += (path for name in results.shared if (path := directory / name).exists())
    if files and not force:
        raise InputError(
            f"{directory}: holds {results.what} already; pass --force to overwrite it, or "
            "another -o"
        )
    for path in files:
        path.unlink(missing_ok=True)
