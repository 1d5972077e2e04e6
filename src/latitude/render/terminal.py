"""Tables and text for results on standard output."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from latitude.notices.notice import Notice

_WIDTH = 100
_ESTIMATE_S = 600.0
"""Of runs past, from which the remaining time is told."""


def results_console(width: int = _WIDTH, *, stderr: bool = False) -> Console:
    """Standard output (or error); plain text of a fixed width when that is no terminal."""
    console = Console(highlight=False, stderr=stderr)
    return console if console.is_terminal else Console(highlight=False, stderr=stderr, width=width)


def print_warnings(console: Console, warnings: Iterable[Notice]) -> None:
    """Each with what to do."""
    for notice in warnings:
        text = Text("warning: ", style="yellow")
        text.append(f"{notice.message}; {notice.hint}", style="default")
        console.print(text)


def print_page(console: Console, page: Path | None) -> None:
    """Where the page is, or how to have it."""
    console.print()
    if page is None:
        console.print("For the page with all charts, add: -o DIR", markup=False)
    else:
        console.print(Text.assemble("Open ", (str(page), "bold"), " in a browser."), soft_wrap=True)


def print_end(console: Console, warnings: Iterable[Notice], page: Path | None) -> None:
    """What every summary ends with: its warnings and its page."""
    print_warnings(console, warnings)
    print_page(console, page)


def plain_table(title: str, first: str, *columns: str, gap: int = 3) -> Table:
    """A table without lines: `first` to the left, the other columns to the right.

    Without a title or names of columns, it has no line for them. `gap` is between columns.
    """
    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, gap, 0, 0),
        min_width=len(title),
        show_header=any((first, *columns)),
    )
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def filled_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """The same, dense, with its rows."""
    table = plain_table(title, *head, gap=2)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


@contextmanager
def runs_bar(console: Console) -> Iterator[Progress | None]:
    """A bar of runs done, of all, and of the time that remains; None where there is no terminal."""
    if not console.is_terminal:
        yield None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, speed_estimate_period=_ESTIMATE_S
    ) as bar:
        yield bar
