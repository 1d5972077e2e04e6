"""Text on a terminal has no characters that the terminal would obey."""

import ast
import io
from pathlib import Path

import pytest
from rich.live import Live
from rich.table import Table

import latitude
from latitude.notices.saying import say, say_one_line, visible
from latitude.render.terminal import Terminal

SOURCES = Path(latitude.__file__).parent
HOSTILE = "a\x1b]0;owned\x07\x9b2J\rb\u202ecod"
SHOWN = "a␛]0;owned␇\\x9b2J␍b\\u202ecod"


def test_characters_that_a_terminal_obeys_are_shown() -> None:
    assert visible(HOSTILE) == SHOWN
    assert visible("λ = 3.5 µs\n→ ok") == "λ = 3.5 µs\n→ ok"


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    say(HOSTILE)
    say_one_line("a\nb\x1b[2J")
    assert capsys.readouterr().err == f"{SHOWN}\na b␛[2J\n"


def test_whatever_rich_prints_is_shown() -> None:
    console = Terminal()
    console.file = io.StringIO()
    console.print(HOSTILE, markup=False)
    table = Table(HOSTILE, title=HOSTILE)
    table.add_row(HOSTILE)
    console.print(table)
    with Live(table, console=console):
        console.print(HOSTILE)
    printed = console.file.getvalue()
    assert "owned" in printed
    assert not set(printed) & set("\x1b\x07\x9b\r\u202e")


_SAYS = {"notices/saying.py", "render/terminal.py"}
_MAY = {
    "cli/outputs.py", "cli/env.py", "cli/completion.py", "cli/boundary.py",
    "cli/background/watch.py", "cli/help.py", "cli/short_help.py", "cli/explain.py",
}  # fmt: skip
"""Data on standard output, lines for shells, the streams themselves, a line of two numbers, help,
and sentences that are made `visible`."""


_PRINTS = ("print", "Console", "sys.stderr.write", "sys.stdout.write", "warnings.warn")


@pytest.mark.thorough
def test_nothing_else_prints() -> None:
    """Other ways of printing would let file names and traces control the terminal."""
    found = []
    for path in SOURCES.rglob("*.py"):
        name = path.relative_to(SOURCES).as_posix()
        if name in _SAYS | _MAY:
            continue
        found += [
            f"{name}:{node.lineno}"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and ast.unparse(node.func) in _PRINTS
        ]
    assert found == []
