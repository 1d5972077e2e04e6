"""Tests in tiers."""

from pathlib import Path

import pytest

from support.command import python
from support.tiers import PAGE, first_of


@pytest.mark.thorough
def test_the_page_has_the_tiers_of_all_tests(tmp_path: Path) -> None:
    page = tmp_path / "testing.md"
    page.write_bytes(PAGE.read_bytes())
    python("-m", "support.tiers", page)
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


def test_the_first_parameters_are_in_every_tier() -> None:
    first, *others = first_of(range(3))
    assert first == 0
    assert [each.values for each in others] == [(1,), (2,)]
    assert all(mark.name == "thorough" for each in others for mark in each.marks)
