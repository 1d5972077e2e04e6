"""Writes results whole or not at all, and never replaces a file without permission.

Neither errors nor SIGTERM or SIGHUP leave temporary files.
"""

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from latitude._core import InputError

STDOUT = Path("-")
"""Name of standard output on the command line; no file can have this name."""


def refuse_existing(paths: Iterable[Path], *, force: bool) -> None:
    """Raises InputError if one of `paths` exists without `force`, or cannot be created.

    Commands call it before the long work starts.
    """
    for path in paths:
        if path == STDOUT:
            raise InputError("-: this result cannot go to standard output; give a file name")
        if path.is_dir():
            raise InputError(f"{path}: is a directory; give a file name")
        if _is_stream(path):
            continue
        if not force and path.exists():
            raise InputError(f"{path}: exists already; pass --force to overwrite, or another name")
        nearest = next(parent for parent in path.parents if parent.exists())
        if not nearest.is_dir():
            raise InputError(f"{path}: cannot be written: {nearest} is not a directory")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise InputError(f"{path}: cannot be written: Permission denied")


def refuse_file(directory: Path) -> None:
    """Raises InputError if the path for a directory is a file, or standard output."""
    if directory == STDOUT:
        raise InputError("-: several files cannot go to standard output; give a directory")
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: is a file; give a directory")


def write_new(path: Path, content: str, *, force: bool) -> None:
    """Writes text to a temporary file next to `path`, then renames the file."""
    replace_with(path, lambda target: target.write_text(content, encoding="utf-8"), force=force)


def replace_with(path: Path, write: Callable[[Path], object], *, force: bool) -> None:
    """Lets `write` fill a temporary file next to `path`, then renames the file to `path`.

    The temporary file has the suffix of `path`, because some libraries choose the format by the
    suffix. Pipes, devices and /dev/stdout receive a copy of the file, because nobody can rename a
    file to a stream.
    """
    refuse_existing([path], force=force)
    try:
        if _is_stream(path):
            with path.open("wb") as stream:
                fill_stream(stream, write, path)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with _temporary(path) as temporary:
            _fill(temporary, write, path)
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_first(path: Path, write: Callable[[Path], object]) -> bool:
    """Does the same as `replace_with` unless `path` exists; returns whether this call wrote `path`.

    If several processes write one `path`, exactly one succeeds, also on NFS.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _temporary(path) as temporary:
            _fill(temporary, write, path)
            temporary.chmod(0o666 & ~_umask())
            return _linked(temporary, path)
    except OSError as error:
        raise _unwritable(path, error) from error


def fill_stream(stream: BinaryIO, write: Callable[[Path], object], path: Path) -> None:
    """Lets `write` fill a temporary file, then copies the file to `stream`, which `path` names.

    BrokenPipeError: the stream's reader has gone.
    """
    with _temporary(Path(tempfile.gettempdir()) / path.name) as temporary:
        _fill(temporary, write, path)
        with temporary.open("rb") as filled:
            shutil.copyfileobj(filled, stream)


def _unwritable(path: Path, error: OSError) -> InputError:
    """The error for a path that the system does not let us write."""
    return InputError(f"{path}: cannot be written: {error.strerror or error}")


def refuse_directory(path: Path, patterns: Sequence[str], *, force: bool) -> None:
    """Raises InputError if `replace_directory` would reject the present content."""
    refuse_file(path)
    old = [entry.relative_to(path) for entry in path.rglob("*")] if path.is_dir() else []
    if old and not force:
        raise InputError(f"{path}: exists already; pass --force to overwrite, or another name")
    known = {entry for entry in old for pattern in patterns if entry.match(pattern)}
    foreign = next((entry for entry in sorted(old) if entry not in known), None)
    if foreign is not None:
        raise InputError(f"{path}: holds '{foreign}', which is kept; give another directory")


def replace_directory(
    path: Path, patterns: Sequence[str], write: Callable[[Path], object], *, force: bool
) -> None:
    """Lets `write` fill a temporary directory next to `path`, then renames the directory to `path`.

    With `force`, a directory at `path` is replaced if all its content matches one of `patterns`,
    relative to the directory.
    """
    refuse_directory(path, patterns, force=force)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = made = _relative(path, tempfile.mkdtemp(prefix=_prefix(path), dir=path.parent))
        with _gone_when_terminated(lambda: shutil.rmtree(made, ignore_errors=True)):
            _fill(temporary, write, path)
        temporary.chmod(0o777 & ~_umask())
        if path.is_dir():
            shutil.rmtree(path)
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """A new file in the folder of `path`, removed at the end unless it has been renamed."""
    handle, name = tempfile.mkstemp(path.suffix[:_MOST_LETTERS], _prefix(path), path.parent)
    os.close(handle)
    temporary = _relative(path, name)
    try:
        with _gone_when_terminated(lambda: temporary.unlink(missing_ok=True)):
            yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _fill(temporary: Path, write: Callable[[Path], object], path: Path) -> None:
    """Lets `write` fill the file that will become `path`; an InputError then names `path`."""
    try:
        write(temporary)
    except InputError as error:
        raise InputError(str(error).replace(str(temporary), str(path))) from error


def _linked(temporary: Path, path: Path) -> bool:
    try:
        os.link(temporary, path)  # fails if there is a file; a rename would replace it
    except FileExistsError:
        return False
    return True


def whole_files(directory: Path, pattern: str) -> list[Path]:
    """The matching files of a directory, ordered by name, without unfinished files."""
    return sorted(path for path in directory.glob(pattern) if not path.name.startswith("."))


def _prefix(path: Path) -> str:
    return f".{path.name[:_MOST_LETTERS]}."


def _relative(path: Path, name: str) -> Path:
    """The temporary file next to `path`, relative if `path` is; tempfile's name is absolute."""
    return path.parent / Path(name).name


_MOST_LETTERS = 16
"""Letters of a target's name in its temporary file's name, which must fit into 255 bytes."""

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _gone_when_terminated(remove: Callable[[], None]) -> Iterator[None]:
    """Calls `remove` before an unhandled SIGTERM or SIGHUP ends the process."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears signals
        return

    def end(number: int, _frame: FrameType | None) -> None:
        remove()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    ours = [number for number in _ENDINGS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _is_stream(path: Path) -> bool:
    """Whether renaming a file to this path would destroy a stream."""
    if not path.exists() or path.is_dir():
        return False
    return not path.is_file() or path.absolute().parent in (Path("/dev"), Path("/dev/fd"))


def _umask() -> int:
    """The process's umask, because mkstemp's files are private, but results are not."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
