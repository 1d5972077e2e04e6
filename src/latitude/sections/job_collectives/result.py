"""Waiting and transfer in a job's collectives, by group and by rank."""

from typing import Annotated

from latitude.results.declared import Amount, AmountColumn, Columns, Count, CountColumn, Part
from latitude.units.columns import AMOUNT, BAR, COUNT, SIZE, TIME, column


class GroupShare(Part, frozen=True, kw_only=True):
    """Collectives of one kind in one process group. Times are summed over collectives and ranks."""

    group: str
    """Role of the group, or else its name; empty if the input has neither."""
    groups: Count
    """Number of groups with this role."""
    ranks: Count
    """Number of ranks in the largest group."""
    kind: str
    collectives: Annotated[Count, column("calls", COUNT)]
    bytes: Annotated[Amount, column("sent", SIZE)]
    """Total size of the collectives' buffers."""
    waiting_ns: Annotated[Amount, column("waiting", TIME)]
    """Time until the last rank has arrived."""
    transfer_ns: Annotated[Amount, column("transfer", TIME)]
    """Time from the last arrival to the end."""
    exposed_ns: Amount
    """The part of waiting and transfer during which the rank's GPU (or else its CPU) is idle."""
    lambda_L: Annotated[Amount, column("λ", AMOUNT)]
    """Number of the collectives' latencies on the critical path: this row's part of λ_L."""
    path_ns: Amount
    """Time of the collectives' transfers on the critical path."""

    @property
    def waiting(self) -> Annotated[float, column("of its time", BAR)]:
        """Waiting as a share of waiting and transfer."""
        return self.waiting_ns / ((self.waiting_ns + self.transfer_ns) or 1.0)


class RankWaits(Columns, frozen=True, kw_only=True):
    """Waiting of each rank, and waiting of other ranks for this rank."""

    rank: CountColumn
    collectives: Annotated[CountColumn, column("collectives", COUNT)]
    last: Annotated[CountColumn, column("arrives last in", COUNT)]
    """Number of collectives in which the rank arrives last."""
    waiting_ns: Annotated[AmountColumn, column("waits", TIME)]
    """Time for which the rank waits."""
    delaying_ns: Annotated[AmountColumn, column("lets others wait", TIME)]
    """Time for which other ranks wait in collectives in which the rank arrives last."""


class Collectives(Part, frozen=True, kw_only=True):
    """Waiting and transfer in a job's collectives, at the baseline."""

    groups: list[GroupShare]
    """Groups, most time first."""
    ranks: RankWaits
    dependencies: dict[str, Count]
    """Number of dependencies that the reader restored, by kind."""
