"""Progress on the terminal: a bar on standard error, nothing when that is no terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from latitude.files import progress as package
from latitude.render.terminal import Terminal


class _Bar:
    """Shows one stage at a time."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task: TaskID = bar.add_task("Starting", total=None)

    def stage(self, text: str, total: int | None = None) -> None:
        """Begins a stage."""
        self._bar.reset(self._task, description=text, total=total)

    def advance(self, amount: int) -> None:
        """Moves the bar."""
        self._bar.advance(self._task, amount)


@contextmanager
def shown() -> Iterator[package.Progress]:
    """A progress display for the work inside."""
    console = Terminal(stderr=True)
    if not console.is_terminal:
        yield package.Silent()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar)
