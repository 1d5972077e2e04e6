"""Entry point: picks the subcommand, turns wrong input into one line and exit status 2."""

import argparse
import errno
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO

from latitude._core import InputError
from latitude._version import __version__
from latitude.cli.command import Command, add_command
from latitude.cli.commands import SUMMARIES, command

EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # `-3us` is a negative time, and refused as such, not an option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see `{self.prog} --help`)")


def build_parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands.

    Args:
        chosen: the command whose options are declared; its module alone is imported.
    """
    parser = _Parser(
        prog="latitude",
        description="How much network latency a parallel program tolerates.",
        epilog="Start with `latitude demo`. Exit status: 0 when the work is done, 2 when input or "
        "options are wrong.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"latitude {__version__}")
    below = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for name, summary in SUMMARIES.items():
        if name == chosen:
            add_command(below, name, command(name), "command", help=summary)
        else:
            below.add_parser(name, help=summary, add_help=False)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    # A shell that closes one (`>&-`) wants nothing from it.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_letters(stream)
    try:
        words = list(sys.argv[1:] if argv is None else argv)
        chosen = next(iter(words), None)
        arguments, unknown = build_parser(chosen).parse_known_args(words)
        if unknown:
            arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        work: Command = arguments.command
        work.run(arguments)
        sys.stdout.flush()
    except InputError as error:
        print(f"latitude: error: {_one_line(str(error))}", file=sys.stderr)  # noqa: T201
        return EXIT_WRONG_INPUT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except MemoryError:
        print("latitude: error: not enough memory for this input", file=sys.stderr)  # noqa: T201
        return EXIT_WRONG_INPUT
    except BrokenPipeError:
        _forget_output()  # the reader (head, less) has seen enough
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        _forget_output()
        print(f"latitude: error: standard output: {error.strerror}", file=sys.stderr)  # noqa: T201
        return EXIT_WRONG_INPUT
    return 0


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _forget_output() -> None:
    """Keeps Python from complaining at exit about what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _never_fail_on_letters(stream: TextIO) -> None:
    """µ and λ become ? where the terminal cannot show them."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
