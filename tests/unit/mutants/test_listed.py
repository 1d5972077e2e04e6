"""The list of defects does not rot: each still fits the tree, and so do the tests it names."""

import re
import shlex
from collections import Counter

import pytest

from mutants.listed import Mutant, listed
from support.paths import ROOT

MUTANTS = listed()
ROOMS = {
    "bench",
    "exact",
    "campaign",
    "cluster",
    "collectives",
    "distributions",
    "files",
    "forecast",
    "graph",
    "inject",
    "jobs",
    "launch",
    "model",
    "render",
    "results",
    "solve",
    "statistics",
    "support",
    "trace",
    "tracer",
    "validation",
}
LEAST = 40
PROGRAMS = {
    name
    for path in (ROOT / "core").rglob("CMakeLists.txt")
    for name in re.findall(r"latitude_test\((\w+)", path.read_text(encoding="utf-8"))
}


def test_there_are_enough_in_every_room_each_with_its_own_name() -> None:
    assert len(MUTANTS) >= LEAST
    assert {each.room for each in MUTANTS} == ROOMS
    assert max(Counter(each.name for each in MUTANTS).values()) == 1


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_each_fits_the_tree_exactly_once(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert mutant.applied(text) != text


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_tests_that_should_notice_are_there(mutant: Mutant) -> None:
    assert mutant.programs or mutant.pytest
    assert set(mutant.programs) <= PROGRAMS
    for words in mutant.pytest:
        path, *options = shlex.split(words)
        files = sorted((ROOT / path).glob("test_*.py")) or [ROOT / path]
        tests = [
            name
            for file in files
            for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8"))
        ]
        assert tests
        if options:
            assert options[0] == "-k"
            wanted = set(re.findall(r"\w+", options[1])) - {"and", "or", "not"}
            assert all(any(word in test for test in tests) for word in wanted)


@pytest.mark.parametrize("mutant", [each for each in MUTANTS if each.room == "inject"])
def test_what_injectors_do_is_seen_in_virtual_time_alone(mutant: Mutant) -> None:
    assert not mutant.programs
    assert all(
        re.match(r"tests/unit/runtime/test_\w+_in_virtual_time\.py\b", words)
        for words in mutant.pytest
    )
