"""Inequalities → the linear program (Shen et al. 2024, §II.C): a variable per join of chains."""

from dataclasses import dataclass

import numpy as np

from latitude import _core
from latitude.analysis.lp.rows import Floats, Ints, Rows, rows_of


@dataclass(frozen=True, slots=True)
class LinearProgram:
    """y[head] − y[tail] − Σ hops · l[link] ≥ ns for every row.

    `head` and `tail` number the joins; head = `joins` is t, tail = −1 is time zero. A row crosses
    up to two messages, so `hops` and `link` have shape (rows, 2).
    """

    joins: int
    vertex: Ints
    """(joins,) the instant's number in `Rows`, for names."""
    vertices: int
    head: Ints
    tail: Ints
    ns: Floats
    hops: Floats
    link: Ints
    classes: list[tuple[str, float, float]]
    """Name, L (ns) and G (ns/byte) of every link class."""

    @property
    def rows(self) -> int:
        """Number of constraints."""
        return self.head.size

    @property
    def latency(self) -> Floats:
        """L of every class, ns."""
        return np.array([L for _, L, _ in self.classes])

    def along(self, fixed: Floats, weight: Floats) -> "LinearProgram":
        """The program of one variable d on which all latencies depend: l = fixed + weight · d."""
        hops = (self.hops * weight[self.link]).sum(axis=1)
        ns = self.ns + (self.hops * fixed[self.link]).sum(axis=1)
        return LinearProgram(
            self.joins,
            self.vertex,
            self.vertices,
            self.head,
            self.tail,
            ns,
            np.stack([hops, np.zeros_like(hops)], axis=1),
            np.zeros_like(self.link),
            [("d", 0.0, 0.0)],
        )


def program_of(graph: _core.Graph, network: _core.Network) -> LinearProgram:
    """The linear program of a graph whose operations do not wait in a cycle.

    The engine rejects such a cycle with a message that names its vertices, so compile the model
    first.
    """
    rows = rows_of(graph, network)
    return _substitute(rows, rows.counts.but_latencies(network), network.classes)


def _substitute(rows: Rows, cost: Floats, classes: list[tuple[str, float, float]]) -> LinearProgram:
    """Replaces every variable with one row by that row's right-hand side.

    `cost` is the cost of each row without latencies, ns. Instants at which CPU and message meet
    have two rows, and instants at which a message enters a rank are not substituted. So each given
    row has the latencies of at most one message.
    """
    number, counts = np.arange(rows.variables), rows.counts
    incoming = np.bincount(rows.head, minlength=rows.variables)
    single = incoming[rows.head] == 1
    single &= rows.head < rows.entries
    root, link = number.copy(), np.zeros_like(number)
    ns, hops = np.zeros(number.size), np.zeros(number.size)
    chosen = rows.head[single]
    root[chosen], ns[chosen] = rows.tail[single], cost[single]
    hops[chosen], link[chosen] = counts.hops[single], counts.link[single]
    moving = chosen
    while moving.size:  # pointer doubling: a chain of n takes log2(n) rounds
        via = root[moving]
        moving = moving[root[via] != via]
        via = root[moving]
        ns[moving] += ns[via]
        link[moving] = np.where(hops[via] > 0, link[via], link[moving])
        hops[moving] += hops[via]
        root[moving] = root[via]
    root[(root < rows.origin) & (incoming[root] == 0)] = rows.origin

    kept = ~single
    head, tail = rows.head[kept], rows.tail[kept]
    joins = np.unique(head)
    joins = joins[joins != rows.finish]
    index = np.full(rows.variables, -1)
    index[joins] = np.arange(joins.size)
    index[rows.finish] = joins.size
    return LinearProgram(
        joins=joins.size,
        vertex=joins,
        vertices=rows.entries // 3,
        head=index[head],
        tail=index[root[tail]],
        ns=cost[kept] + ns[tail],
        hops=np.stack([counts.hops[kept], hops[tail]], axis=1),
        link=np.stack([counts.link[kept], link[tail]], axis=1),
        classes=classes,
    )
