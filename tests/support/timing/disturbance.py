"""Disturbance of measurements by other work on the machine.

Before and after a block, a probe on every processor measures the share of time that it gets
(probe.c). For the block itself the kernel tells the time that others and the machine below
("steal") had.
"""

import os
import resource
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from support.compiling import STRICT, built

LOOK_MS = 40
MOST_LOST = 0.05
"""Share of a processor's time. An idle machine loses 0.1 to 1 % to its own interrupts."""
MOST_LATE_NS = 1_000_000
"""Largest lateness of sleeps, ns.

An idle machine is late by 50 to 150 µs.
"""
MOST_OTHERS = 0.10
"""Share of the processors that others had, the kernel's own work for our messages included."""
MOST_STOLEN = 0.03

_SOURCE = Path(__file__).with_name("probe.c")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Disturbance:
    """Disturbance during one block, in shares of the time of the processors that we may use."""

    lost: float = 0.0
    """Largest share that a processor denied to the probe, before or after."""
    late_ns: float = 0.0
    """Lateness of sleeps during the look, ns."""
    others: float = 0.0
    stolen: float = 0.0

    def why(self) -> str:
        """The reason for a disturbed block; empty if the machine was quiet."""
        found = []
        if self.lost > MOST_LOST:
            found.append(f"{self.lost:.0%} of a processor's time was lost")
        if self.late_ns > MOST_LATE_NS:
            found.append(f"sleeps were {self.late_ns / 1e6:.1f} ms late")
        if self.others > MOST_OTHERS:
            found.append(f"others had {self.others:.0%} of the processors")
        if self.stolen > MOST_STOLEN:
            found.append(f"{self.stolen:.0%} of the processors was stolen")
        return ", ".join(found)


@dataclass(frozen=True)
class _Used:
    """Seconds so far."""

    clock: float
    busy: float
    stolen: float
    ours: float


@dataclass
class Probe:
    """Measures the machine's disturbance."""

    _program: Path | None = field(default=None, init=False)

    def look(self) -> Disturbance:
        """The disturbance now, from some 50 ms of all processors."""
        done = subprocess.run(
            [self._built(), str(LOOK_MS)], capture_output=True, check=True, encoding="utf-8"
        )
        rows = [line.split() for line in done.stdout.splitlines()]
        return Disturbance(
            lost=max(float(lost) for lost, _ in rows), late_ns=max(float(late) for _, late in rows)
        )

    def beside(self, block: Callable[[], object]) -> Disturbance:
        """The disturbance during a block, and just before and after."""
        before = self.look()
        begin = _used()
        block()
        end = _used()
        after = self.look()
        processors = len(os.sched_getaffinity(0)) * (end.clock - begin.clock)
        busy, ours = end.busy - begin.busy, end.ours - begin.ours
        return Disturbance(
            lost=max(before.lost, after.lost),
            late_ns=max(before.late_ns, after.late_ns),
            others=max(0.0, busy - ours) / processors,
            stolen=(end.stolen - begin.stolen) / processors,
        )

    def _built(self) -> Path:
        if self._program is None:
            words = ("-O2", "-pthread", *STRICT, _SOURCE)
            self._program = built("disturbance-probe", *words)
        return self._program


def _used() -> _Used:
    """Time used on our processors in all, and by us and our finished children."""
    allowed = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    busy = stolen = 0
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *words = line.split()
        if name in allowed:
            user, nice, system, _, _, hard, soft, steal = map(int, words[:8])
            busy += user + nice + system + hard + soft
            stolen += steal
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ours = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return _Used(time.monotonic(), busy / _TICKS, stolen / _TICKS, ours)
