"""Wald's sequential probability ratio test of votes.

A vote says whether one block's number was beyond the limit of the claim. Nothing is assumed of how
the numbers are distributed, but that

- of a sound program at most a share `stray` of the undisturbed blocks is beyond, and
- of one with the defect that the test names at most the same share is within: limits are set so.

The likelihood ratio of defective to sound then gains or loses log((1 - stray) / stray) with each
vote. With thresholds of 1 / α and β the ratio's errors are at most α and β (Wald, Ann. Math. Stat.
16 (1945), eq. 3.12 to 3.14; by Ville's inequality also where the test is looked at after each
vote).
"""

from dataclasses import dataclass
from enum import Enum
from math import log

STRAY = 0.1
"""Probability of a stray vote in most tests, whose limits are near a machine's capability."""
SHARP = 0.009
"""Probability of a stray vote for limits far from sound values and from the defect.

One vote passes then, and three fail.
"""
FALSE_ALARMS = 1e-3
"""Probability for the whole suite."""
CLAIMS = 250
"""Most claims of a suite; each has an equal part of the suite's false alarms."""
MISSED = 0.01
"""Probability of missing a defect of the size that a test names."""

_FAILS, _PASSES = log(CLAIMS / FALSE_ALARMS), log(MISSED)


class Verdict(Enum):
    """The result of votes."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    OPEN = "open"


@dataclass
class Votes:
    """Votes on one claim."""

    stray: float = STRAY
    """Share of votes that are wrong, at most."""
    within: int = 0
    beyond: int = 0
    verdict: Verdict = Verdict.OPEN
    """Once it is not open it stays."""

    def add(self, *, beyond: bool) -> None:
        """Counts one more, unless it is decided."""
        if self.verdict is not Verdict.OPEN:
            return
        if beyond:
            self.beyond += 1
        else:
            self.within += 1
        ratio = (self.beyond - self.within) * log((1 - self.stray) / self.stray)
        if ratio >= _FAILS:
            self.verdict = Verdict.FAIL
        elif ratio <= _PASSES:
            self.verdict = Verdict.PASS
