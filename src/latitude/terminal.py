"""Tables and text for results on standard output."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from latitude.notice import Notice

_WIDTH = 100


def results_console(width: int = _WIDTH) -> Console:
    """Standard output; plain text of a fixed width when that is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=width)


def print_end(console: Console, warnings: Iterable[Notice], page: Path | None) -> None:
    """What every summary ends with: its warnings, and where the page is or how to have it."""
    for notice in warnings:
        text = Text("warning: ", style="yellow")
        text.append(f"{notice.message}; {notice.hint}", style="default")
        console.print(text)
    console.print()
    if page is None:
        console.print("For the page with all charts, add: -o DIR", markup=False)
    else:
        console.print(Text.assemble("Open ", (str(page), "bold"), " in a browser."), soft_wrap=True)


def plain_table(title: str, first: str, *columns: str) -> Table:
    """A table without lines: `first` to the left, the other columns to the right."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 3, 0, 0),
        min_width=len(title),
    )
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table
