"""Lines of execution: one per rank, or one for each thread, CPU or stream of a rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from latitude._types import Integers

Resource = Literal["thread", "cpu", "stream"]
"""Kinds of resources that run operations one after the other."""


@dataclass(frozen=True, eq=False)
class RankLines:
    """The lines of all ranks, in the order of ranks."""

    rank: Integers
    """(lines,) the rank of each line, ascending; each rank has at least one."""
    resource: Sequence[Resource]
    """(lines,) the kind of resource that runs the line's operations."""
    number: Integers
    """(lines,) number of this resource."""

    @classmethod
    def one_each(cls, ranks: int) -> "RankLines":
        """The lines of ranks with one thread each."""
        threads: list[Resource] = ["thread"] * ranks
        return cls(np.arange(ranks), threads, np.zeros(ranks, np.int64))

    def __len__(self) -> int:
        return self.rank.size

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return int(self.rank[-1]) + 1 if len(self) else 0

    @property
    def several(self) -> bool:
        """Whether a rank has more than one line."""
        return len(self) > self.ranks

    @property
    def each(self) -> str:
        """The word for one of these lines in text."""
        return "line" if self.several else "rank"

    def shown(self, index: NDArray[np.integer]) -> list[int] | list[str]:
        """Positions on an axis of ranks: numbers, or labels if a rank has several lines."""
        if not self.several:
            return [int(each) for each in index.tolist()]
        labels = self.labels()
        return [labels[each] for each in index.tolist()]

    @cached_property
    def _labels(self) -> list[str]:
        alone = (np.bincount(self.rank) == 1)[self.rank]
        return [
            str(rank) if one else f"{rank} {resource} {number}"
            for rank, resource, number, one in zip(
                *(self.rank.tolist(), self.resource, self.number.tolist(), alone.tolist()),
                strict=True,
            )
        ]

    def labels(self) -> list[str]:
        """A short label of each line: "3", or "3 cpu 1" if rank 3 has several lines."""
        return self._labels

    def names(self) -> list[str]:
        """The name of each line in text."""
        return [f"rank {label}" for label in self._labels]

    @cached_property
    def _names_of(self) -> dict[tuple[int, int], str]:
        ends = zip(self.rank.tolist(), self.number.tolist(), strict=True)
        return dict(zip(ends, self.names(), strict=True))

    def name_of(self, rank: int, number: int) -> str:
        """The name in text of the rank's line on the resource with this number."""
        return self._names_of[rank, number]
