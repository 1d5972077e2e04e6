"""Draws samples until their number suffices."""

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from latitude._types import Floats
from latitude.files.progress import Progress
from latitude.random.forecast import estimate
from latitude.random.forecast.question import SAMPLES, Question
from latitude.random.forecast.store import SampleBatches

Draw = Callable[[int, int], Floats]
"""Function of `first` and `count`: T of samples first … first + count − 1."""

_BATCH_S = 1.0
"""Duration of a batch, s: the longest wait after Ctrl-C, and the loss if a run is killed."""
_FIRST = 64
_LOOKS = 256
"""Number of samples before the first check of the precision; each later check has a quarter more
samples."""


class Sampler(Protocol):
    """An object that draws samples."""

    def draw(self, first: int, count: int) -> Floats:
        """T of samples first … first + count − 1, ns."""

    def largest(self) -> int:
        """Largest number of samples to request at once."""


class Local:
    """Draws in this process."""

    def __init__(self, runtimes: Draw) -> None:
        self._runtimes = runtimes
        self._batch = _FIRST

    def draw(self, first: int, count: int) -> Floats:
        """Draws samples, and measures its own speed for the next batch's size."""
        began = time.perf_counter()
        T = self._runtimes(first, count)
        took = max(time.perf_counter() - began, 1e-6)
        wanted = count * min(_BATCH_S / took, 8.0)
        self._batch = max(_FIRST, int(wanted) // _FIRST * _FIRST)
        return T

    def largest(self) -> int:
        """Number of samples that take about a second."""
        return self._batch


def sample(
    sampler: Sampler, question: Question, progress: Progress, store: SampleBatches | None = None
) -> Floats:
    """T of samples 0, 1, …: as many as the question wants, independent of the batches."""
    T = np.empty(0) if store is None else store.read()
    wanted = question.samples or SAMPLES
    if question.precision is None:
        progress.stage("Sampling", wanted)
        progress.advance(min(T.size, wanted))
        return _until(wanted, T, sampler, progress, store)[:wanted]
    progress.stage("Sampling until the interval is narrow enough")
    look = _LOOKS
    while True:
        T = _until(look, T, sampler, progress, store)
        if look >= question.most or narrow(T[:look], question):
            return T[:look]
        look = min(question.most, (look * 5 // 4) // 8 * 8)


def narrow(T: Floats, question: Question) -> bool:
    """Whether the quantile's interval is as narrow as requested."""
    found = estimate.quantile(np.sort(T), question.quantile)
    half = max(found.high - found.value, found.value - found.low)
    return question.precision is not None and half <= question.precision * found.value


def _until(
    wanted: int, T: Floats, sampler: Sampler, progress: Progress, store: SampleBatches | None
) -> Floats:
    parts = [T]
    count = T.size
    while count < wanted:
        batch = sampler.draw(count, min(sampler.largest(), wanted - count))
        if store is not None:
            store.add(count, batch)
        progress.advance(batch.size)
        parts.append(batch)
        count += batch.size
    return np.concatenate(parts)
