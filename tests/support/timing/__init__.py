"""Tests of times on a machine that does other things, too: pass, fail, or cannot tell.

A test measures in *blocks*. A block is short, holds the baseline and the treatment in turn, and
ends in one number for each claim, of low quantiles or medians (`judging`). Beside each block the
machine's disturbance is measured (`disturbance`); a block that was disturbed says nothing. Each
other one votes on each claim, and a sequential test of the votes with stated error probabilities
decides (`sequential`).
"""

from support.timing.disturbance import Disturbance, Probe
from support.timing.judging import CannotTellError, Judgement, Machine
from support.timing.sequential import SHARP, Verdict, Votes

__all__ = [
    "SHARP",
    "CannotTellError",
    "Disturbance",
    "Judgement",
    "Machine",
    "Probe",
    "Verdict",
    "Votes",
]
