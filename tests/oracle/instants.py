"""The cost model (DESIGN §3) as a list of inequalities between instants.

Every vertex has a start, a release, an end and one more instant: for a receive the moment it is
posted, for a rendezvous send the moment the two sides meet. One inequality reads

    instant[target] ≥ instant[source] + calc + latencies·L + bytes·G + overheads·o

and the least solution of all of them is the program's schedule.
"""

from dataclasses import dataclass

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
    Costs,
    GraphArrays,
)

Ints = NDArray[np.int64]

START, RELEASE, END, MEET = 0, 1, 2, 3
"""Instant k of vertex v is number 4v + k; the time origin is number 4·vertices."""

_HALF_OF_MEETING = {
    # reading: (latency and o from the send's start to the meeting,
    #           latencies, whole messages and o from there to the send's end,
    #           the same to the moment the receive's own o begins)
    "handshake": ((1, 1), (1, 1, 2), (2, 1, 2)),
    "llamp": ((1, 0), (3, 1, 3), (3, 1, 1)),
    "sync": ((1, 1), (0, 0, 0), (0, 0, 0)),
}


@dataclass(frozen=True)
class Inequalities:
    """Columns of the list; row i bounds `target[i]` from below."""

    instants: int
    source: Ints
    target: Ints
    calc: Ints
    latencies: Ints
    bytes: Ints
    overheads: Ints

    @property
    def origin(self) -> int:
        return self.instants - 1


class _Rows:
    def __init__(self) -> None:
        self._parts: list[tuple[Ints, ...]] = []

    def add(
        self,
        target: Ints,
        source: Ints | int,
        *,
        calc: Ints | int = 0,
        latencies: int = 0,
        size: Ints | int = 0,
        overheads: int = 0,
    ) -> None:
        columns = (source, target, calc, latencies, size, overheads)
        shape = np.shape(target)
        self._parts.append(tuple(np.broadcast_to(np.asarray(c, np.int64), shape) for c in columns))

    def columns(self) -> list[Ints]:
        return [np.concatenate(column) for column in zip(*self._parts, strict=True)]


def inequalities(graph: GraphArrays, costs: Costs) -> Inequalities:
    """All inequalities of `graph`; only S and the rendezvous reading of `costs` matter."""
    kind = np.asarray(graph.kind)
    value = np.asarray(graph.value, np.int64)
    partner = np.asarray(graph.partner, np.int64)
    vertices = len(kind)
    origin = 4 * vertices
    rows = _Rows()

    def at(v: Ints, instant: int) -> Ints:
        return 4 * v + instant

    calc = np.flatnonzero(kind == CALC)
    send = np.flatnonzero(kind == SEND)
    recv = np.flatnonzero(kind == RECV)
    meets = (value[send] > costs.S) | (np.asarray(graph.synchronous)[send] != 0)
    eager, meeting = send[~meets], send[meets]
    waits = np.asarray(graph.blocking)[meeting] != 0

    rows.add(at(calc, END), at(calc, START), calc=value[calc])
    for v in (eager, meeting[~waits]):
        rows.add(at(v, RELEASE), at(v, START), overheads=1)
    rows.add(at(eager, END), at(eager, RELEASE))
    for v in (calc, recv, meeting[waits]):
        rows.add(at(v, RELEASE), at(v, END))
    rows.add(at(recv, END), at(recv, START), overheads=1)

    rest = np.maximum(value - 1, 0)  # B = max(0, s − 1)·G
    rows.add(at(partner[eager], END), at(eager, START), latencies=1, size=rest[eager], overheads=2)
    to_meeting, to_send_end, to_recv = _HALF_OF_MEETING[costs.rendezvous]
    other = partner[meeting]
    body = rest[meeting]
    if costs.rendezvous == "sync":  # the message itself is what meets the receive
        rows.add(at(meeting, MEET), at(meeting, START), latencies=1, size=body, overheads=1)
    else:
        latencies, overheads = to_meeting
        rows.add(at(meeting, MEET), at(meeting, START), latencies=latencies, overheads=overheads)
    rows.add(at(meeting, MEET), at(other, MEET))
    for target, own_o, (latencies, bodies, overheads) in (
        (at(meeting, END), 0, to_send_end),
        (at(other, END), 1, to_recv),
    ):
        rows.add(
            target,
            at(meeting, MEET),
            latencies=latencies,
            size=bodies * body,
            overheads=overheads + own_o,
        )

    chained = np.flatnonzero(np.asarray(graph.chained))
    rows.add(at(chained, START), at(chained - 1, RELEASE))
    begin = np.asarray(graph.dep_begin, np.int64)
    owner = np.repeat(np.arange(vertices), np.diff(begin))
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
