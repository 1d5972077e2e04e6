"""Options all measurements share."""

import argparse
from pathlib import Path

from latitude.cli.plain_options import add_mpicc, checked, words_after_dashes
from latitude.units.quantities import parse_time


def add_launching(parser: argparse.ArgumentParser) -> None:
    """The launch line, --mpicc, --no-pin."""
    parser.usage = "%(prog)s [OPTIONS] -- LAUNCHER ..."
    parser.add_argument("launch_line", metavar="LAUNCHER", nargs=argparse.REMAINDER)
    add_mpicc(parser)
    parser.add_argument(
        "--no-pin",
        action="store_true",
        help="leave ranks where the launcher put them; else each is bound to a core of its own "
        "where the node has enough",
    )


def directory_of(name: str) -> Path:
    """Where a measurement's results go unless -o says; rank 0 must be able to write it."""
    return Path(f"latitude-{name}")


def add_time(parser: argparse.ArgumentParser, default: str) -> None:
    """--time, the ceiling of a measurement that stops by itself when it is precise enough."""
    parser.add_argument(
        "--time",
        metavar="TIME",
        default=default,
        type=checked(lambda text: parse_time(text, "time", default)),
        help=f"most time to spend (default: {default})",
    )


def launch_line(arguments: argparse.Namespace) -> list[str]:
    """The words after `--`. InputError when there are none."""
    example = f"latitude measure {arguments.action.name} -- mpirun -n 2 --map-by node"
    return words_after_dashes(arguments.launch_line, "launch line", example)
