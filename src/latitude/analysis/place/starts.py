"""Placements to start from."""

import numpy as np

from latitude._types import Floats, Nodes
from latitude.analysis.place.machine import Machine
from latitude.analysis.place.traffic import Traffic


def grouped(traffic: Traffic, machine: Machine) -> Nodes:
    """Fills one node after the other with the ranks that have most to do with those on it.

    The weight of a pair is what it saves when both ranks share a node.
    """
    weight = _saved(traffic, machine)
    slots = weight.shape[0]
    free = np.ones(slots, bool)
    placement = np.zeros(slots, np.uint32)
    per_node = np.full(machine.nodes, slots // machine.nodes)
    per_node[: slots % machine.nodes] += 1
    for node, size in enumerate(per_node):
        attraction = np.zeros(slots)
        for _ in range(size):
            outside = weight[:, free].sum(axis=1)
            best = np.lexsort((outside, attraction, free))[-1]
            free[best] = False
            placement[best] = node
            attraction += weight[best]
    return placement


def _saved(traffic: Traffic, machine: Machine) -> Floats:
    off = ~np.eye(machine.nodes, dtype=bool)
    saved = np.zeros_like(traffic.latencies)
    for weight, price in ((traffic.latencies, machine.latency), (traffic.bytes, machine.gap)):
        if machine.nodes > 1:
            saved += weight * (price[off].mean() - np.diag(price).mean())
    return saved


def improved(traffic: Traffic, machine: Machine, placement: Nodes) -> Nodes:
    """Swaps two ranks as long as that lowers the traffic's cost, the best swap first."""
    placement = placement.copy()
    for _ in range(4 * placement.size):
        change = traffic.swaps(machine, placement)
        a, b = np.unravel_index(np.argmin(change), change.shape)
        if change[a, b] >= -1e-9 * max(1.0, float(np.abs(change).max())):
            break
        placement[[a, b]] = placement[[b, a]]
    return placement
