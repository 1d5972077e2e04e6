"""Nodes with cores, and the cost of a message between two nodes."""

from dataclasses import dataclass, replace

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats, Nodes
from latitude.model.network import Network
from latitude.model.placement import Placement
from latitude.model.places import WITHIN
from latitude.units.quantities import counted


@dataclass(frozen=True, slots=True)
class Machine:
    """`nodes` nodes for up to `cores` ranks each."""

    network: Network
    """The network's parameters; its placement is ignored."""
    nodes: int
    cores: int
    latency: Floats
    """(nodes, nodes) latency from node to node, ns."""
    gap: Floats
    """(nodes, nodes) ns per byte."""
    core: _core.Network
    """The network of all nodes, for `_core.Placements`, with every rank on node 0."""

    @classmethod
    def of(cls, network: Network, nodes: int, cores: int, ranks: int) -> "Machine":
        """The first `nodes` nodes of a network. InputError: too many ranks, or unsuitable rules."""
        if nodes * cores < ranks:
            raise InputError(
                f"{ranks:,} ranks do not fit on {counted(nodes, 'node')} with "
                f"{counted(cores, 'core')} each; give --cores {-(-ranks // nodes)} or --nodes "
                f"{-(-ranks // cores)}"
            )
        if not network.rules and network.topology is None:
            raise InputError(
                "all placements cost the same; give the cost of a message inside a node, e.g. "
                "--intra L=0.4us,G=0.05ns"
            )
        inside = next((r.name for r in network.rules if r.levels & set(WITHIN)), None)
        if inside is not None:
            raise InputError(
                f"link '{inside}': ranks are placed on nodes, not on parts of them; leave out "
                "rules about sockets, GPUs and rails"
            )
        spread = replace(network, placement=Placement.explicit(range(nodes)))
        links = spread.links(nodes)
        assert links.class_of is not None  # noqa: S101 - ranks are placed, so there are nodes
        price = np.array([(link.L, link.G) for link in links.classes])
        everywhere = replace(links, place_of_rank=np.zeros(ranks, np.uint32))
        return cls(
            network=network,
            nodes=nodes,
            cores=cores,
            latency=price[links.class_of, 0],
            gap=price[links.class_of, 1],
            core=network.core_of(everywhere),
        )

    def placed(self, node_of_rank: Nodes, name: str = "placed") -> Network:
        """The network with this placement, for `analyze`."""
        return replace(self.network, placement=Placement.explicit(node_of_rank.tolist(), name))

    def present(self, ranks: int) -> Nodes:
        """The network's own placement. InputError: the placement does not fit the nodes."""
        placement = self.network.placement or Placement()
        found = placement.of(ranks, self.nodes)
        load = np.bincount(found, minlength=self.nodes)
        if load.size > self.nodes or load.max() > self.cores:
            raise InputError(
                f"placement: '{placement.rule}' puts up to {int(load.max())} ranks on each of "
                f"{counted(int(np.count_nonzero(load)), 'node')}, numbered up to {load.size - 1}; "
                f"that does not fit {counted(self.nodes, 'node')} with {self.cores} cores each"
            )
        return found

    def block(self, ranks: int) -> Nodes:
        """Fills nodes one after the other with `cores` ranks each, the default of launchers."""
        return (np.arange(ranks) // self.cores).astype(np.uint32)

    def round_robin(self, ranks: int) -> Nodes:
        """Ranks dealt out to the nodes in turn."""
        return (np.arange(ranks) % self.nodes).astype(np.uint32)
