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
from typing import Literal

from .arrays import (
    CALC,
    POSTED,
    RECV,
    RELEASED,
    REQUIRES_END,
    REQUIRES_START,
    Costs,
    GraphArrays,
)

Path = tuple[int, int, int, int]
Paths = frozenset[Path]
Line = tuple[int, Fraction]
"""(slope, value at θ = 0)."""

_MANY = 50
_ORIGIN: Paths = frozenset([(0, 0, 0, 0)])


def _plus(paths: Paths, calc: int = 0, L: int = 0, B: int = 0, o: int = 0) -> Paths:  # noqa: N803
    return frozenset((c + calc, l + L, b + B, n + o) for c, l, b, n in paths)


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


def all_paths(graph: GraphArrays, costs: Costs) -> Paths:
    """Every path from the origin to the end of any vertex."""
    kind = [int(k) for k in graph.kind]
    value = [int(x) for x in graph.value]
    partner = [int(p) for p in graph.partner]
    deps: list[list[tuple[int, int]]] = []
    for v in range(len(kind)):
        span = range(int(graph.dep_begin[v]), int(graph.dep_begin[v + 1]))
        deps.append([(int(graph.dep_vertex[i]), int(graph.dep_kind[i])) for i in span])
        if graph.chained[v]:
            deps[v].append((v - 1, RELEASED))
    reading = costs.rendezvous

    def eager(send: int) -> bool:
        return value[send] <= costs.S and not graph.synchronous[send]

    @cache
    def start(v: int) -> Paths:
        instant = {REQUIRES_END: end, REQUIRES_START: start, RELEASED: release}
        found = [instant[how](d) for d, how in deps[v] if how != POSTED]
        return _latest(found) if found else _ORIGIN

    @cache
    def posted(v: int) -> Paths:
        found = [release(d) for d, how in deps[v] if how == POSTED]
        return _latest(found) if found else start(v)

    @cache
    def release(v: int) -> Paths:
        waits = kind[v] in (CALC, RECV) or (graph.blocking[v] and not eager(v))
        return end(v) if waits else _plus(start(v), o=1)

    @cache
    def meeting(send: int) -> Paths:
        body = max(0, value[send] - 1)
        request = {
            "handshake": _plus(start(send), o=1, L=1),
            "llamp": _plus(start(send), L=1),
            "sync": _plus(start(send), o=1, L=1, B=body),
        }
        return _latest([request[reading], posted(partner[send])])

    @cache
    def end(v: int) -> Paths:
        if kind[v] == CALC:
            return _plus(start(v), calc=value[v])
        send = partner[v] if kind[v] == RECV else v
        body = max(0, value[send] - 1)
        if v == send:
            if eager(v):
                return _plus(start(v), o=1)
            return {
                "handshake": lambda m: _plus(m, L=1, o=2, B=body),
                "llamp": lambda m: _plus(m, L=3, o=3, B=body),
                "sync": lambda m: m,
            }[reading](meeting(v))
        if eager(send):
            arrival = _plus(start(send), o=1, L=1, B=body)
        else:
            arrival = {
                "handshake": lambda m: _plus(m, L=2, B=body, o=2),
                "llamp": lambda m: _plus(m, L=3, B=body, o=1),
                "sync": lambda m: m,
            }[reading](meeting(send))
        return _plus(_latest([start(v), arrival]), o=1)

    return _latest(end(v) for v in range(len(kind)))


def lines(paths: Paths, costs: Costs, theta: Literal["L", "G", "o"]) -> list[Line]:
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
