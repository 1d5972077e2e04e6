"""How answers differ between runs of one program."""

from statistics import median
from typing import TYPE_CHECKING

import msgspec

from latitude.results.declared import Count, Part, Unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable


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
