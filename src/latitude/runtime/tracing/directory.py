"""The directory a trace goes to."""

import tempfile
from pathlib import Path

from latitude._core import InputError
from latitude.runtime.tracing.recorded import PATTERN

DESCRIPTION = "trace.json"


def prepare(directory: Path, rank: int | None, *, force: bool) -> None:
    """Makes the directory and clears the way for a trace, of one rank or of all.

    InputError when it cannot be written, or holds a trace and `force` does not allow to replace it.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
        _clear(directory, rank, force=force)
    except FileExistsError as error:
        raise InputError(f"{directory}: is a file; give a directory to -o") from error
    except OSError as error:
        raise InputError(
            f"{directory}: cannot be written: {error.strerror or error}; give -o a directory that "
            "all ranks can write"
        ) from error


def _clear(directory: Path, rank: int | None, *, force: bool) -> None:
    # Of the ranks of a job, each clears its own file only: the others may have begun.
    files = list(directory.glob(PATTERN if rank is None else f"rank-{rank:07d}.lat"))
    if not rank:
        files += directory.glob(DESCRIPTION)
    if files and not force:
        raise InputError(
            f"{directory}: holds a trace already; pass --force to overwrite it, or another -o"
        )
    for path in files:
        path.unlink(missing_ok=True)
