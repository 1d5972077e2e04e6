"""Tables from a distribution or from samples; each entry is the mean of a 4096th of the values.

Quantiles as entries would cut the tail and lower the mean; conditional means keep the mean.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latitude._core import InputError
from latitude.distributions.bounded import Bounded
from latitude.distributions.table import (
    LARGEST,
    SIZE,
    TAIL,
    Figures,
    Floats,
    Integers,
    QuantileTable,
)
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.units.quantities import format_share, format_time

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_FINE_NODES, _FINE_WEIGHTS = np.polynomial.legendre.leggauss(64)
_NOTHING = 1e-9
"""Share below 0 that is too small to matter."""


def table_of_samples(
    values: ArrayLike, source: str, counts: NDArray[np.int64] | None = None
) -> QuantileTable:
    """The table of measured latencies (ns), or of a sketch's cells with their counts."""
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if not numbers.size:
        raise InputError(f"{source}: no samples in it")
    if counts is None:
        numbers = np.sort(numbers)
        counts = np.ones(numbers.size, dtype=np.int64)
    total = counts.sum()
    reached = np.concatenate([[0.0], np.cumsum(counts) / total])
    area = np.concatenate([[0.0], np.cumsum(numbers * counts) / total])
    means = np.diff(np.interp(np.arange(SIZE + 1) / SIZE, reached, area)) * SIZE
    mean = float(area[-1])
    sd = math.sqrt(float(np.dot(counts, np.square(numbers - mean))) / total)
    at = int(np.searchsorted(np.cumsum(counts), TAIL * (total - 1), side="right"))
    return _table(means, source, Figures(mean, sd, float(numbers[at])), [])


def table_of_distribution(distribution: Any, source: str) -> QuantileTable:
    """The table of a frozen SciPy distribution in ns. Latencies below 0 become 0.

    InputError: its quantiles cannot be computed within seconds.
    """
    distribution = Bounded(distribution, source)
    edges = np.asarray(distribution.ppf(np.arange(SIZE + 1) / SIZE), dtype=np.float64)
    if np.isnan(edges).any():
        raise InputError(f"{source}: its quantiles cannot be computed; choose another distribution")
    before = _figures(distribution)
    notices: list[Notice] = []
    means = np.empty(SIZE)
    means[1:-1] = _inner(distribution, np.maximum(edges[1:-1], 0.0))
    means[0] = _first(distribution)
    below = float(distribution.cdf(0.0))
    below = below if below > _NOTHING else 0.0
    means[-1] = _last(distribution, edges[-2], before.mean, means[:-1], below)
    if not math.isfinite(before.mean):
        notices.append(
            kinds.INFINITE_MEAN(
                f"{source} has no finite mean: the table's last entry is the median of its cell"
            )
        )
    if below > 0:
        notices.append(
            kinds.BELOW_ZERO(f"{format_share(below)} of {source} lies below 0 and became 0")
        )
    return _table(means, source, before, notices)


def constant_table(ns: float, source: str) -> QuantileTable:
    """A table of the same latency 4,096 times; fractions of a ns are spread over the entries."""
    return _table(np.full(SIZE, ns), source, Figures(ns, 0.0, ns), [])


def _figures(distribution: Any) -> Figures:
    with np.errstate(all="ignore"):
        mean, sd = float(distribution.mean()), float(distribution.std())
    return Figures(mean, sd, float(distribution.ppf(TAIL)))


def _inner(distribution: Any, edges: Floats) -> Floats:
    """Conditional means of the cells between these quantiles: ∫x·f / ∫f."""
    low, width = edges[:-1, None], np.diff(edges)[:, None]
    x = low + width * (_NODES[None, :] + 1) / 2
    with np.errstate(all="ignore"):
        mass = np.exp(np.asarray(distribution.logpdf(x), dtype=np.float64)) * _WEIGHTS
        means = (x * mass).sum(axis=1) / mass.sum(axis=1)
    middle = (edges[:-1] + edges[1:]) / 2
    found: Floats = np.clip(np.where(np.isfinite(means), means, middle), edges[:-1], edges[1:])
    return found


def _first(distribution: Any) -> float:
    """The mean of the quantiles up to 1/4096; v² = 4096·u suits quantiles that begin steeply."""
    v = (_FINE_NODES + 1) / 2
    quantiles = np.maximum(distribution.ppf(v * v / SIZE), 0.0)
    return float(np.dot(_FINE_WEIGHTS, quantiles * v))


def _last(distribution: Any, edge: float, mean: float, others: Floats, below: float) -> float:
    """The mean of the last cell, which reaches to infinity; its median if the mean is infinite."""
    edge = max(edge, 0.0)
    if not math.isfinite(mean):
        return max(float(distribution.isf(0.5 / SIZE)), 0.0)
    if below == 0:
        return max(mean * SIZE - float(others.sum()), edge)
    from scipy import integrate  # noqa: PLC0415 - slow to import

    def quantile(t: float) -> float:
        value = float(distribution.isf(math.exp(-t) / SIZE))
        return max(value, 0.0) * math.exp(-t) if math.isfinite(value) else 0.0

    return max(float(integrate.quad(quantile, 0, 600, limit=400)[0]), edge)


def _table(means: Floats, source: str, before: Figures, notices: list[Notice]) -> QuantileTable:
    if not means.max() <= LARGEST:
        raise InputError(
            f"{source}: its longest latencies exceed {format_time(LARGEST)}; no table can hold "
            "them: choose a lighter tail"
        )
    table = QuantileTable(_whole(means), source, before, notices)
    if table.loses_tail:
        sd = format_time(before.sd) if math.isfinite(before.sd) else "infinite"
        notices.append(
            kinds.TABLE_SD(
                f"the table's sd is {format_time(table.after.sd)}, that of {table.source} is {sd}: "
                "the last of 4,096 entries stands for all of the tail beyond p99.976"
            )
        )
    return table


def _whole(means: Floats) -> Integers:
    """Integers with the same sum; each rounding error carries over to the next entry."""
    total = np.rint(np.cumsum(np.maximum.accumulate(means)))
    return np.sort(np.diff(total, prepend=0.0)).astype(np.int64)
