"""The latency distribution to expect at today's b: that of the past runs nearest in b."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.lab.cluster.history import History
from latitude.lab.results.background import TailQuestion

LEAST_RUNS = 5
_EACH = 1000
"""Samples taken from each run, so that all runs have equal weight."""
_EACH_SEED = 7


@dataclass(frozen=True, slots=True)
class Expected:
    """Latencies of past runs at nearly the same b."""

    samples_ns: Floats
    """Ascending samples, to draw from or to make a table."""
    runs: int
    b_low: float
    b_high: float
    """The b of those runs."""

    def quantiles(self, shares: Sequence[float]) -> Floats:
        """Latencies in ns that these shares of messages do not exceed."""
        found: Floats = np.quantile(self.samples_ns, shares)
        return found


def neighbours(runs: int) -> int:
    """How many runs stand for "today": √n, the usual rule of nearest neighbours, at least 5."""
    return min(runs, max(LEAST_RUNS, round(math.sqrt(runs))))


def expected_latency(history: History, question: TailQuestion) -> Expected:
    """The distribution at the question's b: √n past runs of the same kind nearest in b, pooled.

    InputError when there are fewer than 5 such runs.
    """
    part = like(history, question)
    count = len(part.runs)
    if count < LEAST_RUNS:
        raise InputError(
            f"{history.name}: {count} past runs of {question.name}; an expected distribution "
            f"needs at least {LEAST_RUNS}"
        )
    b = part.runs["b"].to_numpy(np.float64)
    nearest = np.argsort(np.abs(b - question.b), kind="stable")[: neighbours(count)]
    random = np.random.default_rng(_EACH_SEED)
    each = min(_EACH, max(part.samples[index].size for index in nearest))
    pooled = np.concatenate([_take(part.samples[index], each, random) for index in nearest])
    return Expected(
        np.sort(pooled), int(nearest.size), float(b[nearest].min()), float(b[nearest].max())
    )


def _take(values: Floats, count: int, random: np.random.Generator) -> Floats:
    """A selection of `count` values: all, evenly repeated, or drawn."""
    whole, rest = divmod(count, values.size)
    drawn = random.choice(values, rest, replace=False)
    return np.concatenate([np.tile(values, whole), drawn])


def like(history: History, question: TailQuestion) -> History:
    """The past runs of this collective, size and placement, at any b."""
    runs = history.runs
    wanted = (runs["collective"] == question.collective) & (runs["bytes"] == question.bytes)
    if question.placement is not None:
        wanted &= runs["placement"] == question.placement
    return history.select(wanted)
