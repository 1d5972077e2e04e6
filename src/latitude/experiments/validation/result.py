"""Predicted against measured."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from latitude.experiments.validation.predict import Prediction
from latitude.experiments.validation.store import Run
from latitude.files.provenance import Provenance
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.trace.program import TraceInfo


@dataclass(frozen=True, slots=True)
class Level:
    """One ΔL. Times in ns."""

    delta_ns: int
    predicted_ns: float
    lambda_L: float
    measured_ns: tuple[int, ...]
    """Run times, as they came; empty when all runs failed."""

    @property
    def median_ns(self) -> float:
        """Of the runs: what the machine does now and then to a run only makes it longer."""
        return float(statistics.median(self.measured_ns)) if self.measured_ns else math.nan

    @property
    def error(self) -> float:
        """Predicted − measured, as a share of the measured median; NaN without runs."""
        return self.predicted_ns / self.median_ns - 1

    @property
    def spread(self) -> float:
        """Standard deviation of the runs as a share of their mean; NaN for fewer than two."""
        if len(self.measured_ns) < 2:  # noqa: PLR2004
            return math.nan
        return statistics.stdev(self.measured_ns) / statistics.fmean(self.measured_ns)

    @property
    def inside(self) -> bool:
        """Whether the prediction lies among the runs."""
        return bool(self.measured_ns) and (
            min(self.measured_ns) <= self.predicted_ns <= max(self.measured_ns)
        )


@dataclass(frozen=True, slots=True)
class Tolerated:
    """How much latency the program takes before it is so much slower. ΔL in ns."""

    degradation: float
    predicted_ns: float
    """inf when unbounded."""
    measured_ns: float | None
    """Between the measured medians, linearly; None when they never get so slow."""


@dataclass(frozen=True, slots=True)
class Validation:
    """Everything that is known in the end."""

    provenance: Provenance
    program: str
    """Its name, of which `command` has launcher and options besides."""
    command: tuple[str, ...]
    intra_node: bool
    base_ns: int
    """Latency added in every run: L of the network that is emulated is so much longer."""
    trace: TraceInfo
    traces: int
    network: Network
    network_source: str
    """Where the parameters come from, in words."""
    collectives: str
    reduce_ns_per_byte: float
    prediction: Prediction
    levels: list[Level]
    model_alone: list[Level] | None
    """The same by a prediction that does not replay the traced runs; None where `prediction` is
    that."""
    failures: list[Run]
    seed: int
    warnings: list[Notice]

    @property
    def measured(self) -> list[Level]:
        """Levels with at least one run."""
        return [level for level in self.levels if level.measured_ns]

    @property
    def rrmse(self) -> float:
        """Root of the mean squared relative error over ΔL, as [S] Table I."""
        return _rrmse(self.levels)

    @property
    def model_alone_rrmse(self) -> float | None:
        """The same of `model_alone`."""
        return None if self.model_alone is None else _rrmse(self.model_alone)

    @property
    def rmse_ns(self) -> float:
        """The same in ns."""
        return _root_mean_square([level.error * level.median_ns for level in self.measured])

    @property
    def spread(self) -> float:
        """Run to run, over all ΔL; NaN without repetitions."""
        spreads = [level.spread for level in self.measured if not math.isnan(level.spread)]
        return _root_mean_square(spreads) if spreads else math.nan

    @property
    def shifted_rrmse(self) -> float:
        """RRMSE of T(0) as measured plus the growth as predicted; NaN without T(0).

        Not a prediction: it shows how much of the error is there without any added latency.
        """
        base = self.levels[0]
        if not base.measured_ns:
            return math.nan
        shift = base.median_ns - base.predicted_ns
        return _root_mean_square(
            [(level.predicted_ns + shift) / level.median_ns - 1 for level in self.measured]
        )

    @property
    def tolerated(self) -> list[Tolerated]:
        """By rising degradation."""
        return [
            Tolerated(degradation, predicted, _crossing(self.measured, degradation))
            for degradation, predicted in self.prediction.tolerance
        ]


def levels_of(prediction: Prediction, deltas: Sequence[int], runs: Sequence[Run]) -> list[Level]:
    """The runs by ΔL beside what was predicted."""
    return [
        Level(
            delta_ns=delta,
            predicted_ns=float(prediction.T_ns[index]),
            lambda_L=float(prediction.lambda_L[index]),
            measured_ns=tuple(
                run.runtime_ns
                for run in runs
                if run.delta_ns == delta and run.runtime_ns is not None
            ),
        )
        for index, delta in enumerate(deltas)
    ]


def _rrmse(levels: Sequence[Level]) -> float:
    return _root_mean_square([level.error for level in levels if level.measured_ns])


def _root_mean_square(values: Sequence[float]) -> float:
    return math.sqrt(statistics.fmean(value * value for value in values)) if values else math.nan


def _crossing(levels: Sequence[Level], degradation: float) -> float | None:
    """The first ΔL at which the measured medians are so much above that at ΔL = 0."""
    if not levels or levels[0].delta_ns != 0:
        return None
    limit = levels[0].median_ns * (1 + degradation)
    for before, after in pairwise(levels):
        if after.median_ns > limit:
            return float(
                np.interp(
                    limit, [before.median_ns, after.median_ns], [before.delta_ns, after.delta_ns]
                )
            )
    return None
