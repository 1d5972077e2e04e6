"""Options and their types that need no module for programs and networks.

Commands that start a program import only these options. Imports for traces and networks take 0.1 s,
and on every rank if a launcher starts our command.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.units.options import REST, Options, argument, option, whole
from latitude.units.quantities import UNITS, parse_size

MOST_SEED = 2**63 - 1


@dataclass(kw_only=True)
class CommandOptions(Options):
    """The command that Latitude runs: everything after `--`."""

    command_line: list[str] = argument("", "COMMAND", count=REST)


def command_of(arguments: CommandOptions, example: str) -> list[str]:
    """The words of the command. InputError, with the example: the line is empty."""
    return words_after_dashes(arguments.command_line, "command", example)


def mpicc_option(**more: Any) -> Any:
    """The option --mpicc, the MPI for which Latitude builds libraries and programs."""
    return option(
        "compiler wrapper of the MPI in use, or abi for programs that use the MPI standard's "
        "binary interface (default: that of the program's MPI, else of the launcher's, else MPICC, "
        "MPI_HOME, PATH)",
        "FILE",
        Path,
        **more,
    )


def words_after_dashes(given: Iterable[str], what: str, example: str) -> list[str]:
    """The words after `--`. InputError, with the example: the line is empty."""
    words = list(given)
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise InputError(f"no {what}; write e.g. {example}")
    return words


def unit_option(of: str = "the latencies", **more: Any) -> Any:
    """The option --unit."""
    return option(f"unit of {of} if the file does not state it", choices=UNITS, **more)


def size_option(
    what: str = "message size of the samples that count, e.g. 4B; needed if they have several "
    "sizes",
) -> Any:
    """The option --size."""
    return option(what, "SIZE", lambda text: parse_size(text, "size", "1MiB"))


def seed_option(of: str, default: int = 1, **more: Any) -> Any:
    """The option --seed; `of` names the random quantity."""
    parse = whole("a seed", 0, MOST_SEED)
    return option(f"seed of {of} (default: {default})", "N", parse, default=default, **more)
