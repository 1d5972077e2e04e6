"""Tests in tiers."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.command import python
from support.mpi.library import mpich, openmpi
from support.paths import TESTS
from support.tiers import PAGE, first_of, is_whole, mark, with_table


@pytest.mark.thorough
def test_the_page_has_the_tiers_of_all_tests(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """`make test-all` has collected them; another run collects them for this test."""
    now = PAGE.read_text(encoding="utf-8")
    if is_whole(request.config):
        made = with_table(now, request.session.items)
    else:
        page = tmp_path / "testing.md"
        page.write_text(now, encoding="utf-8")
        python("-m", "support.tiers", page)
        made = page.read_text(encoding="utf-8")
    assert made == now


def test_a_run_that_leaves_tests_out_is_not_whole(request: pytest.FixtureRequest) -> None:
    whole: dict[str, Any] = {
        "markexpr": "",
        "keyword": "",
        "deselect": None,
        "ignore": None,
        "lf": False,
    }

    def run(*folders: str, **options: Any) -> Any:
        return SimpleNamespace(
            option=SimpleNamespace(**{**whole, **options}),
            args=list(folders),
            invocation_params=SimpleNamespace(dir=TESTS),
        )

    assert all(hasattr(request.config.option, name) for name in whole)
    assert is_whole(run("machine", "commands", "unit"))
    assert not is_whole(run("machine", "commands"))
    assert not is_whole(run("machine", "commands", "unit/model"))
    assert not is_whole(run("machine", "commands", "unit", markexpr="not thorough"))


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
