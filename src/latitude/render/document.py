"""The content of a result for people, from which page, terminal and CSV files are made.

A document holds text, tables and charts, no HTML and no escape codes. All text may come from files
of others, so each renderer escapes its text.
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
    """Text at the mouse."""


Line: TypeAlias = "str | Span | Sequence[str | Span]"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with more than one line of text."""

    line: Line
    below: Sequence[Line] = ()
    """Further lines; on the terminal they are left out."""
    small: bool = True
    """Whether the lines below are in small type."""
    share: float | None = None
    """Drawn as a bar before the text: 1 is the whole width."""
    colour: str = ""
    """Colour of a small square before the text."""


Content: TypeAlias = "Line | Cell"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; the first column is to the left, the others are to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[Content]]
    kind: str = ""
    """A class of the page's style sheet, for tables that need widths or alignments of their own."""
    title: str = ""
    """On the terminal, where it differs from the section's."""
    brief: int = 0
    """Number of rows on the terminal; 0 shows the table on the page only."""
    columns: Sequence[int] = ()
    """Which columns the terminal shows; all by default."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or more."""

    text: Line
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Details:
    """Content that is folded until somebody opens it; only on the page."""

    summary: str
    parts: Sequence["Part"]


@dataclass(frozen=True, slots=True)
class Warned:
    """A box that cannot be missed: data that was made up, for example."""

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
    """Whether the terminal shows title and reading; tables decide for themselves (`brief`)."""
    page: bool = True


@dataclass(frozen=True, slots=True)
class Beside:
    """Parts side by side where there is room."""

    parts: Sequence["Part"]


@dataclass(frozen=True, slots=True)
class Heading:
    """Begins a part of the page that holds several sections."""

    text: str


@dataclass(frozen=True, slots=True)
class Slider:
    """A parameter that readers of the page set."""

    meaning: str
    unit: Literal["ns", "ns/B", ""]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LiveAlternative:
    """A convex function of the sliders: the largest of planes."""

    label: str
    planes: Sequence[Sequence[float]]
    """Each: its value where all parameters are 0 (ns), then ns per unit of each parameter."""
    start: Sequence[float]
    """Where the sliders stand when the page opens."""
    reference_ns: float
    """Reference of the values."""
    error: float
    """By which share the value may be larger than the planes say."""


@dataclass(frozen=True, slots=True)
class Live:
    """Sliders, and what alternatives say where the sliders stand; only on the page."""

    sliders: Sequence[Slider]
    alternatives: Sequence[LiveAlternative]
    tolerances: Sequence[float]
    """Shares by which the value may grow, for which the growth of each parameter is shown."""


Part: TypeAlias = (
    "Chart | Table | Paragraph | Bullets | Details | Warned | Live | Section | Beside | Heading"
)


@dataclass(frozen=True, slots=True)
class Card:
    """A number that the page shows large."""

    label: str
    value: str
    what: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of the result: written with -o, and carried by the page."""

    name: str
    """E.g. `analysis.json`, `curve.csv`."""
    text: Callable[[], str]
    """Made only when it is wanted."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A line of where the result came from."""

    label: str
    value: Line


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that a result says."""

    name: str
    """Subject of the document: the program."""
    headline: str
    """The answer in one sentence."""
    kind: str = ""
    """Kind of page, above its name, as `latency tolerance`; empty without a page."""
    title: str = ""
    """In the browser's tab, after the name, if it is not the kind."""
    facts: Sequence[str] = ()
    doubts: Sequence[str] = ()
    """Reasons not to trust the answer, in amber, directly below."""
    answer: Sequence[str] = ()
    """Further sentences of the answer."""
    cards: Sequence[Card] = ()
    parts: Sequence[Part] = ()
    notices: Sequence[Notice] = ()
    files: Sequence[File] = ()
    """The JSON first."""
    origin: Sequence[Origin] = ()
    method: str = ""
    closing: Sequence[Line] = ()
    """Muted lines that end the text on the terminal: the model, how many samples."""


def origin(made: Provenance, extra: Sequence[Origin] = ()) -> list[Origin]:
    """The origin of a result; `extra` comes before date and version."""
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
    """Text that the eye should find first."""
    return Span(text, "strong")


def spans(line: Line) -> list[Span]:
    """A line in pieces."""
    pieces = [line] if isinstance(line, (str, Span)) else line
    return [Span(piece) if isinstance(piece, str) else piece for piece in pieces]


def cell(content: Content) -> Cell:
    """Any cell in full."""
    return content if isinstance(content, Cell) else Cell(content)


def charts(parts: Sequence[Part]) -> list[Chart]:
    """The charts of these parts, in order."""
    return [part for part in _single(parts) if isinstance(part, Chart)]


def lives(parts: Sequence[Part]) -> list[Live]:
    """The groups of sliders of these parts, in order."""
    return [part for part in _single(parts) if isinstance(part, Live)]


def _single(parts: Sequence[Part]) -> Iterator[Part]:
    """Parts, and those inside them, that hold no others."""
    for part in parts:
        if isinstance(part, (Section, Beside, Details)):
            yield from _single(part.parts)
        else:
            yield part
