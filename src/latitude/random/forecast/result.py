"""The result of a forecast."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude.files.provenance import Provenance
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.random.forecast import estimate
from latitude.random.forecast.critical import Criticality
from latitude.random.forecast.estimate import Estimate
from latitude.random.forecast.question import QUANTILES, Question
from latitude.random.forecast.random import Random
from latitude.random.forecast.tolerance import Tolerance
from latitude.results.analysis import GraphInfo
from latitude.trace.program import TraceInfo

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Engine:
    """What the samples were computed on."""

    nodes: int
    draws: int
    """Random numbers a sample needs."""
    quantum_ns: float
    """Every instant is a multiple of it, so that no sum is rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """The distribution of T, and what it is compared with. Times in ns."""

    provenance: Provenance
    trace: TraceInfo
    graph: GraphInfo
    network: Network
    collectives: str
    reduce_ns_per_byte: float
    random: Random
    question: Question
    engine: Engine
    T_ns: Floats
    """By sample, 0 first."""
    T0_ns: float
    """On the network alone."""
    T_mean_ns: float
    """When every draw is its mean: no more than E[T]."""
    T_most_ns: float
    """When every draw is the table's largest: no sample can exceed it."""
    criticality: Criticality
    tolerance: list[Tolerance]
    warnings: list[Notice]

    @property
    def samples(self) -> int:
        """How many."""
        return int(self.T_ns.size)

    @property
    def mean(self) -> Estimate:
        """E[T]."""
        return estimate.mean(self.T_ns)

    @property
    def sd(self) -> Estimate:
        """Standard deviation of T."""
        return estimate.spread(self.T_ns)

    @property
    def jensen(self) -> Estimate:
        """E[T] less T at the mean latency: what variation alone costs."""
        return self.mean.minus(self.T_mean_ns)

    def quantile(self, probability: float) -> Estimate:
        """T that this share of the samples does not exceed."""
        return estimate.quantile(np.sort(self.T_ns), probability)

    def quantiles(self) -> list[tuple[float, Estimate]]:
        """Those of every report, and the one asked for."""
        ordered = np.sort(self.T_ns)
        wanted = sorted({*QUANTILES, self.question.quantile})
        return [(p, estimate.quantile(ordered, p)) for p in wanted]

    def slowdown(self, T_ns: float) -> float:
        """Against the network alone, as a share."""
        return T_ns / self.T0_ns - 1 if self.T0_ns > 0 else 0.0
