"""The model's error on the traced run itself, which has no sampling error."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from latitude.experiments.validation.tolerance import Blocks
from latitude.results.validation import AtEnd, OwnError
from latitude.statistics.conventions import PREDICTED_CONFIDENCE

_LEAST = 2
"""Fewest runs that have a spread."""


@dataclass(frozen=True, slots=True)
class OwnRun:
    """One traced run, and T of its own trace. Times are ns."""

    delta_ns: int
    repetition: int
    recorded_ns: float
    """Recorded duration."""
    own_ns: float
    """T of the run's trace at the latency of the run."""
    zero_ns: float
    """T of the run's trace at ΔL = 0."""
    farthest_ns: float
    """T of the run's trace at the largest ΔL."""
    apart: bool = False
    """Whether the run was made only for its trace, and belongs to no block."""

    @property
    def result(self) -> OwnError:
        """The error as a part of the result."""
        return OwnError(
            delta_L_ns=self.delta_ns,
            repetition=self.repetition,
            recorded_ns=self.recorded_ns,
            predicted_ns=self.own_ns,
            error=self.own_ns / self.recorded_ns - 1,
            growth_ns=self.farthest_ns - self.zero_ns,
        )


def own_errors(runs: Sequence[OwnRun]) -> list[OwnError]:
    """The error of each run."""
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
    """Runs without their excess of computation over the median; None unless all are traced.

    A run's own trace gives the run's duration at ΔL = 0. The rest of the run's time belongs to its
    messages.
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
