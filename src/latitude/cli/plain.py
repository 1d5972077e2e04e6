"""Tables and text for results on standard output."""

from rich.console import Console
from rich.table import Table

_WIDTH = 100


def results_console() -> Console:
    """Standard output; plain text of a fixed width when that is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH)


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
