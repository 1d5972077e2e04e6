"""A document as one self-contained HTML file, which works offline."""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from latitude.render import document
from latitude.render.charts.chart import Chart
from latitude.render.document import Beside, Document, File, Heading, Part, Section, Table
from latitude.units.quantities import counted

_UNFIT = re.compile(r"[^\w.,=+-]+")
"""Characters that names of files saved by browsers should not contain."""
_SUBSCRIPT = re.compile(r"([λρ])_(\w+)|\b(l|d|L|G)_(?!ns\b|ns_)(\w+)|\b(N′?)_([cta])\b")


_PACKED = 250_000
"""Number of characters above which the page holds a file compressed; browsers unpack such a file on
saving."""


def page(result: Document) -> str:
    """The page as HTML text."""
    contents = list(_titled(result.parts))
    notices = list(dict.fromkeys(result.notices))
    texts = [(each, each.text()) for each in result.files]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            doc=result,
            contents=contents,
            anchors=_Anchors(contents),
            notices=notices,
            noted=f"{counted(len(notices), 'note')} on this result",
            files=[_embedded(each, text) for each, text in texts],
            figures=_script(_figures(document.charts(result.parts))),
            live=document.lives(result.parts),
        )
    )


def _titled(parts: Sequence[Part]) -> Iterator[Chart | Section | Heading]:
    """The entries of the page's contents, in order."""
    for part in parts:
        if isinstance(part, Beside):
            yield from _titled(part.parts)
        elif isinstance(part, (Chart, Heading)) or (isinstance(part, Section) and part.page):
            yield part


class _Anchors:
    """Names of parts of the page, for links."""

    def __init__(self, parts: Iterable[Chart | Section | Heading]) -> None:
        self._names: dict[int, str] = {}
        for part in parts:
            self[part]

    def __getitem__(self, part: Chart | Section | Heading) -> str:
        """A name from the part's title, with a number if another part has the same title."""
        if id(part) not in self._names:
            title = part.text if isinstance(part, Heading) else part.title
            name = "at-" + "-".join(re.findall(r"\w+", title.lower()))
            count = sum(known.rstrip("-0123456789") == name for known in self._names.values())
            self._names[id(part)] = f"{name}-{count + 1}" if count else name
        return self._names[id(part)]


def summary(result: Document) -> str:
    """Headline, answer and the first table as HTML, for notebooks."""
    tables = (part for part in result.parts if isinstance(part, Table))
    template = _environment().get_template("summary.html.j2")
    return template.render(doc=result, table=next(tables, None))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["text"] = _subscripted
    made.filters["file_name"] = lambda name: _UNFIT.sub("_", name)
    made.filters["spans"] = document.spans
    made.filters["cell"] = document.cell
    made.filters["json"] = lambda part: _script(json.dumps(asdict(part), allow_nan=False))
    made.filters["kind"] = lambda part: type(part).__name__
    made.globals["include_raw"] = _ours
    return made


def _ours(name: str) -> Markup:
    """A style sheet or script from the package, unchanged."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - a file of ours


def _subscripted(text: str) -> Markup:
    """Escaped text in which λ_L, ρ_L, l_wire and N_c have real subscripts."""
    return Markup(_SUBSCRIPT.sub(_lowered, str(escape(text))))  # noqa: S704 - escaped before


def _lowered(match: re.Match[str]) -> str:
    head, foot = next((match[i], match[i + 1]) for i in (1, 3, 5) if match[i] is not None)
    return f"{head}<sub>{foot.replace('_', ' ')}</sub>"


def _embedded(file: File, text: str) -> dict[str, Any]:
    """A file inside the page: JSON unchanged, other or long text as a string."""
    is_json = file.name.endswith(".json")
    packed = len(text) > _PACKED
    if packed:
        text = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")
    return {
        "name": file.name,
        "id": f"data-{file.name.replace('.', '-')}",
        "type": "application/json" if is_json else "text/csv",
        "packed": packed,
        "content": _script(
            text if is_json and not packed else json.dumps(text, ensure_ascii=False)
        ),
    }


def _script(json_text: str) -> Markup:
    r"""JSON that is safe inside a script element: `<` only occurs in strings, as \u003c."""
    return Markup(json_text.replace("<", "\\u003c"))  # noqa: S704 - cannot end the element


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
