"""The result of `latitude forecast`: the distribution of runtime under random latency."""

import math
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from latitude._types import Count, Floats, Nanoseconds, Share, Unbounded
from latitude.files.provenance import Provenance
from latitude.files.text import csv_text
from latitude.notices.notice import Notice
from latitude.results.answer import GraphInfo
from latitude.results.assumptions import Assumptions
from latitude.results.declared import FloatColumn, Hidden, Part, Result
from latitude.trace.program import TraceInfo
from latitude.units.columns import CODE, SHARE, TIME, Form, column, time
from latitude.units.quantities import format_count

_LATENCIES = Form(lambda latencies: format_count(round(latencies, 2)))
_POINTS = 201
"""Points of the distribution function, evenly spaced in probability."""


class Estimate(Part, frozen=True):
    """A figure and its 95 % interval; an end is null if too few samples were drawn for this end."""

    value: float
    low: Unbounded
    high: Unbounded

    def minus(self, shift: float) -> "Estimate":
        """The estimate of the figure minus a known number."""
        return Estimate(value=self.value - shift, low=self.low - shift, high=self.high - shift)


class DrawnLatency(Part, frozen=True, kw_only=True):
    """Distribution of each message's latency."""

    text: str
    """The latency as requested."""
    mean_ns: Nanoseconds
    sd_ns: Nanoseconds
    p50_ns: Nanoseconds
    p99_ns: Nanoseconds
    p999_ns: Nanoseconds
    most_ns: Nanoseconds
    values: Annotated[Floats, Hidden, column("latency drawn", TIME)]
    """The table: 4,096 equally likely latencies in rising order, ns."""


class DrawnNoise(Part, frozen=True, kw_only=True):
    """Factors on computation, with mean 1."""

    text: str
    sd: Annotated[float, Meta(ge=0)]
    most: Annotated[float, Meta(ge=0)]


class Randomness(Part, frozen=True, kw_only=True):
    """The random quantities, and the network of the samples."""

    latency: DrawnLatency
    meaning: Literal["added", "total"]
    """added: on top of L; total: in place of L."""
    where: Literal["flow", "sender"]
    """flow: on the wire; sender: on the sender's CPU."""
    per: Literal["message", "pair", "rank"]
    """The messages that share a draw in a sample: all of a pair of ranks, all that a rank sends, or
    none (message)."""
    noise: DrawnNoise | None
    noise_per: Literal["vertex", "rank"]
    seed: Count
    nodes: Count
    draws: Count
    """Number of draws per sample."""
    quantum_ns: Nanoseconds
    """Every instant is a multiple of this time, so that sums have no rounding errors."""


class RuntimeFigures(Part, frozen=True, kw_only=True):
    """Summary figures of the samples of T."""

    mean_ns: Estimate
    """Mean, with an interval by Student's t."""
    sd_ns: Estimate
    least_ns: Nanoseconds
    most_ns: Nanoseconds


class RuntimeQuantile(Part, frozen=True, kw_only=True):
    """T that this share of the samples does not exceed, between two order statistics."""

    probability: Share
    value: Unbounded
    """Value of T; null if not known, beyond p99.976, where the table of latencies ends."""
    low: Unbounded
    high: Unbounded

    @property
    def known(self) -> bool:
        """Whether the samples give the quantile."""
        return math.isfinite(self.value)


class RuntimeCompared(Part, frozen=True, kw_only=True):
    """T compared with that of the network alone, and with a constant latency."""

    T0_ns: Nanoseconds
    """T on the network alone."""
    T_mean_latency_ns: Nanoseconds
    """T if every draw is the mean; at most E[T]."""
    slowdown: float
    """Relative slowdown of the mean: E[T] / T0 − 1."""
    slowdown_of_mean_latency: float
    jensen_ns: Estimate
    """E[T] minus T at the mean latency: the cost of variation alone."""


class RuntimeBounds(Part, frozen=True, kw_only=True):
    """Bounds that hold for all samples."""

    mean_at_least_ns: Nanoseconds
    never_more_than_ns: Nanoseconds
    """T if every draw is the table's largest."""


class ToleratedLatency(Part, frozen=True, kw_only=True):
    """The largest tolerated distribution in one direction."""

    scale: float | None
    """Factor on the requested latency; null in the direction of spread."""
    mean_ns: Nanoseconds
    sd_ns: Nanoseconds
    p99_ns: Nanoseconds
    share_within: Estimate
    """Share of the samples within the limit."""


