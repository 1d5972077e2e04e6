"""Where results go, and how the terminal shows them."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from latitude.files import refuse_existing, write_new
from latitude.notice import Notice

STDOUT = Path("-")
WIDTH = 100


def add_json(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """--json and --force; returns their group, for other results."""
    group = parser.add_argument_group("results")
    group.add_argument(
        "--json", metavar="FILE", type=Path, help="write the JSON to FILE, or - for stdout"
    )
    group.add_argument("--force", action="store_true", help="overwrite results that exist")
    return group


def check(arguments: argparse.Namespace, others: Iterable[Path] = ()) -> None:
    """InputError before the work when a result is in the way."""
    files = [arguments.json] if arguments.json not in (None, STDOUT) else []
    refuse_existing([*files, *others], force=arguments.force)


def to_json(content: Mapping[str, Any]) -> str:
    """Readable, and the same in every run."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def put_json(arguments: argparse.Namespace, content: Mapping[str, Any]) -> bool:
    """Writes the JSON where it was asked for; True when it went to standard output."""
    if arguments.json is None:
        return False
    if arguments.json == STDOUT:
        sys.stdout.write(to_json(content))
        return True
    write_new(arguments.json, to_json(content), force=arguments.force)
    return False


def console() -> Console:
    """Standard output; of one width when it is no terminal."""
    shown = Console(highlight=False)
    return shown if shown.is_terminal else Console(highlight=False, width=WIDTH)


def table(*columns: str) -> Table:
    """A plain table; all columns but the first are numbers."""
    made = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=any(columns))
    for index, column in enumerate(columns):
        made.add_column(column, justify="right" if index else "left")
    return made


def show_warnings(shown: Console, warnings: Iterable[Notice]) -> None:
    """Each with what to do."""
    for notice in warnings:
        text = Text("warning: ", style="yellow")
        text.append(f"{notice.message}; {notice.hint}", style="default")
        shown.print(text)
