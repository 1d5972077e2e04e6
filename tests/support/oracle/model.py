"""docs/explanation/model.md, sentence by sentence, over whatever an instant is.

Two kinds of instants: all paths to it, each with the latencies and bytes that every single message
has on it, and plain numbers, with one message late. All that the engine says of one network follows
from the former by enumeration: T, λ, slack, near paths, tolerances. The latter asks the definition
of slack itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf
from typing import Generic, Protocol, TypeVar

import numpy as np

from .arrays import (
    CALC,
    POSTED,
    RECV,
    RELEASED,
    REQUIRES_END,
    REQUIRES_START,
    SEND,
    SERVED,
    GraphArrays,
    Parameters,
)

Instant = TypeVar("Instant")

_MANY = 40
"""Paths to an instant from which on those that can never matter are left out."""


@dataclass(frozen=True)
class Cost:
    """The cost between two instants; all but `ns` is of the link of `message`."""

    ns: float = 0.0
    o: int = 0
    latencies: int = 0
    bodies: int = 0
    """Number of times that B is paid."""
    message: int = -1
    """The send of the message."""


class Algebra(Protocol[Instant]):
    """Operations on instants."""

    def zero(self) -> Instant: ...
    def plus(self, instant: Instant, cost: Cost) -> Instant: ...
    def latest(self, instants: Iterable[Instant]) -> Instant: ...


class Program:
    """The ranks and messages of a graph, and what its messages cost."""

    def __init__(self, graph: GraphArrays, costs: Parameters) -> None:
        self.costs = costs
        self.kind = [int(k) for k in graph.kind]
        self.value = [int(x) for x in graph.value]
        self.partner = [int(p) for p in graph.partner]
        begin = [int(b) for b in graph.rank_begin]
        self.rank = [r for r in range(len(begin) - 1) for _ in range(begin[r], begin[r + 1])]
        self.nic = [int(n) for n in graph.nic]
        self.blocking = [bool(b) for b in graph.blocking]
        self.recorded = [bool(r) for r in graph.recorded]
        self.eager = costs.eager(graph).tolist()
        self.needs: list[list[tuple[int, int]]] = []
        for v, chained in enumerate(graph.chained):
            span = range(int(graph.dep_begin[v]), int(graph.dep_begin[v + 1]))
            needs = [(int(graph.dep_vertex[i]), int(graph.dep_kind[i])) for i in span]
            self.needs.append(needs + ([(v - 1, RELEASED)] if chained else []))
        self.messages = [v for v in self.vertices(SEND) if not self.to_itself(v)]
        """Sends whose message crosses the network."""
        self.link = {v: int(link) for v, link in enumerate(costs.link_of(graph))}
        self.send_before = self._before(self.messages)
        self.recv_before = self._before(sorted(self.partner[v] for v in self.messages))

    def vertices(self, kind: int) -> list[int]:
        return [v for v, own in enumerate(self.kind) if own == kind]

    def to_itself(self, v: int) -> bool:
        return self.rank[v] == self.rank[self.partner[v]]

    def takes_turns(self, v: int) -> bool:
        """A receive that its CPU takes after other operations."""
        return self.kind[v] == RECV and any(how == SERVED for _, how in self.needs[v])

    def rest(self, v: int) -> int:
        """Bytes that G and O are paid for."""
        return max(0, self.value[v] - 1)

    def overhead(self, cost: Cost) -> float:
        """The cost of o, ns."""
        return cost.o * self.costs.overheads[self.link[cost.message]] if cost.o else 0.0

    def pair(self, send: int) -> tuple[int, int]:
        return self.rank[send], self.rank[self.partner[send]]

    def _before(self, vertices: list[int]) -> dict[int, int]:
        """The vertex before each vertex on its NIC of its rank."""
        last: dict[tuple[int, int], int] = {}
        found = {}
        for v in vertices:
            place = self.rank[v], self.nic[v]
            if place in last:
                found[v] = last[place]
            last[place] = v
        return found


class Model(Generic[Instant]):
    """Every instant of every vertex, found backwards from the one asked for."""

    def __init__(self, program: Program, algebra: Algebra[Instant]) -> None:
        self.program, self.costs, self.algebra = program, program.costs, algebra
        self.start, self.release, self.end = map(cache, (self._start, self._release, self._end))
        self.match, self.entry = cache(self._match), cache(self._entry)
        self.ready = cache(self._ready)

    def runtime(self) -> Instant:
        """T is the latest end of any vertex."""
        every = range(len(self.program.kind))
        return self.algebra.latest([self.algebra.zero(), *map(self.end, every)])

    def last(self) -> Instant:
        """Gives the latest of the ends for which no start waits."""
        program = self.program
        waited_for = {d for needs in program.needs for d, how in needs if how == REQUIRES_END}
        waited_for |= {
            d
            for needs in program.needs
            for d, how in needs
            if how in (RELEASED, SERVED)
            and (program.kind[d] != SEND or program.eager[d] or program.blocking[d])
        }
        ends = [self.end(v) for v in range(len(program.kind)) if v not in waited_for]
        return self.algebra.latest(ends or [self.algebra.zero()])

    def after(
        self, instant: Instant, send: int, o: int = 0, L: int = 0, B: int = 0, ns: float = 0
    ) -> Instant:
        """`instant`, later by overheads, latencies and bytes of the message of `send`."""
        return self.algebra.plus(instant, Cost(ns, o, L, B, send))

    def copying(self, v: int) -> float:
        if self.program.recorded[v]:
            return 0.0
        return self.costs.copying[self.program.link[v]] * self.program.rest(v)

    def own(self, v: int) -> int:
        """Number of o that a send or a receive costs its CPU; 0 if the trace has its time."""
        return 0 if self.program.recorded[v] else 1

    def reading(self, send: int) -> str:
        """A message to itself above S is as in sync with L = B = 0."""
        return "itself" if self.program.to_itself(send) else self.costs.rendezvous

    # Starts, and when the CPU is free again

    def _start(self, v: int) -> Instant:
        found = [self.needed(d, how) for d, how in self.program.needs[v] if how != POSTED]
        before = self.program.send_before.get(v)
        if before is not None and self.costs.gap != "none":
            found += self.held(self.start(before), before)
        return self.algebra.latest(found) if found else self.algebra.zero()

    def needed(self, d: int, how: int) -> Instant:
        """Gives the time at which a dependency on d is met."""
        if how == REQUIRES_START:
            return self.ready(d) if self.program.takes_turns(d) else self.start(d)
        return self.end(d) if how == REQUIRES_END else self.release(d)

    def _ready(self, recv: int) -> Instant:
        """All that a receive waits for but its CPU is done."""
        found = [
            self.needed(d, how)
            for d, how in self.program.needs[recv]
            if how not in (POSTED, SERVED)
        ]
        return self.algebra.latest(found) if found else self.algebra.zero()

    def held(self, taken: Instant, send: int) -> list[Instant]:
        """Instants from which a NIC is free, after max(g, B)."""
        g = self.costs.spacings[self.program.link[send]]
        return [self.after(taken, send, ns=g), self.after(taken, send, B=1)]

    def _release(self, v: int) -> Instant:
        program = self.program
        if program.kind[v] == SEND and not program.eager[v] and not program.blocking[v]:
            return self.after(self.start(v), v, o=self.own(v), ns=self.copying(v))
        return self.end(v)

    def posted(self, recv: int) -> Instant:
        found = [self.release(d) for d, how in self.program.needs[recv] if how == POSTED]
        if found:
            return self.algebra.latest(found)
        return self.ready(recv) if self.program.takes_turns(recv) else self.start(recv)

    # Ends

    def _end(self, v: int) -> Instant:
        program, latest = self.program, self.algebra.latest
        if program.kind[v] == CALC:
            scale = 1.0 if program.recorded[v] else self.costs.compute_scale
            ns = program.value[v] * scale
            return self.algebra.plus(self.start(v), Cost(ns=ns))
        if program.kind[v] == RECV:
            ready = latest([self.start(v), self.arrival(program.partner[v])])
            return self.after(ready, program.partner[v], o=self.own(v), ns=self.copying(v))
        alone = self.after(self.start(v), v, o=self.own(v), ns=self.copying(v))
        if program.eager[v]:
            return alone
        m, reading = self.match(v), self.reading(v)
        if reading in ("sync", "itself"):
            return latest([m, alone])
        L, o = {"handshake": (1, 2), "put": (3, 8), "get": (3, 4), "llamp": (3, 3)}[reading]
        at_end = self.copying(v) if program.blocking[v] else 0.0
        return self.after(m, v, L=L, o=o, B=1, ns=at_end)

    def _match(self, send: int) -> Instant:
        request = {"llamp": (0, 1, 0), "sync": (1, 1, 1), "itself": (1, 0, 0)}
        o, L, B = request.get(self.reading(send), (1, 1, 0))
        asked = self.after(self.start(send), send, o=min(o, self.own(send)), L=L, B=B)
        return self.algebra.latest([asked, self.posted(self.program.partner[send])])

    def first_byte(self, send: int) -> Instant:
        reading = "sync" if self.program.eager[send] else self.reading(send)
        match reading:
            case "handshake" | "get":
                return self.after(self.match(send), send, L=2, o=2)
            case "put":
                return self.after(self.match(send), send, L=2, o=4)
            case "llamp":
                return self.after(self.match(send), send, L=3, o=1)
        return self.after(self.start(send), send, L=1, o=self.own(send))

    def _entry(self, recv: int) -> Instant:
        found = [self.first_byte(self.program.partner[recv])]
        before = self.program.recv_before.get(recv)
        if before is not None:
            found += self.held(self.entry(before), self.program.partner[before])
        return self.algebra.latest(found)

    def arrival(self, send: int) -> Instant:
        """The instant for which the end of the receive waits, in addition to its start."""
        program = self.program
        if program.to_itself(send):
            return (
                self.after(self.start(send), send, o=self.own(send))
                if program.eager[send]
                else self.match(send)
            )
        queues = self.costs.gap == "both"
        first = self.entry(program.partner[send]) if queues else self.first_byte(send)
        there = self.after(first, send, B=1)
        if program.eager[send]:
            return there
        match self.reading(send):
            case "put":
                return self.after(there, send, L=2, o=4)
            case "sync":
                return self.algebra.latest([self.match(send), there])
        return there


Counts = tuple[int, ...]
"""Counts for each message on the wire."""

Paths = dict[tuple[Counts, Counts], float]
"""Latencies and bytes → length (ns) of the longest such path."""


class AllPaths:
    """Algebra: an instant is every path to it that can matter."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.number = {send: i for i, send in enumerate(program.messages)}
        self.none = (0,) * len(program.messages)

    def zero(self) -> Paths:
        return {(self.none, self.none): 0.0}

    def plus(self, instant: Paths, cost: Cost) -> Paths:
        ns = cost.ns + self.program.overhead(cost)
        if cost.message not in self.number or not (cost.latencies or cost.bodies):
            return {path: length + ns for path, length in instant.items()}
        i, rest = self.number[cost.message], self.program.rest(cost.message)
        L, G = self.program.costs.links[self.program.link[cost.message]]
        ns += cost.latencies * L + cost.bodies * rest * G
        return {
            (_more(latencies, i, cost.latencies), _more(sizes, i, cost.bodies * rest)): length + ns
            for (latencies, sizes), length in instant.items()
        }

    def latest(self, instants: Iterable[Paths]) -> Paths:
        all_paths: Paths = {}
        for paths in instants:
            for path, length in paths.items():
                all_paths[path] = max(length, all_paths.get(path, length))
        return all_paths if len(all_paths) <= _MANY else _without_shorter(all_paths)


