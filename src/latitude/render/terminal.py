"""Results on the terminal: documents, tables and bars."""

from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from latitude.notices.notice import Notice
from latitude.notices.saying import visible
from latitude.render import document
from latitude.render.document import Cell, Document, Line, Part, Section, Table, Warned

_WIDTH = 100
_BAR = 30
_NUMBER = 12
"""Largest number of characters of a cell that holds a number with its unit."""
_WORDS = {"model", "words"}
"""Kinds of tables whose cells are sentences."""
_SENTENCE = 48
"""Largest number of characters of a cell that is aligned to the right."""
_STYLES = {"plain": "", "strong": "bold", "code": "", "badge": "dim"}


class Terminal(Console):
    """A console that shows characters that a terminal would obey as symbols (`visible`)."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(highlight=False, stderr=stderr, width=width)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Renders all printed text."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)


def results_console(width: int = _WIDTH, *, stderr: bool = False) -> Console:
    """Standard output (or error), as plain text of a fixed width if it is not a terminal."""
    console = Terminal(stderr=stderr)
    return console if console.is_terminal else Terminal(stderr=stderr, width=width)


def print_warnings(console: Console, warnings: Iterable[Notice]) -> None:
    """Prints each warning with its remedy."""
    for notice in warnings:
        text = Text("warning: ", style="yellow")
        text.append(visible(f"{notice.message}; {notice.hint}"), style="default")
        console.print(text)


def print_page(console: Console, page: Path | None) -> None:
    """Prints the page's path, or the option that writes a page."""
    console.print()
    if page is None:
        console.print("For the page with all charts, add: -o DIR", markup=False)
    else:
        where = (visible(str(page)), "bold")
        console.print(Text.assemble("Open ", where, " in a browser."), soft_wrap=True)


def print_document(result: Document, page: Path | None, console: Console | None = None) -> None:
    """Prints a document.

    Args:
        result: the document.
        page: path of the document's page; None if it was not written.
        console: destination; standard output by default.
    """
    console = console or results_console()
    name, facts = visible(result.name), visible(", ".join(result.facts))
    console.print(Text.assemble((name, "bold"), "  ", (facts, "dim")))
    console.print()
    console.print(Text(visible(result.headline), style="bold"))
    for doubt in result.doubts:
        console.print(Text(visible(doubt), style="yellow"))
    for sentence in filter(None, result.answer):
        console.print(Text(visible(sentence)))
    _print_parts(console, result.parts, "")
    if result.closing:
        console.print()
    for closing in result.closing:
        # A command must stay one line, to be copied.
        whole = any(span.style == "code" for span in document.spans(closing))
        console.print(_line(closing), style="dim", soft_wrap=whole)
    print_warnings(console, dict.fromkeys(result.notices))
    if result.kind:
        print_page(console, page)


def _print_parts(
    console: Console, parts: Sequence[Part], title: str, *, told: bool = False
) -> None:
    """Prints parts; with `told`, parts of a section whose sentences the terminal shows."""
    for part in parts:
        if isinstance(part, Section):
            _print_section(console, part)
        elif isinstance(part, document.Beside):
            _print_parts(console, part.parts, title, told=told)
        elif isinstance(part, document.Bullets) and told:
            for item in part.items:
                console.print(Padding(_line(item), (0, 0, 0, 2), expand=False))
        elif isinstance(part, Table) and part.brief:
            console.print()
            console.print(_table(part, part.title or title))
            title = ""
        elif isinstance(part, Warned):
            console.print(Text(visible(f"{part.title} {part.text}"), style="yellow"))


def _print_section(console: Console, section: Section) -> None:
    """Prints a section, with its note only if the page lacks the note."""
    if section.terminal:
        console.print()
        console.print(Text(visible(section.title), style="bold"))
        if section.reading:
            console.print(Text(visible(section.reading)))
    title = "" if section.terminal else section.title
    _print_parts(console, section.parts, title, told=section.terminal)
    if section.note and not section.page:
        console.print(Text(visible(section.note), style="dim"))


def _table(table: Table, title: str) -> RichTable:
    """A table without lines: names and sentences aligned to the left, numbers to the right."""
    numbers = table.kind not in _WORDS
    shown = list(table.columns) or list(range(len(table.head)))
    rows = [[document.cell(row[index]) for index in shown] for row in table.rows[: table.brief]]
    barred = {place for place in range(len(shown)) if any(row[place].share for row in rows)}
    widest = [
        max((_line(row[place].line).cell_len for row in rows), default=0)
        for place in range(len(shown))
    ]
    heads = [visible(table.head[index]) for index in shown]
    natural = sum(max(width, len(head)) for width, head in zip(widest, heads, strict=True))
    padding = 3 if len(shown) <= 6 else 2  # noqa: PLR2004 - what fits
    made = RichTable(
        title=Text(visible(title), style="bold") if title else None,
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, padding if natural + padding * len(shown) <= _WIDTH else 1, 0, 0),
        min_width=len(title),
        show_header=any(table.head[index] for index in shown),
    )
    for place, head in enumerate(heads):
        # Names and sentences wrap where there is no room; a number and its unit stay together.
        made.add_column(
            Text(head),
            justify="right" if place and numbers and widest[place] <= _SENTENCE else "left",
            no_wrap=place > 0 and widest[place] <= _NUMBER,
            overflow="fold",
        )
        if place in barred:
            made.add_column("", no_wrap=True)
    for row in rows:
        made.add_row(*_texts(row, barred))
    if len(table.rows) > table.brief:
        made.caption = Text(f"{table.brief} of {len(table.rows):,} rows", style="dim")
        made.caption_justify = "left"
    return made


def _texts(row: Sequence[Cell], barred: Container[int]) -> Iterator[Text]:
    """The text of each column; a bar has a column for itself."""
    for place, cell in enumerate(row):
        yield _line(cell.line)
        if place in barred:
            yield Text("█" * round(min(cell.share or 0.0, 1.0) * _BAR))


def _line(line: Line) -> Text:
    return Text.assemble(
        *((visible(span.text), _STYLES[span.style]) for span in document.spans(line))
    )
