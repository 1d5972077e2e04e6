"""Which tests `make test` has: the others are marked `thorough`.

All of tests/machine is thorough except tests marked `essential`, which `make test` runs with Open
MPI alone. Each test that reads all shared traces is thorough, too. `python -m support.tiers` renews
the table of docs/internals/testing.md.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.mpi.library import openmpi
from support.paths import TESTS

_BEGIN, _END = "<!-- tiers: begin -->\n", "<!-- tiers: end -->\n"
PAGE = TESTS.parent / "docs" / "internals" / "testing.md"
FOLDERS = tuple(TESTS / name for name in ("unit", "commands", "machine"))
"""Folders that the table lists."""
FIRST = "test"
TIERS = {FIRST: ("-m", "not thorough"), "test-all": ("-m", "thorough")}
"""Options of pytest that select the tests of each tier which earlier tiers lack."""


def first_of(values: Iterable[Any], many: int = 1) -> list[Any]:
    """Parameters of which `make test` has the first ones, and `make test-all` the rest, too."""
    every = list(values)
    rest = (pytest.param(each, marks=pytest.mark.thorough) for each in every[many:])
    return [*every[:many], *rest]


def mark(item: pytest.Item) -> None:
    """Marks a test as thorough by where it is and what it reads."""
    of_machine = item.path.is_relative_to(TESTS / "machine")
    essential = item.get_closest_marker("essential") is not None and not _of_another_mpi(item)
    if (of_machine and not essential) or item.get_closest_marker("traces") is not None:
        item.add_marker("thorough")


def _of_another_mpi(item: pytest.Item) -> bool:
    """Whether the test is repeated with a second MPI."""
    called = getattr(item, "callspec", None)
    return called is not None and called.params.get("mpi", openmpi) is not openmpi


def table(items: Sequence[pytest.Item]) -> str:
    """The share of each folder (for commands and machine of each file) in the tiers."""
    quick: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for item in items:
        path = item.path.relative_to(TESTS)
        place = str(path.parent if path.parts[0] == "unit" else path)
        every[place] += 1
        quick[place] += item.get_closest_marker("thorough") is None

    def share(place: str) -> str:
        return "–" if not quick[place] else "all" if quick[place] == every[place] else "some"

    rows = [f"| `{place}` | {share(place)} | all |" for place in sorted(every)]
    return "\n".join(["| tests of | `make test` | `make test-all` |", "|---|---|---|", *rows, ""])


class _Collected:
    """Keeps what pytest collects."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = session.items


def with_table(text: str, items: Sequence[pytest.Item]) -> str:
    """The text of a page with the table of these tests."""
    before, _, rest = text.partition(_BEGIN)
    return before + _BEGIN + table(items) + _END + rest.partition(_END)[2]


def is_whole(config: pytest.Config) -> bool:
    """Whether a run of pytest has all tests that the table has, and leaves none out."""
    options = config.option
    paths = {(config.invocation_params.dir / each).resolve() for each in config.args}
    left_out = (options.markexpr, options.keyword, options.deselect, options.ignore, options.lf)
    return paths == set(FOLDERS) and not any(left_out)


def _write(page: Path) -> None:
    """Puts the table into a page."""
    collected = _Collected()
    folders = map(str, FOLDERS)
    pytest.main(["--collect-only", "-qq", f"--rootdir={TESTS.parent}", *folders], [collected])
    text = page.read_text(encoding="utf-8")
    page.write_text(with_table(text, collected.items), encoding="utf-8")


if __name__ == "__main__":
    _write(Path(*sys.argv[1:2]) if sys.argv[1:] else PAGE)
