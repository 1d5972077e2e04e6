"""A job's collectives: waiting against transfer, by group and by rank."""

from typing import Annotated

from latitude.results.declared import Amount, AmountColumn, Columns, Count, CountColumn, Part
from latitude.units.columns import AMOUNT, BAR, COUNT, SIZE, TIME, column


class GroupShare(Part, frozen=True, kw_only=True):
    """Collectives of one kind in one process group. Times are summed over collectives and ranks."""

    group: str
    """Its purpose, or else its name; empty where the input has neither."""
    groups: Count
    """So many groups are for the same."""
    ranks: Count
    """Ranks in the largest group."""
    kind: str
    collectives: Annotated[Count, column("calls", COUNT)]
    bytes: Annotated[Amount, column("sent", SIZE)]
    """Bytes of their whole buffers."""
    waiting_ns: Annotated[Amount, column("waiting", TIME)]
    """Until the last rank had arrived."""
    transfer_ns: Annotated[Amount, column("transfer", TIME)]
    """From then on."""
    exposed_ns: Amount
    """The part of waiting and transfer during which the rank's GPU (or else its CPU) is idle."""
    lambda_L: Annotated[Amount, column("λ", AMOUNT)]
    """Their latencies on the critical path: this row's part of λ_L."""
    path_ns: Amount
    """Their transfer on the critical path."""

    @property
    def waiting(self) -> Annotated[float, column("of its time", BAR)]:
        """Waiting as a share of waiting and transfer."""
        return self.waiting_ns / ((self.waiting_ns + self.transfer_ns) or 1.0)


class RankWaits(Columns, frozen=True, kw_only=True):
    """Waiting of each rank, and of others for that rank."""

    rank: CountColumn
    collectives: Annotated[CountColumn, column("collectives", COUNT)]
    last: Annotated[CountColumn, column("arrives last in", COUNT)]
    """Those in which it arrives last."""
    waiting_ns: Annotated[AmountColumn, column("waits", TIME)]
    """Time that it waits."""
    delaying_ns: Annotated[AmountColumn, column("lets others wait", TIME)]
    """Time that others wait if it arrives last."""


class Collectives(Part, frozen=True, kw_only=True):
    """Waiting and transfer in a job's collectives, at the baseline."""

    groups: list[GroupShare]
    """Most time first."""
    ranks: RankWaits
    dependencies: dict[str, Count]
    """How many dependencies the reader restored, by kind."""
