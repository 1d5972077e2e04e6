"""The lines on which ranks do one thing after the other: a rank's only one, or its threads."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latitude._types import Integers


def line_name(rank: int, thread: int) -> str:
    """A line as text has it; a rank's first thread is called like the rank."""
    return f"rank {rank} thread {thread}" if thread else f"rank {rank}"


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of all ranks, in the order of ranks."""

    threads: Integers
    """(ranks,) how many each rank has."""

    @classmethod
    def of(cls, ranks: int, rank: NDArray[np.integer], thread: NDArray[np.integer]) -> "Lines":
        """Those of all ranks, as far as these threads of them tell."""
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
        """Whether some rank has more than one."""
        return len(self) > self.threads.size

    @property
    def axis(self) -> str:
        """What an axis along the lines shows."""
        return "rank, thread" if self.several else "rank"

    def at(self, rank: NDArray[np.integer], thread: NDArray[np.integer]) -> Integers:
        """The index of each line among all."""
        begin: Integers = self._begin[rank]
        return begin + thread if self.several else begin

    def shown(self, index: NDArray[np.integer]) -> list[int] | list[str]:
        """Where lines are on an axis: by number, or by label where a rank has several."""
        if not self.several:
            return [int(each) for each in index.tolist()]
        labels = self.labels()
        return [labels[each] for each in index.tolist()]

    def names(self) -> list[str]:
        """Of each line, as text has it."""
        return [
            line_name(rank, thread)
            for rank, count in enumerate(self.threads.tolist())
            for thread in range(count)
        ]

    def labels(self) -> list[str]:
        """Of each line, short enough for an axis: "3", or "3.1" for a further thread."""
        return [
            f"{rank}.{thread}" if thread else str(rank)
            for rank, count in enumerate(self.threads.tolist())
            for thread in range(count)
        ]
