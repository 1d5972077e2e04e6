"""What is kept of more latencies than fit in memory; parts of a stream merge.

Any order of adding and merging gives the same cells, largest values and random sample, so the
same percentiles, tail index and modes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from latitude._core import InputError
from latitude._types import Floats
from latitude.samples import Moments, Sketch
from latitude.statistics.sample import numbers

TOP = 1 << 15
"""The so many largest values are kept as they are, for the tail index and the last percentiles."""
SAMPLE = 1 << 16
"""Size of the random sample kept for density and dip."""


@dataclass(slots=True)
class Stream:
    """Moments, a quantile sketch, the largest latencies, and a random sample; all in ns."""

    seed: int = 0
    """Parts to be merged need different seeds, or their random samples pick the same places."""
    moments: Moments = field(default_factory=Moments)
    sketch: Sketch = field(default_factory=Sketch)
    top: Floats = field(default_factory=lambda: np.empty(0))
    """Ascending."""
    _keys: Floats = field(default_factory=lambda: np.empty(0))
    _kept: Floats = field(default_factory=lambda: np.empty(0))
    _random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    @property
    def n(self) -> int:
        """Latencies seen."""
        return self.moments.count

    def add(self, values_ns: ArrayLike) -> None:
        """Takes in latencies; InputError for NaN and negative ones."""
        values = numbers(values_ns, 0, "samples")
        if not values.size:
            return
        if values.min() < 0:
            raise InputError("samples: a latency is negative; look at the clock")
        self.moments.add(values)
        self.sketch.add(values)
        self._add_top(values)
        self._add_sample(self._random.random(values.size), values)

    def merge(self, other: "Stream") -> None:
        """Takes in what another stream has seen."""
        self.moments.merge(other.moments)
        self.sketch.merge(other.sketch)
        self._add_top(other.top)
        self._add_sample(other._keys, other._kept)  # noqa: SLF001 - of the same class

    def _add_top(self, values: Floats) -> None:
        if self.top.size == TOP:
            values = values[values > self.top[0]]
        together = np.concatenate([self.top, values])
        if together.size > TOP:
            together = np.partition(together, together.size - TOP)[-TOP:]
        self.top = np.sort(together)

    def _add_sample(self, keys: Floats, values: Floats) -> None:
        """Keeps the values with the smallest random keys: a sample without replacement."""
        keys = np.concatenate([self._keys, keys])
        values = np.concatenate([self._kept, values])
        if keys.size > SAMPLE:
            chosen = np.argpartition(keys, SAMPLE)[:SAMPLE]
            keys, values = keys[chosen], values[chosen]
        self._keys, self._kept = keys, values

    def sample(self) -> Floats:
        """A random sample of what was seen, ascending; all of it up to SAMPLE values."""
        return np.sort(self._kept)

    def at_rank(self, rank: int) -> float:
        """The rank-th smallest latency (1 … n) in ns: exact among the largest."""
        from_top = self.n - rank
        if from_top < self.top.size:
            return float(self.top[-1 - from_top])
        means, counts = self.sketch.cells()
        return float(means[np.searchsorted(np.cumsum(counts), rank)])

    def over(self, threshold_ns: float) -> tuple[int, float]:
        """How many latencies are larger, and their sum in ns; to the accuracy of a cell."""
        if threshold_ns >= self.top[0]:
            larger = self.top[self.top > threshold_ns]
            return int(larger.size), float(larger.sum())
        means, counts = self.sketch.cells()
        first = int(np.searchsorted(means, threshold_ns, side="right"))
        return int(counts[first:].sum()), float(np.dot(counts[first:], means[first:]))


def stream(pieces: Iterable[ArrayLike], seed: int = 0) -> Stream:
    """Takes in pieces of latencies in ns, one after another."""
    whole = Stream(seed)
    for piece in pieces:
        whole.add(piece)
    return whole
