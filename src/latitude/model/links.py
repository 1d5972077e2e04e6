"""Links between the nodes of a network as the core wants them: classes that cost the same."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.model.placement import Placement
from latitude.model.topology import Topology
from latitude.units.arguments import finite

INTRA = "inside a node"
INTER = "between nodes"
EVERYWHERE = "all links"


@dataclass(frozen=True, slots=True)
class Link:
    """What a message costs on one kind of link."""

    L: float
    """Latency, ns."""
    G: float | None = None
    """Time on the wire, ns per byte; None: as everywhere."""

    def __post_init__(self) -> None:
        """InputError: one is no finite number of 0 or more."""
        finite(self.L, "a link's L")
        if self.G is not None:
            finite(self.G, "a link's G")


@dataclass(frozen=True, slots=True)
class LinkClass:
    """Links that cost the same."""

    name: str
    L: float
    """Latency, ns."""
    G: float
    """ns per byte."""
    switches: int | None = None
    """Switches on the way, where a topology says."""
    pairs: int = 0
    """Ordered pairs of different ranks that meet over such a link."""

    @property
    def intra(self) -> bool:
        """Whether it stays inside a node."""
        return self.name == INTRA


@dataclass(frozen=True, slots=True)
class Links:
    """Rank → node → class of the node pair.

    Class 0 is the nearest link between two nodes. One class and no nodes where the network makes no
    difference between ranks.
    """

    classes: tuple[LinkClass, ...]
    node_of_rank: NDArray[np.uint32] | None = None
    """(ranks,) index into `nodes`."""
    class_of: NDArray[np.uint16] | None = None
    """(nodes, nodes) class of a message from one node to another."""
    nodes: NDArray[np.uint32] | None = None
    """Numbers of the nodes in use, ascending."""


def describe_links(network_topology: Topology | None, found: Links) -> str:
    """What the links are, in words."""
    if network_topology is not None:
        return network_topology.describe()
    return "one latency class" if len(found.classes) == 1 else "inside a node, and between nodes"


def links(
    ranks: int,
    base: Link,
    intra: Link | None,
    topology: Topology | None,
    placement: Placement | None,
) -> Links:
    """The links of `ranks` ranks; `base` is a message between nodes where no topology says more.

    Raises:
        InputError: the ranks do not fit, or nothing says what a message inside a node costs.
    """
    gap = base.G or 0.0
    if topology is None and placement is None:
        if intra is not None:
            raise InputError(
                "intra: nothing says which ranks share a node; give --ranks-per-node, --nodes or "
                "--placement"
            )
        pairs = ranks * (ranks - 1)
        return Links((LinkClass(EVERYWHERE, base.L, gap, pairs=pairs),))
    available = None if topology is None else topology.nodes
    numbers = (placement or Placement()).of(ranks, available)
    nodes, inverse = np.unique(numbers, return_inverse=True)
    node_of_rank = inverse.astype(np.uint32)
    if topology is not None and intra is None and nodes.size < ranks:
        raise InputError(
            "topology: ranks share nodes, and a message between them crosses no switch; say what "
            "it costs, e.g. --intra L=0.4us,G=0.05ns"
        )
    if topology is None:
        classes = [LinkClass(INTER, base.L, gap)]
        class_of = np.zeros((nodes.size, nodes.size), dtype=np.uint16)
    else:
        classes, class_of = _by_switches(topology, nodes, gap)
    if intra is not None:
        np.fill_diagonal(class_of, len(classes))
        classes.append(LinkClass(INTRA, intra.L, gap if intra.G is None else intra.G))
    return Links(_counted(classes, class_of, node_of_rank), node_of_rank, class_of, nodes)


def _by_switches(
    topology: Topology, nodes: NDArray[np.uint32], gap: float
) -> tuple[list[LinkClass], NDArray[np.uint16]]:
    """One class a number of switches, the least first; a node to itself is as its nearest."""
    switches = topology.switches(nodes)
    off = ~np.eye(nodes.size, dtype=bool)
    found = np.unique(switches[off]) if nodes.size > 1 else np.ones(1, dtype=np.uint16)
    class_of = np.searchsorted(found, np.where(off, switches, found[0])).astype(np.uint16)
    classes = [
        LinkClass(f"{h} switch{'' if h == 1 else 'es'}", topology.latency(h), gap, h)
        for h in found.tolist()
    ]
    return classes, class_of


def _counted(
    classes: list[LinkClass], class_of: NDArray[np.uint16], node_of_rank: NDArray[np.uint32]
) -> tuple[LinkClass, ...]:
    """The classes with their number of rank pairs."""
    on_node = np.bincount(node_of_rank).astype(np.int64)
    pairs = np.outer(on_node, on_node)
    np.fill_diagonal(pairs, on_node * (on_node - 1))
    count = np.zeros(len(classes), dtype=np.int64)
    np.add.at(count, class_of, pairs)
    return tuple(
        LinkClass(c.name, c.L, c.G, c.switches, int(n)) for c, n in zip(classes, count, strict=True)
    )
