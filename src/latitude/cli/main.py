"""Entry point: picks the subcommand, turns wrong input into one line and exit status 2."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

from latitude._core import InputError
from latitude._version import __version__
from latitude.cli.analyze import Analyze
from latitude.cli.background import Background
from latitude.cli.command import Command
from latitude.cli.convert import Convert
from latitude.cli.demo import Demo
from latitude.cli.doctor import Doctor
from latitude.cli.env import Env
from latitude.cli.fit import Fit
from latitude.cli.forecast import Forecast
from latitude.cli.inject import Inject
from latitude.cli.lp import Lp
from latitude.cli.place import Place
from latitude.cli.stats import Stats
from latitude.cli.trace import Trace

COMMANDS: tuple[Command, ...] = (
    Demo(),
    Trace(),
    Analyze(),
    Forecast(),
    Lp(),
    Place(),
    Convert(),
    Fit(),
    Stats(),
    Inject(),
    Background(),
    Doctor(),
    Env(),
)

EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see `{self.prog} --help`)")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all subcommands."""
    parser = _Parser(
        prog="latitude",
        description="How much network latency an MPI program tolerates.",
        epilog="Start with `latitude demo`. Exit status: 0 when the work is done, 2 when input or "
        "options are wrong.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"latitude {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for command in COMMANDS:
        subparser = subparsers.add_parser(
            command.name,
            help=command.summary,
            description=command.description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_arguments(subparser)
        subparser.set_defaults(command=command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_letters(stream)
    try:
        arguments = build_parser().parse_args(argv)
        command: Command = arguments.command
        command.run(arguments)
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
        # The reader (head, less) has seen enough; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _never_fail_on_letters(stream: TextIO) -> None:
    """µ and λ become ? where the terminal cannot show them."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
