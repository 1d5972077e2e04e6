"""Messages by pair of ranks."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from latitude._types import Floats, Integers
from latitude.model.links import Links
from latitude.results.declared import (
    AmountColumn,
    Columns,
    CountColumn,
    Hidden,
    Part,
    UnboundedColumn,
)
from latitude.units.columns import AMOUNT, COUNT, SIZE, column

LISTED = 10_000
"""Largest number of pairs of ranks in results, which list the most important pairs."""


_SIDE = 64
"""Largest number of blocks of ranks along a side of the summary of all pairs."""


class PairBlocks(Columns, frozen=True, kw_only=True):
    """Messages between blocks of neighbouring ranks; one row per pair of blocks with messages."""

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

    Messages of a rank to itself are not included, because they never cross the network.
    """

    source: CountColumn
    destination: CountColumn
    messages: Annotated[CountColumn, column("messages", COUNT)]
    bytes: Annotated[CountColumn, column("sent", SIZE)]
    lambda_L: Annotated[AmountColumn, column("latencies λ", AMOUNT)]
    """Number of latencies of the pair on the critical path (λ_ij of Shen et al. 2024, §VI)."""
    lambda_G: Annotated[AmountColumn, column("bytes λ_G", AMOUNT)]
    """Number of bytes of the pair on the critical path (λ_G,ij)."""

    def by_node(self, node_of_rank: NDArray[np.uint32]) -> "PairsOnPath":
        """The messages by pairs of nodes; `node_of_rank` has the node of each rank."""
        nodes = int(node_of_rank.max()) + 1
        node = node_of_rank.astype(np.int64)
        key, each = np.unique(
            node[self.source] * nodes + node[self.destination], return_inverse=True
        )

        def total(values: NDArray[np.generic]) -> Floats:
            return np.bincount(each, weights=values, minlength=key.size).astype(np.float64)

        return PairsOnPath(
            source=key // nodes,
            destination=key % nodes,
            messages=total(self.messages).astype(np.int64),
            bytes=total(self.bytes).astype(np.int64),
            lambda_L=total(self.lambda_L),
            lambda_G=total(self.lambda_G),
        )


class Pairs(PairsOnPath, frozen=True, kw_only=True):
    """Messages by pair of ranks, with the slack of the messages."""

    least_slack_ns: UnboundedColumn
    """Extra latency that the pair's tightest message can take alone, for each of its latencies,
    before T grows. This and the mean are null if slack is not known, as for a streamed trace.
    """
    mean_slack_ns: UnboundedColumn

    def listed_rows(self) -> Integers:
        """Indices of the listed rows, at most LISTED.

        These are the pairs with most latencies on the critical path, then least slack, then most
        bytes.
        """
        order = np.lexsort((-self.bytes, self.least_slack_ns, -self.lambda_L))
        rows: Integers = np.sort(order[:LISTED])
        return rows

    def listed(self, links: Links) -> "ListedPairs":
        """The pairs that results list."""
        rows = self.at(self.listed_rows())
        columns = {name: getattr(rows, name) for name in rows.__struct_fields__}
        return ListedPairs(**columns, rule=links.rules_of(rows.source, rows.destination))

    def blocks(self, ranks: int) -> PairBlocks | None:
        """All pairs by blocks of ranks; None if all are listed."""
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


class ListedPairs(Pairs, frozen=True, kw_only=True):
    """Listed pairs, with the link rule for the pair's messages."""

    rule: tuple[str, ...]


class MessagePairs(Part, frozen=True, kw_only=True):
    """Messages by pair of ranks."""

    listed: ListedPairs
    """The pairs; if there are more than 10,000, those with most latencies on the critical path,
    then with least slack."""
    blocks: PairBlocks | None
    """All pairs by blocks of neighbouring ranks; null if `listed` has all."""
    every: Annotated[Pairs | None, Hidden] = None

    @classmethod
    def of(cls, every: Pairs, ranks: int, links: Links) -> "MessagePairs":
        """Listed pairs and blocks, from all pairs of this number of ranks."""
        return cls(listed=every.listed(links), blocks=every.blocks(ranks), every=every)

    @property
    def all(self) -> Pairs:
        """Every pair; for a result read from a file, the listed pairs."""
        return self.listed if self.every is None else self.every
