"""The shape of an execution graph and of its costs, for the oracles.

`latitude._core.Graph` fits the protocol; so does the stand-in below, with which the oracles are
tested against each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

CALC, SEND, RECV = 0, 1, 2
REQUIRES_END, REQUIRES_START, RELEASED, POSTED, SERVED = 0, 1, 2, 3, 4
NO_VERTEX = 2**32 - 1


Theta = Literal["L", "G", "o", "g"]
"""The parameter that varies."""


class GraphArrays(Protocol):
    """Vertices and dependencies, with the meaning of core/graph/graph.hpp."""

    @property
    def rank_begin(self) -> NDArray[np.uint32]: ...
    @property
    def kind(self) -> NDArray[np.uint8]: ...
    @property
    def value(self) -> NDArray[np.int64]: ...
    @property
    def partner(self) -> NDArray[np.uint32]: ...
    @property
    def chained(self) -> NDArray[np.uint8]: ...
    @property
    def blocking(self) -> NDArray[np.uint8]: ...
    @property
    def synchronous(self) -> NDArray[np.uint8]: ...
    @property
    def immediate(self) -> NDArray[np.uint8]: ...
    @property
    def recorded(self) -> NDArray[np.uint8]: ...
    @property
    def nic(self) -> NDArray[np.uint32]: ...
    @property
    def dep_begin(self) -> NDArray[np.uint32]: ...
    @property
    def dep_vertex(self) -> NDArray[np.uint32]: ...
    @property
    def dep_kind(self) -> NDArray[np.uint8]: ...


def flies(graph: GraphArrays) -> NDArray[np.bool_]:
    """Whether each vertex has a message to, or from, another rank. One to itself costs o (and O) at
    both ends and nothing in between; above S, both ends wait for each other."""
    begin = np.asarray(graph.rank_begin, np.int64)
    rank = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    partner = np.asarray(graph.partner, np.int64)
    result = partner != NO_VERTEX
    result[result] = rank[partner[result]] != rank[result]
    return result


Line = tuple[float, float]
"""constant + slope·θ."""


@dataclass(frozen=True)
class Prices:
    """Costs of each link class as functions of θ: a latency, a byte, an overhead, g."""

    latency: tuple[Line, ...]
    gap: tuple[Line, ...]
    overhead: tuple[Line, ...]
    spacing: tuple[Line, ...]
    baseline: float
    """θ in the network itself."""


@dataclass(frozen=True)
class Parameters:
    """The arguments of `latitude._core.Network`: times in ns, G and O in ns a byte, S in bytes."""

    L: float
    o: float
    G: float
    S: int
    S_isend: int | None = None
    rendezvous: str = "handshake"
    g: float = 0.0
    O: float = 0.0
    gap: str = "none"
    compute_scale: float = 1.0
    classes: tuple[tuple[str, float, float], ...] = ()
    """Name, L and G of each link class; empty for one class of L and G."""
    node_of_rank: tuple[int, ...] = ()
    class_of: tuple[tuple[int, ...], ...] = ()
    S_of_class: tuple[int | None, ...] = ()
    """Eager limit of all calls in each class; None for S and S_isend."""
    o_of_class: tuple[float | None, ...] = ()
    """o of each class; None for o."""
    O_of_class: tuple[float | None, ...] = ()
    g_of_class: tuple[float | None, ...] = ()

    def keywords(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return vars(self) | {
            "node_of_rank": np.array(self.node_of_rank, np.uint32) if self.node_of_rank else None,
            "class_of": np.array(self.class_of, np.uint16) if self.class_of else None,
        }

    def eager(self, graph: GraphArrays) -> NDArray[np.bool_]:
        """Whether the message of each send and receive waits for nobody; undefined for others."""
        of_isend = self.S if self.S_isend is None else self.S_isend
        limit = np.where(np.asarray(graph.immediate) != 0, of_isend, self.S)
        for number, own in enumerate(self.S_of_class):
            if own is not None:
                limit = np.where(self.link_of(graph) == number, own, limit)
        eager: NDArray[np.bool_] = np.asarray(graph.value) <= limit
        return eager & (np.asarray(graph.synchronous) == 0)

    @property
    def links(self) -> tuple[tuple[float, float], ...]:
        """L and G of each class."""
        return tuple((L, G) for _, L, G in self.classes) or ((self.L, self.G),)

    @property
    def overheads(self) -> tuple[float, ...]:
        """o of each class."""
        return self._of_classes(self.o, self.o_of_class)

    @property
    def copying(self) -> tuple[float, ...]:
        """O of each class."""
        return self._of_classes(self.O, self.O_of_class)

    @property
    def spacings(self) -> tuple[float, ...]:
        """g of each class."""
        return self._of_classes(self.g, self.g_of_class)

    def _of_classes(self, every: float, own: tuple[float | None, ...]) -> tuple[float, ...]:
        return tuple(every if each is None else each for each in own or (None,) * len(self.links))

    def link_of(self, graph: GraphArrays) -> NDArray[np.int64]:
        """Class of the message that each send or receive of `graph` belongs to; else 0."""
        partner = np.asarray(graph.partner, np.int64)
        result = np.zeros(len(partner), np.int64)
        if not self.node_of_rank:
            return result
        begin = np.asarray(graph.rank_begin, np.int64)
        node = np.repeat(np.array(self.node_of_rank), np.diff(begin))
        send = np.flatnonzero(np.asarray(graph.kind) == SEND)
        result[send] = np.array(self.class_of)[node[send], node[partner[send]]]
        result[partner[send]] = result[send]
        return result

    def prices(self, theta: Theta = "L", along: Sequence[Line] | None = None) -> Prices:
        """`along` has the parameter of each class at θ. Without `along` θ is that of class 0, and
        the other classes keep their distance from class 0.
        """
        values = {
            "L": tuple(L for L, _ in self.links),
            "G": tuple(G for _, G in self.links),
            "o": self.overheads,
            "g": self.spacings,
        }
        first = values[theta][0]
        fixed = {name: tuple((each, 0.0) for each in own) for name, own in values.items()}
        moving = tuple(along or ((each - first, 1.0) for each in values[theta]))
        lines = fixed | {theta: moving}
        return Prices(lines["L"], lines["G"], lines["o"], lines["g"], first)


@dataclass(frozen=True)
class Arrays:
    """Stand-in for `latitude._core.Graph`."""

    rank_begin: NDArray[np.uint32]
    kind: NDArray[np.uint8]
    value: NDArray[np.int64]
    partner: NDArray[np.uint32]
    chained: NDArray[np.uint8]
    blocking: NDArray[np.uint8]
    synchronous: NDArray[np.uint8]
    immediate: NDArray[np.uint8]
    recorded: NDArray[np.uint8]
    nic: NDArray[np.uint32]
    dep_begin: NDArray[np.uint32]
    dep_vertex: NDArray[np.uint32]
    dep_kind: NDArray[np.uint8]
