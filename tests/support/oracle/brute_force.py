"""Every path of a small graph, kept as what it is made of, and T(θ) as their upper envelope.

A path is counted, never summed: (calc ns, then of each class overheads, latencies, bytes and gaps).
One enumeration serves every θ, and Fractions make the envelope exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf
from operator import add

import numpy as np

from .arrays import (
    CALC,
    POSTED,
    RECV,
    RELEASED,
    REQUIRES_END,
    REQUIRES_START,
    SEND,
    GraphArrays,
    Parameters,
    Prices,
    flies,
)

Path = tuple[float, ...]
Paths = frozenset[Path]
Line = tuple[Fraction, Fraction]
"""(slope, value at θ = 0)."""

_MANY = 50
_OF_CLASS = 4
"""Counts of each link class in a path."""
_DYADIC = 2.0**16
"""Prices that are whole multiples of its inverse have few enough bits for sums to be exact."""

_Way = tuple[int, int, int]
"""Latencies, whole messages and overheads between two instants."""

_NOTHING: _Way = (0, 0, 0)

_READINGS: dict[str, tuple[_Way, _Way, _Way, _Way]] = {
    # a rendezvous: send's start → meeting, meeting → send's end, meeting → data at the receiver,
    # data at the receiver → it knows
    "handshake": ((1, 0, 1), (1, 1, 2), (2, 1, 2), _NOTHING),
    "put": ((1, 0, 1), (3, 1, 8), (2, 1, 4), (2, 0, 4)),
    "get": ((1, 0, 1), (3, 1, 4), (2, 1, 2), _NOTHING),
    "llamp": ((1, 0, 0), (3, 1, 3), (3, 1, 1), _NOTHING),
    "sync": ((1, 1, 1), _NOTHING, _NOTHING, _NOTHING),
}
_EAGER: _Way = (1, 1, 1)


def _plus(paths: Paths, step: Path) -> Paths:
    return frozenset(tuple(map(add, path, step)) for path in paths)


def _latest(choices: Iterable[Paths]) -> Paths:
    """All paths; where they are many, without those another one exceeds in every count."""
    paths: Paths = frozenset().union(*choices)
    if len(paths) <= _MANY:
        return paths
    ordered = sorted(paths, reverse=True)  # a path exceeds none before it
    counts, left = np.array(ordered, float), np.arange(len(ordered))
    kept: list[Path] = []
    while left.size:
        kept.append(ordered[left[0]])
        left = left[(counts[left] > counts[left[0]]).any(axis=1)]
    return frozenset(kept)


def _dependencies(graph: GraphArrays) -> list[list[tuple[int, int]]]:
    """(vertex, kind) of everything each vertex depends on."""
    deps: list[list[tuple[int, int]]] = []
    for v, chained in enumerate(graph.chained):
        span = range(int(graph.dep_begin[v]), int(graph.dep_begin[v + 1]))
        deps.append([(int(graph.dep_vertex[i]), int(graph.dep_kind[i])) for i in span])
        if chained:
            deps[v].append((v - 1, RELEASED))
    return deps


def _before(graph: GraphArrays, kind: int) -> dict[int, int]:
    """The vertex of the same kind and rank before each one on the wire, in program order."""
    before: dict[int, int] = {}
    flying = flies(graph)
    for begin, end in zip(graph.rank_begin, graph.rank_begin[1:], strict=False):
        own = [v for v in range(int(begin), int(end)) if graph.kind[v] == kind and flying[v]]
        before |= dict(zip(own[1:], own, strict=False))
    return before


class _Instants:
    """All paths to every instant of every vertex, found backwards from the instant asked for."""

    def __init__(self, graph: GraphArrays, costs: Parameters) -> None:
        self.kind = [int(k) for k in graph.kind]
        self.value = [int(x) for x in graph.value]
        self.partner = [int(p) for p in graph.partner]
        self.link = costs.link_of(graph).tolist()
        self.costs = costs
        self.none: Path = (0,) * (1 + _OF_CLASS * len(costs.links))
        self.eager = costs.eager(graph).tolist()
        self.blocking = [bool(b) for b in graph.blocking]
        self.deps = _dependencies(graph)
        self.send_before = _before(graph, SEND) if costs.gap != "none" else {}
        self.recv_before = _before(graph, RECV)
        self.flies = flies(graph).tolist()
        self.start, self.release, self.end = map(cache, (self._start, self._release, self._end))
        self.meeting, self.entry = cache(self._meeting), cache(self._entry)

    def later(self, paths: Paths, way: _Way, v: int, calc: float = 0, gaps: int = 0) -> Paths:
        """`paths`, a `way` of the message of `v` longer."""
        latencies, bodies, overheads = way
        if not self.flies[v]:
            latencies = bodies = 0
        step = list(self.none)
        step[0] = calc
        link = 1 + _OF_CLASS * self.link[v]
        size = bodies * max(0, self.value[v] - 1)
        step[link : link + _OF_CLASS] = overheads, latencies, size, gaps
        return _plus(paths, tuple(step))

    def sync(self, v: int) -> bool:
        """Whether the rendezvous of `v` is nothing but both ends waiting for each other."""
        return not self.flies[v] or self.costs.rendezvous == "sync"

    def reading(self, v: int) -> tuple[_Way, _Way, _Way, _Way]:
        return _READINGS["sync" if self.sync(v) else self.costs.rendezvous]

    def queues(self, v: int) -> bool:
        """Whether the message of `v` enters its receiver in turn."""
        return self.flies[v] and self.costs.gap == "both"

    def copying(self, v: int) -> float:
        return self.costs.copying[self.link[v]] * max(0, self.value[v] - 1)

    def apart(self, paths: Paths, v: int) -> list[Paths]:
        """Gives the time at which a NIC that message `v` took is free for the next one."""
        return [self.later(paths, (0, 0, 0), v, gaps=1), self.later(paths, (0, 1, 0), v)]

    def _start(self, v: int) -> Paths:
        instant = {REQUIRES_END: self.end, REQUIRES_START: self.start, RELEASED: self.release}
        found = [instant[how](d) for d, how in self.deps[v] if how != POSTED]
        if v in self.send_before:
            found += self.apart(self.start(self.send_before[v]), self.send_before[v])
        return _latest(found) if found else frozenset([self.none])

    def posted(self, v: int) -> Paths:
        found = [self.release(d) for d, how in self.deps[v] if how == POSTED]
        return _latest(found) if found else self.start(v)

    def _release(self, v: int) -> Paths:
        if self.kind[v] != SEND or (self.blocking[v] and not self.eager[v]):
            return self.end(v)
        return self.later(self.start(v), (0, 0, 1), v, self.copying(v))

    def _entry(self, recv: int) -> Paths:
        """The first byte of the message is at the receiver, and so is its turn."""
        send = self.partner[recv]
        if self.eager[send]:
            since, (latencies, _, overheads) = self.start(send), _EAGER
        elif self.sync(send):
            since, (latencies, _, overheads) = self.start(send), self.reading(send)[0]
        else:
            since, (latencies, _, overheads) = self.meeting(send), self.reading(send)[2]
        found = [self.later(since, (latencies, 0, overheads), send)]
        if recv in self.recv_before:
            before = self.recv_before[recv]
            found += self.apart(self.entry(before), before)
        return _latest(found)

    def travelled(self, paths: Paths, way: _Way, send: int, notice: _Way = _NOTHING) -> Paths:
        if way[1] and self.queues(send):
            there = self.later(self.entry(self.partner[send]), (0, 1, 0), send)
        else:
            there = self.later(paths, way, send)
        return self.later(there, notice, send)

    def _meeting(self, send: int) -> Paths:
        request = self.later(self.start(send), self.reading(send)[0], send)
        return _latest([request, self.posted(self.partner[send])])

    def arrival(self, send: int) -> Paths:
        if self.eager[send]:
            return self.travelled(self.start(send), _EAGER, send)
        _, _, data, notice = self.reading(send)
        there = self.travelled(self.meeting(send), data, send, notice)
        if self.sync(send):
            return _latest([there, self.travelled(self.start(send), _EAGER, send)])
        return there

    def _end(self, v: int) -> Paths:
        if self.kind[v] == CALC:
            return _plus(self.start(v), (self.value[v], *self.none[1:]))
        own = (0, 0, 1), v, self.copying(v)
        if self.kind[v] == RECV:
            return self.later(_latest([self.start(v), self.arrival(self.partner[v])]), *own)
        if self.eager[v]:
            return self.later(self.start(v), *own)
        end = self.later(self.meeting(v), self.reading(v)[1], v)
        if self.sync(v):
            return _latest([end, self.later(self.start(v), *own)])
        return self.later(end, (0, 0, 0), v, self.copying(v)) if self.blocking[v] else end


def all_paths(graph: GraphArrays, costs: Parameters) -> Paths:
    """Every path from the origin to the end of any vertex."""
    instants = _Instants(graph, costs)
    return _latest(instants.end(v) for v in range(len(instants.kind)))


def lines(paths: Paths, prices: Prices) -> list[Line]:
    """The paths as functions of θ, one a slope.

    Of whole and dyadic prices, whose sums of doubles are exact, all paths at once; of others one by
    one in fractions.
    """
    of_classes = prices.overhead, prices.latency, prices.gap, prices.spacing
    priced = [each for of_class in zip(*of_classes, strict=True) for each in of_class]
    if all((number * _DYADIC).is_integer() for pair in priced for number in pair):
        counts, price = np.array(list(paths), float), np.array(priced)
        rest = counts[:, 0] + counts[:, 1:] @ price[:, 0]
        return _highest((counts[:, 1:] @ price[:, 1]).tolist(), rest.tolist())
    each = [(Fraction(constant), Fraction(slope)) for constant, slope in priced]
    slopes, rests = [], []
    for calc, *numbers in paths:
        slopes.append(sum(int(n) * moving for n, (_, moving) in zip(numbers, each, strict=True)))
        constants = (int(n) * constant for n, (constant, _) in zip(numbers, each, strict=True))
        rests.append(Fraction(calc) + sum(constants))
    return _highest(slopes, rests)


def _highest(slopes: Sequence[Fraction | float], rests: Sequence[Fraction | float]) -> list[Line]:
    """The highest line of each slope, by rising slopes."""
    found: dict[Fraction | float, Fraction | float] = {}
    for slope, rest in zip(slopes, rests, strict=True):
        found[slope] = max(found.get(slope, rest), rest)
    return [(Fraction(slope), Fraction(rest)) for slope, rest in sorted(found.items())]


@dataclass(frozen=True)
class Envelope:
    """max over lines of slope·θ + constant on θ ≥ 0: its pieces from left to right, exactly."""

    pieces: tuple[Line, ...]

    @classmethod
    def of(cls, candidates: list[Line]) -> "Envelope":
        """`candidates`: one line a slope, slopes ascending."""
        hull: list[Line] = []
        for line in candidates:
            while hull and _crossing(hull[-1], line) <= (
                _crossing(hull[-2], hull[-1]) if len(hull) > 1 else 0
            ):
                hull.pop()
            hull.append(line)
        return cls(tuple(hull))

    def value(self, theta: Fraction) -> Fraction:
        return max(a * theta + c for a, c in self.pieces)

    def slopes(self, theta: Fraction) -> tuple[Fraction, Fraction]:
        """Left and right derivative."""
        top = self.value(theta)
        active = [a for a, c in self.pieces if a * theta + c == top]
        return min(active), max(active)

    def breakpoints(
        self, low: Fraction, high: Fraction
    ) -> list[tuple[Fraction, Fraction, Fraction]]:
        """(θ, slope to the left, slope to the right) for every change inside (low, high)."""
        pairs = zip(self.pieces, self.pieces[1:], strict=False)
        found = [(_crossing(p, q), p[0], q[0]) for p, q in pairs]
        return [change for change in found if low < change[0] < high]

    def tolerance(self, limit: Fraction) -> Fraction | float:
        """Largest θ with value(θ) ≤ limit."""
        bounds = [(limit - c) / a for a, c in self.pieces if a > 0]
        return min(bounds) if bounds else inf


def _crossing(lower: Line, steeper: Line) -> Fraction:
    """The θ at which `steeper` overtakes `lower`."""
    return (lower[1] - steeper[1]) / (steeper[0] - lower[0])
