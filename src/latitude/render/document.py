"""The content of a result for people, which becomes a page, terminal text and CSV files.

A document holds text, tables and charts, without HTML and escape codes. Any text may come from
files of others, so each renderer escapes all text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.render.charts.chart import Chart

Style = Literal["plain", "strong", "code", "badge"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text in one style."""

    text: str
    style: Style = "plain"
    hover: str = ""
    """Text under the mouse."""


Line: TypeAlias = "str | Span | Sequence[str | Span]"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with more than one line of text."""

    line: Line
    below: Sequence[Line] = ()
    """Further lines, which the terminal leaves out."""
    small: bool = True
    """Whether the lines below are in small type."""
    share: float | None = None
    """Length of a bar before the text; 1 is the whole width."""
    colour: str = ""
    """Colour of a small square before the text."""


Content: TypeAlias = "Line | Cell"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; the first column is aligned to the left, all others to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[Content]]
    kind: str = ""
    """A class of the page's style sheet, for tables that need widths or alignments of their own."""
    title: str = ""
    """Title on the terminal, if it differs from the section's."""
    brief: int = 0
    """Number of rows on the terminal; 0 shows the table on the page only."""
    columns: Sequence[int] = ()
    """Columns on the terminal; all by default."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences."""

    text: Line
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Details:
    """Content that stays folded until the reader opens it, on the page only."""

    summary: str
    parts: Sequence["Part"]


@dataclass(frozen=True, slots=True)
class Warned:
    """A conspicuous box, for example about invented data."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, its finding in one sentence, and tables and charts."""

    title: str
    parts: Sequence["Part"] = ()
    reading: str = ""
    note: str = ""
    terminal: bool = False
    """Whether the terminal shows title and reading; tables decide by `brief`."""
    page: bool = True


@dataclass(frozen=True, slots=True)
class Beside:
    """Parts side by side if there is room."""

    parts: Sequence["Part"]


@dataclass(frozen=True, slots=True)
class Heading:
    """Begins a part of the page with several sections."""

    text: str


@dataclass(frozen=True, slots=True)
class Slider:
    """A parameter that readers of the page can change."""

    meaning: str
    unit: Literal["ns", "ns/B", ""]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LiveAlternative:
    """A convex function of the sliders: the largest of planes."""

    label: str
    planes: Sequence[Sequence[float]]
    """Planes: value if all parameters are 0 (ns), then ns per unit of each parameter."""
    start: Sequence[float]
    """Values of the sliders when the page opens."""
    reference_ns: float
    """Runtime to which the values are compared, ns."""
    error: float
    """Share by which the value may exceed the planes."""


@dataclass(frozen=True, slots=True)
class Live:
    """Sliders, and the alternatives' values at the sliders, on the page only."""

    sliders: Sequence[Slider]
    alternatives: Sequence[LiveAlternative]
    tolerances: Sequence[float]
    """Shares of growth for which the page shows the possible growth of each parameter."""


Part: TypeAlias = (
    "Chart | Table | Paragraph | Bullets | Details | Warned | Live | Section | Beside | Heading"
)


@dataclass(frozen=True, slots=True)
class Card:
    """A number in large type on the page."""

    label: str
    value: str
    what: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of the result, which -o writes and the page contains."""

    name: str
    """File name, e.g. `analysis.json`, `curve.csv`."""
    text: Callable[[], str]
    """Function that makes the content on demand."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A line about the origin of the result."""

    label: str
    value: Line


@dataclass(frozen=True, slots=True)
class Document:
    """The whole content of a result for people."""

    name: str
    """Subject of the document: the program."""
    headline: str
    """The answer in one sentence."""
    kind: str = ""
    """Kind of page, shown above its name, e.g. `latency tolerance`; empty without a page."""
    title: str = ""
    """Title in the browser's tab, after the name, if it is not the kind."""
    facts: Sequence[str] = ()
    doubts: Sequence[str] = ()
    """Reasons not to trust the answer, in amber below the answer."""
    answer: Sequence[str] = ()
    """Further sentences of the answer."""
    cards: Sequence[Card] = ()
    parts: Sequence[Part] = ()
    notices: Sequence[Notice] = ()
    files: Sequence[File] = ()
    """Files, the JSON first."""
    origin: Sequence[Origin] = ()
    method: str = ""
    closing: Sequence[Line] = ()
    """Muted lines at the end of the terminal's text: the model, the number of samples."""


def origin(made: Provenance, extra: Sequence[Origin] = ()) -> list[Origin]:
    """The lines on a result's origin; `extra` comes before date and version."""
    return [
        Origin("command", Span(made.command, "code")),
        Origin("input", Span(made.input, "code")),
        Origin("SHA-256", Span(made.input_sha256, "code")),
        *extra,
        Origin("date, host", f"{made.date}, {made.host}"),
        Origin("Latitude", made.version),
    ]


def code(text: str, hover: str = "") -> Span:
    """Text that is a name in a program."""
    return Span(text, "code", hover)


def strong(text: str) -> Span:
    """Emphasised text."""
    return Span(text, "strong")


def spans(line: Line) -> list[Span]:
    """A line as spans."""
    pieces = [line] if isinstance(line, (str, Span)) else line
    return [Span(piece) if isinstance(piece, str) else piece for piece in pieces]


def cell(content: Content) -> Cell:
    """Any cell in its full form."""
    return content if isinstance(content, Cell) else Cell(content)


def charts(parts: Sequence[Part]) -> list[Chart]:
    """The charts of these parts, in order."""
    return [part for part in _single(parts) if isinstance(part, Chart)]


def lives(parts: Sequence[Part]) -> list[Live]:
    """The groups of sliders of these parts, in order."""
    return [part for part in _single(parts) if isinstance(part, Live)]


def _single(parts: Sequence[Part]) -> Iterator[Part]:
    """All parts that contain no other parts, at any depth."""
    for part in parts:
        if isinstance(part, (Section, Beside, Details)):
            yield from _single(part.parts)
        else:
            yield part
