"""The directory that the ranks of a run leave their files in."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.files.writing import refuse_file


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files a command leaves there."""

    what: str
    """For people: `a trace`."""
    pattern: str
    """Of all ranks' files."""
    of_rank: str
    """Of one rank's, with {} for its number."""
    description: str
    """The file that describes them all."""


def prepare(directory: Path, results: RunFiles, rank: int | None, *, force: bool) -> None:
    """Makes the directory and clears the way for results, of one rank or of all.

    InputError when it cannot be written, or holds results and `force` does not allow to replace
    them.
    """
    with made(directory, "; give -o a directory that all ranks can write"):
        _clear(directory, results, rank, force=force)


@contextmanager
def made(directory: Path, advice: str = "") -> Iterator[None]:
    """The directory, made if need be and known to be writable, for the work inside.

    InputError, ending with `advice`, when it cannot be written.
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
    # Of the ranks of a job, each clears its own file only: the others may have begun.
    own = results.pattern if rank is None else results.of_rank.format(f"{rank:07d}")
    files = list(directory.glob(own))
    if not rank:
        files += directory.glob(results.description)
    if files and not force:
        raise InputError(
            f"{directory}: holds {results.what} already; pass --force to overwrite it, or "
            "another -o"
        )
    for path in files:
        path.unlink(missing_ok=True)