def _more(counts: Counts, i: int, more: int) -> Counts:
    return (*counts[:i], counts[i] + more, *counts[i + 1 :]) if more else counts


def _without_shorter(paths: Paths) -> Paths:
    """Leaves out those that are shorter than one with the same messages and as many latencies of
    each."""
    groups: dict[Counts, list[tuple[Counts, float]]] = {}
    kept: Paths = {}
    for (latencies, sizes), length in sorted(paths.items(), key=lambda item: -item[1]):
        same = groups.setdefault(tuple(int(n > 0) for n in latencies), [])
        if any(
            longer > length and all(a >= b for a, b in zip(other, latencies, strict=True))
            for other, longer in same
        ):
            continue
        same.append((latencies, length))
        kept[latencies, sizes] = length
    return kept


class Late:
    """Algebra: an instant is a number and its derivative by the extra latency of one message."""

    def __init__(self, program: Program, message: int, extra: Fraction) -> None:
        self.program, self.message, self.extra = program, message, extra

    def zero(self) -> tuple[Fraction, int]:
        return Fraction(0), 0

    def plus(self, instant: tuple[Fraction, int], cost: Cost) -> tuple[Fraction, int]:
        costs, late = self.program.costs, cost.message == self.message
        ns = Fraction(cost.ns) + Fraction(self.program.overhead(cost))
        if cost.message >= 0 and not self.program.to_itself(cost.message):
            L, G = costs.links[self.program.link[cost.message]]
            ns += cost.latencies * (Fraction(L) + self.extra * late)
            ns += cost.bodies * self.program.rest(cost.message) * Fraction(G)
        return instant[0] + ns, instant[1] + cost.latencies * late

    def latest(self, instants: Iterable[tuple[Fraction, int]]) -> tuple[Fraction, int]:
        return max(instants)


