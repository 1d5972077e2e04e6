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
        begin = np.searchsorted(program.head[by_head], np.arange(program.joins + 2))
        order = np.array(_topological(begin.tolist(), program.tail[by_head].tolist()))
        lengths = np.diff(begin)[order]
        end = np.cumsum(lengths)
        within = np.arange(len(by_head)) - np.repeat(end - lengths, lengths)
        self._rows = by_head[np.repeat(begin[order], lengths) + within]
        self._begins = (within == 0).tolist()
        self._done = np.zeros(program.joins + 2, np.int64)
        """Number of rows before each join is known; none for the origin: tail −1."""
        self._done[order] = end
        self._tail = self._done[program.tail[self._rows]]
        self._tails = self._tail.tolist()
        self._kept: dict[float, tuple[Floats, Ints]] = {}

    def at(self, theta: float) -> tuple[Floats, Ints]:
        """Time (ns) of every join and of t, and its deciding row."""
        if theta not in self._kept:  # the last one: who makes a solver starts it there
            self._kept = {theta: self._found(theta)}
        return self._kept[theta]

    def _found(self, theta: float) -> tuple[Floats, Ints]:
        program, rows = self._program, self._rows
        weight = (program.constant + program.slope * theta)[rows]
        latest = 0.0
        time = [latest]  # by the rows of a join so far
        add = time.append
        for tail, more, begins in zip(self._tails, weight.tolist(), self._begins, strict=True):
            candidate = time[tail] + more
            if begins or candidate > latest:
                latest = candidate
            add(latest)
        times = np.array(time)
        found = times[self._done[:-1]]
        head = program.head[rows]
        deciding = np.flatnonzero(times[self._tail] + weight == found[head])[::-1]
        tight = np.full(program.joins + 1, -1)
        tight[head[deciding]] = rows[deciding]  # of several the first, which comes last here
        assert (tight >= 0).all()
        return found, tight


def _topological(begin: list[int], tail: list[int]) -> list[int]:
    """All joins, and t, after the tails of their rows (depth first, without recursion)."""
    order: list[int] = []
    joins = len(begin) - 1
    known = bytearray(joins + 1)
    known[-1] = 1  # the origin
    left = list(begin)  # the first row of each join whose tail may not be known
    for j in range(joins):
        if known[j]:
            continue
        stack = [j]
        while stack:
            k = stack[-1]
            for i in range(left[k], begin[k + 1]):
                if not known[tail[i]]:
                    left[k] = i
                    stack.append(tail[i])
                    break
            else:
                stack.pop()
                known[k] = 1
                order.append(k)
    return order
