"""Pairs of ranks for each link rule of a cluster file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from latitude._core import InputError
from latitude.model.cluster_file import Description
from latitude.model.network import Network
from latitude.model.placement import Placement
from latitude.model.rules import BETWEEN
from latitude.results.measurement import RankPlace

_MOST_SEEN = 1 << 20
"""Largest number of pairs from which to choose; with more pairs, a random selection is used."""

Ranks = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RulePairs:
    """The pairs of ranks to measure, by the rule that gives the prices of their messages."""

    names: tuple[str, ...]
    """Names of the rules with pairs. Links without a rule come first."""
    rule_of: Mapping[Ranks, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The pairs as text for the program: `0-1,0-4`."""
        return ",".join(f"{a}-{b}" for a, b in self.rule_of)


def rule_pairs(
    places: Sequence[RankPlace], described: Description, most: int, seed: int
) -> RulePairs:
    """Pairs for every rule that applies to some ranks of a job, drawn at random.

    Args:
        places: the node of each rank, numbered as in the file's places.
        described: the file with the rules.
        most: largest number of pairs over all rules (at least one per rule); 0 means all.
        seed: seed of the choice.

    Raises:
        InputError: the file has a topology; or a rule needs unknown places; or no two ranks use
            links of one rule in both directions.
    """
    if described.topology is not None:
        raise InputError(
            f"{described.source}: its topology gives the latencies between nodes; leave [topology] "
            "out, and give rules by groups, sites or nodes"
        )
    rules = described.network().rules
    node_of_rank = [place.node for place in sorted(places, key=lambda each: each.rank)]
    links = Network(
        rules=rules, places=described.places, placement=Placement.explicit(node_of_rank)
    ).links(len(places))
    random = np.random.default_rng(seed)
    source, destination = _all_pairs(len(places), random)
    there, back = (
        np.array(links.rules_of(*ends)) for ends in ((source, destination), (destination, source))
    )
    # A round trip over two kinds of links gives the latency of neither.
    kinds = {
        name: np.flatnonzero((there == name) & (back == name))
        for name in (BETWEEN, *dict.fromkeys(rule.name for rule in rules))
    }
    seen = {name: pairs for name, pairs in kinds.items() if pairs.size}
    if not seen:
        raise InputError(
            f"{described.source}: no two of {len(places)} ranks meet over links of one rule both "
            "ways; start more ranks"
        )
    each = max(most // len(seen), 1) if most else source.size
    chosen = {
        name: np.sort(random.choice(pairs, min(each, pairs.size), replace=False))
        for name, pairs in seen.items()
    }
    return RulePairs(
        tuple(seen),
        {
            (int(source[pair]), int(destination[pair])): name
            for name, pairs in chosen.items()
            for pair in pairs
        },
    )


def _all_pairs(ranks: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Lower and higher rank of each pair, or of a random selection of very many pairs."""
    if ranks * (ranks - 1) // 2 <= _MOST_SEEN:
        yield from np.triu_indices(ranks, 1)
        return
    drawn = np.sort(random.integers(0, ranks, (_MOST_SEEN, 2)), axis=1)
    yield from np.unique(drawn[drawn[:, 0] < drawn[:, 1]], axis=0).T
