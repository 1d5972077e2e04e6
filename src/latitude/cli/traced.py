"""Options that `trace` and `env` share."""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.plain_options import mpicc_option
from latitude.launch.tracing.session import CLOCKS
from latitude.units.options import Options, option, whole

DIRECTORY = Path("latitude-trace")
DEEPEST = 64
"""Largest number of callers that the tracer can keep per call."""


@dataclass(kw_only=True)
class StacksOptions(Options):
    """Options for recording callers."""

    stacks: int | None = option(
        f"number of callers to record for each MPI call, at most {DEEPEST}, e.g. 8. Latitude then "
        "looks past a layer over MPI and shows call paths (default: 8 if a rank is Python, else 0)",
        "DEPTH",
        whole("a number of callers", 0, DEEPEST),
    )


@dataclass(kw_only=True)
class TracingOptions(StacksOptions):
    """Destination of the trace, and options of the tracer."""

    directory: Path = option(
        f"directory for the trace, one file per rank (default: {DIRECTORY})",
        "DIR",
        Path,
        default=DIRECTORY,
        spelled="-o",
    )
    clock: str = option(
        "clock of computation: wall, cpu (the thread's CPU time, right if ranks share cores), or "
        "auto: cpu if a node has more ranks than cores (default)",
        default=CLOCKS[0],
        choices=CLOCKS,
    )
    mpicc: Path | None = mpicc_option()
