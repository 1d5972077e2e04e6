"""Tries defects: whether the tests that should notice one do, and which of them."""

import re
import shlex
import sys
from dataclasses import dataclass

from mutants.listed import Mutant
from mutants.process import Done
from mutants.tree import BrokenError, Tree
from support.tiers import FIRST, TIERS

CAUGHT, SURVIVED, BROKEN = "caught", "survived", "broken"
_LEAST_S, _TIMES = 120, 10
"""After so long, and so many times what the sound tree takes, a test is said not to end."""
_PYTEST_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_GTEST_FAILED = re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.MULTILINE)
_GTEST_BEGUN = re.compile(r"^\[ RUN      \] (\S+)", re.MULTILINE)
_FAILED, _NONE = 1, 5
"""Exit statuses of tests of which some failed, and of which the tier has none; others mean that
they were not run."""


class UnsoundError(Exception):
    """Tests that fail without a defect tell nothing about one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one defect."""

    mutant: Mutant
    status: str
    by: str = ""
    """The test that noticed it, or what is broken."""
    tier: str = ""
    """The first tier with a test that noticed it."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Test:
    """One run: a GoogleTest program, or pytest."""

    words: str
    gtest: bool
    selected: tuple[str, ...] = ()
    """Options of pytest that select the tests of a tier."""

    def command(self, tree: Tree) -> list[object]:
        if self.gtest:
            return [tree.program(self.words), "--gtest_fail_fast"]
        options = ["-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", *self.selected]
        return [sys.executable, "-m", "pytest", *options, *shlex.split(self.words)]

    def passed(self, done: Done) -> bool:
        """Whether no test failed; there may be none."""
        return done.status == 0 or (done.status == _NONE and bool(self.selected))

    def noticed(self, done: Done) -> str | None:
        """The test that failed; None when none did. BrokenError when they could not be run."""
        if self.passed(done):
            return None
        if done.status is None:
            return f"{self.words}, which does not end"
        if self.gtest and (found := _GTEST_FAILED.search(done.output)):
            return f"{self.words}: {found[1]}"
        if self.gtest and done.status < 0 and (begun := _GTEST_BEGUN.findall(done.output)):
            return f"{self.words}: {begun[-1]}, which crashes"
        if not self.gtest and done.status < 0:
            return f"{self.words}, which crashes"
        found = _PYTEST_FAILED.search(done.output)
        if not self.gtest and done.status == _FAILED and found:
            return found[1].partition("[")[0]
        raise BrokenError(f"{self.words}: exit status {done.status}:\n{done.output[-3000:]}")


class Trials:
    """Tries defects in one copy of the tree, one after the other, with the tests of each tier."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._sound_s: dict[_Test, float] = {}

    def outcome(self, mutant: Mutant) -> Outcome:
        """The outcome of one defect.

        UnsoundError when its tests fail without it.
        """
        spent = 0.0
        for tier, selected in TIERS.items():
            tests = [_Test(words, gtest=False, selected=selected) for words in mutant.pytest]
            if tier == FIRST:
                tests = [*(_Test(name, gtest=True) for name in mutant.programs), *tests]
            self._learn(mutant, tests)
            try:
                noticed, took = self._noticed(mutant, tests)
            except BrokenError as error:
                return Outcome(mutant, BROKEN, str(error), seconds=spent)
            spent += took
            if noticed is not None:
                return Outcome(mutant, CAUGHT, noticed, tier, spent)
        return Outcome(mutant, SURVIVED, seconds=spent)

    def _noticed(self, mutant: Mutant, tests: list[_Test]) -> tuple[str | None, float]:
        """The first of the tests that fails, if any does, and how long they took, s."""
        spent = 0.0
        with self._tree.mutated(mutant):
            self._build(mutant)
            for test in tests:
                limit_s = _LEAST_S + _TIMES * self._sound_s[test]
                done = self._tree.run(test.command(self._tree), limit_s)
                spent += done.seconds
                if (noticed := test.noticed(done)) is not None:
                    return noticed, spent
        return None, spent

    def _learn(self, mutant: Mutant, tests: list[_Test]) -> None:
        """Runs those of the tests once without a defect that have not been yet."""
        new = [test for test in tests if test not in self._sound_s]
        try:
            if new:
                self._build(mutant)
        except BrokenError as error:
            raise UnsoundError(f"the sound tree does not build: {error}") from error
        for test in new:
            done = self._tree.run(test.command(self._tree), limit_s=3600)
            if not test.passed(done):
                raise UnsoundError(f"{test.words} fails without a defect:\n{done.output[-3000:]}")
            self._sound_s[test] = done.seconds

    def _build(self, mutant: Mutant) -> None:
        """Builds the C++ that the tests need; they compile the runtime themselves."""
        if mutant.programs:
            self._tree.build_programs(mutant.programs)
        if mutant.pytest:
            self._tree.build_module()
