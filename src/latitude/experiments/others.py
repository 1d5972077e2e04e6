"""Cores of this host that other programs use during a run."""

import os
import resource
import time
from dataclasses import dataclass, field
from pathlib import Path

_STAT = Path("/proc/stat")
_IDLE = (3, 4)
"""Columns of /proc/stat that count time without a program: idle, iowait."""
_COUNTED = 8
"""Number of columns of /proc/stat that count; the guests' columns repeat parts of other columns."""


def _taken() -> float | None:
    try:
        words = _STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1 : 1 + _COUNTED]
        ticks = [int(word) for word in words]
    except (OSError, ValueError):
        return None
    return sum(each for at, each in enumerate(ticks) if at not in _IDLE) / os.sysconf("SC_CLK_TCK")


def _of_children() -> float:
    """CPU time of ended child processes and their own children, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True, slots=True)
class Others:
    """Other programs during a run, on the host that started the run."""

    cores: float
    """The cores that they used, on average."""
    ranks: int
    """Ranks of the run on that host."""


@dataclass(frozen=True, slots=True)
class Moment:
    """CPU time used until now, s."""

    wall_s: float = field(default_factory=time.monotonic)
    all_s: float | None = field(default_factory=_taken)
    """CPU time of all programs on the host, s; None if the host reports no CPU time."""
    ours_s: float = field(default_factory=_of_children)

    def others_until(self, end: "Moment", ranks_s: float) -> float | None:
        """Cores that other programs used on average from this moment to `end`, if known.

        `ranks_s` is the CPU time of the run's ranks on this host, s: a resource manager starts them
        as its own children.
        """
        if self.all_s is None or end.all_s is None or end.wall_s <= self.wall_s:
            return None
        taken = (end.all_s - self.all_s) - max(end.ours_s - self.ours_s, ranks_s)
        return max(taken, 0.0) / (end.wall_s - self.wall_s)
