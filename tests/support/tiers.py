"""Which tests `make test` has: the others are marked `thorough`.

All of tests/machine is thorough but what is marked `essential`, and so is each test that reads all
shared traces. `python -m support.tiers` prints the table of docs/testing.md.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.paths import TESTS

_BEGIN, _END = "<!-- tiers: begin -->\n", "<!-- tiers: end -->\n"
PAGE = TESTS.parent / "docs" / "testing.md"


def first_of(values: Iterable[Any], many: int = 1) -> list[Any]:
    """Parameters of which `make test` has the first ones, and `make test-all` the rest, too."""
    every = list(values)
    rest = (pytest.param(each, marks=pytest.mark.thorough) for each in every[many:])
    return [*every[:many], *rest]


def mark(item: pytest.Item) -> None:
    """Marks a test as thorough by where it is and what it reads."""
    of_machine = item.path.is_relative_to(TESTS / "machine")
    essential = item.get_closest_marker("essential") is not None
    if (of_machine and not essential) or item.get_closest_marker("traces") is not None:
        item.add_marker("thorough")


def table(items: Sequence[pytest.Item]) -> str:
    """Tests by folder, of tests/commands and tests/machine by file: in `make test`, and in all."""
    quick: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for item in items:
        path = item.path.relative_to(TESTS)
        place = path.parent if path.parts[0] == "unit" else path
        every[str(place)] += 1
        quick[str(place)] += item.get_closest_marker("thorough") is None
    rows = [f"| `{place}` | {quick[place] or '–'} | {every[place]} |" for place in sorted(every)]
    head = ("| | `make test` | `make test-all` |", "|---|---|---|")
    return "\n".join([*head, *rows, f"| all | {quick.total()} | {every.total()} |", ""])


def stated(text: str) -> str:
    """The table that a page has."""
    return text.partition(_BEGIN)[2].partition(_END)[0]


class _Collected:
    """Keeps what pytest collects."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = session.items


def _write(page: Path) -> None:
    collected = _Collected()
    folders = [str(TESTS / name) for name in ("unit", "commands", "machine")]
    pytest.main(["--collect-only", "-qq", f"--rootdir={TESTS.parent}", *folders], [collected])
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    made = before + _BEGIN + table(collected.items) + _END + rest.partition(_END)[2]
    page.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    _write(PAGE)
