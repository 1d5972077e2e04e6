"""Samples in the form that statistics need, checked before any computation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from latitude._core import InputError
from latitude._types import Floats
from latitude.statistics.conventions import LEAST

ROUNDING = 1e-12
"""Relative difference of latencies, as a share of the largest, that is only rounding."""


@dataclass(frozen=True, slots=True)
class Over:
    """The latencies over a threshold."""

    count: int
    sum_ns: float
    fewest: int
    """Least count that agrees with the kept data of the sample."""
    most: int
    """Largest count that agrees with the kept data."""

    @classmethod
    def exactly(cls, larger: Floats) -> "Over":
        """The outcome if exactly these latencies are over the threshold."""
        return cls(larger.size, float(larger.sum()), larger.size, larger.size)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Latencies in ns: all, or a summary of very many."""

    n: int
    mean_ns: float
    sd_ns: float
    """Standard deviation (n − 1), ns."""
    least_ns: float
    largest_ns: float
    at_rank: Callable[[int], float]
    """Function from a rank (1 … n) to its latency."""
    bounds: Callable[[int], tuple[float, float]]
    """Function from a rank to its least and largest possible latency; both are `at_rank` if all
    latencies are kept.
    """
    over: Callable[[float], Over]
    """Function from a threshold to the latencies above it."""
    top: Floats
    """The largest latencies, ascending."""
    kept: Floats
    """All latencies in ascending order, or a random choice of very many."""
    in_order: Floats | None
    """Latencies in their original order; None if this order is not kept."""
    threshold_ns: float | None = None
    """Another sample's 85th percentile, if given."""

    @property
    def constant(self) -> bool:
        """Whether all latencies are equal."""
        return self.least_ns == self.largest_ns


def sample_of(values_ns: ArrayLike, threshold_ns: float | None = None) -> Sample:
    """A sample of at least 4 latencies in ns, all of which are kept.

    InputError: there are NaN or negative values, or fewer than 4. A constant sample is valid.
    """
    values = np.asarray(values_ns, dtype=np.float64).ravel()
    ordered = latencies(values, LEAST)

    def at_rank(rank: int) -> float:
        return float(ordered[rank - 1])

    def over(threshold: float) -> Over:
        return Over.exactly(ordered[int(np.searchsorted(ordered, threshold, side="right")) :])

    return Sample(
        n=ordered.size,
        mean_ns=float(ordered.mean()),
        sd_ns=float(ordered.std(ddof=1)),
        least_ns=float(ordered[0]),
        largest_ns=float(ordered[-1]),
        at_rank=at_rank,
        bounds=lambda rank: (at_rank(rank), at_rank(rank)),
        over=over,
        top=ordered,
        kept=ordered,
        in_order=values,
        threshold_ns=threshold_ns,
    )


def autocorrelation(values: Floats) -> float:
    """Correlation of each value with the previous value; 0 for a constant sample.

    Intervals and p-values assume independent samples; if autocorrelation is large, they are too
    optimistic.
    """
    centred = values - values.mean()
    square = float(np.dot(centred, centred))
    return float(np.dot(centred[1:], centred[:-1])) / square if square > 0 else 0.0


def numbers(values: ArrayLike, least: int, what: str) -> Floats:
    """`values` as one column of finite numbers. InputError: they are too few or not finite."""
    column = np.asarray(values, dtype=np.float64).ravel()
    wrong = int(np.count_nonzero(~np.isfinite(column)))
    if wrong:
        raise InputError(
            f"{what}: {wrong:,} of {column.size:,} values are not finite (NaN or infinite); "
            "leave those rows out"
        )
    if column.size < least:
        raise InputError(f"{what}: only {column.size} values; at least {least} are needed")
    return column


def latencies(values_ns: ArrayLike, least: int, what: str = "samples") -> Floats:
    """Latencies in ascending order, ns.

    InputError: there are too few, or one is negative or not finite.
    """
    column = numbers(values_ns, least, what)
    if (column < 0).any():
        raise InputError(
            f"{what}: {np.count_nonzero(column < 0):,} latencies are negative; remove them, or "
            "correct the clocks"
        )
    return np.sort(column)


def paired(x: ArrayLike, y: ArrayLike, least: int) -> tuple[Floats, Floats]:
    """Two columns of equal length.

    InputError: the lengths differ or are below `least`, or a column is constant or not finite.
    """
    first, second = numbers(x, 0, "x"), numbers(y, 0, "y")
    if first.size != second.size:
        raise InputError(f"x has {first.size:,} values and y {second.size:,}; they must pair up")
    if first.size < least:
        raise InputError(f"only {first.size} pairs of values; at least {least} are needed")
    for name, column in (("x", first), ("y", second)):
        if column.min() == column.max():
            raise InputError(
                f"{name} is constant ({column[0]:g}): nothing can be correlated with it"
            )
    return first, second
