"""The spread of runs at one ΔL, and the error that it causes in a comparison; times are ns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latitude._types import Floats
from latitude.analysis.prediction import RunError
from latitude.experiments.validation.tolerance import Blocks
from latitude.statistics.conventions import BOOTSTRAP_SEED, PREDICTED_CONFIDENCE

_DRAWS = 2000
_MOST_LIKELY = 0.9
"""Share of campaigns in which a perfect model stays below `Chance.likely`."""


@dataclass(frozen=True, slots=True, eq=False)
class RunSpread:
    """Deviations of runs from the mean at their ΔL, as shares, of all ΔL together.

    A run's computing varies as a whole, so a share is drawn once per run. A speed that all runs of
    the machine have in common does not count.
    """

    shares: Floats
    """T over the mean at its ΔL, less 1, for each run at a ΔL with at least two runs.

    The shares are scaled up, because the run itself is part of that mean.
    """
    degrees: int
    """Degrees of freedom."""

    @classmethod
    def of(cls, levels: Sequence[Floats]) -> "RunSpread":
        """Computes the shares from the runs at each ΔL."""
        several = [T for T in levels if T.size > 1]
        rests = [(T / T.mean() - 1) * math.sqrt(T.size / (T.size - 1)) for T in several]
        shares = np.concatenate([np.empty(0), *rests])
        return cls(shares, shares.size - len(several))

    @classmethod
    def of_blocks(cls, blocks: Blocks) -> "RunSpread":
        """Computes the shares from all runs that ended well."""
        return cls.of([T[~np.isnan(T)] for T in blocks.T_ns.T])

    @property
    def known(self) -> bool:
        """Whether there is a ΔL with at least two runs."""
        return self.degrees > 0

    def medians(self, runs: int, random: np.random.Generator, draws: int = _DRAWS) -> Floats:
        """Draws medians of N runs, as shares; (draws,)."""
        found: Floats = np.median(random.choice(self.shares, (draws, runs)), axis=1)
        return found

    def half(self, runs: int) -> float:
        """Half the 90 % interval of the median of N runs, as a share; NaN without a spread."""
        if not self.known:
            return math.nan
        from scipy import stats  # noqa: PLC0415 - slow to import

        quantile = stats.t.ppf((1 + PREDICTED_CONFIDENCE) / 2, self.degrees)
        return float(quantile) * self.error(runs)

    def error(self, runs: int) -> float:
        """Standard error of the median of N runs, as a share."""
        return float(self.medians(runs, np.random.default_rng(BOOTSTRAP_SEED)).std())


@dataclass(frozen=True, slots=True)
class Chance:
    """RRMSE that a perfect model would show with the same number of runs."""

    rrmse: float
    """Median RRMSE by chance."""
    likely: float
    """RRMSE that chance exceeds in one of ten campaigns."""
    needed: int | None
    """Number of runs per ΔL, and of traces, that brings `likely` below a limit; None if the present
    number does."""


def chance(levels: Sequence[Floats], traces: int, limit: float) -> Chance | None:
    """Computes the chance error from the runs at each ΔL, beginning with 0, and their traces.

    The prediction of a perfect model has the error of its traces' median, the same number of ns at
    each ΔL. None if no ΔL has two runs.
    """
    spread = RunSpread.of(levels)
    held = [T for T in levels if T.size]
    if not spread.known or not levels[0].size or not traces:
        return None
    random = np.random.default_rng(BOOTSTRAP_SEED)
    predicted = spread.medians(traces, random) * float(np.median(levels[0]))
    squares = np.zeros(_DRAWS)
    for T in held:
        usual = float(np.median(T))
        squares += ((usual + predicted) / (usual * (1 + spread.medians(T.size, random))) - 1) ** 2
    found = np.sqrt(squares / len(held))
    likely = float(np.quantile(found, _MOST_LIKELY))
    runs = min(traces, *(T.size for T in held))
    needed = None if likely <= limit else math.ceil(runs * (likely / limit) ** 2)
    return Chance(float(np.median(found)), likely, needed)


def run_error(blocks: Blocks, traces: int) -> RunError | None:
    """The standard error of the median of N traces; None if no ΔL has two runs."""
    spread = RunSpread.of_blocks(blocks)
    first = blocks.T_ns[:, 0]
    first = first[~np.isnan(first)]
    if not spread.known or not first.size:
        return None
    return RunError(spread.error(traces) * float(np.median(first)), spread.degrees)
