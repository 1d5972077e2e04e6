"""What the runner says of defects, on a tree of one function and its tests."""

import subprocess
from pathlib import Path

import pytest

from mutants.listed import Mutant, listed
from mutants.table import document, share_caught
from mutants.tree import Tree
from mutants.trial import BROKEN, CAUGHT, SURVIVED, Outcome, Trials, UnsoundError

CODE = """
def larger(a, b):
    return a if a > b else b
"""
TESTS = """
from code_of import larger

def test_the_larger_one():
    assert larger(1, 2) == 2
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
    return Trials(tree, "test-all")


def mutant(old: str, new: str) -> Mutant:
    return Mutant("name", "room", "what", "code_of.py", old, new, pytest=("test_code_of.py",))


def test_a_defect_is_caught_by_the_test_that_fails_and_taken_out_again(
    trials: Trials, tree: Small
) -> None:
    found = trials.outcome(mutant("a > b", "a < b"))
    assert (found.status, found.by) == (CAUGHT, "test_code_of.py::test_the_larger_one")
    assert (tree.path / "code_of.py").read_text() == CODE
    assert (tree.source / "code_of.py").read_text() == CODE


def test_a_defect_that_no_test_sees_survives(trials: Trials) -> None:
    assert trials.outcome(mutant("a > b", "a >= b")).status == SURVIVED


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
        Trials(tree, "test-all").outcome(mutant("a < b", "a > b"))


def test_the_table_has_every_defect_also_those_not_tried() -> None:
    first, second, third, *rest = listed()
    found = {
        first.name: Outcome(first, CAUGHT, "tests/unit/test_a.py::test_b"),
        second.name: Outcome(second, SURVIVED),
        third.name: Outcome(third, BROKEN, "why"),
    }
    assert share_caught(list(found.values())) == 1 / 3
    lines = document(listed(), found).splitlines()
    assert lines[-3 - len(rest)].endswith("| `unit/test_a.py::test_b` |")
    assert lines[-2 - len(rest)].endswith("| **survived** |")
    assert lines[-1 - len(rest)].endswith("| **broken** |")
    assert all(line.endswith("| not tried |") for line in lines[-len(rest) :])
