"""The cost model (DESIGN §3) as a list of inequalities between instants.

Every vertex has a start, a release, an end and two more instants: for a receive the moment it is
posted and the moment its message enters the rank, for a rendezvous send the moment the two sides
meet. One inequality reads

    instant[target] ≥ instant[source] + calc + latencies·L[link] + bytes·G[link] + overheads·o

and the least solution of all of them is the program's schedule.
"""

from dataclasses import dataclass

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
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

INSTANTS = START, RELEASE, END, MEET, ENTRY = 0, 1, 2, 3, 4
"""Instant k of vertex v is number 5v + k; the time origin is number 5·vertices."""


def number(v: Ints, instant: int) -> Ints:
    """The number of an instant of every vertex in `v`."""
    return len(INSTANTS) * v + instant


_RENDEZVOUS = {
    # reading: latencies, whole messages and o from the send's start to the meeting,
    #          the same from there to the send's end,
    #          and to the moment the receive's own o begins
    "handshake": ((1, 0, 1), (1, 1, 2), (2, 1, 2)),
    "llamp": ((1, 0, 0), (3, 1, 3), (3, 1, 1)),
    "sync": ((1, 1, 1), (0, 0, 0), (0, 0, 0)),
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
        link: Ints | int = 0,
    ) -> None:
        columns = (source, target, np.asarray(calc, float), latencies, size, overheads, link)
        self._parts.append(tuple(np.broadcast_to(c, np.shape(target)) for c in columns))

    def columns(self) -> list[NDArray[Any]]:
        return [np.concatenate(column) for column in zip(*self._parts, strict=True)]


def inequalities(graph: GraphArrays, costs: Parameters) -> Inequalities:
    """All inequalities of `graph`; of `costs` all but L, G and o, which are priced later."""
    kind = np.asarray(graph.kind)
    value = np.asarray(graph.value, np.int64)
    partner = np.asarray(graph.partner, np.int64)
    link = costs.link_of(graph)
    vertices = len(kind)
    origin = len(INSTANTS) * vertices
    rows = _Rows()
    at = number

    calc = np.flatnonzero(kind == CALC)
    send = np.flatnonzero(kind == SEND)
    recv = np.flatnonzero(kind == RECV)
    meets = (value > costs.S) | (np.asarray(graph.synchronous) != 0)
    meets[recv] = meets[partner[recv]]
    eager, meeting = send[~meets[send]], send[meets[send]]
    waits = np.asarray(graph.blocking)[meeting] != 0
    rest = np.maximum(value - 1, 0)  # B = max(0, s − 1)·G
    copied = costs.O * rest

    rows.add(at(calc, END), at(calc, START), calc=value[calc])
    for v in (eager, meeting[~waits]):
        rows.add(at(v, RELEASE), at(v, START), calc=copied[v], overheads=1)
    rows.add(at(eager, END), at(eager, RELEASE))
    for v in (calc, recv, meeting[waits]):
        rows.add(at(v, RELEASE), at(v, END))
    rows.add(at(recv, END), at(recv, START), calc=copied[recv], overheads=1)

    in_turn = costs.gap == "both"

    def travel(target: Ints, source: Ints, way: tuple[int, int, int], of: Ints) -> None:
        """`way` from source to target for the messages of the receives `of`, through the NIC if
        it takes turns, and the receive's own overhead behind it."""
        latencies, bodies, overheads = way
        priced = {"link": link[of], "calc": copied[of]}
        if bodies and in_turn:
            entry = at(of, ENTRY)
            rows.add(entry, source, latencies=latencies, overheads=overheads, link=link[of])
            rows.add(target, entry, size=rest[of], overheads=1, **priced)
        else:
            overheads += 1
            size = bodies * rest[of]
            rows.add(target, source, latencies=latencies, size=size, overheads=overheads, **priced)

    of = partner[eager]
    travel(at(of, END), at(eager, START), (1, 1, 1), of)
    request, to_send_end, to_recv = _RENDEZVOUS[costs.rendezvous]
    of = partner[meeting]
    latencies, bodies, overheads = request
    rows.add(
        at(meeting, MEET),
        at(meeting, START),
        latencies=latencies,
        size=bodies * rest[of],
        overheads=overheads,
        link=link[of],
    )
    rows.add(at(meeting, MEET), at(of, MEET))
    latencies, bodies, overheads = to_send_end
    sync = costs.rendezvous == "sync"
    rows.add(
        at(meeting, END),
        at(meeting, MEET),
        calc=np.where(waits & (not sync), copied[meeting], 0.0),
        latencies=latencies,
        size=bodies * rest[meeting],
        overheads=overheads,
        link=link[meeting],
    )
    if sync:
        rows.add(at(meeting, END), at(meeting, START), calc=copied[meeting], overheads=1)
    travel(at(of, END), at(meeting, MEET), to_recv, of)
    if sync:
        travel(at(of, END), at(meeting, START), (1, 1, 1), of)

    begin = np.asarray(graph.rank_begin, np.int64)
    rank = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    for ends, own, instant in (("send both", send, START), ("both", recv, ENTRY)):
        if costs.gap not in ends.split():
            continue
        before, after = own[:-1], own[1:]
        same = rank[before] == rank[after]
        before, after = before[same], after[same]
        rows.add(at(after, instant), at(before, instant), calc=costs.g)
        rows.add(at(after, instant), at(before, instant), size=rest[before], link=link[before])

    chained = np.flatnonzero(np.asarray(graph.chained))
    rows.add(at(chained, START), at(chained - 1, RELEASE))
    owner = np.repeat(np.arange(vertices), np.diff(np.asarray(graph.dep_begin, np.int64)))
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
    rows.add(at(np.flatnonzero(~started), START), origin)
    posted = np.zeros(vertices, bool)
    posted[owner[dep_kind == POSTED]] = True
    unposted = recv[~posted[recv]]
    rows.add(at(unposted, MEET), at(unposted, START))

    return Inequalities(origin + 1, *rows.columns())
