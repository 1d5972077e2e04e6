"""Places of ranks: sites, groups, switches, nodes, sockets, GPUs and rails."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.units.arguments import whole

ABOVE = ("site", "group", "switch")
"""Levels above nodes, the largest first."""
WITHIN = ("socket", "gpu", "rail")
"""Parts of a node that its ranks belong to."""
LEVELS = (*ABOVE, "node", *WITHIN)

Ids = NDArray[np.int64]
_MOST = 1 << 20
_SPAN = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class PlaceSizes:
    """Groups of nodes and parts of nodes; each level may be missing.

    Nodes fill switches, groups and sites one after the other, in the order of their numbers, by the
    counts or the lists of the level. The ranks of a node fill its sockets, its GPUs and its rails
    evenly, in rank order. A rail connects all nodes: the first rail of one node is the first rail
    of every node.
    """

    count: Mapping[str, int] = field(default_factory=dict)
    """For a level above nodes, the nodes in each place; for a level inside nodes, the parts per
    node."""
    named: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Names of the places of a level above nodes, with their nodes: `{"Bonn": "0-63, 80"}`."""

    def __post_init__(self) -> None:
        """Raises InputError if a level is unknown, both counted and named, or has invalid nodes."""
        for level, many in self.count.items():
            if level not in (*ABOVE, *WITHIN):
                raise InputError(f"places: '{level}' is none of {', '.join((*ABOVE, *WITHIN))}")
            if not whole(many, key_of(level)):
                raise InputError(f"{key_of(level)} = 0; give a number of 1 or more")
            if many > _MOST:
                raise InputError(f"{key_of(level)} = {many:,}; give {_MOST:,} at most")
        for level, names in self.named.items():
            if level not in ABOVE:
                raise InputError(f"places: '{level}' has no names; use {', '.join(ABOVE)}")
            if level in self.count:
                raise InputError(
                    f"{key_of(level)}: the table [places.{level}] has it already; leave one out"
                )
            for name, nodes in names.items():
                spans_of(nodes, f"places.{level}: {name}")

    def __bool__(self) -> bool:
        """Whether any level is known in addition to nodes."""
        return bool(self.count or self.named)

    def levels(self) -> tuple[str, ...]:
        """The known levels."""
        return tuple(
            level for level in LEVELS if level == "node" or level in {*self.count, *self.named}
        )

    def of(self, node_of_rank: NDArray[np.uint32], level: str) -> Ids:
        """(ranks,) number of each rank's place at a level. InputError: the level is not known."""
        node = node_of_rank.astype(np.int64)
        if level == "node":
            return node
        if level in self.named:
            return self._named(node, level)
        if level not in self.count:
            raise InputError(f"places: no key defines the {level} of nodes; give {_example(level)}")
        if level in ABOVE:
            return node // self.count[level]
        inside = _shares(node, self.count[level])
        return inside if level == "rail" else node * self.count[level] + inside

    def number(self, level: str, name: str) -> int:
        """The number of a named place. InputError: the level lacks this place."""
        names = list(self.named.get(level, ()))
        if name not in names:
            known = f"known are {', '.join(names)}" if names else f"give a table [places.{level}]"
            raise InputError(f"places: unknown {level} '{name}'; {known}")
        return names.index(name)

    def _named(self, node: Ids, level: str) -> Ids:
        found = np.full(node.shape, -1, np.int64)
        for number, (name, text) in enumerate(self.named[level].items()):
            for low, high in spans_of(text, name):
                inside = (low <= node) & (node <= high)
                if (found[inside] >= 0).any():
                    raise InputError(f"places.{level}: {name}: a node of it has another {level}")
                found[inside] = number
        if (found < 0).any():
            raise InputError(
                f"places.{level}: node {node[found < 0][0]} is in none of "
                f"{', '.join(self.named[level])}; name a {level} for it"
            )
        return found


def key_of(level: str) -> str:
    """Key in a cluster file for the count of a level."""
    return f"nodes_per_{level}" if level in ABOVE else f"{level}s_per_node"


def _example(level: str) -> str:
    table = f", or a table [places.{level}]" if level in ABOVE else ""
    return f"{key_of(level)} = 2 in [places]{table}"


def spans_of(text: str, name: str) -> list[tuple[int, int]]:
    """First and last node of each part of `0-63, 80`. InputError: the text is not valid."""
    spans = []
    for part in text.split(","):
        match = _SPAN.fullmatch(part.strip())
        if match is None:
            raise InputError(f"{name}: '{text}' names no nodes; write e.g. 0-63, 80")
        spans.append((int(match[1]), int(match[2] or match[1])))
    return spans


def _shares(node: Ids, count: int) -> Ids:
    """(ranks,) the part of its node, among `count` parts, to which each rank belongs."""
    order = np.argsort(node, kind="stable")
    _, begin, ranks = np.unique(node[order], return_index=True, return_counts=True)
    place = np.empty_like(node)
    place[order] = np.arange(node.size) - np.repeat(begin, ranks)
    on_node = np.empty_like(node)
    on_node[order] = np.repeat(ranks, ranks)
    return place * count // on_node


def apart(ids: Iterable[Ids]) -> tuple[Ids, Ids]:
    """The first rank of each place, and the index of each rank's place.

    Ranks with equal `ids` share a place.
    """
    _, first, place = np.unique(np.stack(list(ids)), axis=1, return_index=True, return_inverse=True)
    return first, place.ravel()
