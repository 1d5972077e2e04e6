"""Slack of single messages."""

from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from latitude._types import Floats
from latitude.files.text import csv_text
from latitude.results.declared import (
    Columns,
    Count,
    CountColumn,
    Hidden,
    Part,
    Unbounded,
    UnboundedColumn,
)
from latitude.units.columns import COUNT, TIME, column


class SlackGroup(Part, frozen=True, kw_only=True):
    """Slack of a group of messages."""

    name: str
    messages: Annotated[int, Meta(ge=1), column("messages", COUNT)]
    critical: Annotated[Count, column("critical", COUNT)]
    """Number of messages without slack; a delay of any of them delays the program."""
    tight: Annotated[Count, column("less than L", COUNT)]
    """Number of messages with less slack than one more latency L, including critical ones."""
    least_ns: Annotated[Unbounded, column("least slack", TIME)]
    mean_ns: Annotated[Unbounded, column("mean slack", TIME)]


class PairSlack(Columns, frozen=True, kw_only=True):
    """Slack of messages by pair of ranks."""

    source: CountColumn
    destination: CountColumn
    messages: CountColumn
    critical: CountColumn
    """Number of messages without slack."""
    tight: CountColumn
    """Number of messages with less slack than one more latency L."""
    least_slack_ns: UnboundedColumn
    mean_slack_ns: UnboundedColumn


class SiteSlack(Part, frozen=True, kw_only=True):
    """Least slack of the messages that are sent or received at a place in the source."""

    call_site: str
    least_ns: Unbounded


class Slack(Part, frozen=True, kw_only=True):
    """Extra latency that single messages can take alone before T grows."""

    pairs: Count
    """Number of pairs of ranks that exchange messages."""
    critical_pairs: Count
    """Number of these pairs with a message without slack."""
    least_ns: Unbounded
    mean_ns: Unbounded
    """Mean slack of all messages; null without messages."""
    by_call: list[SlackGroup]
    """Slack by the MPI call that posted the receive, the least mean slack first."""
    by_comm: list[SlackGroup]
    """Slack by communicator."""
    by_size: list[SlackGroup]
    """Slack by message size, the smallest first; `name` is the largest size of the group, a power
    of 2. The smallest size is above half the largest.
    """
    by_call_site: list[SiteSlack]
    """Least slack by call site, the least first. Empty if the trace records no call sites."""
    by_pair: PairSlack
    """Slack of at most 10,000 pairs: those with least slack, then with most messages."""

    receive: Annotated[NDArray[np.uint32] | None, Hidden] = None
    """(messages,) the receive vertex of each message in a graph in memory."""
    source: Annotated[NDArray[np.uint32] | None, Hidden] = None
    """(messages,) rank that sends."""
    destination: Annotated[NDArray[np.uint32] | None, Hidden] = None
    """(messages,) rank that receives."""
    slack_ns: Annotated[Floats | None, Hidden] = None
    """(messages,) slack, ns."""


def slack_csv(slack: Slack) -> str:
    """Slack by rank pair, MPI call, communicator and size as CSV."""
    rows = [
        ("pair", f"{source}->{destination}", *row)
        for source, destination, *row in slack.by_pair.rows()
    ]
    by_what = {"call": slack.by_call, "communicator": slack.by_comm, "bytes": slack.by_size}
    for by, groups in by_what.items():
        rows += [(by, *group.plain().values()) for group in groups]
    header = ("by", "name", "messages", "critical", "tight", "least_slack_ns", "mean_slack_ns")
    return csv_text(header, rows)
