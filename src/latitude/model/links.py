"""Links between a program's ranks, in the core's form: classes of equal cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude._types import Integers, Numbers
from latitude.model.placement import Placement
from latitude.model.places import WITHIN, PlaceSizes, apart
from latitude.model.rules import BETWEEN, Matrix, PlacePairs, Rule
from latitude.model.topology import Topology

EVERYWHERE = "all links"


class BasePrices(NamedTuple):
    """Prices of messages that no rule fits, and of rules without their own price."""

    L: float
    """Latency, ns; a topology gives its own latency instead."""
    G: float
    """Time on the wire, ns per byte."""
    o: float
    """CPU time per message at each end, ns."""
    O: float
    """CPU time at each end, ns per byte."""
    g: float
    """Least time between messages, ns."""


@dataclass(frozen=True, slots=True)
class LinkClass:
    """Links with equal costs."""

    name: str
    L: float
    """Latency, ns."""
    G: float
    """Time on the wire, ns per byte."""
    o: float
    """CPU time per message at each end, ns."""
    O: float
    """CPU time at each end, ns per byte."""
    g: float
    """Least time for which a message holds its NIC, ns."""
    rule: str
    """Name of the rule that gives these costs."""
    S: int | None = None
    """Largest eager message, bytes; None means the network's limit."""
    between: bool = True
    """Whether the messages leave their node."""
    switches: int | None = None
    """Number of switches on the way, if the price depends on this number."""
    pairs: int = 0
    """Number of ordered pairs of different ranks with such a link."""


@dataclass(frozen=True, slots=True)
class AddedLatency:
    """Latency that an injector adds to every message of a run."""

    ns: float = 0.0
    inside: bool = False
    """Whether messages within a node are delayed, too."""


NOTHING_ADDED = AddedLatency()


@dataclass(frozen=True, slots=True)
class Links:
    """Rank → place → class of the pair of places.

    Class 0 is that of the nearest links between nodes, among links that no rule fits. If the
    network treats all ranks equally, there is one class, and `nodes` is None.
    """

    classes: tuple[LinkClass, ...]
    node_of_rank: NDArray[np.uint32] | None = None
    """(ranks,) index into `nodes`."""
    place_of_rank: NDArray[np.uint32] | None = None
    """(ranks,) index into `class_of`; ranks at one place agree in everything that rules ask for."""
    class_of: NDArray[np.uint16] | None = None
    """(places, places) class of a message from one place to another."""
    nodes: NDArray[np.uint32] | None = None
    """Numbers of the nodes in use, ascending."""

    @property
    def nodes_used(self) -> int | None:
        """Number of nodes with ranks; None if all links are equal."""
        return None if self.nodes is None else self.nodes.size

    @property
    def rules(self) -> tuple[str, ...]:
        """Names of the rules of its classes, in order."""
        return tuple(dict.fromkeys(link.rule for link in self.classes))

    def rules_of(self, source: Integers, destination: Integers) -> tuple[str, ...]:
        """(pairs,) the rule that gives the price of messages from one rank to the other."""
        names = [link.rule for link in self.classes]
        return tuple(names[c] for c in self.classes_of(source, destination).tolist())

    def classes_of(self, source: Integers | Numbers, destination: Integers | Numbers) -> Integers:
        """(pairs,) the class of messages from one rank to the other."""
        at = self.place_of_rank
        if at is None or self.class_of is None:
            return np.zeros(source.size, np.int64)
        return self.class_of[at[source], at[destination]].astype(np.int64)

    def later(self, added: AddedLatency) -> "Links":
        """The same links with an added latency for messages."""
        return replace(
            self,
            classes=tuple(
                replace(link, L=link.L + added.ns) if link.between or added.inside else link
                for link in self.classes
            ),
        )

    @property
    def several(self) -> bool:
        """Whether some messages stay inside a node, so that text must name the kind of link."""
        return not all(link.between for link in self.classes)


def describe_links(network_topology: Topology | None, found: Links) -> str:
    """The links, in words."""
    if network_topology is not None:
        return network_topology.describe()
    if len(found.classes) == 1:
        return "one latency class"
    first, *others = found.rules
    return ", ".join([*others, f"and {first}"])


