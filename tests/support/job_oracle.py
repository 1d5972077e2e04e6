"""A simulator of jobs, written apart from the engine: a heap of events, whole numbers of ns."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace


@dataclass
class Collective:
    """One of a group's collectives; `parts` come to it."""

    parts: int
    ns: int
    """From the last arrival on, on the recorded network; 0: not recorded."""
    latencies: int
    """Number of latencies that one chunk pays on its way."""
    sender: int | None = None
    """The rank that alone is waited for, and that does not wait; None: all wait for all."""
    waiting: list[int] = field(default_factory=list)
    end: int | None = None


@dataclass
class Operation:
    """An operation of a resource; if `on` is None, it starts at once."""

    rank: int
    on: str | None
    ns: int
    after: Sequence[int]
    collective: int | None = None


@dataclass
class _Simulation:
    operations: Sequence[Operation]
    collectives: list[Collective]
    added_ns: int
    base_ns: int
    blocks: dict[int, list[int]] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)
    events: list[tuple[int, bool, int]] = field(default_factory=list)
    """When an operation may begin (False) or ends (True)."""

    def block(self, number: int, before: int) -> None:
        self.blocks.setdefault(before, []).append(number)
        self.missing[number] += 1

    def link(self) -> None:
        self.missing = [0] * len(self.operations)
        last: dict[tuple[int, str], int] = {}
        for number, each in enumerate(self.operations):
            for before in each.after:
                self.block(number, before)
            if each.on is not None:
                line = (each.rank, each.on)
                if line in last:
                    self.block(number, last[line])
                last[line] = number

    def begin(self, number: int, now: int) -> None:
        each = self.operations[number]
        if each.collective is None:
            heapq.heappush(self.events, (now + each.ns, True, number))
            return
        joined = self.collectives[each.collective]
        if each.rank == joined.sender:
            heapq.heappush(self.events, (now, True, number))
        else:
            joined.waiting.append(number)
        if (
            (len(joined.waiting) == joined.parts)
            if joined.sender is None
            else (each.rank == joined.sender)
        ):
            each_ns = self.added_ns if joined.ns else self.base_ns + self.added_ns
            joined.end = now + max(0, joined.ns + joined.latencies * each_ns)
        if joined.end is not None:
            for member in joined.waiting:
                heapq.heappush(self.events, (max(now, joined.end), True, member))
            joined.waiting = []

    def ends(self) -> list[int]:
        found = [-1] * len(self.operations)
        self.events = [(0, False, n) for n, count in enumerate(self.missing) if count == 0]
        while self.events:
            now, ends, number = heapq.heappop(self.events)
            if not ends:
                self.begin(number, now)
                continue
            found[number] = now
            for after in self.blocks.get(number, ()):
                self.missing[after] -= 1
                if self.missing[after] == 0:
                    heapq.heappush(self.events, (now, False, after))
        return found


def finished_at(
    operations: Sequence[Operation],
    collectives: Sequence[Collective],
    added_ns: int,
    base_ns: int = 0,
) -> list[int]:
    """Gives the end of each operation if each latency is `added_ns` above `base_ns`; −1: never."""
    fresh = [replace(each, waiting=[], end=None) for each in collectives]
    simulation = _Simulation(operations, fresh, added_ns, base_ns)
    simulation.link()
    return simulation.ends()
