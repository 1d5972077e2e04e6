"""Claims about times, judged block by block until they are decided."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from support.timing.disturbance import Disturbance
from support.timing.sequential import CLAIMS, STRAY, Verdict, Votes

MOST_BLOCKS = 24
"""Undisturbed. A sound program is found so in 3 or 4, a defective one in 6 to 8."""
MOST_S = 90.0
PATIENCE_S = 240.0
"""Seconds of the whole suite for waiting for a quiet moment, and for disturbed blocks."""
MOST_PATIENCE_S = 20.0
"""Seconds of these for one test, so that a few restless tests do not use them all up."""
_PAUSE_S = 0.5

Block = Callable[[], Mapping[str, float]]
Limits = Mapping[str, tuple[float, float]]


class Watch(Protocol):
    """A measure of disturbance: `Probe`, or a test's own."""

    def look(self) -> Disturbance:
        """The disturbance now."""

    def beside(self, block: Callable[[], object]) -> Disturbance:
        """The disturbance during a block."""


class CannotTellError(Exception):
    """The machine was too busy, or too uneven, to tell; the message says why."""


@dataclass
class Judgement:
    """The outcome of all claims of one test."""

    limits: Limits
    votes: dict[str, Votes]
    values: dict[str, list[float]]
    """Values of undisturbed blocks."""
    disturbed: list[str] = field(default_factory=list)
    """Why each other block, or each look before one, was."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the worst claim."""
        found = [votes.verdict for votes in self.votes.values()]
        if Verdict.FAIL in found:
            return Verdict.FAIL
        return Verdict.OPEN if Verdict.OPEN in found else Verdict.PASS

    def told(self) -> str:
        """Each claim's numbers, and what disturbed."""
        lines = []
        for name, (low, high) in self.limits.items():
            votes, values = self.votes[name], self.values[name]
            seen = ", ".join(f"{value:.6g}" for value in values) or "nothing"
            lines.append(
                f"{name}: {votes.verdict.value}, {votes.beyond} of {votes.within + votes.beyond} "
                f"blocks beyond {low:g} to {high:g}: {seen}"
            )
        if self.disturbed:
            lines.append(f"{len(self.disturbed)} disturbed, the last: {self.disturbed[-1]}")
        return "\n".join(lines)

    def why_open(self) -> str:
        """Why nothing is known, in one line."""
        undisturbed = max(map(len, self.values.values()), default=0)
        if self.disturbed:
            return (
                f"{self.disturbed[-1]}; {len(self.disturbed)} times of "
                f"{undisturbed + len(self.disturbed)} the machine was disturbed"
            )
        return f"{undisturbed} undisturbed blocks disagree: {self.told()}".replace("\n", "; ")


@dataclass
class Machine:
    """The machine that times are measured on, for a whole suite."""

    watch: Watch
    patience_s: float = PATIENCE_S
    claims: int = 0
    """Judged so far."""
    judged: list[Judgement] = field(default_factory=list)
    """The outcomes until somebody takes them."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def judge(
        self,
        block: Block,
        limits: Limits,
        *,
        stray: float = STRAY,
        most_blocks: int = MOST_BLOCKS,
        most_s: float = MOST_S,
    ) -> Judgement:
        """Measures blocks until every claim has passed, or one has failed, or time is over.

        Args:
          block: Measures once, baseline and treatment in turn; claim → its number.
          limits: Claim → the least and the most that is within it. Of a sound program on a quiet
            machine at most one block in ten may be beyond, of one with the defect nine in ten.
          most_blocks: Blocks that are not disturbed.
          most_s: Seconds after which no further block begins.

        Raises:
          AssertionError: There are more claims than error probabilities are stated for.
        """
        self.claims += len(limits)
        assert self.claims <= CLAIMS, "more claims than the suite's error probabilities are for"
        found = Judgement(limits, {n: Votes(stray) for n in limits}, {n: [] for n in limits})
        self.judged.append(found)
        end = self.clock() + most_s
        until_s = max(0.0, self.patience_s - MOST_PATIENCE_S)
        blocks = 0
        while found.verdict is Verdict.OPEN and blocks < most_blocks and self.clock() < end:
            if not self._quiet(found, until_s):
                break
            values: dict[str, float] = {}
            begun = self.clock()
            why = self.watch.beside(lambda into=values: into.update(block())).why()  # type: ignore[misc]
            if why:
                found.disturbed.append(why)
                self.patience_s -= self.clock() - begun
                if self.patience_s <= until_s:
                    break
                continue
            blocks += 1
            for name, (low, high) in limits.items():
                found.values[name].append(values[name])
                found.votes[name].add(beyond=not low <= values[name] <= high)
        return found

    def holds(self, block: Block, limits: Limits, **more: float) -> None:
        """Every claim must pass.

        Raises:
          AssertionError: One failed.
          CannotTellError: The machine does not let one tell.
        """
        found = self.judge(block, limits, **more)  # type: ignore[arg-type]
        if found.verdict is Verdict.OPEN:
            raise CannotTellError(found.why_open())
        assert found.verdict is Verdict.PASS, found.told()

    def refutes(self, block: Block, limits: Limits, **more: float) -> None:
        """A counter-example, in which a claim must fail, because otherwise the test could not fail.

        Raises:
          AssertionError: All passed. CannotTellError: The machine does not let one tell.
        """
        found = self.judge(block, limits, **more)  # type: ignore[arg-type]
        if found.verdict is Verdict.OPEN:
            raise CannotTellError(found.why_open())
        assert found.verdict is Verdict.FAIL, found.told()

    def _quiet(self, found: Judgement, until_s: float) -> bool:
        """Waits for a quiet moment while there is more patience left than `until_s`."""
        while why := self.watch.look().why():
            if self.patience_s <= until_s:
                found.disturbed.append(why)
                return False
            self.patience_s -= _PAUSE_S
            self.sleep(_PAUSE_S)
        return True
