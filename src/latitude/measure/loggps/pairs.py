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
"""Pairs to draw from; of more a random part."""

Ranks = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RulePairs:
    """The pairs of ranks to measure, by the rule that prices their messages."""

    names: tuple[str, ...]
    """Of the rules that they are of: what no rule fits first, then as the file has them."""
    rule_of: Mapping[Ranks, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """As the program is told: `0-1,0-4`."""
        return ",".join(f"{a}-{b}" for a, b in self.rule_of)


def rule_pairs(
    places: Sequence[RankPlace], described: Description, most: int, seed: int
) -> RulePairs:
    """Pairs of every rule that some ranks of a job meet over, drawn at random.

    Args:
        places: where each rank runs; node numbers are those of the file's places.
        described: the file with the rules.
        most: pairs of all rules together, but one of each at least; 0: all.
        seed: of the choice.

    Raises:
        InputError: there is a topology, a rule asks for what is not known, or no two ranks meet
            both ways over links of one rule.
    """
    if described.topology is not None:
        raise InputError(
            f"{described.source}: its topology gives latencies, which are not those of two ranks; "
            "leave [topology] out, and measure its rules by groups, sites or nodes"
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
    # A round trip over two kinds of links tells the latency of neither.
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
    """Lower and higher rank of each pair."""
    if ranks * (ranks - 1) // 2 <= _MOST_SEEN:
        yield from np.triu_indices(ranks, 1)
        return
    drawn = np.sort(random.integers(0, ranks, (_MOST_SEEN, 2)), axis=1)
    yield from np.unique(drawn[drawn[:, 0] < drawn[:, 1]], axis=0).T
