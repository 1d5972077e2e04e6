"""Results on the cables of the network."""

from latitude.results.declared import AmountColumn, Columns


class LinkLoads(Columns, frozen=True, kw_only=True):
    """Load of each cable between nodes, both directions together.

    Routes are the shortest; if several are equally short, each takes an equal part. Without a
    topology each link joins two nodes.
    """

    one_end: tuple[str, ...]
    """One end: `node 3` or `switch 17`, as the topology counts them."""
    other_end: tuple[str, ...]
    messages: AmountColumn
    bytes: AmountColumn
    lambda_L: AmountColumn
    """Number of the critical path's latencies that cross the cable; a message's latency crosses all
    cables on its route."""
