"""How answers differ between runs of one program."""

from statistics import median
from typing import TYPE_CHECKING

import msgspec

from latitude.results.declared import Count, Part, Unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable


LEAST_RUNS = 3
"""Fewer runs of a program do not show how much two of its runs differ."""


class Spread(Part, frozen=True, kw_only=True):
    """One answer, of each run."""

    median: Unbounded
    low: Unbounded
    high: Unbounded
    values: list[Unbounded]
    """In the order of the runs."""

    @classmethod
    def of(cls, values: "Iterable[float]") -> "Spread":
        """Of one value or more."""
        every = list(values)
        return cls(median=median(every), low=min(every), high=max(every), values=every)

    def known_beside(self, other: "Spread") -> bool:
        """Whether both have runs enough to tell a change from the difference of two runs."""
        return min(len(self.values), len(other.values)) >= LEAST_RUNS

    def above(self, other: "Spread") -> bool:
        """Whether the least value is above the other's most by more than the wider range.

        Of three runs on each side, whose values are normally distributed, this happens by chance
        once in 270 pairs.
        """
        return self.low - other.high > max(self.high - self.low, other.high - other.low)


class OverRuns(Part, frozen=True, kw_only=True):
    """The answers over several runs; everything else is of the one with the median T."""

    traces: list[str]
    """Where the runs' traces are."""
    shown: Count
    """Which of them all else is of, from 0."""
    T_ns: Spread
    wall_ns: Spread
    """How long the runs took."""
    slope: Spread = msgspec.field(name="lambda")
    """dT/dθ at the baseline, towards higher values."""
    share: Spread = msgspec.field(name="rho")
    """Share of the runtime that is θ's."""
    delta: list[Spread]
    """For each of `tolerance`, by how much more of θ it is reached; null where no θ reaches it."""
    computation: dict[str, Spread]
    """By function, what all ranks compute just before its calls of MPI, ns; empty where the waits
    were left out."""
