"""A page of statistics: one self-contained HTML file, in the look of the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.render.charts.chart import Chart
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.render.html.shell import table, wide_table
from latitude.statistics.assumptions import Assumption


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, what it says in a sentence, and a table."""

    title: str
    reading: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    """Cells are plain text."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """What stands on it, in order."""

    kind: str
    name: str
    facts: str
    headline: str
    answer: Sequence[str]
    cards: Sequence[tuple[str, str, str]]
    """Label, value, what it is."""
    parts: Sequence[Chart | Section]
    assumptions: Sequence[Assumption]
    warnings: Sequence[Notice]
    provenance: Provenance
    file_name: str
    json: str
    csv: str
    method: str


def render(page: Page) -> str:
    """The page as HTML text."""
    return shell.render(
        shell.Shell(
            kind=page.kind,
            name=page.name,
            title=page.kind,
            facts=[page.facts],
            headline=page.headline,
            answer=page.answer,
            cards=page.cards,
            body="\n".join([*map(_part, page.parts), _assumptions(page)]),
            charts=[part for part in page.parts if isinstance(part, Chart)],
            data=[
                shell.Data(f"{page.file_name}.json", page.json),
                shell.Data(f"{page.file_name}.csv", page.csv),
            ],
            provenance=shell.origin(page.provenance),
            method=page.method,
            warnings=page.warnings,
        )
    )


def _part(part: Chart | Section) -> str:
    if isinstance(part, Chart):
        return shell.section(part)
    return shell.text_section(part.title, part.reading, wide_table(part.head, part.rows), part.note)


def _assumptions(page: Page) -> str:
    rows = [
        (f"<b>{escape(each.method)}</b>", escape(each.assumes), escape(each.distrust))
        for each in page.assumptions
    ]
    chosen = table(("method", "assumes", "do not trust it when"), rows, "model")
    return (
        "<section><h2>What the tests assume</h2><p class=reading>All intervals are 95 % intervals. "
        "p-values are two-sided unless they say otherwise.</p>"
        f"<div class=wide>{chosen}</div>{shell.notes(page.warnings)}</section>"
    )
