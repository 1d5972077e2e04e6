"""A graph's cost model (docs/explanation/model.md) as inequalities between instants, in columns.

Written from the model, not from the engine's code, so that the two check each other. Vertex v has
up to four variables. Every other instant is one of these variables plus a constant and latencies (a
message of a rank to itself has no latencies, bytes or handshake):

    v        its start
    n + v    a receive: when CPU and message are both there; a rendezvous send: its match
    2n + v   a receive posted before the call that completes it: when it is posted;
             a receive whose CPU serves other messages first: when its dependences are done
    3n + v   a receive, with the gap at both ends: when its message enters the rank;
             a send that waits for its receiver (`sync`), with O: its end
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.analysis.messages import crossing, rank_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class _Stretch(NamedTuple):
    """A part of a rendezvous: its number of latencies, overheads and whole messages."""

    latencies: int = 0
    overheads: int = 0
    bodies: int = 0


_NOTHING = _Stretch()


class _Reading(NamedTuple):
    """One reading of the rendezvous protocol, as in the table of docs/explanation/model.md."""

    request: _Stretch
    """The stretch from the start of the send to the match."""
    sender: _Stretch = _NOTHING
    """The stretch from the match to the end of the send."""
    data: _Stretch = _NOTHING
    """The stretch from the match until the receiver has the data."""
    notice: _Stretch = _NOTHING
    """The stretch from the data's arrival until the receiver learns of the data."""


_READINGS = {
    "handshake": _Reading(_Stretch(1, 1), _Stretch(1, 2, 1), _Stretch(2, 2, 1)),
    "put": _Reading(_Stretch(1, 1), _Stretch(3, 8, 1), _Stretch(2, 4, 1), _Stretch(2, 4)),
    "get": _Reading(_Stretch(1, 1), _Stretch(3, 4, 1), _Stretch(2, 2, 1)),
    "llamp": _Reading(_Stretch(1, 0), _Stretch(3, 3, 1), _Stretch(3, 1, 1)),
    "sync": _Reading(_Stretch(1, 1, 1)),
}


@dataclass(frozen=True, slots=True)
class Counts:
    """The amount of each quantity between two instants: integer arrays of equal length.

    All quantities except computation and recorded time belong to link class `link`.
    """

    computation: Ints
    """Computation in the graph, ns."""
    recorded: Ints
    """Recorded time of calls, ns."""
    overheads: Ints
    gaps: Ints
    """Number of gaps g."""
    copied: Ints
    """Bytes that cost O."""
    hops: Ints
    """Number of latencies."""
    bytes: Ints
    """Bytes that cost G."""
    link: Ints

    def but_latencies(self, network: _core.Network) -> Floats:
        """The costs without the latencies, ns."""
        per_byte = np.array([G for _, _, G in network.classes])
        return np.asarray(
            self.computation * network.compute_scale
            + self.recorded
            + self.overheads * network.o_of_class[self.link]
            + self.gaps * network.g_of_class[self.link]
            + self.copied * network.O_of_class[self.link]
            + self.bytes * per_byte[self.link],
            np.float64,
        )


@dataclass(frozen=True, slots=True)
class Rows:
    """x[head] ≥ x[tail] + the counted costs, for every row.

    `origin` is time zero, `finish` is t. A variable that is the head of no row is at time zero.
    """

    variables: int
    head: Ints
    tail: Ints
    counts: Counts

    @property
    def origin(self) -> int:
        """Number of the variable that is 0."""
        return self.variables - 2

    @property
    def entries(self) -> int:
        """Number of the first variable for a message's entry, or the end of a synchronous send."""
        return (self.variables - 2) // 4 * 3

    @property
    def finish(self) -> int:
        """Number of the variable t."""
        return self.variables - 1


def _zeros(size: int) -> Ints:
    return np.zeros(size, np.int64)


