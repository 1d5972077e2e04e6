"""Routes of messages: the cables that they take from node to node of a topology."""

from dataclasses import dataclass

import numpy as np

from latitude import _core
from latitude._types import Floats, Integers


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads of the cables of a network; nodes are 0 … nodes − 1, switches follow."""

    one_end: Integers
    """(cables,) node or switch at one end."""
    other_end: Integers
    """(cables,) node or switch at the other end."""
    amounts: Floats
    """(kinds, cables) load, both directions together."""


class Routes:
    """Routes of a topology whose nodes are each at one switch.

    From each switch a message goes to a neighbour that is one cable nearer to the destination, as
    the topology counts. If several neighbours are nearer, each takes an equal part of the message.
    """

    def __init__(self, topology: _core.Topology) -> None:
        """Sorts the topology's cables. InputError: the topology does not list its cables."""
        ends = np.stack([end.astype(np.int64) for end in topology.links()])
        self._ends = np.sort(ends, axis=0)  # a node comes before its switch
        self._nodes = topology.nodes
        leaf = np.flatnonzero(self._ends[0] < self._nodes)
        self._leaf = leaf[np.argsort(self._ends[0, leaf])]  # cable of each node
        self._switch = self._ends[1, self._leaf] - self._nodes
        self._count = int(ends.max(initial=0)) + 1 - self._nodes
        between = np.flatnonzero(self._ends[0] >= self._nodes)
        one, other = self._ends[:, between] - self._nodes
        self._from, self._to = np.concatenate([one, other]), np.concatenate([other, one])
        self._cable = np.concatenate([between, between])
        self._far = self._told(topology)

    @property
    def cables(self) -> int:
        """Number of cables."""
        return int(self._ends.shape[1])

    def loads(self, source: Integers, destination: Integers, amounts: Floats) -> Loads:
        """The loads of each cable by messages between different nodes.

        Args:
            source: (pairs,) sending nodes.
            destination: (pairs,) receiving nodes.
            amounts: (kinds, pairs) amounts that are sent.
        """
        found = np.zeros((amounts.shape[0], self.cables))
        for kind, sums in zip(amounts, found, strict=True):
            for nodes in (source, destination):
                np.add.at(sums, self._leaf[nodes], kind)
        first, last = self._switch[source], self._switch[destination]
        order = np.argsort(last, kind="stable")
        ends, begin = np.unique(last[order], return_index=True)
        for end, pairs in zip(ends.tolist(), np.split(order, begin[1:]), strict=True):
            held = [np.bincount(first[pairs], kind[pairs], self._count) for kind in amounts]
            self._towards(end, np.stack(held), found)
        return Loads(self._ends[0], self._ends[1], found)

    def _towards(self, end: int, held: Floats, found: Floats) -> None:
        """Adds the loads towards one switch, beginning at the farthest switches."""
        far = self._distances(end) if self._far is None else self._far[:, end]
        nearer = np.flatnonzero(far[self._to] == far[self._from] - 1)
        nearer = nearer[np.argsort(-far[self._from[nearer]], kind="stable")]
        at, to, cable = self._from[nearer], self._to[nearer], self._cable[nearer]
        ways = np.bincount(at, minlength=self._count)
        _, begin = np.unique(-far[at], return_index=True)
        for same in np.split(np.arange(at.size), begin[1:]):
            for sums, total in zip(held, found, strict=True):
                part = sums[at[same]] / ways[at[same]]
                np.add.at(total, cable[same], part)
                np.add.at(sums, to[same], part)

    def _told(self, topology: _core.Topology) -> Integers | None:
        """(switches, switches) cables between switches; None unless every switch has nodes.

        A topology may have fewer routes than its graph: a dragonfly's routes have at most one
        global cable.
        """
        switches, node = np.unique(self._switch, return_index=True)
        if switches.size < self._count:
            return None
        far = topology.hops(node.astype(np.uint32)).astype(np.int64) - 1
        np.fill_diagonal(far, 0)
        return far

    def _distances(self, end: int) -> Integers:
        """Number of cables from each switch to a given switch."""
        far = np.full(self._count, -1, dtype=np.int64)
        reached, distance = np.array([end]), 0
        while reached.size:
            far[reached] = distance
            reached = self._from[(far[self._to] == distance) & (far[self._from] < 0)]
            distance += 1
        return far
