"""A job's collectives: waiting against transfer, by group and by rank."""

from latitude.results.declared import Amount, AmountColumn, Columns, Count, CountColumn, Part


class GroupShare(Part, frozen=True, kw_only=True):
    """Collectives of one kind in one process group. Times are summed over collectives and ranks."""

    group: str
    """Its name; empty where the input has none."""
    ranks: Count
    kind: str
    collectives: Count
    bytes: Amount
    """Of their whole buffers."""
    waiting_ns: Amount
    """Until the last rank had arrived."""
    transfer_ns: Amount
    """From then on."""
    lambda_L: Amount
    """Their latencies on the critical path: this row's part of λ_L."""
    path_ns: Amount
    """Their transfer on the critical path."""


class RankWaits(Columns, frozen=True, kw_only=True):
    """What each rank waits for others, and lets others wait."""

    rank: CountColumn
    collectives: CountColumn
    last: CountColumn
    """Those in which it arrives last."""
    waiting_ns: AmountColumn
    """What it waits."""
    delaying_ns: AmountColumn
    """What others wait where it arrives last."""


class Collectives(Part, frozen=True, kw_only=True):
    """Waiting and transfer in a job's collectives, at the baseline."""

    groups: list[GroupShare]
    """Most time first."""
    ranks: RankWaits
    dependencies: dict[str, Count]
    """How many dependencies the reader restored, by kind."""
