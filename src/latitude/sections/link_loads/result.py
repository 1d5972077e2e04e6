"""Results about the cables of the network."""

from latitude.results.declared import AmountColumn, Columns


class LinkLoads(Columns, frozen=True, kw_only=True):
    """Load of each cable between nodes, both ways together.

    Routes are the shortest; where several are equally short each takes an equal part. Without a
    topology a link joins two nodes.
    """

    one_end: tuple[str, ...]
    """`node 3` or `switch 17`, as the topology counts them."""
    other_end: tuple[str, ...]
    messages: AmountColumn
    bytes: AmountColumn
    lambda_L: AmountColumn
    """Latencies of the critical path that cross it; a message's latency crosses all cables of its
    way."""
