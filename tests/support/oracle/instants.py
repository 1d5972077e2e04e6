"""The cost model (docs/explanation/model.md) as a list of inequalities between instants.

Every vertex has a start, a release, an end and two more instants. A receive has the moments at
which it is posted and at which its message enters the rank. A rendezvous send has the moment at
which the two sides meet. One inequality reads

    instant[target] ≥ instant[source] + calc
                      + latencies·L[link] + bytes·G[link] + overheads·o[link] + gaps·g[link]

and the least solution of all of them is the program's schedule.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    flies,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

INSTANTS = START, RELEASE, END, MEET, ENTRY = 0, 1, 2, 3, 4
"""Instant k of vertex v is number 5v + k; the time origin is number 5·vertices."""


def at(v: Any, instant: int) -> Any:
    """The number of an instant of a vertex, or of every vertex in an array."""
    return len(INSTANTS) * v + instant


_Way = tuple[int, int, int]
"""Latencies, whole messages and overheads between two instants."""

_NOTHING: _Way = (0, 0, 0)

_RENDEZVOUS: dict[str, tuple[_Way, _Way, _Way, _Way]] = {
    # reading: latencies, whole messages and o from the send's start to the meeting,
    #          the same from there to the send's end,
    #          from the meeting until the data are there,
    #          and from then to the moment the receive's own o begins
    "handshake": ((1, 0, 1), (1, 1, 2), (2, 1, 2), _NOTHING),
    "put": ((1, 0, 1), (3, 1, 8), (2, 1, 4), (2, 0, 4)),
    "get": ((1, 0, 1), (3, 1, 4), (2, 1, 2), _NOTHING),
    "llamp": ((1, 0, 0), (3, 1, 3), (3, 1, 1), _NOTHING),
    "sync": ((1, 1, 1), _NOTHING, _NOTHING, _NOTHING),
}


@dataclass(frozen=True)
class Inequalities:
    """Columns of the list; row i bounds `target[i]` from below."""

    instants: int
    source: Ints
    target: Ints
    calc: Floats
    latencies: Ints
    bytes: Ints
    overheads: Ints
    gaps: Ints
    link: Ints

    @property
    def origin(self) -> int:
        return self.instants - 1


class _Rows:
    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.generic], ...]] = []

    def add(
        self,
        target: Ints,
        source: Ints | int,
        *,
        calc: Ints | Floats | float = 0,
        latencies: int = 0,
        size: Ints | int = 0,
        overheads: int = 0,
        gaps: int = 0,
        link: Ints | int = 0,
    ) -> None:
        columns = (source, target, np.asarray(calc, float), latencies, size, overheads, gaps, link)
        self._parts.append(tuple(np.broadcast_to(c, np.shape(target)) for c in columns))

    def columns(self) -> list[NDArray[Any]]:
        return [np.concatenate(column) for column in zip(*self._parts, strict=True)]


class _Messages:
    """The rows of sends and receives; `wire` is 0 for messages without latencies and bytes."""

    def __init__(
        self, rows: _Rows, graph: GraphArrays, costs: Parameters, *, wire: int = 1
    ) -> None:
        self.rows, self.graph, self.costs, self.wire = rows, graph, costs, wire
        self.partner = np.asarray(graph.partner, np.int64)
        self.link = costs.link_of(graph)
        self.rest = np.maximum(np.asarray(graph.value, np.int64) - 1, 0)  # B = max(0, s − 1)·G
        self.copied = np.array(costs.copying)[self.link] * self.rest

    def eager(self, send: Ints) -> None:
        rows, recv = self.rows, self.partner[send]
        self.own(at(send, RELEASE), at(send, START), send)
        rows.add(at(send, END), at(send, RELEASE))
        self.travel(at(recv, END), at(send, START), (1, 1, 1), recv)

    def rendezvous(self, send: Ints) -> None:
        rows, recv = self.rows, self.partner[send]
        sync = self.costs.rendezvous == "sync"
        waits = np.asarray(self.graph.blocking)[send] != 0
        held, free = send[waits], send[~waits]
        rows.add(at(held, RELEASE), at(held, END))
        self.own(at(free, RELEASE), at(free, START), free)
        request, to_send_end, to_recv, notice = _RENDEZVOUS[self.costs.rendezvous]
        self.way(at(send, MEET), at(send, START), request, recv)
        rows.add(at(send, MEET), at(recv, MEET))
        copied = np.where(waits & (not sync), self.copied[send], 0.0)
        self.way(at(send, END), at(send, MEET), to_send_end, recv, copied)
        self.travel(at(recv, END), at(send, MEET), to_recv, recv, notice)
        if sync:
            self.own(at(send, END), at(send, START), send)
            self.travel(at(recv, END), at(send, START), (1, 1, 1), recv)

    def own(self, target: Ints, source: Ints, v: Ints) -> None:
        """The costs of `v` to their CPUs."""
        self.rows.add(target, source, calc=self.copied[v], overheads=1, link=self.link[v])

    def way(
        self, target: Ints, source: Ints, way: _Way, recv: Ints, calc: Floats | float = 0.0
    ) -> None:
        """`way` of the messages of `recv` between two instants, and `calc`."""
        latencies, bodies, overheads = way
        size, link = self.wire * bodies * self.rest[recv], self.link[recv]
        self.rows.add(
            target,
            source,
            calc=calc,
            latencies=self.wire * latencies,
            size=size,
            overheads=overheads,
            link=link,
        )

    def travel(
        self, target: Ints, source: Ints, way: _Way, recv: Ints, notice: _Way = _NOTHING
    ) -> None:
        """Adds `notice` and the receive's own overhead after it, and the receiver's NIC if messages
        enter one by one.
        """
        latencies, bodies, overheads = way
        more, _, work = notice
        if bodies and self.costs.gap == "both":
            entry = at(recv, ENTRY)
            self.way(entry, source, (latencies, 0, overheads), recv)
            self.way(target, entry, (more, 1, work + 1), recv, self.copied[recv])
        else:
            whole = (latencies + more, bodies, overheads + work + 1)
            self.way(target, source, whole, recv, self.copied[recv])

    def keep_apart(self, own: Ints, instant: int) -> None:
        """max(g, B) between this instant of each two of `own` that follow each other in a rank."""
        begin = np.asarray(self.graph.rank_begin, np.int64)
        rank = np.repeat(np.arange(len(begin) - 1), begin[1:] - begin[:-1])
        before, after = own[:-1], own[1:]
        same = rank[before] == rank[after]
        before, after = before[same], after[same]
        earlier, later = at(before, instant), at(after, instant)
        self.rows.add(later, earlier, gaps=1, link=self.link[before])
        self.rows.add(later, earlier, size=self.rest[before], link=self.link[before])


def inequalities(graph: GraphArrays, costs: Parameters) -> Inequalities:
    """All inequalities of `graph`; of `costs` all but L, G, o and g, which are priced later."""
    kind = np.asarray(graph.kind)
    value = np.asarray(graph.value, np.int64)
    rows = _Rows()
    messages = _Messages(rows, graph, costs)
    calc = np.flatnonzero(kind == CALC)
    send = np.flatnonzero(kind == SEND)
    recv = np.flatnonzero(kind == RECV)
    meets = ~costs.eager(graph)[send]

    rows.add(at(calc, END), at(calc, START), calc=value[calc])
    messages.own(at(recv, END), at(recv, START), recv)
    for v in (calc, recv):
        rows.add(at(v, RELEASE), at(v, END))
    flying = flies(graph)
    alone = replace(costs, rendezvous="sync", gap="none")  # to itself
    for some, on in (
        (messages, flying[send]),
        (_Messages(rows, graph, alone, wire=0), ~flying[send]),
    ):
        some.eager(send[on & ~meets])
        some.rendezvous(send[on & meets])
    if costs.gap != "none":
        messages.keep_apart(send[flying[send]], START)
    if costs.gap == "both":
        messages.keep_apart(recv[flying[recv]], ENTRY)
    _local(rows, graph)
    return Inequalities(len(INSTANTS) * len(kind) + 1, *rows.columns())


def _local(rows: _Rows, graph: GraphArrays) -> None:
    """Dependencies within a rank, and the origin before whatever has none."""
    vertices = len(graph.kind)
    recv = np.flatnonzero(np.asarray(graph.kind) == RECV)
    begin = np.asarray(graph.dep_begin, np.int64)
    chained = np.flatnonzero(np.asarray(graph.chained))
    rows.add(at(chained, START), at(chained - 1, RELEASE))
    owner = np.repeat(np.arange(vertices), begin[1:] - begin[:-1])
    dep = np.asarray(graph.dep_vertex, np.int64)
    dep_kind = np.asarray(graph.dep_kind)
    for code, target_instant, source_instant in (
        (REQUIRES_END, START, END),
        (REQUIRES_START, START, START),
        (RELEASED, START, RELEASE),
        (POSTED, MEET, RELEASE),
    ):
        chosen = dep_kind == code
        rows.add(at(owner[chosen], target_instant), at(dep[chosen], source_instant))

    started = np.zeros(vertices, bool)
    started[chained] = True
    started[owner[dep_kind != POSTED]] = True
    rows.add(at(np.flatnonzero(~started), START), len(INSTANTS) * vertices)
    posted = np.zeros(vertices, bool)
    posted[owner[dep_kind == POSTED]] = True
    unposted = recv[~posted[recv]]
    rows.add(at(unposted, MEET), at(unposted, START))
