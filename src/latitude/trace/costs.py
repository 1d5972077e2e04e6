"""CPU costs of a recorded run's calls, which replace o and O."""

from dataclasses import dataclass

from latitude import _core
from latitude._types import Count, Nanoseconds


@dataclass(frozen=True, slots=True)
class EndCost:
    """Cost of calls of one kind that may wait, for messages of similar size."""

    call: str
    """MPI_Wait, for example."""
    service: str
    """The call's service for a message: exchange (sends and receives), receive, complete
    (receives), complete-send."""
    to_bytes: Count
    """Largest message of the group, bytes; the smallest has more than half of this. 1 means 0 or 1
    bytes."""
    calls: Count
    """Number of calls that had nothing to wait for."""
    ns: Nanoseconds
    """Median duration of such a call per message end that it served."""


@dataclass(frozen=True, slots=True)
class CollectiveCost:
    """Cost of calls of one collective with equally many members and similar size."""

    call: str
    members: Count
    to_bytes: Count
    """Largest message of the group, as in an EndCost."""
    calls: Count
    took_ns: Nanoseconds
    """Median time from the last member's arrival to the last member's return."""
    ns: Nanoseconds
    """`took_ns` without the latencies and bytes of the messages."""


@dataclass(frozen=True, slots=True)
class RecordedCosts:
    """Costs that a graph can have as constants, in place of the network's.

    Calls that cannot wait keep their recorded time. Other calls get the time of similar calls that
    had nothing to wait for, or the network's cost if there are none.
    """

    ends: list[EndCost]
    collectives: list[CollectiveCost]
    eager_bytes: Count
    """Largest message with which a blocking send cannot wait, bytes."""
    starts_ns: list[int]
    """(ranks,) time at which each rank returned from MPI_Init, after the first; empty if ranks have
    no common clock."""

    def core(self) -> _core.CallTimes:
        """The costs in the core's form."""
        return _core.CallTimes(
            [(each.service, each.call, _log2(each.to_bytes), each.ns) for each in self.ends],
            [(each.call, each.members, _log2(each.to_bytes), each.ns) for each in self.collectives],
            self.eager_bytes,
            self.starts_ns,
        )


def _log2(power: int) -> int:
    return power.bit_length() - 1