def slack_by_delays(program: Program, message: int) -> Fraction:
    """The largest δ that can be added to each latency of `message` with the same T: from far to
    the right along tangents, for T is convex in δ."""

    def runtime(extra: Fraction) -> tuple[Fraction, int]:
        return Model(program, Late(program, message, extra)).runtime()

    on_time, _ = runtime(Fraction(0))
    extra = Fraction(10**6)
    while (late := runtime(extra))[0] > on_time:
        extra -= (late[0] - on_time) / late[1]
    return extra


class Answers:
    """Answers from all paths of a program on one network."""

    def __init__(self, program: Program) -> None:
        self.program = program
        model = Model(program, AllPaths(program))
        self.paths, self.last = model.runtime(), model.last()
        self.T = max(self.paths.values())
        self.critical = [path for path, length in self.paths.items() if length == self.T]
        self.longest: dict[int, float] = {}
        """Longest path of each existing number of latencies."""
        for (latencies, _), length in self.paths.items():
            if n := sum(latencies):
                self.longest[n] = max(length, self.longest.get(n, length))

    def slopes(self) -> tuple[int, int]:
        """λ_L to the left and to the right."""
        counts = [sum(latencies) for latencies, _ in self.critical]
        return min(counts), max(counts)

    def slack(self) -> dict[int, float]:
        """The least (T − length) / latencies of each message, with its receive as key."""
        return {
            self.program.partner[send]: min(
                (self.T - length) / latencies[i]
                for (latencies, _), length in self.paths.items()
                if latencies[i]
            )
            for i, send in enumerate(self.program.messages)
        }

    def near(self) -> dict[frozenset[int], float]:
        """The longest path with latencies of exactly these messages (by their receives), to an end
        that nothing waits for."""
        found: dict[frozenset[int], float] = {}
        receives = [self.program.partner[send] for send in self.program.messages]
        for (latencies, _), length in self.last.items():
            some = frozenset(r for r, n in zip(receives, latencies, strict=True) if n)
            found[some] = max(length, found.get(some, 0.0))
        return found

    def tolerance(self, limit: float) -> float:
        """The largest L of class 0 with T ≤ limit; the other classes keep their distance."""
        rises = [(Fraction(limit) - Fraction(length)) / n for n, length in self.longest.items()]
        return float(Fraction(self.program.costs.links[0][0]) + min(rises)) if rises else inf

    def shares(self) -> set[tuple[tuple[float, ...], tuple[float, ...]]]:
        """Latencies and bytes by pair of ranks, in order, of every critical path."""
        pairs = [self.program.pair(send) for send in self.program.messages]
        order = {pair: i for i, pair in enumerate(sorted(set(pairs)))}
        place = np.array([order[pair] for pair in pairs], np.int64)

        def by_pair(counts: Counts) -> tuple[float, ...]:
            return tuple(np.bincount(place, counts, minlength=len(order)).tolist())

        return {(by_pair(latencies), by_pair(sizes)) for latencies, sizes in self.critical}
