"""A simulator of jobs, written apart from the engine: a heap of events, whole numbers of ns."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Collective:
    """One of a group's collectives; `parts` come to it."""

    parts: int
    ns: int
    """From the last arrival on, on the recorded network."""
    latencies: int
    """That one chunk pays on its way."""
    waiting: list[int] = field(default_factory=list)


@dataclass
class Operation:
    """What a resource runs; `on` None: at once."""

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
        joined.waiting.append(number)
        if len(joined.waiting) == joined.parts:
            end = now + max(0, joined.ns + joined.latencies * self.added_ns)
            for member in joined.waiting:
                heapq.heappush(self.events, (end, True, member))

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
    operations: Sequence[Operation], collectives: Sequence[Collective], added_ns: int
) -> list[int]:
    """When each operation ends if each latency is `added_ns` longer; −1: never."""
    fresh = [Collective(each.parts, each.ns, each.latencies) for each in collectives]
    simulation = _Simulation(operations, fresh, added_ns)
    simulation.link()
    return simulation.ends()
