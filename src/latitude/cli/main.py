"""Entry point: picks the subcommand, turns errors into one line and an exit status."""

import errno
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from latitude._core import InputError, keep_freed_memory
from latitude._version import __version__
from latitude.cli.command import Command
from latitude.cli.parser import build_parser
from latitude.files import extras
from latitude.notices.saying import say_one_line

EXIT_WRONG_INPUT = 2
EXIT_INTERNAL = 70
"""EX_SOFTWARE of sysexits.h."""
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""
_MOST_SAID = 300
_MOST_SHOWN = 1200


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    # A shell that closes one (`>&-`) wants nothing from it.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_letters(stream)
    keep_freed_memory()
    with warnings.catch_warnings():
        # What users must know is a notice of ours; what NumPy and SciPy say of a number on the way
        # to a result, with paths of the installation, is for whoever changes the code.
        warnings.showwarning = _unsaid
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:  # noqa: PLR0911 - one for each ending
    try:
        words = list(sys.argv[1:] if argv is None else argv)
        arguments, unknown = build_parser(*words[:1]).parse_known_args(words)
        arguments.parser.refuse_unknown(unknown)
        work: Command = arguments.command
        work.run(arguments)
        sys.stdout.flush()
    except InputError as error:
        say_one_line(f"latitude: error: {_shortened(str(error))}")
        return EXIT_WRONG_INPUT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except MemoryError:
        say_one_line("latitude: error: not enough memory for this input")
        return EXIT_WRONG_INPUT
    except BrokenPipeError:
        _forget_output()  # the reader (head, less) has seen enough
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return _internal(error)
        _forget_output()
        say_one_line(f"latitude: error: standard output: {error.strerror}")
        return EXIT_WRONG_INPUT
    except Exception as error:  # noqa: BLE001 - the last boundary
        return _missing(error) or _internal(error)
    return 0


def _shortened(text: str) -> str:
    """A message that shows a file's content may be as long as that."""
    if len(text) <= _MOST_SHOWN:
        return text
    return f"{text[: _MOST_SHOWN // 2]} … {text[-_MOST_SHOWN // 2 :]}"


def _unsaid(*_: Any, **__: Any) -> None:
    """Shows no warning; where filters make warnings errors, as the tests' do, they still are."""


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _forget_output() -> None:
    """Keeps Python from complaining at exit about what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _missing(error: Exception) -> int | None:
    """Says which package an extra of ours would have brought; None when it is none of those."""
    name = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    remedy = extras.install(name.partition(".")[0])
    if not remedy:
        return None
    say_one_line(f"latitude: error: this needs {name}, which is not installed; {remedy}")
    return EXIT_WRONG_INPUT


def _internal(error: Exception) -> int:
    """Says that the error is ours, and where its details are."""
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
    """µ and λ become ? where the terminal cannot show them."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
