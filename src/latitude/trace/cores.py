"""The share of the machine that ranks of a recorded run had."""

from dataclasses import dataclass

from latitude._types import Count


@dataclass(frozen=True, slots=True)
class CoreTimes:
    """CPU time of ranks between MPI_Init and MPI_Finalize, means, and waits for a core."""

    wall_ns: float
    """By the wall clock."""
    cpu_ns: float
    """CPU time of the thread that called MPI_Init."""
    process_ns: float
    """CPU time of all threads."""
    waited_ns: float | None
    """Time in which that thread was ready to run and had no core; null if not known."""
    voluntary: Count
    """How often these threads gave up their cores, all ranks together."""
    involuntary: Count
    """How often these threads lost their cores."""
