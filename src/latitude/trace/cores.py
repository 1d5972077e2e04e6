"""The CPU time that ranks of a recorded run had."""

from dataclasses import dataclass

from latitude._types import Count


@dataclass(frozen=True, slots=True)
class CoreTimes:
    """CPU time of ranks from MPI_Init to MPI_Finalize, and waits for a core; times are means."""

    wall_ns: float
    """Wall time."""
    cpu_ns: float
    """CPU time of the thread that called MPI_Init."""
    process_ns: float
    """CPU time of all threads."""
    waited_ns: float | None
    """Time for which the thread that called MPI_Init was ready to run but had no core; null if not
    known.
    """
    voluntary: Count
    """Number of times that the threads that called MPI_Init gave up their cores, over all ranks."""
    involuntary: Count
    """Number of times that the threads that called MPI_Init lost their cores, over all ranks."""
