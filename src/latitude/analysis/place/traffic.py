"""Traffic between ranks, as weights of pairs, and the cost of a placement."""

from dataclasses import dataclass

import numpy as np

from latitude import _core
from latitude._types import Floats, Integers, Nodes
from latitude.analysis.messages import crossing, rank_of, whole
from latitude.analysis.place.machine import Machine


@dataclass(frozen=True, slots=True)
class Traffic:
    """Latencies and bytes between each pair of ranks, both directions together: (ranks, ranks)."""

    latencies: Floats
    bytes: Floats

    def cost_on(self, machine: Machine, placement: Nodes) -> Floats:
        """(ranks, nodes) cost of a rank's traffic if this rank ran on a node and others stayed."""
        latency, gap = _both_ways(machine.latency), _both_ways(machine.gap)
        return self.latencies @ latency[placement] + self.bytes @ gap[placement]

    def swaps(self, machine: Machine, placement: Nodes) -> Floats:
        """(ranks, ranks) change of the cost if two ranks are swapped; 0 on the same node."""
        latency, gap = _both_ways(machine.latency), _both_ways(machine.gap)
        cost = self.cost_on(machine, placement)
        moved = cost[:, placement] - np.take_along_axis(cost, placement[:, None].astype(int), 1)
        change = moved + moved.T
        for weight, price in ((self.latencies, latency), (self.bytes, gap)):
            inside = np.diag(price)[placement]
            across = price[np.ix_(placement, placement)]
            change += weight * (2 * across - inside[:, None] - inside[None, :])
        change[placement[:, None] == placement[None, :]] = 0.0
        return change


def _both_ways(price: Floats) -> Floats:
    return (price + price.T) / 2


def _symmetric(ranks: int, source: Integers, destination: Integers, weight: Floats) -> Floats:
    matrix = np.zeros((ranks, ranks))
    np.add.at(matrix, (source, destination), weight)
    np.add.at(matrix, (destination, source), weight)
    return matrix


def volume(graph: _core.Graph, slots: int) -> Traffic:
    """All messages and bytes between the graph's ranks; slots beyond the ranks send nothing."""
    send = crossing(graph)
    ends = rank_of(graph, send), rank_of(graph, whole(graph.partner[send]))
    size = np.maximum(graph.value[send] - 1, 0).astype(float)
    return Traffic(_symmetric(slots, *ends, np.ones(send.size)), _symmetric(slots, *ends, size))


def sensitivity(
    dag: _core.Placements, placement: Nodes, slots: int, smoothing_ns: float
) -> Traffic:
    """λ_ij and λ_G,ij: the share of each pair in the (near-)critical paths of this placement."""
    source, destination, latencies, size = dag.shares(placement[: dag.ranks], smoothing_ns)
    ends = whole(source), whole(destination)
    return Traffic(_symmetric(slots, *ends, latencies), _symmetric(slots, *ends, size))
