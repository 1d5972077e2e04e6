"""Sections of an analysis that was asked for all of them."""

from latitude import Analysis
from latitude.results.messages import Slack
from latitude.results.waits import Waits


def waits_in(found: Analysis) -> Waits:
    """The waits of an analysis."""
    assert found.waits is not None
    return found.waits


def slack_in(found: Analysis) -> Slack:
    """The slack of an analysis."""
    assert found.slack is not None
    return found.slack
