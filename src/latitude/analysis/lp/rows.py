"""The cost model (docs/model.md) of a graph as inequalities between instants, one array a column.

Written from the model, not from the engine's code, so that the two check each other. Vertex v has
up to four variables, and every other instant is one of them plus a constant and latencies
(a message of a rank to itself has none, nor bytes, nor a handshake):

    v        its start
    n + v    a receive: when CPU and message are both there; a rendezvous send: its match
    2n + v   a receive posted apart from where it completes: when it is posted
    3n + v   a receive, with the gap at both ends: when its message enters the rank;
             a send that waits for its receiver (`sync`), with O: its end
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.analysis.messages import crossing, rank_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rows:
    """x[head] ≥ x[tail] + ns + hops · l[link] for every row; arrays of equal length.

    `origin` is time zero, `finish` is t. Variables that head no row are at time zero.
    """

    variables: int
    head: Ints
    tail: Ints
    ns: Floats
    hops: Floats
    link: Ints

    @property
    def origin(self) -> int:
        """Number of the variable that is 0."""
        return self.variables - 2

    @property
    def entries(self) -> int:
        """Number of the first variable that is a message's entry (or the last kind of end)."""
        return (self.variables - 2) // 4 * 3

    @property
    def finish(self) -> int:
        """Number of the variable t."""
        return self.variables - 1


@dataclass(frozen=True, slots=True)
class _Instants:
    """Of every vertex, one instant: a variable, ns after it, and latencies of the vertex's link."""

    variable: Ints
    ns: Floats
    hops: Floats


def rows_of(graph: _core.Graph, network: _core.Network) -> Rows:
    """All inequalities of `graph` on `network`, whose latencies stay variables."""
    return _Builder(graph, network).rows()


