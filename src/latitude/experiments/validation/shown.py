"""How a validation that runs is shown: a bar on a terminal, a line a run elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID

from latitude.experiments.validation.store import Run
from latitude.render.terminal import runs_bar
from latitude.units.quantities import format_time


class Shown:
    """On standard error."""

    def __init__(self, total: int) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._total = total
        self._done = self._made = 0
        self._seconds = 0.0
        self._began = time.monotonic()

    @contextmanager
    def bar(self) -> Iterator[None]:
        """A bar, on a terminal, while the work inside goes on."""
        with runs_bar(self._console) as bar:
            if bar is not None:
                self._bar, self._task = bar, bar.add_task("Starting", total=self._total)
            yield
        self._bar = None

    def kept(self) -> None:
        """A run is there from before."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._task, total=self._total - self._done + self._made)

    def begins(self, what: str) -> None:
        """A run begins."""
        self._began = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, description=what)

    def ended(self, what: str, run: Run) -> None:
        """It has ended."""
        self._done, self._made = self._done + 1, self._made + 1
        self._seconds += time.monotonic() - self._began
        failed = f"failed: {run.failure}"
        said = failed if run.runtime_ns is None else format_time(float(run.runtime_ns), 5)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._made)
            if run.failure is not None:
                self._bar.console.print(f"{what}: {said}", markup=False)
            return
        width = len(str(self._total))
        sys.stderr.write(f"{self._done:>{width}}/{self._total} {what}: {said}{self._left()}\n")

    def _left(self) -> str:
        """About how long it will take yet."""
        left = self._total - self._done
        if not left:
            return ""
        return f" (about {format_time(self._seconds / self._made * left * 1e9, 2)} left)"