@dataclass(frozen=True, slots=True)
class _Instants:
    """One instant per vertex: a variable, plus the counts between the variable and the instant."""

    variable: Ints
    computation: Ints
    recorded: Ints
    overheads: Ints
    copied: Ints
    hops: Ints
    bytes: Ints

    @classmethod
    def of(cls, variable: Ints) -> "_Instants":
        """The variables themselves."""
        return cls(variable, *(_zeros(variable.size) for _ in range(6)))

    def copy(self) -> "_Instants":
        """A copy with its own arrays."""
        return _Instants(*(getattr(self, name).copy() for name in self.__slots__))

    def set(self, v: Ints, other: "_Instants") -> None:
        """Sets the instants of vertices `v` to those in `other`."""
        for name in self.__slots__:
            getattr(self, name)[v] = getattr(other, name)[v]


def rows_of(graph: _core.Graph, network: _core.Network) -> Rows:
    """All inequalities of `graph` on `network`, with counts in place of prices."""
    model = _core.Model(graph, network)  # a graph in which all link classes have one eager limit
    return _Builder(model.graph, model.network).rows()


@dataclass
class _Columns:
    """Rows under construction."""

    parts: list[tuple[Ints, ...]] = field(default_factory=list)

    def add(
        self,
        head: Ints,
        tail: Ints,
        *,
        computation: Ints | int = 0,
        recorded: Ints | int = 0,
        overheads: Ints | int = 0,
        gaps: Ints | int = 0,
        copied: Ints | int = 0,
        hops: Ints | int = 0,
        bytes: Ints | int = 0,  # noqa: A002 - as Counts has it
        link: Ints | int = 0,
    ) -> None:
        """Adds one row for each head."""
        counted = (computation, recorded, overheads, gaps, copied, hops, bytes, link)
        of = (np.broadcast_to(np.asarray(each, np.int64), head.shape) for each in counted)
        self.parts.append((head, tail, *of))

    def rows(self, variables: int) -> Rows:
        """All rows."""
        head, tail, *counted = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        return Rows(variables, head, tail, Counts(*counted))


