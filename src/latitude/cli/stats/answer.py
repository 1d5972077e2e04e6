"""An answer: its page, JSON and CSV, or what it says in the terminal."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from latitude.cli.outputs import Content, Outputs, add_results


@dataclass(frozen=True, slots=True)
class Answer:
    """All that is made of one result."""

    page: Content
    document: str
    """The JSON."""
    table: str
    """The CSV."""
    tell: Callable[[Path | None], None]
    """Prints it, and where the page is."""

    def give(self, outputs: Outputs) -> None:
        """Writes what was asked for; prints unless data goes to standard output."""
        document, table = self.document, self.table
        outputs.write(
            self.page, lambda: document, lambda: table, json=lambda: document, csv=lambda: table
        )
        if not outputs.uses_stdout():
            self.tell(outputs.page())


def add_answer(parser: argparse.ArgumentParser, name: str) -> None:
    """Declares where an answer goes; -o writes files of this name."""
    page, document, table = _files(name)
    add_results(parser, f"{page}, {document} and {table}", csv="the table as CSV")


def outputs_of(arguments: argparse.Namespace, name: str) -> Outputs:
    """Where it goes. InputError before the work when something is in the way."""
    return Outputs.of(arguments, *_files(name))


def _files(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{end}" for end in ("html", "json", "csv"))