class LatencyTolerance(Part, frozen=True, kw_only=True):
    """Random latency that keeps T within one limit with this probability."""

    degradation: Annotated[float, Meta(ge=0)]
    probability: Share
    limit_ns: Annotated[Nanoseconds, column("runtime T", time(5))]
    constant_ns: Unbounded
    """The largest constant latency within the limit; null if every latency is within the limit."""
    scaled: ToleratedLatency | None
    """Tolerated latency of the same shape; null if any scale is within the limit."""
    spread_possible: bool
    """false if a constant latency with the requested mean already exceeds the limit."""
    spread: ToleratedLatency | None
    """Lognormal with the mean of the requested latency; null if any sd is within the limit."""


class CriticalCall(Part, frozen=True, kw_only=True):
    """Messages received in one kind of call."""

    call: Annotated[str, column("received in", CODE)]
    share: Annotated[Share, column("samples", SHARE)]
    """Share of samples with one of the messages on the critical path."""
    latencies: Annotated[float, Meta(ge=0), column("latencies", _LATENCIES)]
    """Mean number of the messages' latencies on the critical path, over samples."""


class CriticalCallSite(Part, frozen=True, kw_only=True):
    """Messages received at one place in the source."""

    where: Annotated[str, column("received at", CODE)]
    share: Annotated[Share, column("samples", SHARE)]
    latencies: Annotated[float, Meta(ge=0), column("latencies", _LATENCIES)]


class CriticalPair(Part, frozen=True, kw_only=True):
    """Messages of one rank to another."""

    source: Count
    destination: Count
    share: Annotated[Share, column("samples", SHARE)]
    """Share of samples with one of the messages on the critical path."""
    latencies: Annotated[float, Meta(ge=0), column("latencies", _LATENCIES)]
    """Mean number of the messages' latencies on the critical path, over samples."""

    @property
    def pair(self) -> Annotated[str, column("from → to", CODE)]:
        """Sender and receiver: `0 → 1`."""
        return f"{self.source} → {self.destination}"


class Criticality(Part, frozen=True, kw_only=True):
    """Messages on the critical path, the most critical first."""

    samples: Count
    calls: list[CriticalCall]
    call_sites: list[CriticalCallSite]
    """Call sites; empty if the input records none."""


class RuntimeDistribution(Part, frozen=True, kw_only=True):
    """The distribution function of T, evenly spaced in probability."""

    probability: FloatColumn
    T_ns: FloatColumn

    @classmethod
    def of(cls, T_ns: Floats) -> "RuntimeDistribution":
        """The distribution of samples."""
        at = np.linspace(0, 1, _POINTS)
        return cls(probability=at, T_ns=np.quantile(T_ns, at))


class RuntimeForecast(Result, frozen=True, kw_only=True):
    """Result of `latitude forecast`.

    Keys that end in _ns are times in ns. Intervals are 95 % intervals. null means not finite.
    """

    SCHEMA = "latitude.forecast/1"

    provenance: Provenance
    trace: TraceInfo
    graph: GraphInfo
    model: Assumptions
    random: Randomness
    samples: Count
    runtime: RuntimeFigures
    quantiles: list[RuntimeQuantile]
    compared: RuntimeCompared
    bounds: RuntimeBounds
    tolerance: list[LatencyTolerance]
    criticality: Criticality
    pairs: list[CriticalPair]
    """Pairs, the most critical first."""
    distribution: RuntimeDistribution
    warnings: list[Notice]
    T_ns: Annotated[Floats, Hidden, column("runtime T", TIME)]
    """Runtimes by sample, from sample 0."""
    asked: Annotated[float, Hidden]
    """The quantile of the question."""
    L_ns: Annotated[float, Hidden]
    """L of the network."""

    @property
    def quantile(self) -> RuntimeQuantile:
        """T at the quantile of the question."""
        return next(each for each in self.quantiles if each.probability == self.asked)

    def slowdown(self, T_ns: float) -> float:
        """Relative slowdown against the network alone."""
        return T_ns / self.compared.T0_ns - 1 if self.compared.T0_ns > 0 else 0.0

    def samples_csv(self) -> str:
        """One row per sample."""
        return csv_text(("sample", "T_ns"), enumerate(map(float, self.T_ns)))
