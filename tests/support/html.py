"""A page as tests read it: elements, the contents of scripts, the cells of tables."""

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from .paths import ROOT

CHARTS = (ROOT / "src/latitude/render/html/charts.js").read_text(encoding="utf-8")
"""The script that every page draws with, which is others' code and not tested here."""
LINKING = ("src", "href")
_OWN = re.compile(r"<script>.*?</script>", re.DOTALL)


def is_whole(text: str) -> bool:
    """Whether nothing but the page's own code could begin a comment, which swallows what follows.

    In a script element, too, browsers read `<!--<script>` on to the next `</script>` but one.
    """
    return "<!--" not in _OWN.sub("", text) and text.rstrip().endswith("</html>")


@dataclass
class Element:
    """A start tag."""

    tag: str
    attributes: dict[str, str | None]


@dataclass
class Table:
    """The texts of cells, row by row; what stands in small letters begins a line."""

    classes: str
    rows: list[list[str]] = field(default_factory=list)


class Html(HTMLParser):
    """All of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.scripts: dict[str, str] = {}
        """Contents by the script's id; those without are the page's own code."""
        self.tables: list[Table] = []
        self._script: str | None = None
        self._in_cell = False
        self.feed(text)

    @property
    def figures(self) -> dict[str, Any]:
        """The charts' data and layouts, by name."""
        return json.loads(self.scripts["figures"])

    @property
    def links(self) -> list[str]:
        """Links of the page to places outside itself."""
        values = (e.attributes.get(name) for e in self.elements for name in LINKING)
        return [value for value in values if value and not value.startswith("#")]

    def table(self, classes: str) -> list[list[str]]:
        """The rows of the one table of that class, the head's without cells."""
        (found,) = (table for table in self.tables if table.classes == classes)
        return found.rows

    def with_class(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of elements whose class is this."""
        return [e.attributes for e in self.elements if e.attributes.get("class") == name]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps it."""
        attributes = dict(attrs)
        self.elements.append(Element(tag, attributes))
        self._script = attributes.get("id") if tag == "script" else None
        if tag == "table":
            self.tables.append(Table(attributes.get("class") or ""))
        elif tag == "tr":
            self.tables[-1].rows.append([])
        elif tag == "td":
            self.tables[-1].rows[-1].append("")
            self._in_cell = True
        elif tag == "small" and self._in_cell:
            self.tables[-1].rows[-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        """Closes what is open."""
        if tag == "td":
            self._in_cell = False
        elif tag == "script":
            self._script = None

    def handle_data(self, data: str) -> None:
        """Adds to the script or cell that is open."""
        if self._script is not None:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        elif self._in_cell:
            self.tables[-1].rows[-1][-1] += data
