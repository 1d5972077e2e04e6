"""The least solution of a LatencyProgram's rows at one θ, in plain Python.

It is where HiGHS may start from: every join as early as its tightest row allows is a basis of the
program. HiGHS goes on from any basis to its own optimum, so a start changes the time it takes,
never the answer.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .lp import LatencyProgram

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Schedule:
    """Rows in an order in which every join's tail is known before it is used."""

    def __init__(self, program: "LatencyProgram") -> None:
        self._program = program
        by_head = np.argsort(program.head, kind="stable")
        begin = np.searchsorted(program.head[by_head], np.arange(program.joins + 2)).tolist()
        tail = program.tail[by_head].tolist()
        self._order = self._topological(begin, tail)
        spans = [by_head[begin[j] : begin[j + 1]] for j in self._order]
        self._rows = np.concatenate(spans)
        self._lengths = [len(span) for span in spans]

    @staticmethod
    def _topological(begin: list[int], tail: list[int]) -> list[int]:
        """All joins, and t, after the tails of their rows (depth first, without recursion)."""
        order: list[int] = []
        state = bytearray(len(begin))  # 0 unseen, 1 waiting for its tails, 2 done
        for j in range(len(begin) - 1):
            stack = [j]
            while stack:
                k = stack[-1]
                if state[k] == 0:
                    state[k] = 1
                    stack += [p for p in tail[begin[k] : begin[k + 1]] if p >= 0 and not state[p]]
                else:
                    stack.pop()
                    if state[k] == 1:
                        state[k] = 2
                        order.append(k)
        return order

    def at(self, theta: float) -> tuple[Floats, Ints]:
        """Time (ns) of every join and of t, and the row that decides it."""
        program = self._program
        weight = (program.constant + program.slope * theta)[self._rows].tolist()
        tail = program.tail[self._rows].tolist()
        time = [0.0] * (program.joins + 2)  # the last one is the origin: tail −1
        tight = np.empty(program.joins + 1, np.int64)
        i = 0
        for j, length in zip(self._order, self._lengths, strict=True):
            best, best_row = -1.0, i
            for k in range(i, i + length):
                candidate = time[tail[k]] + weight[k]
                if candidate > best:
                    best, best_row = candidate, k
            time[j] = best
            tight[j] = best_row
            i += length
        return np.array(time[:-1]), self._rows[tight]
