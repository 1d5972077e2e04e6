"""Placement of ranks on nodes."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.model.hostfile import hosts_of_ranks, numbered, numbers_in_order
from latitude.trace.recorded_run import read_run
from latitude.units.quantities import counted

BLOCK, ROUND_ROBIN, RANDOM = "block", "round-robin", "random"
RULES = "block, round-robin, random:SEED, file:HOSTFILE or numbered:FIRST:HOSTFILE"

Nodes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Placement:
    """Rank → node: by a rule that fits any number of ranks, or rank by rank.

    `block` fills one node after the other, `round-robin` deals the ranks out, and `random` shuffles
    the nodes of `block`.
    """

    rule: str = BLOCK
    """block, round-robin, random, or the name of an explicit placement."""
    nodes: int | None = None
    """Number of nodes; by default the smallest that `ranks_per_node` allows."""
    ranks_per_node: int | None = None
    """Largest number of ranks per node; by default ranks spread evenly over `nodes`, or have a node
    each."""
    seed: int = 0
    """Seed of the random placement."""
    node_of_rank: tuple[int, ...] | None = None
    """The node of every rank, if no rule gives the nodes; may have more ranks than a program."""

    @classmethod
    def parse(
        cls, text: str, nodes: int | None = None, ranks_per_node: int | None = None
    ) -> "Placement":
        """Parses one of `RULES`, such as `random:7` or `file:hosts.txt`."""
        kind, _, rest = text.partition(":")
        if kind in (BLOCK, ROUND_ROBIN) and not rest:
            return cls(kind, nodes, ranks_per_node)
        if kind == RANDOM and rest.isdecimal():
            return cls(kind, nodes, ranks_per_node, seed=int(rest))
        if kind not in ("file", "numbered") or not rest:
            raise InputError(f"placement: '{text}' is unknown; use {RULES}")
        if nodes is not None or ranks_per_node is not None:
            raise InputError(
                f"placement: '{text}' gives the node of every rank; leave out the number of nodes "
                "and of ranks per node"
            )
        if kind == "file":
            hosts = hosts_of_ranks(Path(rest))
            return cls(text, node_of_rank=tuple(numbers_in_order(hosts)))
        first, _, name = rest.partition(":")
        if not first.isdecimal() or not name:
            raise InputError(
                f"placement: '{text}' is unknown; write e.g. numbered:1:hosts.txt, where node001 "
                "is the first node"
            )
        hosts = hosts_of_ranks(Path(name))
        return cls(text, node_of_rank=tuple(numbered(hosts, int(first), name)))

    @classmethod
    def explicit(cls, node_of_rank: Sequence[int], name: str = "as given") -> "Placement":
        """A placement with the node of every rank; results call it `name`."""
        return cls(name, node_of_rank=tuple(int(node) for node in node_of_rank))

    @classmethod
    def traced(cls, trace: Path) -> "Placement | None":
        """The placement on the hosts of a trace by `latitude trace`; None if not recorded."""
        files = read_run(trace) if trace.is_dir() else []
        hosts = [file.meta.get("host", "") for file in files]
        return cls.explicit(numbers_in_order(hosts), "as traced") if hosts and all(hosts) else None

    def of(self, ranks: int, available: int | None = None) -> Nodes:
        """Node of each rank, shape (ranks,).

        Args:
            ranks: number of ranks in the program.
            available: existing nodes, if a topology limits their number.

        Raises:
            InputError: the ranks do not fit.
        """
        if self.node_of_rank is not None:
            if len(self.node_of_rank) < ranks:
                raise InputError(
                    f"placement: {self.rule} places {counted(len(self.node_of_rank), 'rank')}, but "
                    f"the program has {ranks:,}"
                )
            return np.array(self.node_of_rank[:ranks], dtype=np.uint32)
        nodes = self._nodes(ranks)
        if available is not None and nodes > available:
            raise InputError(
                f"placement: {ranks:,} ranks on {counted(nodes, 'node')}, but the topology has "
                f"{available:,}; give --ranks-per-node {-(-ranks // available)} or a larger one"
            )
        rank = np.arange(ranks)
        if self.rule == ROUND_ROBIN:
            return (rank % nodes).astype(np.uint32)
        if self.ranks_per_node is not None:
            block = rank // self.ranks_per_node
        else:
            block = np.repeat(np.arange(nodes), [len(x) for x in np.array_split(rank, nodes)])
        if self.rule == RANDOM:
            order = block.tolist()
            # Python's shuffle of a seed has stayed the same since 3.2; NumPy's may change.
            random.Random(self.seed).shuffle(order)  # noqa: S311 - not for secrets
            block = np.array(order)
        return block.astype(np.uint32)

    def _nodes(self, ranks: int) -> int:
        if self.nodes is None:
            return -(-ranks // (self.ranks_per_node or 1))
        nodes = min(self.nodes, ranks)
        if self.ranks_per_node is not None and nodes * self.ranks_per_node < ranks:
            raise InputError(
                f"placement: {ranks:,} ranks do not fit on {counted(self.nodes, 'node')} with "
                f"{self.ranks_per_node} ranks each; give --ranks-per-node "
                f"{-(-ranks // self.nodes)} or --nodes {-(-ranks // self.ranks_per_node)}"
            )
        return nodes

    def describe(self, ranks: int) -> str:
        """The placement in words: `block, 4 nodes, at most 2 ranks each`."""
        rule = f"{self.rule}:{self.seed}" if self.rule == RANDOM else self.rule
        counts = np.bincount(self.of(ranks))
        used = int(np.count_nonzero(counts))
        return f"{rule}, {counted(used, 'node')}, at most {counted(int(counts.max()), 'rank')} each"
