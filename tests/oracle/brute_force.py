"""Every path of a small graph, kept as what it is made of, and T(θ) as their upper envelope.

A path is counted, never summed: (calc ns, latencies, bytes, overheads). One enumeration serves
θ = L, G and o, and Fractions make the envelope exact.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf
from operator import le

from .arrays import (
    CALC,
    POSTED,
    RECV,
    RELEASED,
    REQUIRES_END,
    REQUIRES_START,
    SEND,
    Costs,
    GraphArrays,
    Theta,
)

Path = tuple[int, int, int, int]
Paths = frozenset[Path]
Line = tuple[int, Fraction]
"""(slope, value at θ = 0)."""

_MANY = 50
_ORIGIN: Paths = frozenset([(0, 0, 0, 0)])

_Way = tuple[int, int, int]
"""Latencies, whole messages and overheads between two instants."""

_READINGS: dict[str, tuple[_Way, _Way, _Way]] = {
    # a rendezvous: send's start → meeting, meeting → send's end, meeting → data at the receiver
    "handshake": ((1, 0, 1), (1, 1, 2), (2, 1, 2)),
    "llamp": ((1, 0, 0), (3, 1, 3), (3, 1, 1)),
    "sync": ((1, 1, 1), (0, 0, 0), (0, 0, 0)),
}
_EAGER: _Way = (1, 1, 1)


def _plus(paths: Paths, calc: int = 0, L: int = 0, B: int = 0, o: int = 0) -> Paths:
    return frozenset((c + calc, l + L, b + B, n + o) for c, l, b, n in paths)


def _later(paths: Paths, way: _Way, size: int) -> Paths:
    latencies, bodies, overheads = way
    return _plus(paths, L=latencies, B=bodies * max(0, size - 1), o=overheads)


def _latest(choices: Iterable[Paths]) -> Paths:
    """All paths; where they are many, without those another one exceeds in every count."""
    paths: Paths = frozenset().union(*choices)
    if len(paths) <= _MANY:
        return paths
    kept: list[Path] = []
    for path in sorted(paths, reverse=True):
        if not any(all(map(le, path, other)) for other in kept):
            kept.append(path)
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


class _Instants:
    """All paths to every instant of every vertex, found backwards from the instant asked for."""

    def __init__(self, graph: GraphArrays, costs: Costs) -> None:
        self.kind = [int(k) for k in graph.kind]
        self.value = [int(x) for x in graph.value]
        self.partner = [int(p) for p in graph.partner]
        self.eager = [
            size <= costs.S and not synchronous
            for size, synchronous in zip(self.value, graph.synchronous, strict=True)
        ]
        self.blocking = [bool(b) for b in graph.blocking]
        self.deps = _dependencies(graph)
        self.reading = _READINGS[costs.rendezvous]
        self.start, self.release, self.end = map(cache, (self._start, self._release, self._end))
        self.meeting = cache(self._meeting)

    def _start(self, v: int) -> Paths:
        instant = {REQUIRES_END: self.end, REQUIRES_START: self.start, RELEASED: self.release}
        found = [instant[how](d) for d, how in self.deps[v] if how != POSTED]
        return _latest(found) if found else _ORIGIN

    def posted(self, v: int) -> Paths:
        found = [self.release(d) for d, how in self.deps[v] if how == POSTED]
        return _latest(found) if found else self.start(v)

    def _release(self, v: int) -> Paths:
        if self.kind[v] != SEND or (self.blocking[v] and not self.eager[v]):
            return self.end(v)
        return _plus(self.start(v), o=1)

    def _meeting(self, send: int) -> Paths:
        request = _later(self.start(send), self.reading[0], self.value[send])
        return _latest([request, self.posted(self.partner[send])])

    def arrival(self, send: int) -> Paths:
        if self.eager[send]:
            return _later(self.start(send), _EAGER, self.value[send])
        return _later(self.meeting(send), self.reading[2], self.value[send])

    def _end(self, v: int) -> Paths:
        if self.kind[v] == CALC:
            return _plus(self.start(v), calc=self.value[v])
        if self.kind[v] == RECV:
            return _plus(_latest([self.start(v), self.arrival(self.partner[v])]), o=1)
        if self.eager[v]:
            return _plus(self.start(v), o=1)
        return _later(self.meeting(v), self.reading[1], self.value[v])


def all_paths(graph: GraphArrays, costs: Costs) -> Paths:
    """Every path from the origin to the end of any vertex."""
    instants = _Instants(graph, costs)
    return _latest(instants.end(v) for v in range(len(instants.kind)))


def lines(paths: Paths, costs: Costs, theta: Theta) -> list[Line]:
    """The paths as functions of θ, the others priced by `costs` (whole or dyadic numbers)."""
    L, G, o = Fraction(costs.L), Fraction(costs.G), Fraction(costs.o)
    found: dict[int, Fraction] = {}
    for c, l, b, n in paths:
        slope, rest = {
            "L": (l, b * G + n * o),
            "G": (b, l * L + n * o),
            "o": (n, l * L + b * G),
        }[theta]
        found[slope] = max(found.get(slope, Fraction(-1)), c + rest)
    return sorted(found.items())


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

    def slopes(self, theta: Fraction) -> tuple[int, int]:
        """Left and right derivative."""
        top = self.value(theta)
        active = [a for a, c in self.pieces if a * theta + c == top]
        return min(active), max(active)

    def breakpoints(self, low: Fraction, high: Fraction) -> list[tuple[Fraction, int, int]]:
        """(θ, slope to the left, slope to the right) for every change inside (low, high)."""
        pairs = zip(self.pieces, self.pieces[1:], strict=False)
        found = [(_crossing(p, q), p[0], q[0]) for p, q in pairs]
        return [change for change in found if low < change[0] < high]

    def tolerance(self, limit: Fraction) -> Fraction | float:
        """Largest θ with value(θ) ≤ limit."""
        bounds = [(limit - c) / a for a, c in self.pieces if a > 0]
        return min(bounds) if bounds else inf


def _crossing(lower: Line, steeper: Line) -> Fraction:
    """Where `steeper` overtakes `lower`."""
    return (lower[1] - steeper[1]) / (steeper[0] - lower[0])
