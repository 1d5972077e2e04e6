"""Samples summed up in one pass and bounded memory: moments, quantiles, a random choice."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latitude.samples.sketch import Sketch

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Moments:
    """Count, mean and spread; pieces are joined as Chan, Golub, LeVeque (1983), eq. 2.1."""

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
        """Adds what the other has seen."""
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
    """A uniform random choice of at most `size` samples out of a stream; the seed fixes it.

    Each sample draws a random key; the smallest keys stay. Samples keep their order.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = np.random.default_rng(seed)
        self._keys: Floats = np.empty(0)
        self._values: Floats = np.empty(0)

    def add(self, samples: Floats) -> None:
        """Offers samples."""
        if not self._size:
            return
        keys = self._random.random(samples.size)
        if self._keys.size == self._size:
            better = keys < self._keys.max()
            keys, samples = keys[better], samples[better]
        self._keys = np.concatenate([self._keys, keys])
        self._values = np.concatenate([self._values, samples])
        if self._keys.size > self._size:
            kept = np.sort(np.argpartition(self._keys, self._size)[: self._size])
            self._keys, self._values = self._keys[kept], self._values[kept]

    def values(self) -> Floats:
        """The samples chosen."""
        return self._values


@dataclass(slots=True)
class Summary:
    """What `latitude fit` keeps of its samples."""

    moments: Moments = field(default_factory=Moments)
    sketch: Sketch = field(default_factory=Sketch)
    chosen: Floats = field(default_factory=lambda: np.empty(0))
    """All samples when they are few, else a random choice of them."""

    @property
    def complete(self) -> bool:
        """Whether `chosen` holds every sample."""
        return self.chosen.size == self.moments.count


def summarise(pieces: Iterable[ArrayLike], *, most: int, seed: int) -> Summary:
    """One pass over pieces of samples; at most `most` of them are kept."""
    summary = Summary()
    reservoir = Reservoir(most, seed)
    for piece in pieces:
        samples = np.asarray(piece, dtype=np.float64)
        summary.moments.add(samples)
        summary.sketch.add(samples)
        reservoir.add(samples)
    summary.chosen = reservoir.values()
    return summary
