"""Options that `trace` and `env` share."""

import argparse
from pathlib import Path

from latitude.cli.plain_options import add_mpicc, whole
from latitude.launch.tracing.session import CLOCKS

DIRECTORY = Path("latitude-trace")
DEEPEST = 64
"""Callers that the tracer can keep."""


def add_tracing(parser: argparse.ArgumentParser) -> None:
    """Where the trace goes and how it is taken."""
    parser.add_argument(
        "-o",
        dest="directory",
        metavar="DIR",
        type=Path,
        default=DIRECTORY,
        help=f"directory for the trace, one file per rank (default: {DIRECTORY})",
    )
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default=CLOCKS[0],
        help="what measures computation: wall, cpu (the thread's CPU time, right where ranks share "
        "cores), or auto: cpu where a node has more ranks than cores (default)",
    )
    add_stacks(parser)
    add_mpicc(parser)


def add_stacks(group: argparse._ActionsContainer) -> None:
    """--stacks."""
    group.add_argument(
        "--stacks",
        metavar="DEPTH",
        type=whole("a number of callers", 0, DEEPEST),
        default=0,
        help=f"also keep so many callers of each call of MPI, e.g. 8, at most {DEEPEST}, so that "
        "a layer over MPI can be looked past and call paths are shown (default: 0)",
    )
