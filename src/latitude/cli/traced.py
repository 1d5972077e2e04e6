"""Options that `trace` and `env` share."""

import argparse
from pathlib import Path

from latitude.cli.options import add_mpicc
from latitude.launch.tracing.session import CLOCKS

DIRECTORY = Path("latitude-trace")


def add_tracing(parser: argparse.ArgumentParser) -> None:
    """Where the trace goes and how it is taken."""
    parser.add_argument(
        "-o",
        dest="directory",
        metavar="DIR",
        type=Path,
        default=DIRECTORY,
        help=f"directory for the trace, one file a rank (default: {DIRECTORY})",
    )
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default=CLOCKS[0],
        help="what measures computation: wall, cpu (the thread's CPU time, right where ranks share "
        "cores), or auto: cpu where a node has more ranks than cores (default)",
    )
    add_mpicc(parser)
