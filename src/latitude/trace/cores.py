"""The share of the machine that ranks of a recorded run had."""

from dataclasses import dataclass
from pathlib import Path

from latitude._types import Count
from latitude.trace.recorded_run import read_run


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


def core_times(directory: Path) -> CoreTimes | None:
    """Reads the files of `latitude trace` in a directory; None without these numbers."""
    usages = [file.usage for file in read_run(directory)] if directory.is_dir() else []
    if not usages or any(len(usage) != 2 for usage in usages):  # noqa: PLR2004 - begin and end
        return None
    used = [[end - begin for begin, end in zip(*usage, strict=True)] for usage in usages]
    now, cpu, user, system, voluntary, involuntary, waited = (
        sum(each) for each in zip(*used, strict=True)
    )
    told = all(moment[-1] > 0 for usage in usages for moment in usage)
    ranks = len(usages)
    return CoreTimes(
        wall_ns=now / ranks,
        cpu_ns=cpu / ranks,
        process_ns=1000 * (user + system) / ranks,
        waited_ns=waited / ranks if told else None,
        voluntary=voluntary,
        involuntary=involuntary,
    )
