"""Options that `trace` and `env` share."""

import argparse
from pathlib import Path

from latitude.runtime.tracing.session import CLOCKS

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


def add_mpicc(parser: argparse._ActionsContainer) -> None:
    """Which MPI the tracer is built for."""
    parser.add_argument(
        "--mpicc",
        metavar="FILE",
        type=Path,
        help="compiler wrapper of the MPI to build the tracer for (default: that of the program's "
        "MPI, else of the launcher's, else MPICC, MPI_HOME, PATH)",
    )
