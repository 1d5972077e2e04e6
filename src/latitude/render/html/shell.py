"""What every page of Latitude has: head, answer, cards, data to download, charts, script."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.render.charts.chart import Chart
from latitude.render.html.markup import attribute, escape

Card = tuple[str, str, str]
"""Label, value, what it is."""
Row = tuple[str, str]
"""Label and HTML."""


@dataclass(frozen=True, slots=True)
class Data:
    """A file the page carries, to be saved by a button."""

    name: str
    """Its name behind the page's own, e.g. `analysis.json`."""
    text: str


@dataclass(frozen=True, slots=True)
class Shell:
    """A page. Everything is plain text except `body` and the values of `provenance`."""

    kind: str
    name: str
    title: str
    """What the page is about, in the browser's tab."""
    facts: Sequence[str]
    headline: str
    answer: Sequence[str]
    """Paragraphs under the headline."""
    cards: Sequence[Card]
    body: str
    charts: Sequence[Chart]
    data: Sequence[Data]
    provenance: Sequence[Row]
    method: str
    warnings: Sequence[Notice] = ()
    """Where there are any, a line at the top leads to `notes`, which the body holds."""
    style: str = ""
    """Rules of this page alone."""


def render(page: Shell) -> str:
    """The page as one HTML text that needs no network."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - slow to import

    return Template(resource("latitude.render.html", "shell.html")).substitute(
        title=attribute(f"{page.name}: {page.title}"),
        style=resource("latitude.render.html", "style.css") + page.style,
        kind=escape(page.kind),
        name=escape(page.name),
        facts=" · ".join(map(escape, page.facts)),
        headline=escape(page.headline),
        answer="".join(f"<p>{escape(line)}</p>" for line in page.answer),
        cards="".join(
            f"<div class=card><span>{escape(label)}</span><b>{escape(value)}</b>"
            f"<small>{escape(what)}</small></div>"
            for label, value, what in page.cards
        ),
        noted=_noted(page.warnings),
        body=page.body,
        buttons="\n".join(_button(page.name, data) for data in page.data),
        provenance="".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in page.provenance),
        method=escape(page.method),
        embedded="\n".join(map(_embedded, page.data)),
        figures=_inert(_figures(page.charts)),
        plotly=get_plotlyjs(),
        script=resource("latitude.render.html", "page.js"),
    )


def resource(package: str, name: str) -> str:
    """A text file that ships with the package."""
    return (files(package) / name).read_text(encoding="utf-8")


def section(chart: Chart, *, reading: bool = True) -> str:
    """A chart with its words."""
    sentence = f"<p class=reading>{escape(chart.reading)}</p>" if reading else ""
    note = f"<p class=note>{escape(chart.note)}</p>" if chart.note else ""
    places = (("views", chart.views), ("layers", chart.layers))
    buttons = "".join(
        f'<div class=views data-of="{kind}" data-for="{chart.id}"></div>'
        for kind, choice in places
        if len(choice) > 1
    )
    return (
        f"<section><div class=title><h2>{escape(chart.title)}</h2>{buttons}</div>{sentence}"
        f'<div class=chart id="{chart.id}" role=img aria-label="{attribute(chart.reading)}" '
        f'style="height:{chart.height}px"></div>{note}</section>'
    )


def text_section(title: str, reading: str, content: str, note: str = "") -> str:
    """Anything else with its words; the content is HTML."""
    sentence = f"<p class=reading>{escape(reading)}</p>" if reading else ""
    under = f"<p class=note>{escape(note)}</p>" if note else ""
    return f"<section><h2>{escape(title)}</h2>{sentence}{content}{under}</section>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table; cells are HTML, all but the first column are numbers."""
    header = "".join(f"<th scope=col>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f'<table class="{kind}"><thead><tr>{header}</tr></thead><tbody>\n{body}</tbody></table>'


def wide_table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table of plain text that scrolls where the page is narrower."""
    content = table(list(map(escape, head)), [list(map(escape, row)) for row in rows], kind)
    return f"<div class=wide>{content}</div>"


def notes(warnings: Iterable[Notice]) -> str:
    """What the reader should know about the result."""
    items = "".join(
        f"<li><b>{escape(notice.message)}</b><br>{escape(notice.hint)}</li>"
        for notice in dict.fromkeys(warnings)
    )
    if not items:
        return ""
    return f"<aside class=warnings id=notes><h3>Please note</h3><ul>{items}</ul></aside>"


def origin(made: Provenance, extra: Sequence[Row] = ()) -> list[Row]:
    """Where a result came from; `extra` stands before date and version."""
    return [
        ("command", f"<code>{escape(made.command)}</code>"),
        ("input", f"<code>{escape(made.input)}</code>"),
        ("SHA-256", f"<code>{made.input_sha256}</code>"),
        *extra,
        ("date, host", f"{escape(made.date)}, {escape(made.host)}"),
        ("Latitude", escape(made.version)),
    ]


def _noted(warnings: Sequence[Notice]) -> str:
    count = len(dict.fromkeys(warnings))
    if not count:
        return ""
    text = "1 note on this result" if count == 1 else f"{count} notes on this result"
    return f'<p class=noted><a href="#notes">{text}</a></p>'


def _id(data: Data) -> str:
    return f"data-{data.name.replace('.', '-')}"


def _type(data: Data) -> str:
    return "application/json" if data.name.endswith(".json") else "text/csv"


def _button(page: str, data: Data) -> str:
    return (
        f'<button type=button data-source="{_id(data)}" data-type="{_type(data)}" '
        f'data-name="{attribute(page)}.{data.name}">{data.name}</button>'
    )


def _embedded(data: Data) -> str:
    """JSON as it is, other text as a JSON string: nothing in it can end the element."""
    text = data.text if data.name.endswith(".json") else json.dumps(data.text, ensure_ascii=False)
    return f'<script type="application/json" id="{_id(data)}">{_inert(text)}</script>'


def _inert(json_text: str) -> str:
    r"""JSON that may stand inside a script element: `<` only occurs in strings, as \u003c."""
    return json_text.replace("<", "\\u003c")


def _figures(charts: Iterable[Chart]) -> str:
    content = {
        chart.id: {
            **chart.figure,
            "views": [{"label": view.label, "layout": view.layout} for view in chart.views],
            "layers": [{"label": layer.label, "shown": layer.shown} for layer in chart.layers],
        }
        for chart in charts
    }
    return json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
