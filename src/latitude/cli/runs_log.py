"""Display of a series of runs: a bar on a terminal, one line per run elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from latitude.cli.progress import runs_bar
from latitude.notices.saying import say
from latitude.results.runs import OK, RunRecord
from latitude.units.quantities import format_time

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_WAITING_S = 60.0
"""Time between two lines about a wait."""


def _label(run: RunRecord) -> str:
    return f"{run.program} {run.level} #{run.repetition}"


class RunsLog:
    """Reports runs on standard error.

    Args:
        quiet: leaves out the line for each run.
        label: the name of a run.
    """

    def __init__(self, *, quiet: bool = False, label: Callable[[RunRecord], str] = _label) -> None:
        self._label = label
        self._quiet = quiet
        self._bar: Progress | None = None
        self._task: TaskID
        self._total = 0
        self._done = 0
        self._next = 0.0
        self._began, self._begun_with = time.monotonic(), 0

    @contextmanager
    def bar(self) -> Iterator[None]:
        """A bar, on a terminal, during the work inside the context."""
        with runs_bar() as bar:
            if bar is not None:
                self._bar, self._task = bar, bar.add_task("Starting", total=None)
            yield
        self._bar = None

    def begin(self, total: int, done: int) -> None:
        """Begins with the numbers of all runs and of finished runs."""
        self._total, self._done, self._begun_with = total, done, done
        self._began = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, total=total, completed=done)

    def ran(self, run: RunRecord, *, again: bool) -> None:
        """Reports an attempt; with `again` it failed and another one follows."""
        self._done += not again
        label = self._label(run)
        said = format_time(run.runtime_ns, 4) if run.runtime_ns is not None else str(run.error)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, description=label)
            if run.status != OK:
                self._bar.console.print(f"{label}: {run.status}: {said}", markup=False)
        elif not self._quiet:
            status = "" if run.status == OK else f"{run.status}{', again later' * again}: "
            width = len(str(self._total))
            say(f"{self._done:>{width}}/{self._total} {label}: {status}{said}{self._left()}")

    def done(self, done: int) -> None:
        """Updates the number of runs that are done, by this runner and others."""
        self._done = done
        if self._bar is not None:
            self._bar.update(self._task, completed=done)

    def waits(self, why: str) -> None:
        """Reports that the runner can only wait, and the reason."""
        if self._bar is not None:
            self._bar.update(self._task, description=why)
        elif time.monotonic() > self._next and not self._quiet:
            say(f"{self._done}/{self._total} done; {why}")
            self._next = time.monotonic() + _WAITING_S

    def tell(self, what: str) -> None:
        """Reports a fact that the user must know."""
        if self._bar is None:
            say(f"latitude: {what}")
        else:
            self._bar.console.print(f"latitude: {what}", markup=False, soft_wrap=True)

    def _left(self) -> str:
        """Estimate of the remaining time, in words."""
        made = self._done - self._begun_with
        if not made or self._done == self._total:
            return ""
        seconds = (time.monotonic() - self._began) / made * (self._total - self._done)
        return f" (about {format_time(seconds * 1e9, 2)} left)"
