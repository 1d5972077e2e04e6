"""Options all measurements share: the launch line, and where results go."""

import argparse
from pathlib import Path

from latitude.cli.options import checked, words_after_dashes
from latitude.units import parse_time


def add_launching(parser: argparse.ArgumentParser, name: str, *, force: bool = True) -> None:
    """The launch line, -o, --mpicc, --no-pin, and --force where results could be in the way."""
    parser.usage = "%(prog)s [OPTIONS] -- LAUNCHER ..."
    parser.add_argument("launch_line", metavar="LAUNCHER", nargs=argparse.REMAINDER)
    parser.add_argument(
        "-o",
        dest="directory",
        metavar="DIR",
        type=Path,
        default=Path(f"latitude-{name}"),
        help=f"directory for the results, which rank 0 can write (default: latitude-{name})",
    )
    parser.add_argument(
        "--mpicc", metavar="FILE", type=Path, help="compiler wrapper of the MPI to measure"
    )
    parser.add_argument(
        "--no-pin",
        action="store_true",
        help="leave ranks where the launcher put them; else each is bound to a core of its own "
        "where the node has enough",
    )
    if force:
        parser.add_argument("--force", action="store_true", help="overwrite results that exist")


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
