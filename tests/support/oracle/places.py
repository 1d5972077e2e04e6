"""Costs of each pair of ranks by docs/reference/networks.md, "Link rules" and "Places".

Nothing here calls the package.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from .arrays import Parameters
from .programs import EAGER_LIMIT

ABOVE = ("site", "group", "switch")
PARTS = ("socket", "gpu", "rail")


@dataclass(frozen=True)
class Stated:
    """A `[[link]]` of a cluster file."""

    where: str
    L: float
    G: float | None
    S: int | None
    o: float | None = None
    O: float | None = None
    g: float | None = None


Price = tuple[float, float, int | None, float | None, float | None, float | None]
"""L, G, and S, o, O and g where they are others than everywhere."""


@dataclass(frozen=True)
class Cluster:
    """The file's places and rules, and the node of each rank."""

    node: Sequence[int]
    nodes_per: Mapping[str, int] = field(default_factory=dict)
    """Nodes per place, by level."""
    named: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    """Nodes of each named place, by level and name."""
    parts: Mapping[str, int] = field(default_factory=dict)
    """Parts of each node, by level."""
    rules: Sequence[Stated] = ()

    def place(self, rank: int, level: str) -> object:
        """The common key of two ranks at the same place of a level."""
        node = self.node[rank]
        if level == "node":
            return node
        if level in self.named:
            return next(name for name, nodes in self.named[level].items() if node in nodes)
        if level in self.nodes_per:
            return node // self.nodes_per[level]
        on_node = [r for r, other in enumerate(self.node) if other == node]
        part = on_node.index(rank) * self.parts[level] // len(on_node)
        return part if level == "rail" else (node, part)

    def fits(self, where: str, source: int, destination: int) -> bool:
        """Whether a rule is about a message."""
        for condition in where.split(" and "):
            words = condition.split()
            if words[0] in ("same", "different"):
                alike = self.place(source, words[1]) == self.place(destination, words[1])
                if alike != (words[0] == "same"):
                    return False
            else:
                level, one, _, other = words
                if self.place(source, level) != one or self.place(destination, level) != other:
                    return False
        return True

    def price(self, source: int, destination: int, L: float, G: float) -> Price:
        """Price of a message; `L` and `G` if no rule fits."""
        for rule in self.rules:
            if self.fits(rule.where, source, destination):
                price = G if rule.G is None else rule.G
                return rule.L, price, rule.S, rule.o, rule.O, rule.g
        return L, G, None, None, None, None

    def parameters(self, costs: Parameters) -> Parameters:
        """`costs` with these prices: each rank is a node of its own, class 0 is what no rule fits,
        and there is a class for each other price."""
        ranks = range(len(self.node))
        found = [[self.price(i, j, costs.L, costs.G) for j in ranks] for i in ranks]
        base: Price = costs.L, costs.G, None, None, None, None
        others = sorted({price for row in found for price in row} - {base}, key=str)
        number = {price: i for i, price in enumerate([base, *others])}
        return Parameters(
            **vars(costs)
            | {
                "classes": tuple((f"class {i}", L, G) for (L, G, *_), i in number.items()),
                **{
                    f"{name}_of_class": tuple(price[2 + i] for price in number)
                    for i, name in enumerate(("S", "o", "O", "g"))
                },
                "node_of_rank": tuple(ranks),
                "class_of": tuple(tuple(number[price] for price in row) for row in found),
            }
        )


def random_places(rng: Random, ranks: int) -> Cluster:
    """Ranks on nodes, and every level; two of those above nodes have names."""
    nodes = rng.randint(1, ranks)
    node = tuple(rng.randrange(nodes) for _ in range(ranks))
    sites = [rng.choice("AB") for _ in range(nodes)] + ["A", "B"]  # none is without nodes
    return Cluster(
        node,
        {level: rng.randint(1, 3) for level in ("group", "switch")},
        {"site": {name: [n for n, own in enumerate(sites) if own == name] for name in "AB"}},
        {level: rng.randint(1, 3) for level in PARTS},
    )


def random_rules(rng: Random, prices: Sequence[tuple[float, float]], gap: str) -> list[Stated]:
    """2 to 6 rules, which differ; a condition or two each. g is one's own where there is a gap."""

    def condition() -> str:
        if rng.random() < 0.2:
            return f"site {rng.choice('AB')} to {rng.choice('AB')}"
        level = rng.choice((*ABOVE, "node", *PARTS))
        return f"{rng.choice(('same', 'same', 'different'))} {level}"

    wheres: list[str] = []
    wanted = rng.randint(2, 6)
    while len(wheres) < wanted:
        where = " and ".join(condition() for _ in range(rng.choice((1, 1, 2))))
        if where not in wheres:
            wheres.append(where)
    chosen = [rng.choice(prices) for _ in wheres]
    return [
        Stated(
            where,
            L,
            rng.choice((None, G)),
            rng.choice((None, EAGER_LIMIT, 12, 16)),
            o=rng.choice((None, 0.0, 2.0, 5.0)),
            O=rng.choice((None, None, 0.0, 0.25)),
            g=None if gap == "none" else rng.choice((None, 0.0, 3.0, 20.0)),
        )
        for where, (L, G) in zip(wheres, chosen, strict=True)
    ]
