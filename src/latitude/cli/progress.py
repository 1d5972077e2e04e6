"""Progress on the terminal: a bar on standard error if that is a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from latitude.files import progress as package

if TYPE_CHECKING:
    from rich.progress import Progress

_ESTIMATE_S = 600.0
"""Seconds of past runs from which the remaining time is estimated."""


class _Bar:
    """Shows one stage at a time."""

    def __init__(self, bar: "Progress") -> None:
        self._bar = bar
        self._task = bar.add_task("Starting", total=None)

    def stage(self, text: str, total: int | None = None) -> None:
        """Begins a stage."""
        self._bar.reset(self._task, description=text, total=total)

    def advance(self, amount: int) -> None:
        """Moves the bar."""
        self._bar.advance(self._task, amount)


@contextmanager
def shown() -> Iterator[package.Progress]:
    """A progress display for the work inside the context."""
    with _bar(None) as bar:
        yield package.Silent() if bar is None else _Bar(bar)


@contextmanager
def runs_bar() -> Iterator["Progress | None"]:
    """A bar of finished runs, all runs, and the remaining time; None without a terminal."""
    with _bar(_ESTIMATE_S) as bar:
        yield bar


@contextmanager
def _bar(estimate_s: float | None) -> Iterator["Progress | None"]:
    """A progress bar.

    With `estimate_s`, the seconds of past progress to use, it shows the remaining time.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress  # noqa: PLC0415 - slow to import, and scripts see no bar

    from latitude.render.terminal import Terminal  # noqa: PLC0415 - as above

    ends = (
        (progress.TimeElapsedColumn(),)
        if estimate_s is None
        else (progress.MofNCompleteColumn(), progress.TimeRemainingColumn())
    )
    with progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=30),
        *ends,
        console=Terminal(stderr=True),
        transient=True,
        speed_estimate_period=estimate_s or 30.0,
    ) as bar:
        yield bar
