"""The loads of the network's cables by a program's messages."""

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.model.links import Links
from latitude.model.routes import Loads, Routes
from latitude.model.topology import Topology
from latitude.sections.link_loads.result import LinkLoads
from latitude.sections.pairs.result import Pairs


def link_loads(pairs: Pairs, links: Links, topology: Topology | None) -> LinkLoads | None:
    """Messages, bytes and latencies of the critical path on each used cable.

    Returns:
        None if no message leaves its node, if the ranks' nodes are not known, or if the topology
        only gives the distances of nodes.
    """
    if links.nodes is None or links.node_of_rank is None:
        return None
    by_node = pairs.by_node(links.node_of_rank)
    between = by_node.source != by_node.destination
    source = links.nodes.astype(np.int64)[by_node.source[between]]
    destination = links.nodes.astype(np.int64)[by_node.destination[between]]
    amounts = np.stack([by_node.messages, by_node.bytes, by_node.lambda_L])[:, between].astype(
        np.float64
    )
    if not source.size:
        return None
    if topology is None:
        size = int(max(source.max(), destination.max())) + 1
        return _used(_direct(source, destination, amounts), nodes=size)
    core = _core.Topology(topology.spec)
    try:
        routes = Routes(core)
    except InputError:  # a matrix of hops has no cables
        return None
    return _used(routes.loads(source, destination, amounts), nodes=core.nodes)


def _direct(source: np.ndarray, destination: np.ndarray, amounts: Floats) -> Loads:
    """Loads if only nodes are known: a link joins each two nodes that exchange messages."""
    ends = np.sort(np.stack([source, destination]), axis=0)
    pair, each = np.unique(ends, axis=1, return_inverse=True)
    each = each.ravel()
    sums = [np.bincount(each, weights=kind, minlength=pair.shape[1]) for kind in amounts]
    return Loads(pair[0], pair[1], np.stack(sums).astype(np.float64))


def _used(loads: Loads, nodes: int) -> LinkLoads:
    """The cables that messages cross, with their names."""
    used = np.flatnonzero(loads.amounts[0] > 0)

    def named(ends: np.ndarray) -> tuple[str, ...]:
        return tuple(
            f"node {end}" if end < nodes else f"switch {end - nodes}" for end in ends.tolist()
        )

    return LinkLoads(
        one_end=named(loads.one_end[used]),
        other_end=named(loads.other_end[used]),
        messages=loads.amounts[0, used],
        bytes=loads.amounts[1, used],
        lambda_L=loads.amounts[2, used],
    )


def _of_graph(context: GraphContext) -> LinkLoads | None:
    return link_loads(context.pairs, context.links, context.network.topology)


def _steps(context: GraphContext) -> float:
    """Number of steps: cables times receiving nodes."""
    topology, nodes = context.network.topology, context.links.nodes
    if topology is None or nodes is None:
        return 0.0
    try:
        cables = _core.Topology(topology.spec).links()[0].size
    except InputError:  # a matrix of hops has no cables
        return 0.0
    return float(cables * nodes.size)


COMPUTED = Computed(
    _of_graph, SectionCost(steps=_steps, most_steps=5e7), after=("pairs",), of_slack=True
)
