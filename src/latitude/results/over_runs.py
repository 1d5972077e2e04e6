"""Differences of answers between runs of one program."""

from statistics import median
from typing import TYPE_CHECKING

import msgspec

from latitude.results.declared import Count, Part, Unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable


LEAST_RUNS = 3
"""Least number of runs that shows the difference between two runs of a program."""


class Spread(Part, frozen=True, kw_only=True):
    """One answer, for each run."""

    median: Unbounded
    low: Unbounded
    high: Unbounded
    values: list[Unbounded]
    """Values in the order of the runs."""

    @classmethod
    def of(cls, values: "Iterable[float]") -> "Spread":
        """The spread of one or more values."""
        every = list(values)
        return cls(median=median(every), low=min(every), high=max(every), values=every)

    def known_beside(self, other: "Spread") -> bool:
        """Whether both spreads have enough runs to tell a change from the spread of runs."""
        return min(len(self.values), len(other.values)) >= LEAST_RUNS

    def above(self, other: "Spread") -> bool:
        """Whether the least value exceeds the other spread's greatest by more than the wider range.

        With three runs on each side and normally distributed values, this happens by chance once in
        270 pairs.
        """
        return self.low - other.high > max(self.high - self.low, other.high - other.low)


class OverRuns(Part, frozen=True, kw_only=True):
    """The answers over several runs; all other results are those of the run with the median T."""

    traces: list[str]
    """Paths of the runs' traces."""
    shown: Count
    """Index of the run that all other results describe, from 0."""
    T_ns: Spread
    wall_ns: Spread
    """Recorded durations of the runs."""
    slope: Spread = msgspec.field(name="lambda")
    """dT/dθ at the baseline, towards higher values."""
    share: Spread = msgspec.field(name="rho")
    """Share of the runtime that is due to θ."""
    delta: list[Spread]
    """The extra θ that reaches each limit of `tolerance`; null if no θ does."""
    computation: dict[str, Spread]
    """Function → computation of all ranks just before its MPI calls, ns; empty if the waits were
    left out."""
