"""Options and types of options that need nothing of programs and networks.

Commands that start a program import these alone: what reads traces and networks takes a tenth of a
second, on each rank where a command of ours stands right of a launcher.
"""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.units.quantities import MOST, UNITS, parse_whole

MOST_SEED = 2**63 - 1


def checked(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Lets argparse show a parser's own message, with the option's name before it."""

    def convert(text: str) -> Any:
        try:
            return parse(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert


def whole(what: str, least: int = 0, most: int = MOST) -> Callable[[str], int]:
    """Type of an option that takes a whole number of `what`: "a number of nodes", "a seed"."""
    return checked(lambda text: parse_whole(text, what, least, most))


def add_command(parser: argparse.ArgumentParser, form: str = "[OPTIONS] -- COMMAND ...") -> None:
    """The command that a command of ours runs: everything after `--`."""
    parser.usage = f"%(prog)s {form}"
    parser.add_argument("command_line", metavar="COMMAND", nargs=argparse.REMAINDER)


def command_of(arguments: argparse.Namespace, example: str) -> list[str]:
    """The words of that command. InputError, with the example, when there are none."""
    return words_after_dashes(arguments.command_line, "command", example)


def add_mpicc(group: argparse._ActionsContainer) -> None:
    """--mpicc: the MPI that our libraries and programs are built for."""
    group.add_argument(
        "--mpicc",
        metavar="FILE",
        type=Path,
        help="compiler wrapper of the MPI in use, or abi for programs that use the MPI standard's "
        "binary interface (default: that of the program's MPI, else of the launcher's, else MPICC, "
        "MPI_HOME, PATH)",
    )


def words_after_dashes(given: Iterable[str], what: str, example: str) -> list[str]:
    """What stands behind `--`. InputError, with the example, when there is nothing."""
    words = list(given)
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise InputError(f"no {what}; write e.g. {example}")
    return words


def add_unit(group: argparse._ActionsContainer, of: str = "the latencies") -> None:
    """--unit."""
    group.add_argument(
        "--unit", choices=UNITS, help=f"unit of {of} where the file does not state it"
    )


def add_seed(group: argparse._ActionsContainer, of: str, default: int = 1) -> None:
    """--seed; `of` says what is random."""
    group.add_argument(
        "--seed",
        metavar="N",
        type=whole("a seed", 0, MOST_SEED),
        default=default,
        help=f"of {of} (default: {default})",
    )
