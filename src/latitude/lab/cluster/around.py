"""b before and after a command, and whether b stayed the same (Salimi Beni and Cosenza §5.1)."""

import os
import time as clock
from collections.abc import Callable, Sequence

from latitude._core import InputError
from latitude.files.clock import now
from latitude.files.provenance import made_now
from latitude.lab.results.background import BackgroundAround, Utilization
from latitude.launch import child

THRESHOLD = 0.05
"""Salimi Beni and Cosenza §5.1: "less than a threshold (5% in our experiments)"."""


def run_around(
    command: Sequence[str],
    measure: Callable[[], Utilization],
    *,
    threshold: float = THRESHOLD,
    relative: bool = False,
) -> BackgroundAround:
    """Runs a command, and measures b right before and after; its output stays untouched."""
    if not command:
        raise InputError("no command to run; write it behind --, e.g. -- mpirun -n 4 ./app")
    before = measure()
    start, ticking = now(), clock.perf_counter()
    status = child.run(command, os.environ).status
    seconds = clock.perf_counter() - ticking
    after = measure()
    difference = _difference(before.b, after.b, relative=relative)
    kept = difference < threshold
    return BackgroundAround(
        provenance=made_now(),
        command=tuple(command),
        exit_code=status,
        start=start.isoformat(timespec="microseconds"),
        seconds=seconds,
        b=(before.b + after.b) / 2 if kept else None,
        kept=kept,
        difference=difference,
        threshold=threshold,
        relative=relative,
        before=before,
        after=after,
    )


def _difference(before: float, after: float, *, relative: bool) -> float:
    """The difference for the comparison with the threshold.

    Salimi Beni and Cosenza do not define the base of their 5 %. They call a step from b = 34 to 58
    "a 24 percent increase" (§5.4), which means percentage points. So the difference is absolute
    unless `relative`.
    """
    change = abs(after - before)
    if not relative:
        return change
    return change / before if before else (0.0 if change == 0 else float("inf"))
