"""Lines of execution: one per rank, or one per thread of a rank."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latitude._types import Integers


def line_name(rank: int, thread: int) -> str:
    """The name of a line in text; the first thread has the rank's name."""
    return f"rank {rank} thread {thread}" if thread else f"rank {rank}"


@dataclass(frozen=True, eq=False)
class RankLines:
    """The lines of all ranks, in the order of ranks."""

    threads: Integers
    """(ranks,) number of lines of each rank."""

    @classmethod
    def of(cls, ranks: int, rank: NDArray[np.integer], thread: NDArray[np.integer]) -> "RankLines":
        """The lines of all ranks, by the threads of some events."""
        threads = np.ones(ranks, np.int64)
        several = np.flatnonzero(thread)
        np.maximum.at(threads, rank[several], thread[several].astype(np.int64) + 1)
        return cls(threads)

    def __len__(self) -> int:
        return int(self._begin[-1])

    @cached_property
    def _begin(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.threads)])

    @property
    def several(self) -> bool:
        """Whether a rank has more than one line."""
        return len(self) > self.threads.size

    @property
    def axis(self) -> str:
        """The title of an axis along the lines."""
        return "rank, thread" if self.several else "rank"

    def at(self, rank: NDArray[np.integer], thread: NDArray[np.integer]) -> Integers:
        """The index of each line among all."""
        begin: Integers = self._begin[rank]
        return begin + thread if self.several else begin

    def shown(self, index: NDArray[np.integer]) -> list[int] | list[str]:
        """Positions on an axis: numbers, or labels if a rank has several lines."""
        if not self.several:
            return [int(each) for each in index.tolist()]
        labels = self.labels()
        return [labels[each] for each in index.tolist()]

    def names(self) -> list[str]:
        """The name of each line in text."""
        return [
            line_name(rank, thread)
            for rank, count in enumerate(self.threads.tolist())
            for thread in range(count)
        ]

    def labels(self) -> list[str]:
        """A short label of each line: "3", or "3.1" for a further thread."""
        return [
            f"{rank}.{thread}" if thread else str(rank)
            for rank, count in enumerate(self.threads.tolist())
            for thread in range(count)
        ]
