"""Costs of a recorded run's calls to its CPUs, in place of o and O."""

from dataclasses import dataclass

from latitude import _core
from latitude._types import Count, Nanoseconds


@dataclass(frozen=True, slots=True)
class EndCost:
    """Calls of one kind that may wait, for messages of similar size."""

    call: str
    """MPI_Wait, for example."""
    service: str
    """Its service for a message: exchange (sends and receives), receive, complete (receives),
    complete-send."""
    to_bytes: Count
    """Messages have up to so many bytes, and more than half of that; of 1: none or one."""
    calls: Count
    """That had nothing to wait for."""
    ns: Nanoseconds
    """Median duration of such a call per message end that it served."""


@dataclass(frozen=True, slots=True)
class CollectiveCost:
    """Calls of one collective, of as many members and similar size."""

    call: str
    members: Count
    to_bytes: Count
    """As of an EndCost."""
    calls: Count
    took_ns: Nanoseconds
    """From when the last member came until the last one left, median."""
    ns: Nanoseconds
    """The same without the latencies and bytes of its messages."""


@dataclass(frozen=True, slots=True)
class RecordedCosts:
    """Costs that the graph of a trace has as constants, where it is built with them.

    Calls that cannot wait keep the time that they took; others take what such calls took that had
    nothing to wait for, and where there are none what the network says.
    """

    ends: list[EndCost]
    collectives: list[CollectiveCost]
    eager_bytes: Count
    """A blocking send of up to so many bytes cannot wait."""
    starts_ns: list[int]
    """(ranks,) when each returned from MPI_Init, after the first one; empty where ranks have no
    common clock."""

    def core(self) -> _core.CallTimes:
        """The core's form."""
        return _core.CallTimes(
            [(each.service, each.call, _log2(each.to_bytes), each.ns) for each in self.ends],
            [(each.call, each.members, _log2(each.to_bytes), each.ns) for each in self.collectives],
            self.eager_bytes,
            self.starts_ns,
        )


def _log2(power: int) -> int:
    return power.bit_length() - 1
