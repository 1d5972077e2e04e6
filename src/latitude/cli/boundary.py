"""The outermost layer: picks the subcommand, and turns errors into one line and an exit status."""

import errno
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from latitude._core import InputError, keep_freed_memory
from latitude._version import __version__
from latitude.cli.command import run_command
from latitude.cli.commands import build_parser
from latitude.cli.interrupted import EndingAtOnce
from latitude.files import extras
from latitude.files.text import is_text
from latitude.notices.saying import say_one_line

EXIT_WRONG_INPUT = 2
EXIT_INTERNAL = 70
"""EX_SOFTWARE in sysexits.h."""
_OF_THE_SYSTEM = {
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP),
    *(errno.EIO, errno.ESTALE, errno.ENFILE, errno.EMFILE),
}
"""Errors of the system that any path of a user may cause, in any code that opens the path."""
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
_MOST_SAID = 300
_AROUND = 40
"""Number of letters to show on each side of the place where a text is wrong."""
_MOST_SHOWN = 1200


def run(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status. KeyboardInterrupt passes through."""
    # If a shell has closed a stream (`>&-`), output to this stream goes nowhere.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_letters(stream)
    keep_freed_memory()
    with warnings.catch_warnings():
        # Users learn all that they need from Latitude's warnings. Warnings of NumPy and SciPy show
        # paths of the installation, and are for developers.
        warnings.showwarning = _unsaid
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:  # noqa: PLR0911 - one for each ending
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        _refuse_other_than_text(words)
        with EndingAtOnce(), _one_thread_of_blas():
            arguments, unknown = build_parser(*words[:1]).parse_known_args(words)
        arguments.parser.refuse_unknown(unknown)
        run_command(arguments)
        sys.stdout.flush()
    except InputError as error:
        say_one_line(f"latitude: error: {_shortened(str(error))}")
        return EXIT_WRONG_INPUT
    except MemoryError:
        say_one_line(
            f"latitude: error: {_shortened(' '.join(words))}: the machine has not enough memory; "
            "free some, or give a smaller input"
        )
        return EXIT_WRONG_INPUT
    except BrokenPipeError:
        _forget_output()  # the reader (head, less) has seen enough
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            _forget_output()
            say_one_line(f"latitude: error: standard output: {error.strerror}")
            return EXIT_WRONG_INPUT
        return _lost_directory() or _denied(error) or _internal(error)
    except UnicodeEncodeError as error:
        return _other_than_text(error) or _internal(error)
    except Exception as error:  # noqa: BLE001 - the last boundary
        return _missing(error) or _internal(error)
    return 0


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """Lets NumPy, imported with a command's options, start no threads of its algebra.

    Latitude has no work for these threads, which spin at first. Programs that Latitude starts
    get the environment as it was.
    """
    if _BLAS_THREADS in os.environ:
        yield
        return
    os.environ[_BLAS_THREADS] = "1"
    try:
        yield
    finally:
        del os.environ[_BLAS_THREADS]


def _unsaid(*_: Any, **__: Any) -> None:
    """Hides warnings, unless a filter turns them into errors, as in the tests."""


def _shortened(text: str) -> str:
    """Shortens a message, which may show a whole file's content."""
    if len(text) <= _MOST_SHOWN:
        return text
    return f"{text[: _MOST_SHOWN // 2]} … {text[-_MOST_SHOWN // 2 :]}"


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _forget_output() -> None:
    """Keeps Python from complaining at exit about output that could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _missing(error: Exception) -> int | None:
    """Names the extra with a missing package; None if no extra of Latitude has that package."""
    name = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    remedy = extras.install(name.partition(".")[0])
    if not remedy:
        return None
    say_one_line(f"latitude: error: this needs {name}, which is not installed; {remedy}")
    return EXIT_WRONG_INPUT


def _refuse_other_than_text(words: Sequence[str]) -> None:
    """Raises InputError if a word is not UTF-8, except in the command of a program to run.

    No result format can hold such a name, and the core cannot open such a file.
    """
    own = words[: words.index("--")] if "--" in words else words
    for word in own:
        if not is_text(word):
            raise InputError(f"{word!r}: the name is not UTF-8; rename it")


def _other_than_text(error: UnicodeEncodeError) -> int | None:
    """Names the text that cannot be written; None if the text is not from the system."""
    if is_text(error.object):
        return None
    around = error.object[max(error.start - _AROUND, 0) : error.end + _AROUND]
    say_one_line(
        f"latitude: error: {around!r}: not UTF-8: an argument, a variable of the environment or "
        "the name of a directory; rename it"
    )
    return EXIT_WRONG_INPUT


def _lost_directory() -> int | None:
    """Reports that the working directory is gone; None if it exists."""
    try:
        Path.cwd()
    except OSError as error:
        say_one_line(
            f"latitude: error: the working directory: {error.strerror}; change to one that exists"
        )
        return EXIT_WRONG_INPUT
    return None


def _denied(error: OSError) -> int | None:
    """Reports the access that the system denies; None if the user's path may not be the cause."""
    if error.filename is None or error.errno not in _OF_THE_SYSTEM:
        return None
    say_one_line(f"latitude: error: {_shortened(str(error.filename))}: {error.strerror}")
    return EXIT_WRONG_INPUT


def _internal(error: Exception) -> int:
    """Reports an internal error, and the file with its details."""
    import tempfile  # noqa: PLC0415 - for errors only, as is the next
    import traceback  # noqa: PLC0415

    what = f"{type(error).__name__}: {error}"
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="latitude-error-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as file:
            file.write(f"latitude {__version__}: {sys.argv}\n\n")
            file.write("".join(traceback.format_exception(error)))
        where = f"with {file.name}"
    except OSError as unwritten:
        where = f"(its details could not be written: {unwritten.strerror})"
    say_one_line(
        f"latitude: internal error: {what[:_MOST_SAID]}; this is a fault of Latitude, please "
        f"report it where you got it from, {where}"
    )
    return EXIT_INTERNAL


def _never_fail_on_letters(stream: TextIO) -> None:
    """Replaces µ and λ by ? if the terminal cannot show these letters."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