def links(
    ranks: int,
    base: BasePrices,
    rules: Sequence[Rule],
    places: PlaceSizes,
    topology: Topology | None,
    placement: Placement | None,
) -> Links:
    """The links of `ranks` ranks.

    Args:
        ranks: number of ranks.
        base: prices of messages that no rule fits.
        rules: link rules; the first rule that fits a message gives its costs.
        places: the places of nodes, and the parts of nodes.
        topology: switches between nodes.
        placement: the node of each rank.

    Raises:
        InputError: the ranks do not fit, a rule asks for unknown places, or the cost of messages
            inside a node is not known.
    """
    if topology is None and placement is None and not places:
        if rules:
            raise InputError(
                f"link '{rules[0].name}': unknown which ranks share a node; give "
                "--ranks-per-node, --nodes or --placement"
            )
        pairs = ranks * (ranks - 1)
        return Links((LinkClass(EVERYWHERE, *base, rule=EVERYWHERE, pairs=pairs),))
    available = None if topology is None else topology.nodes
    numbers = (placement or Placement()).of(ranks, available)
    nodes, inverse = np.unique(numbers, return_inverse=True)
    node_of_rank = inverse.astype(np.uint32)
    asked = {"node"}.union(*(rule.levels for rule in rules))
    ids = {level: places.of(numbers, level) for level in asked}
    inside = [ids[level] for level in ("node", *WITHIN) if level in asked]
    first, place = apart(inside)
    at = {level: each[first] for level, each in ids.items()}
    node_at = node_of_rank[first].astype(np.int64)
    switches = None if topology is None else topology.switches(nodes)[np.ix_(node_at, node_at)]
    of_places = PlacePairs(at, places, switches)
    table = _Table(at["node"][:, None] != at["node"][None, :], np.bincount(place), switches)
    for rule in rules:
        table.add(rule, rule.fits(of_places), base)
    if topology is not None and table.shares_nodes:
        raise InputError(
            "topology: ranks share nodes, and a message between them crosses no switch; give its "
            "cost, e.g. --intra L=0.4us,G=0.05ns"
        )
    classes, class_of = table.with_base(base, topology)
    place_of_rank = place.astype(np.uint32)
    return Links(
        _counted(classes, class_of, place_of_rank), node_of_rank, place_of_rank, class_of, nodes
    )


class _Table:
    """Classes by rule, by whether messages leave their node, and by switches that a rule prices."""

    def __init__(
        self, leaves: Matrix, ranks: NDArray[np.int64], switches: NDArray[np.uint16] | None
    ) -> None:
        self._leaves, self._switches = leaves, switches
        self._meet = np.ones(leaves.shape, dtype=bool)  # a lone rank has no partner
        np.fill_diagonal(self._meet, ranks > 1)
        self._class_of = np.zeros(leaves.shape, dtype=np.uint16)
        self._left = np.ones(leaves.shape, dtype=bool)
        self._made: list[tuple[LinkClass, Matrix]] = []

    @property
    def shares_nodes(self) -> bool:
        """Whether ranks of one node exchange messages that no rule fits."""
        return bool((self._left & self._meet & ~self._leaves).any())

    def add(self, rule: Rule, fits: Matrix, base: BasePrices) -> None:
        """Adds the messages of a rule that no earlier rule fits."""
        mine = fits & self._left
        self._left &= ~mine
        own = {name: getattr(rule, name) for name in BasePrices._fields}
        prices = base._replace(**{name: own[name] for name in own if own[name] is not None})
        inside, between = (
            bool((mine & self._meet & (self._leaves == side)).any()) for side in (False, True)
        )
        if not (inside and between):
            leaves = between or not (inside or rule.stays)
            self._make(LinkClass(rule.name, *prices, rule.name, rule.S, leaves), mine, rule)
            return
        for leaves, added in ((True, ""), (False, ", inside a node")):
            made = LinkClass(rule.name + added, *prices, rule.name, rule.S, leaves)
            self._make(made, mine & (self._leaves == leaves), rule)

    def _make(self, made: LinkClass, where: Matrix, rule: Rule) -> None:
        if rule.per_hop is None:
            self._made.append((made, where))
            return
        if self._switches is None:
            raise InputError(
                f"link '{rule.name}': per_hop needs a topology; give e.g. --topology "
                "fat-tree:k=16,tiers=3"
            )
        over = np.where(self._leaves, self._switches, 0)
        for hops in np.unique(over[where]).tolist():
            name, price = f"{made.name}, {_switches(hops)}", rule.L + hops * rule.per_hop
            self._made.append(
                (replace(made, name=name, L=price, switches=hops), where & (over == hops))
            )

    def with_base(
        self, base: BasePrices, topology: Topology | None
    ) -> tuple[list[LinkClass], NDArray[np.uint16]]:
        """All classes, those without a rule first, and the class of each pair of places."""
        if topology is None or self._switches is None:
            classes = [LinkClass(BETWEEN, *base, rule=BETWEEN)]
        else:
            used = self._switches[self._left & self._leaves]
            every = used if used.size else self._switches[self._leaves]
            found = np.unique(every) if every.size else np.ones(1, dtype=np.uint16)
            classes = [
                LinkClass(
                    _switches(h),
                    *base._replace(L=topology.latency(h)),
                    rule=BETWEEN,
                    switches=h,
                )
                for h in found.tolist()
            ]
            over = np.where(self._leaves, self._switches, found[0])
            self._class_of = np.searchsorted(found, over).astype(np.uint16)
        for made, where in self._made:
            self._class_of[where] = len(classes)
            classes.append(made)
        return classes, self._class_of


def _switches(count: int) -> str:
    return f"{count} switch{'' if count == 1 else 'es'}"


def _counted(
    classes: Sequence[LinkClass], class_of: NDArray[np.uint16], place_of_rank: NDArray[np.uint32]
) -> tuple[LinkClass, ...]:
    """The classes, each with its number of rank pairs."""
    at_place = np.bincount(place_of_rank).astype(np.int64)
    pairs = np.outer(at_place, at_place)
    np.fill_diagonal(pairs, at_place * (at_place - 1))
    count = np.zeros(len(classes), dtype=np.int64)
    np.add.at(count, class_of, pairs)
    return tuple(replace(c, pairs=int(n)) for c, n in zip(classes, count.tolist(), strict=True))