class _Builder:
    def __init__(self, graph: _core.Graph, network: _core.Network) -> None:
        self._graph, self._network = graph, network
        kind = graph.kind
        self._n = kind.size
        self._send, self._recv = (
            np.flatnonzero(kind == k) for k in (_core.Kind.send, _core.Kind.recv)
        )
        self._partner = graph.partner.astype(np.int64)
        self._chained = graph.chained.astype(bool)
        begin = graph.dep_begin.astype(np.int64)
        self._dep_owner = np.repeat(np.arange(self._n), begin[1:] - begin[:-1])
        self._dep_vertex = graph.dep_vertex.astype(np.int64)
        self._reading = _core.RENDEZVOUS[network.rendezvous]
        self._price_messages()
        self._end, self._release = self._ends()
        self._parts: list[tuple[Ints, Ints, Floats, Floats, Ints]] = []

    def _price_messages(self) -> None:
        """Bytes, gap, overhead and link of every vertex's message (0 for computation)."""
        graph, network = self._graph, self._network
        value = graph.value
        is_message = graph.kind != _core.Kind.calc
        size = np.where(is_message, value, 0)
        rest = np.maximum(size - 1, 0).astype(np.float64)
        self._link = links_of(graph, network)
        flying = crossing(graph)
        self._flies = np.zeros(self._n, bool)
        self._flies[flying] = self._flies[self._partner[flying]] = True
        gap = np.array([G for _, _, G in network.classes])
        self._body = np.where(self._flies, rest * gap[self._link], 0.0)
        self._overhead = np.where(is_message, network.o + network.O * rest, 0.0)
        self._meets = is_message & ((size > network.S) | (graph.synchronous != 0))
        partners = self._partner[self._send]  # synchronous is a property of the send
        self._meets[partners] = self._meets[self._send]

    def _ends(self) -> tuple[_Instants, _Instants]:
        n = self._n
        variable = np.arange(n)
        computation = self._graph.value * self._network.compute_scale
        ns = np.where(self._graph.kind == _core.Kind.calc, computation, self._overhead)
        hops = np.zeros(n)
        variable[self._recv] += n
        release = _Instants(variable.copy(), ns.copy(), hops.copy())
        meeting = self._send[self._meets[self._send]]
        variable[meeting] += n
        shakes = meeting[self._shakes_hands(meeting)]
        ns[meeting] = 0.0
        ns[shakes], hops[shakes] = self._cost(self._reading.sender, shakes)
        held = shakes[self._graph.blocking[shakes] != 0]
        ns[held] += self._overhead[held] - self._network.o  # O, for the data
        blocking = meeting[self._graph.blocking[meeting] != 0]
        if self._network.O > 0:
            variable[meeting[~self._shakes_hands(meeting)]] += 2 * n
        for mine, ends in ((release.variable, variable), (release.ns, ns), (release.hops, hops)):
            mine[blocking] = ends[blocking]
        return _Instants(variable, ns, hops), release

    def _shakes_hands(self, v: Ints) -> Flags:
        """Whether the rendezvous of vertices `v` have more than the match."""
        return self._flies[v] & (self._network.rendezvous != "sync")

    def _cost(self, stretch: tuple[int, int, int], v: Ints) -> tuple[Floats, Floats]:
        """(ns, latencies) of a rendezvous stretch for the messages of vertices `v`."""
        latencies, overheads, bodies = stretch
        ns = overheads * self._network.o + bodies * self._body[v]
        return ns, np.where(self._flies[v], float(latencies), 0.0)

    def _add(
        self,
        head: Ints,
        tail: Ints,
        ns: Floats | float = 0.0,
        hops: Floats | float = 0.0,
        link: Ints | int = 0,
    ) -> None:
        shape = head.shape
        self._parts.append(
            (
                head,
                tail,
                np.broadcast_to(np.asarray(ns, np.float64), shape),
                np.broadcast_to(np.asarray(hops, np.float64), shape),
                np.broadcast_to(np.asarray(link, np.int64), shape),
            )
        )

    def _add_after(self, head: Ints, instants: _Instants, v: Ints) -> None:
        self._add(head, instants.variable[v], instants.ns[v], instants.hops[v], self._link[v])

    def rows(self) -> Rows:
        self._local_order()
        self._eager_messages()
        self._rendezvous_messages()
        self._gaps()
        last = np.flatnonzero(~self._waited_for())
        self._add_after(np.full(last.size, 4 * self._n + 1), self._end, last)
        columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
        return Rows(4 * self._n + 2, *columns)

    def _local_order(self) -> None:
        chained = np.flatnonzero(self._chained)
        self._add_after(chained, self._release, chained - 1)
        for kind, instants in (
            (_core.DepKind.requires_end, self._end),
            (_core.DepKind.released, self._release),
        ):
            owner, vertex = self._deps(kind)
            self._add_after(owner, instants, vertex)
        owner, vertex = self._deps(_core.DepKind.requires_start)
        self._add(owner, vertex)
        owner, vertex = self._deps(_core.DepKind.posted)
        self._add_after(2 * self._n + owner, self._release, vertex)

    def _deps(self, kind: _core.DepKind) -> tuple[Ints, Ints]:
        chosen = self._graph.dep_kind == kind
        return self._dep_owner[chosen], self._dep_vertex[chosen]

    def _eager_messages(self) -> None:
        self._add(self._n + self._recv, self._recv)
        eager = self._send[~self._meets[self._send]]
        receive, link = self._partner[eager], self._link[eager]
        self._arrive(receive, self._n + receive, eager, self._network.o, self._flight(eager), link)

    def _rendezvous_messages(self) -> None:
        n = self._n
        meeting = self._send[self._meets[self._send]]
        receive = self._partner[meeting]
        posted_apart = np.zeros(n, bool)
        posted_apart[self._deps(_core.DepKind.posted)[0]] = True
        self._add(n + meeting, np.where(posted_apart[receive], 2 * n + receive, receive))
        shakes = self._shakes_hands(meeting)
        self._synchronous(meeting[~shakes])
        self._handshakes(meeting[shakes])

    def _handshakes(self, send: Ints) -> None:
        n, reading = self._n, self._reading
        receive, link = self._partner[send], self._link[send]
        self._add(n + send, send, *self._cost(reading.request, send), link)
        ns, hops = self._cost(reading.data, send)
        notice = self._cost(reading.notice, send)
        self._arrive(receive, n + receive, n + send, ns - self._body[send], hops, link, notice)

    def _synchronous(self, send: Ints) -> None:
        """The request is the message itself."""
        n = self._n
        receive, link = self._partner[send], self._link[send]
        self._add(n + send, send, *self._cost(_core.RENDEZVOUS["sync"].request, send), link)
        self._add(n + receive, n + send)
        if self._network.gap == "both":
            self._arrive(receive, n + receive, send, self._network.o, self._flight(send), link)
        if self._network.O > 0:
            self._add(3 * n + send, n + send)
            self._add(3 * n + send, send, self._overhead[send])

    def _flight(self, v: Ints) -> Floats:
        """Latencies of one way of the messages of vertices `v`."""
        return self._flies[v].astype(np.float64)

    def _arrive(
        self,
        receive: Ints,
        head: Ints,
        since: Ints,
        ns: Floats | float,
        hops: Floats,
        link: Ints,
        notice: tuple[Floats | float, Floats | float] = (0.0, 0.0),
    ) -> None:
        """`head` waits for messages: (ns, hops), their bytes and the notice after `since`."""
        body = self._body[receive]
        if self._network.gap != "both":
            self._add(head, since, ns + body + notice[0], hops + notice[1], link)
            return
        enters = 3 * self._n + receive
        self._add(enters, since, ns, hops, link)
        self._add(head, enters, body + notice[0], notice[1], link)

    def _gaps(self) -> None:
        """Messages leave a rank at least max(g, B) apart, and enter it so, in program order."""
        if self._network.gap == "none":
            return
        for ends, instant in ((self._send, 0), (self._recv, 3 * self._n)):
            if instant == 0 or self._network.gap == "both":
                messages = ends[self._flies[ends]]
                rank = np.searchsorted(self._graph.rank_begin, messages, side="right")
                same = rank[:-1] == rank[1:]
                before, after = messages[:-1][same], messages[1:][same]
                gap = np.maximum(self._network.g, self._body[before])
                self._add(instant + after, instant + before, gap)

    def _waited_for(self) -> Flags:
        """Whether something starts no earlier than the vertex ends; t waits for the others."""
        release_is_end = self._release.variable == self._end.variable
        waited = np.zeros(self._n, bool)
        waited[:-1] = self._chained[1:] & release_is_end[:-1]
        waited[self._deps(_core.DepKind.requires_end)[1]] = True
        released = self._deps(_core.DepKind.released)[1]
        waited[released] |= release_is_end[released]
        return waited


def links_of(graph: _core.Graph, network: _core.Network) -> Ints:
    """Link class of every vertex's message, from its sender's node to its receiver's."""
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
