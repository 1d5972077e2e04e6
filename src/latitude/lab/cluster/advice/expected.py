"""The latency distribution to expect at the present b: that of past runs with the nearest b."""

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
"""Largest number of samples per run; all runs give the same number, so that they have equal weight.
"""
_EACH_SEED = 7


@dataclass(frozen=True, slots=True)
class Expected:
    """Latencies of past runs at nearly the same b."""

    samples_ns: Floats
    """Samples in ascending order, from which to draw or to make a table, ns."""
    runs: int
    b_low: float
    b_high: float
    """The highest b of those runs (`b_low`: the lowest)."""

    def quantiles(self, shares: Sequence[float]) -> Floats:
        """Latencies (ns) that these shares of messages do not exceed."""
        found: Floats = np.quantile(self.samples_ns, shares)
        return found


def neighbours(runs: int) -> int:
    """Number of runs that represent the present b: √n, usual for nearest neighbours; at least 5."""
    return min(runs, max(LEAST_RUNS, round(math.sqrt(runs))))


def expected_latency(history: History, question: TailQuestion) -> Expected:
    """The distribution at the question's b, pooled over the similar runs with the nearest b.

    `neighbours` gives the number of pooled runs. InputError: there are fewer than 5 similar runs.
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
    """`count` values: each repeated equally often, and the rest drawn without replacement."""
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