class _Builder:
    def __init__(self, graph: _core.Graph, network: _core.Network) -> None:
        self._graph, self._network = graph, network
        kind = graph.kind
        if np.any(kind == _core.Kind.transfer):
            raise _core.InputError(
                "the linear program has no rows for a job's transfers; use latitude analyze"
            )
        self._n = kind.size
        self._calc, self._send, self._recv = (
            np.flatnonzero(kind == k) for k in (_core.Kind.calc, _core.Kind.send, _core.Kind.recv)
        )
        self._partner = graph.partner.astype(np.int64)
        self._chained = graph.chained.astype(bool)
        self._recorded = graph.recorded.astype(bool)
        begin = graph.dep_begin.astype(np.int64)
        self._dep_owner = np.repeat(np.arange(self._n), begin[1:] - begin[:-1])
        self._dep_vertex = graph.dep_vertex.astype(np.int64)
        self._in_turn = np.zeros(self._n, bool)
        """Receives whose CPU may serve other messages first."""
        self._in_turn[self._deps(_core.DepKind.served)[0]] = True
        self._in_turn &= kind == _core.Kind.recv
        self._reading = _READINGS[network.rendezvous]
        self._copies = bool((network.O_of_class > 0).any())
        self._measure_messages()
        self._end, self._release = self._ends()
        self._columns = _Columns()

    def _measure_messages(self) -> None:
        """Bytes and link of every vertex's message (0 for computation)."""
        graph, network = self._graph, self._network
        is_message = graph.kind != _core.Kind.calc
        size = np.where(is_message, graph.value, 0)
        self._rest = np.maximum(size - 1, 0)
        self._link = links_of(graph, network)
        flying = crossing(graph)
        self._flies = np.zeros(self._n, bool)
        self._flies[flying] = self._flies[self._partner[flying]] = True
        self._body = np.where(self._flies, self._rest, 0)
        limits = (network.eager_limit(immediate=each) for each in (True, False))
        limit = np.where(graph.immediate != 0, *limits)
        self._meets = is_message & ((size > limit) | (graph.synchronous != 0))
        partners = self._partner[self._send]  # the limit depends on the sending call
        self._meets[partners] = self._meets[self._send]

    def _ends(self) -> tuple[_Instants, _Instants]:
        n, blocks = self._n, self._graph.blocking != 0
        end = _Instants.of(np.arange(n))
        took = self._recorded[self._calc]
        end.computation[self._calc] = np.where(took, 0, self._graph.value[self._calc])
        end.recorded[self._calc] = np.where(took, self._graph.value[self._calc], 0)
        for ends in (self._send, self._recv):
            own = ends[~self._recorded[ends]]
            end.overheads[own], end.copied[own] = 1, self._rest[own]
        end.variable[self._recv] += n
        release = end.copy()
        meeting = self._send[self._meets[self._send]]
        shakes, held = meeting[self._shakes_hands(meeting)], meeting[blocks[meeting]]
        at_match = _Instants.of(end.variable + n)
        sender = self._reading.sender
        at_match.overheads[shakes] = sender.overheads
        at_match.hops[shakes] = sender.latencies
        at_match.bytes[shakes] = sender.bodies * self._rest[shakes]
        of_data = shakes[blocks[shakes] & ~self._recorded[shakes]]
        at_match.copied[of_data] = self._rest[of_data]
        if self._copies:
            at_match.variable[meeting[~self._shakes_hands(meeting)]] += 2 * n
        end.set(meeting, at_match)
        release.set(held, at_match)
        return end, release

    def _shakes_hands(self, v: Ints) -> Flags:
        """Whether the rendezvous of vertices `v` has more parts than the match."""
        return self._flies[v] & (self._network.rendezvous != "sync")

    def _add_after(self, head: Ints, instants: _Instants, v: Ints) -> None:
        self._columns.add(
            head,
            instants.variable[v],
            computation=instants.computation[v],
            recorded=instants.recorded[v],
            overheads=instants.overheads[v],
            copied=instants.copied[v],
            hops=instants.hops[v],
            bytes=instants.bytes[v],
            link=self._link[v],
        )

    def rows(self) -> Rows:
        self._local_order()
        self._eager_messages()
        self._rendezvous_messages()
        self._gaps()
        last = np.flatnonzero(~self._waited_for())
        self._add_after(np.full(last.size, 4 * self._n + 1), self._end, last)
        return self._columns.rows(4 * self._n + 2)

    def _local_order(self) -> None:
        chained = np.flatnonzero(self._chained)
        self._add_after(chained, self._release, chained - 1)
        for kind, instants in (
            (_core.DepKind.requires_end, self._end),
            (_core.DepKind.released, self._release),
            (_core.DepKind.served, self._release),
        ):
            owner, vertex = self._deps(kind)
            self._add_after(owner, instants, vertex)
            if kind != _core.DepKind.served:
                early = self._in_turn[owner]
                self._add_after(2 * self._n + owner[early], instants, vertex[early])
        owner, vertex = self._deps(_core.DepKind.requires_start)
        started = np.where(self._in_turn[vertex], 2 * self._n + vertex, vertex)
        self._columns.add(owner, started)
        early = self._in_turn[owner]
        self._columns.add(2 * self._n + owner[early], started[early])
        owner, vertex = self._deps(_core.DepKind.posted)
        self._add_after(2 * self._n + owner, self._release, vertex)

    def _deps(self, kind: _core.DepKind) -> tuple[Ints, Ints]:
        chosen = self._graph.dep_kind == kind
        return self._dep_owner[chosen], self._dep_vertex[chosen]

    def _eager_messages(self) -> None:
        self._columns.add(self._n + self._recv, self._recv)
        eager = self._send[~self._meets[self._send]]
        self._arrive(eager, eager, _Stretch(1, 1))

    def _rendezvous_messages(self) -> None:
        n = self._n
        meeting = self._send[self._meets[self._send]]
        receive = self._partner[meeting]
        posted_apart = np.zeros(n, bool)
        posted_apart[self._deps(_core.DepKind.posted)[0]] = True
        posted_apart |= self._in_turn
        self._columns.add(n + meeting, np.where(posted_apart[receive], 2 * n + receive, receive))
        shakes = self._shakes_hands(meeting)
        self._synchronous(meeting[~shakes])
        self._handshakes(meeting[shakes])

    def _handshakes(self, send: Ints) -> None:
        reading = self._reading
        self._request(send, reading.request)
        self._arrive(send, self._n + send, reading.data, reading.notice)

    def _synchronous(self, send: Ints) -> None:
        """Synchronous sends, whose message is the request itself."""
        n = self._n
        self._request(send, _READINGS["sync"].request)
        self._columns.add(n + self._partner[send], n + send)
        if self._network.gap == "both":
            self._arrive(send, send, _Stretch(1, 1))
        if self._copies:
            self._columns.add(3 * n + send, n + send)
            own = (~self._recorded[send]).astype(np.int64)
            copied, link = own * self._rest[send], self._link[send]
            self._columns.add(3 * n + send, send, overheads=own, copied=copied, link=link)

    def _request(self, send: Ints, stretch: _Stretch) -> None:
        """Lets the match of a send wait for the send's start."""
        self._columns.add(
            self._n + send,
            send,
            overheads=self._overheads(stretch, send),
            hops=stretch.latencies * self._flies[send],
            bytes=stretch.bodies * self._body[send],
            link=self._link[send],
        )

    def _overheads(self, stretch: _Stretch, send: Ints) -> Ints:
        """Number of overheads in a stretch from a send, whose own overhead may be recorded."""
        own = self._recorded[send].astype(np.int64)
        return np.asarray(np.maximum(stretch.overheads - own, 0), np.int64)

    def _arrive(self, send: Ints, since: Ints, way: _Stretch, notice: _Stretch = _NOTHING) -> None:
        """Lets receives wait for their messages, whose first bytes arrive `way` after `since`."""
        receive, link, flies = self._partner[send], self._link[send], self._flies[send]
        head, body = self._n + receive, self._body[send]
        first = way.overheads if since is not send else self._overheads(way, send)
        if self._network.gap != "both":
            overheads = first + notice.overheads
            hops = (way.latencies + notice.latencies) * flies
            self._columns.add(head, since, overheads=overheads, hops=hops, bytes=body, link=link)
            return
        enters, hops = 3 * self._n + receive, way.latencies * flies
        self._columns.add(enters, since, overheads=first, hops=hops, link=link)
        hops = notice.latencies * flies
        self._columns.add(
            head, enters, overheads=notice.overheads, hops=hops, bytes=body, link=link
        )

    def _gaps(self) -> None:
        """Keeps messages max(g, B) apart, in program order, as they leave and enter a NIC."""
        if self._network.gap == "none":
            return
        for ends, instant in ((self._send, 0), (self._recv, 3 * self._n)):
            if instant == 0 or self._network.gap == "both":
                messages = ends[self._flies[ends]]
                rank = np.searchsorted(self._graph.rank_begin, messages, side="right")
                nic = self._graph.nic[messages]
                order = np.lexsort((messages, nic, rank))
                messages, rank, nic = messages[order], rank[order], nic[order]
                same = (rank[:-1] == rank[1:]) & (nic[:-1] == nic[1:])
                before, after = messages[:-1][same], messages[1:][same]
                earlier, later = instant + before, instant + after
                link = self._link[before]
                self._columns.add(later, earlier, bytes=self._body[before], link=link)
                if (self._network.g_of_class > 0).any():
                    self._columns.add(later, earlier, gaps=1, link=link)

    def _waited_for(self) -> Flags:
        """Whether something waits for the vertex's end; t waits for all other vertices."""
        release_is_end = self._release.variable == self._end.variable
        waited = np.zeros(self._n, bool)
        waited[:-1] = self._chained[1:] & release_is_end[:-1]
        waited[self._deps(_core.DepKind.requires_end)[1]] = True
        for kind in (_core.DepKind.released, _core.DepKind.served):
            released = self._deps(kind)[1]
            waited[released] |= release_is_end[released]
        return waited


def links_of(graph: _core.Graph, network: _core.Network) -> Ints:
    """Link class of every vertex's message, from the sender's node to the receiver's."""
    vertices = graph.kind.size
    if network.node_of_rank.size == 0:
        return np.zeros(vertices, np.int64)
    node = network.node_of_rank.astype(np.int64)
    send = np.flatnonzero(graph.kind == _core.Kind.send)
    receive = graph.partner[send].astype(np.int64)
    link = np.zeros(vertices, np.int64)
    ends = node[rank_of(graph, send)], node[rank_of(graph, receive)]
    link[send] = network.class_of[ends]
    link[receive] = link[send]
    return link
