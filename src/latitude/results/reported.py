"""Results that people show in notebooks.

The modules of `latitude.render` import this module. So the methods of Reported import
`latitude.render` only when they are called.
"""

from os import PathLike
from pathlib import Path
from pkgutil import resolve_name
from typing import ClassVar

from latitude.files.writing import write_new
from latitude.results.declared import Result


class Reported(Result, frozen=True, kw_only=True):
    """A result with a page."""

    DOCUMENT: ClassVar[str]
    """The function that makes the result's document:
    `latitude.render.documents.analysis:analysis_document`."""

    def report(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Writes the page as one self-contained HTML file. InputError: the file exists."""
        write_new(Path(path), self._shown("page"), force=force)
        return Path(path)

    def _repr_html_(self) -> str:
        """A notebook's view: the answer and its table."""
        return self._shown("summary")

    def _shown(self, way: str) -> str:
        document = resolve_name(self.DOCUMENT)(self)
        text: str = resolve_name(f"latitude.render.html.page:{way}")(document)
        return text
