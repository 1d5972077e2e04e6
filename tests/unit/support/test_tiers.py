"""Tests in tiers."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.command import python
from support.mpi.library import mpich, openmpi
from support.paths import TESTS
from support.tiers import PAGE, first_of, mark


@pytest.mark.thorough
def test_the_page_has_the_tiers_of_all_tests(tmp_path: Path) -> None:
    page = tmp_path / "testing.md"
    page.write_bytes(PAGE.read_bytes())
    python("-m", "support.tiers", page)
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "marks", "parameters", "thorough"),
    [
        ("unit/files/test_text.py", (), {}, False),
        ("unit/files/test_text.py", ("traces",), {}, True),
        ("machine/test_relay.py", (), {}, True),
        ("machine/test_relay.py", ("essential",), {}, False),
        ("machine/test_relay.py", ("essential",), {"mpi": openmpi}, False),
        ("machine/test_relay.py", ("essential",), {"mpi": mpich}, True),
        ("unit/files/test_text.py", (), {"mpi": mpich}, False),
    ],
)
def test_where_a_test_is_and_what_it_reads_tells_its_tier(
    path: str, marks: tuple[str, ...], parameters: dict[str, Any], thorough: bool
) -> None:
    added: list[str] = []
    item: Any = SimpleNamespace(
        path=TESTS / path,
        callspec=SimpleNamespace(params=parameters),
        get_closest_marker=dict.fromkeys(marks, True).get,
        add_marker=added.append,
    )
    mark(item)
    assert added == (["thorough"] if thorough else [])


def test_the_first_parameters_are_in_every_tier() -> None:
    first, *others = first_of(range(3))
    assert first == 0
    assert [each.values for each in others] == [(1,), (2,)]
    assert all(mark.name == "thorough" for each in others for mark in each.marks)
