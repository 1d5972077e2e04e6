"""The model's error on the very run that was traced: nothing of it is sampling."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from latitude.experiments.validation.tolerance import Blocks
from latitude.results.validation import AtEnd, OwnError
from latitude.statistics.conventions import PREDICTED_CONFIDENCE

_LEAST = 2
"""Runs that have a spread."""


@dataclass(frozen=True, slots=True)
class OwnRun:
    """One traced run, and what its own trace says. Times in ns."""

    delta_ns: int
    repetition: int
    recorded_ns: float
    """Recorded duration."""
    own_ns: float
    """T of its trace at the latency that it had."""
    zero_ns: float
    """T of its trace at ΔL = 0."""
    farthest_ns: float
    """And at the largest ΔL."""
    apart: bool = False
    """It was made for its trace alone, and is in no block."""

    @property
    def result(self) -> OwnError:
        """For the result."""
        return OwnError(
            delta_L_ns=self.delta_ns,
            repetition=self.repetition,
            recorded_ns=self.recorded_ns,
            predicted_ns=self.own_ns,
            error=self.own_ns / self.recorded_ns - 1,
            growth_ns=self.farthest_ns - self.zero_ns,
        )


def own_errors(runs: Sequence[OwnRun]) -> list[OwnError]:
    """Of each run."""
    return [run.result for run in runs]


def at_ends(errors: Sequence[OwnError]) -> Iterator[AtEnd]:
    """The mean error of the runs traced at each ΔL, by rising ΔL, with its 90 % interval."""
    from scipy import stats  # noqa: PLC0415 - slow to import

    for delta in sorted({each.delta_L_ns for each in errors}):
        own = [each for each in errors if each.delta_L_ns == delta]
        share = np.array([each.error for each in own])
        mean = float(share.mean())
        half = float("nan")
        if share.size >= _LEAST:
            quantile = stats.t.ppf((1 + PREDICTED_CONFIDENCE) / 2, share.size - 1)
            half = float(quantile * share.std(ddof=1) / np.sqrt(share.size))
        yield AtEnd(
            delta_L_ns=delta,
            runs=share.size,
            error=mean,
            low=mean - half,
            high=mean + half,
            growth_ns=float(np.median([each.growth_ns for each in own])),
        )


def without_own_computing(blocks: Blocks, own: Sequence[OwnRun]) -> Blocks | None:
    """Runs less what each computed more than is usual at ΔL = 0; None unless all were traced.

    A run's own trace says what the run would have taken at ΔL = 0. The rest of its time belongs to
    its messages.
    """
    place = {delta: index for index, delta in enumerate(blocks.delta_ns.tolist())}
    zero = np.full(blocks.T_ns.shape, np.nan)
    for run in own:
        if not run.apart:
            zero[run.repetition - 1, place[float(run.delta_ns)]] = run.zero_ns
    if not blocks.T_ns.size or (np.isnan(zero) & ~np.isnan(blocks.T_ns)).any():
        return None
    usual = float(np.nanmedian(zero))
    return Blocks(blocks.delta_ns, blocks.injected_ns, blocks.T_ns - zero + usual)
