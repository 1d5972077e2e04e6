"""A bounded summary of more latencies than fit in memory; parts of a stream merge.

Any order of adding and merging gives the same cells, largest values and random choice, and so the
same percentiles, tail index and modes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from latitude._core import InputError
from latitude._types import Floats
from latitude.statistics.conventions import LEAST
from latitude.statistics.sample import Over, Sample, numbers
from latitude.statistics.sketch import Sketch

TOP = 1 << 15
"""Number of largest values to keep, for the tail index and the highest percentiles."""
CHOSEN = 1 << 16
"""Size of the random choice for density and dip."""


@dataclass(slots=True)
class Moments:
    """Count, mean and spread; pieces are merged as in Chan, Golub, LeVeque (1983), eq. 2.1."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    """Sum of squared deviations from the mean."""
    least: float = np.inf
    most: float = -np.inf

    def add(self, values: ArrayLike) -> None:
        """Adds samples."""
        samples = np.asarray(values, dtype=np.float64)
        if samples.size:
            mean = float(samples.mean())
            squares = float(np.square(samples - mean).sum())
            self.merge(
                Moments(samples.size, mean, squares, float(samples.min()), float(samples.max()))
            )

    def merge(self, other: "Moments") -> None:
        """Adds the samples of another object."""
        count = self.count + other.count
        if not other.count:
            return
        gap = other.mean - self.mean
        self.squares += other.squares + gap * gap * self.count * other.count / count
        self.mean += gap * other.count / count
        self.count = count
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)

    @property
    def sd(self) -> float:
        """Standard deviation (n − 1)."""
        return float(np.sqrt(self.squares / (self.count - 1))) if self.count > 1 else 0.0


class Reservoir:
    """A uniform random choice of at most `size` samples from a stream, fixed by its seed.

    Each sample draws a random key, and the samples with the smallest keys stay, in order.
    Reservoirs that will be merged need different seeds, or they choose the same positions.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = np.random.default_rng(seed)
        self._keys: Floats = np.empty(0)
        self.values: Floats = np.empty(0)

    def add(self, samples: Floats) -> None:
        """Offers samples."""
        if self._size:  # a choice of size 0 needs no random numbers
            self._offer(self._random.random(samples.size), samples)

    def merge(self, other: "Reservoir") -> None:
        """Offers the choice of another reservoir."""
        self._offer(other._keys, other.values)  # noqa: SLF001 - of the same class

    def _offer(self, keys: Floats, samples: Floats) -> None:
        if self._size and self._keys.size == self._size:
            better = keys < self._keys.max()
            keys, samples = keys[better], samples[better]
        self._keys = np.concatenate([self._keys, keys])
        self.values = np.concatenate([self.values, samples])
        if self._keys.size > self._size:
            kept = np.sort(np.argpartition(self._keys, self._size)[: self._size])
            self._keys, self.values = self._keys[kept], self.values[kept]


@dataclass(slots=True)
class Stream:
    """Moments, quantile sketch, largest latencies, and random choice of latencies, all in ns."""

    seed: int = 0
    size: int = CHOSEN
    """Size of the random choice."""
    most: int = TOP
    """Number of largest values to keep."""
    moments: Moments = field(default_factory=Moments)
    sketch: Sketch = field(default_factory=Sketch)
    top: Floats = field(default_factory=lambda: np.empty(0))
    """The largest latencies, ascending."""
    _chosen: Reservoir = field(init=False)

    def __post_init__(self) -> None:
        self._chosen = Reservoir(self.size, self.seed)

    @property
    def n(self) -> int:
        """Number of latencies."""
        return self.moments.count

    @property
    def chosen(self) -> Floats:
        """A random choice of the latencies in order, or all of up to `size` values."""
        return self._chosen.values

    @property
    def complete(self) -> bool:
        """Whether `chosen` holds every latency."""
        return self.chosen.size == self.n

    def add(self, values_ns: ArrayLike) -> None:
        """Adds latencies. InputError: NaN or negative values."""
        values = numbers(values_ns, 0, "samples")
        if not values.size:
            return
        if values.min() < 0:
            raise InputError("samples: a latency is negative; remove it, or correct the clock")
        self.moments.add(values)
        self.sketch.add(values)
        self._add_top(values)
        self._chosen.add(values)

    def merge(self, other: "Stream") -> None:
        """Adds the latencies of another stream with another seed."""
        self.moments.merge(other.moments)
        self.sketch.merge(other.sketch)
        self._add_top(other.top)
        self._chosen.merge(other._chosen)  # noqa: SLF001 - of the same class

    def _add_top(self, values: Floats) -> None:
        if not self.most:
            return
        if self.top.size == self.most:
            values = values[values > self.top[0]]
        together = np.concatenate([self.top, values])
        if together.size > self.most:
            together = np.partition(together, together.size - self.most)[-self.most :]
        self.top = np.sort(together)

    def at_rank(self, rank: int) -> float:
        """The latency (ns) with this rank (1 … n); exact among the largest."""
        from_top = self.n - rank
        if from_top < self.top.size:
            return float(self.top[-1 - from_top])
        means, counts = self.sketch.cells()
        return float(means[np.searchsorted(np.cumsum(counts), rank)])

    def bounds(self, rank: int) -> tuple[float, float]:
        """Least and largest possible value of the latency with this rank, ns.

        Among the largest latencies, both are the latency itself; otherwise they are the edges of
        its cell.
        """
        if self.n - rank < self.top.size:
            exact = self.at_rank(rank)
            return exact, exact
        cell = np.searchsorted(np.cumsum(self.sketch.cells()[1]), rank)
        low, high = self.sketch.edges()
        return max(float(low[cell]), self.moments.least), min(float(high[cell]), self.moments.most)

    def over(self, threshold_ns: float) -> Over:
        """The latencies over the threshold, accurate to a cell."""
        if threshold_ns >= self.top[0]:
            return Over.exactly(self.top[self.top > threshold_ns])
        means, counts = self.sketch.cells()
        low, high = self.sketch.edges()
        first = int(np.searchsorted(means, threshold_ns, side="right"))
        return Over(
            count=int(counts[first:].sum()),
            sum_ns=float(np.dot(counts[first:], means[first:])),
            fewest=int(counts[low >= threshold_ns].sum()),
            most=int(counts[high > threshold_ns].sum()),
        )

    def sample(self, threshold_ns: float | None = None) -> Sample:
        """The sample for statistics: moments and largest values are exact, ranks within 0.05 %."""
        if self.n < LEAST:
            raise InputError(f"samples: only {self.n} values; at least {LEAST} are needed")
        return Sample(
            n=self.n,
            mean_ns=self.moments.mean,
            sd_ns=self.moments.sd,
            least_ns=self.moments.least,
            largest_ns=self.moments.most,
            at_rank=self.at_rank,
            bounds=self.bounds,
            over=self.over,
            top=self.top,
            kept=np.sort(self.chosen),
            in_order=None,
            threshold_ns=threshold_ns,
        )


def stream(
    pieces: Iterable[ArrayLike], seed: int = 0, *, size: int = CHOSEN, most: int = TOP
) -> Stream:
    """The stream of all pieces of latencies, ns."""
    whole = Stream(seed, size, most)
    for piece in pieces:
        whole.add(piece)
    return whole
