"""Sections of a complete analysis."""

from typing import TypeVar

from latitude import Analysis
from latitude.sections.pairs.result import Pairs
from latitude.sections.slack.result import Slack
from latitude.sections.waits.result import Waits

_Known = TypeVar("_Known")


def known(part: _Known | None) -> _Known:
    """A part that an analysis must have."""
    assert part is not None
    return part


def waits_in(found: Analysis) -> Waits:
    """The waits of an analysis."""
    return known(found.waits)


def slack_in(found: Analysis) -> Slack:
    """The slack of an analysis."""
    return known(found.slack)


def pairs_in(found: Analysis) -> Pairs:
    """All pairs of ranks of an analysis."""
    return known(found.pairs).all
