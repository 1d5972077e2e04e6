"""Tables of rows whose columns are declared in their fields (`latitude.units.columns`)."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from latitude.render.document import Cell, Content, Span, Table
from latitude.results.declared import Columns
from latitude.units import columns

Row = TypeVar("Row")
Shown: TypeAlias = str | tuple[str, str | Callable[[Row], Content]]
"""A column of a table: the name of a declared field or property, or a path to one (`normality.p`).
Optionally with another title, or with a title and a function from a row to a cell."""


def table(
    rows: Sequence[Row] | Columns,
    *shown: Shown[Row],
    title: str = "",
    kind: str = "",
    brief: int | None = None,
    terminal: Sequence[int] = (),
    none: str = "–",
) -> Table:
    """A table with one row per part of one class; without rows it has no columns and is not shown.

    Args:
        rows: the parts, or their columns.
        shown: the columns; by default all declared columns of the class.
        title: title on the terminal, if it differs from the section's.
        kind: a class of the page's style sheet.
        brief: number of rows on the terminal; all by default.
        terminal: columns on the terminal; all by default.
        none: text in place of None and NaN.
    """
    parts: list[Any] = list(rows.records() if isinstance(rows, Columns) else rows)
    if not parts:
        return Table((), ())
    of: type = type(rows) if isinstance(rows, Columns) else type(parts[0])
    heads, cells = zip(*(_made(of, each, none) for each in shown or columns.of(of)), strict=True)
    made = [[cell(part) for cell in cells] for part in parts]
    return Table(heads, made, kind, title, len(made) if brief is None else brief, terminal)


def _made(of: type, shown: Shown[Any], none: str) -> tuple[str, Callable[[Any], Content]]:
    """Title of a column, and the function that makes its cells."""
    title, source = (None, shown) if isinstance(shown, str) else shown
    if not isinstance(source, str):
        return title or "", source
    column = columns.at(of, source)

    def cell(row: Any) -> Content:
        value, style = columns.value(row, source), column.form.style
        text = column.text(value, none)
        if style == "bar":
            return bar(value)
        return text if style == "plain" else Span(text, style)

    return column.title if title is None else title, cell


def bar(share: float) -> Cell:
    """A share that is also drawn as a bar; 1 is the whole width."""
    return Cell(columns.BAR.text(share), share=share)
