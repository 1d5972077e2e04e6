"""Finds members of a group that are significantly higher than their neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.statistics.conventions import LEAST
from latitude.statistics.corrections import holm
from latitude.statistics.rank_test import rank_test

ALPHA = 0.05
"""Level of the test, from Underwood et al. 2018, §4.1.1: "to the level of α = 0.05"."""
EFFECT = 0.05
"""Least relative excess of a node that matters, because with enough passes any difference is
significant."""
LEAST_MEMBERS = 3

Pairs = Mapping[tuple[int, int], Floats]
"""Two members → their latency in each pass."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member compared with its neighbours."""

    number: int
    own: float
    """Median over the passes of the member's typical latency with the other members."""
    others: float
    """Median over the passes of the typical latency of pairs without the member."""
    p: float
    """One-sided p-value of Mann and Whitney's test, corrected by Holm over the members of its
    round."""
    higher: bool

    @property
    def excess(self) -> float:
        """Share by which the member is higher."""
        return self.own / self.others - 1


def higher_members(
    pairs: Pairs, *, alpha: float = ALPHA, effect: float = EFFECT
) -> tuple[Member, ...]:
    """All members; higher members come first, in the order in which they were found.

    In each pass a member's value is the median over its pairs, and its neighbours' value is the
    median over the other pairs. The test compares both over all passes. The search takes the
    highest significant member, leaves this member out, and tests the rest again. So a slow member
    neither makes its partners look slow, nor hides another slow member.

    Args:
        pairs: every pair of members, with equally many passes.
        alpha: level of the corrected test.
        effect: least share by which a named member must be higher.
    """
    left = sorted({member for pair in pairs for member in pair})
    if len(left) < LEAST_MEMBERS:
        raise InputError(f"{len(left)} to compare; at least {LEAST_MEMBERS} are needed")
    passes = min(len(values) for values in pairs.values())
    if passes < LEAST:
        raise InputError(f"only {passes} passes; at least {LEAST} are needed")
    named: list[Member] = []
    while True:
        tested = _tested(pairs, left, alpha, effect)
        worst = max(tested, key=lambda member: (member.higher, member.excess))
        if not worst.higher:
            return (*named, *tested)
        named.append(worst)
        left.remove(worst.number)
        if len(left) < LEAST_MEMBERS:
            return (*named, *(member for member in tested if member is not worst))


def _tested(pairs: Pairs, left: Sequence[int], alpha: float, effect: float) -> tuple[Member, ...]:
    kept = {pair: v for pair, v in pairs.items() if pair[0] in left and pair[1] in left}
    sides = [_sides(kept, member) for member in left]
    tests = [rank_test(own, others) for own, others in sides]
    one_sided = [t.p.p / 2 if t.larger > 0.5 else 1 - t.p.p / 2 for t in tests]  # noqa: PLR2004
    found = []
    for number, (own, others), p in zip(left, sides, holm(one_sided), strict=True):
        middle, around = float(np.median(own)), float(np.median(others))
        higher = p < alpha and middle > around * (1 + effect)
        found.append(Member(number, middle, around, p, higher))
    return tuple(found)


def _sides(pairs: Pairs, member: int) -> tuple[Floats, Floats]:
    own = [values for pair, values in pairs.items() if member in pair]
    others = [values for pair, values in pairs.items() if member not in pair]
    return np.median(own, axis=0), np.median(others, axis=0)
