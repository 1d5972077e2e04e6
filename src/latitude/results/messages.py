"""What a result says of messages: by pair of ranks, by call and by communicator."""

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from latitude._types import Booleans, Floats, Integers
from latitude.files.text import csv_text
from latitude.results.declared import (
    AmountColumn,
    Columns,
    Count,
    CountColumn,
    Hidden,
    Part,
    Unbounded,
    UnboundedColumn,
)

LISTED = 10_000
"""Pairs of ranks that results list; where there are more, those that matter most."""
_SIDE = 64
"""Blocks of ranks along a side of what sums up all pairs."""


class PairBlocks(Columns, frozen=True, kw_only=True):
    """Messages between blocks of neighbouring ranks; rows for blocks that exchange some."""

    source_first: CountColumn
    source_last: CountColumn
    destination_first: CountColumn
    destination_last: CountColumn
    messages: CountColumn
    bytes: CountColumn
    lambda_L: AmountColumn
    lambda_G: AmountColumn
    least_slack_ns: UnboundedColumn


class PairsOnPath(Columns, frozen=True, kw_only=True):
    """Messages by source and destination: ranks, or the nodes they run on.

    A rank's messages to itself, which never cross the network, are not among them.
    """

    source: CountColumn
    destination: CountColumn
    messages: CountColumn
    bytes: CountColumn
    lambda_L: AmountColumn
    """Latencies of the pair on the critical path (λ_ij of [S] §VI)."""
    lambda_G: AmountColumn
    """Bytes of the pair on the critical path (λ_G,ij)."""


class Pairs(PairsOnPath, frozen=True, kw_only=True):
    """The same, and what their messages can take."""

    least_slack_ns: UnboundedColumn
    """What the pair's tightest message can take on each of its latencies, alone, before T grows."""
    mean_slack_ns: UnboundedColumn

    def listed_rows(self) -> Integers:
        """Which are listed, up to LISTED.

        Those with most latencies on the critical path, then with least slack, then with most bytes.
        """
        order = np.lexsort((-self.bytes, self.least_slack_ns, -self.lambda_L))
        rows: Integers = np.sort(order[:LISTED])
        return rows

    def listed(self) -> "Pairs":
        """The pairs that results list."""
        return self.at(self.listed_rows())

    def blocks(self, ranks: int) -> PairBlocks | None:
        """All of them by blocks of ranks; None where all are listed."""
        if len(self) <= LISTED:
            return None
        size = -(-ranks // _SIDE)
        rows = -(-ranks // size)
        block = (self.source // size) * rows + self.destination // size
        key = np.flatnonzero(np.bincount(block, minlength=rows * rows))
        least = np.full(rows * rows, np.inf)
        np.minimum.at(least, block, self.least_slack_ns)

        def total(values: NDArray[np.generic]) -> Floats:
            sums = np.bincount(block, weights=values, minlength=rows * rows)
            return sums[key].astype(np.float64)

        first = key // rows * size, key % rows * size
        return PairBlocks(
            source_first=first[0],
            source_last=np.minimum(first[0] + size, ranks) - 1,
            destination_first=first[1],
            destination_last=np.minimum(first[1] + size, ranks) - 1,
            messages=total(self.messages).astype(np.int64),
            bytes=total(self.bytes).astype(np.int64),
            lambda_L=total(self.lambda_L),
            lambda_G=total(self.lambda_G),
            least_slack_ns=least[key],
        )


class SlackGroup(Part, frozen=True, kw_only=True):
    """Messages that have something in common."""

    name: str
    messages: Annotated[int, Meta(ge=1)]
    critical: Count
    """Messages without slack: any delay of one delays the program."""
    tight: Count
    """Messages with less slack than one more latency L: critical ones too."""
    least_ns: Unbounded
    mean_ns: Unbounded


class PairSlack(Columns, frozen=True, kw_only=True):
    """Pairs of ranks, and what their messages can take."""

    source: CountColumn
    destination: CountColumn
    messages: CountColumn
    critical: CountColumn
    """Messages without slack."""
    tight: CountColumn
    """Messages with less slack than one more latency L."""
    least_slack_ns: UnboundedColumn
    mean_slack_ns: UnboundedColumn


class MessageSlack(Part, frozen=True, kw_only=True):
    """What single messages can take, alone, on each of their latencies before T grows."""

    pairs: Count
    """Pairs of ranks that exchange messages."""
    critical_pairs: Count
    """Those of which a message has no slack."""
    least_ns: Unbounded
    mean_ns: Unbounded
    """Of all messages; null where there are none."""
    by_call: list[SlackGroup]
    """By the MPI call that posted the receive, the least mean slack first."""
    by_comm: list[SlackGroup]
    """By communicator."""
    by_size: list[SlackGroup]
    """By size, the smallest first; `name` is the most bytes, a power of 2, over half of it the
    least."""


class SiteSlack(Part, frozen=True, kw_only=True):
    """The tightest of the messages that are sent or received at a place in the source."""

    call_site: str
    least_ns: Unbounded


class StreamedSlack(MessageSlack, frozen=True, kw_only=True):
    """The same of a trace that was evaluated while it was read."""

    by_call_site: list[SiteSlack]
    """The least slack first. Empty when the trace records no call sites."""
    listed_pairs: PairSlack = msgspec.field(name="by_pair")
    """Up to 10,000: those with least slack, then with most messages."""
    written_bytes: Count
    """What was on disk meanwhile."""


class Slack(MessageSlack, frozen=True, kw_only=True):
    """The same of a graph in memory: of each message."""

    receive: Annotated[NDArray[np.uint32], Hidden]
    """(messages,) the receive vertex of each message in the graph."""
    source: Annotated[NDArray[np.uint32], Hidden]
    """(messages,) rank."""
    destination: Annotated[NDArray[np.uint32], Hidden]
    """(messages,) rank."""
    slack_ns: Annotated[Floats, Hidden]
    """(messages,)"""

    def of_pairs(self, pairs: Pairs, latency: float) -> PairSlack:
        """The pairs that are listed; `latency` is L in ns."""
        ranks = int(max(pairs.source.max(initial=0), pairs.destination.max(initial=0))) + 1
        key = pairs.source * ranks + pairs.destination
        own = self.source.astype(np.int64) * ranks + self.destination
        place = np.searchsorted(key, own)
        listed = pairs.listed_rows()

        def count(chosen: Booleans) -> Integers:
            counts: Integers = np.bincount(place[chosen], minlength=key.size)[listed]
            return counts

        return PairSlack(
            source=pairs.source[listed],
            destination=pairs.destination[listed],
            messages=pairs.messages[listed],
            critical=count(self.slack_ns == 0),
            tight=count(self.slack_ns < latency),
            least_slack_ns=pairs.least_slack_ns[listed],
            mean_slack_ns=pairs.mean_slack_ns[listed],
        )


def slack_csv(slack: MessageSlack, pairs: PairSlack) -> str:
    """Slack by rank pair, MPI call, communicator and size as CSV."""
    rows = [
        ("pair", f"{source}->{destination}", *row) for source, destination, *row in pairs.rows()
    ]
    by_what = {"call": slack.by_call, "communicator": slack.by_comm, "bytes": slack.by_size}
    for by, groups in by_what.items():
        rows += [(by, *group.plain().values()) for group in groups]
    header = ("by", "name", "messages", "critical", "tight", "least_slack_ns", "mean_slack_ns")
    return csv_text(header, rows)
