"""Writing results: whole or not at all, and never over somebody's file without being told to.

Neither errors nor SIGTERM leave temporary files.
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

from latitude._core import InputError


def refuse_existing(paths: Iterable[Path], *, force: bool) -> None:
    """InputError when one of `paths` exists, or could not be made.

    To be called before the long work starts.
    """
    for path in paths:
        if path.is_dir():
            raise InputError(f"{path}: is a directory; give a file name")
        if _is_stream(path):
            continue
        if not force and path.exists():
            raise InputError(f"{path}: exists already; pass --force to overwrite, or another name")
        nearest = next(parent for parent in path.absolute().parents if parent.exists())
        if not nearest.is_dir():
            raise InputError(f"{path}: cannot be written: {nearest} is not a directory")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise InputError(f"{path}: cannot be written: Permission denied")


def refuse_file(directory: Path) -> None:
    """InputError when what is to be a directory is a file."""
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: is a file; give a directory")


def write_new(path: Path, content: str, *, force: bool) -> None:
    """Writes text to a temporary file beside `path`, then renames it."""
    replace_with(path, lambda target: target.write_text(content, encoding="utf-8"), force=force)


def replace_with(path: Path, write: Callable[[Path], object], *, force: bool) -> None:
    """Lets `write` fill a temporary file beside `path`, then renames it to `path`.

    Pipes, devices and /dev/stdout are written as they are.
    """
    refuse_existing([path], force=force)
    try:
        if _is_stream(path):
            write(path)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    temporary = Path(name)
    try:
        with _gone_when_terminated(lambda: temporary.unlink(missing_ok=True)):
            write(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def refuse_directory(path: Path, patterns: Sequence[str], *, force: bool) -> None:
    """InputError where `replace_directory` would refuse to replace what is there."""
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
    """Lets `write` fill a temporary directory beside `path`, then renames it to `path`.

    With `force`, a directory at `path` makes way if it holds nothing but what is like one of
    `patterns`, relative to it.
    """
    refuse_directory(path, patterns, force=force)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = made = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        with _gone_when_terminated(lambda: shutil.rmtree(made, ignore_errors=True)):
            write(temporary)
        temporary.chmod(0o777 & ~_umask())
        if path.is_dir():
            shutil.rmtree(path)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _gone_when_terminated(remove: Callable[[], None]) -> Iterator[None]:
    """Calls `remove` before a signal ends the process that nobody else handles."""
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
    """What a rename would destroy instead of filling it."""
    special = path.absolute().parent in (Path("/dev"), Path("/dev/fd"))
    return path.exists() and (special or not path.is_file()) and not path.is_dir()


def _umask() -> int:
    """The process's umask; mkstemp's files are private, results are not."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
