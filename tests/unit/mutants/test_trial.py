"""The runner's reports on defects, for a tree of one function and its tests."""

import subprocess
from pathlib import Path

import pytest

from mutants.listed import Mutant, listed
from mutants.table import document, share_caught, summary
from mutants.tree import Tree
from mutants.trial import BROKEN, CAUGHT, SURVIVED, Outcome, Trials, UnsoundError

CODE = """
def larger(a, b):
    return a if a > b else b
"""
TESTS = """
import pytest
from code_of import larger

def test_the_larger_one():
    assert larger(1, 2) == 2

@pytest.mark.thorough
def test_the_second_of_equals():
    assert type(larger(1, 1.0)) is float
"""


class Small(Tree):
    """A tree without C++."""

    def build_module(self) -> None:
        """There is none."""


def planted(directory: Path, code: str = CODE) -> Small:
    """A copy of a tree of that code."""
    source = directory / "source"
    source.mkdir()
    (source / "code_of.py").write_text(code)
    (source / "test_code_of.py").write_text(TESTS)
    subprocess.run(["git", "init", "--quiet"], cwd=source, check=True)  # noqa: S607
    return Small(source, directory / "copy")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return planted(tmp_path_factory.mktemp("mutants"))


@pytest.fixture(scope="module")
def trials(tree: Small) -> Trials:
    return Trials(tree)


def mutant(old: str, new: str) -> Mutant:
    return Mutant("name", "room", "what", "code_of.py", old, new, pytest=("test_code_of.py",))


def test_a_defect_is_caught_by_the_test_that_fails_and_taken_out_again(
    trials: Trials, tree: Small
) -> None:
    found = trials.outcome(mutant("a > b", "a < b"))
    assert (found.status, found.by) == (CAUGHT, "test_code_of.py::test_the_larger_one")
    assert found.tier == "test"
    assert (tree.path / "code_of.py").read_text() == CODE
    assert (tree.source / "code_of.py").read_text() == CODE


@pytest.mark.thorough
def test_a_defect_that_no_test_sees_survives(trials: Trials) -> None:
    found = trials.outcome(mutant("return a if a > b else b", "return b if not a > b else a"))
    assert (found.status, found.by, found.tier) == (SURVIVED, "", "")


@pytest.mark.thorough
def test_thorough_tests_are_asked_where_the_others_see_nothing(trials: Trials) -> None:
    found = trials.outcome(mutant("a > b", "a >= b"))
    assert (found.status, found.by) == (CAUGHT, "test_code_of.py::test_the_second_of_equals")
    assert found.tier == "test-all"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("a > c", "a < c", "there 0 times"),
        ("a", "b", "times"),
        ("return a", "return (a", "no Python"),
        ("def larger", "def smaller", "during collection"),
    ],
)
def test_what_is_no_defect_is_broken_not_caught(
    trials: Trials, old: str, new: str, why: str
) -> None:
    found = trials.outcome(mutant(old, new))
    assert found.status == BROKEN
    assert why in found.by


def test_tests_that_fail_anyway_tell_nothing(tmp_path: Path) -> None:
    tree = planted(tmp_path, CODE.replace(">", "<"))
    with pytest.raises(UnsoundError, match="fails without a defect"):
        Trials(tree).outcome(mutant("a < b", "a > b"))


def test_the_table_has_every_defect_also_those_not_tried() -> None:
    first, second, third, fourth, *rest = listed()
    found = {
        first.name: Outcome(first, CAUGHT, "tests/unit/test_a.py::test_b", "test"),
        second.name: Outcome(second, CAUGHT, "tests/unit/test_a.py::test_c", "test-all"),
        third.name: Outcome(third, SURVIVED),
        fourth.name: Outcome(fourth, BROKEN, "why"),
    }
    outcomes = list(found.values())
    assert [share_caught(outcomes, tier) for tier in ("", "test")] == [2 / 4, 1 / 4]
    assert "2 (50.0 %)" in summary(outcomes, 4)
    assert "1 (25.0 %)" in summary(outcomes, 4)
    ends = [
        "| `unit/test_a.py::test_b` | `make test` |",
        "| `unit/test_a.py::test_c` | `make test-all` |",
        "| **survived** |  |",
        "| **broken** |  |",
        *(["| not tried |  |"] * len(rest)),
    ]
    lines = document(listed(), found).splitlines()[-len(ends) :]
    assert all(line.endswith(end) for line, end in zip(lines, ends, strict=True))
