"""Stochastic tolerance: the random latency that keeps T within x % with probability p.

There are two directions. *Scaled* keeps the latency's own shape, with every value s times as large.
With common random numbers, T of each sample and every order statistic rise with s. So the largest s
is exact for these samples. *Spread* takes lognormal latencies with the mean of the requested
latency. Bisection finds the largest sd with which the limit holds.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.distributions import parse_table
from latitude.model.network import Network
from latitude.random.forecast import estimate
from latitude.random.forecast.random import Random, compile_random
from latitude.random.forecast.source import LatencySource
from latitude.results.forecast import LatencyTolerance, ToleratedLatency

Family = Callable[[float], Floats]
"""Function from a parameter that makes latencies worse to the table."""

_EXACT = 1e-3
"""Relative width of the last bracket."""
_MOST_DOUBLINGS = 40
_BEYOND = 1.001
"""Multiple of the limit at which draws are cut off. T is at least a draw, so larger draws exceed
the limit, too."""


class ToleranceSearch:
    """Answers for one program, network and kind of latency."""

    def __init__(
        self,
        graph: _core.Graph,
        network: Network,
        random: Random,
        samples: int,
        probability: float,
        threads: int = 0,
    ) -> None:
        self._graph, self._network, self._random = graph, network, random
        self._samples, self._probability, self._threads = samples, probability, threads
        self._dag: _core.RandomDag | None = None

    def tolerance(
        self, degradation: float, limit_ns: float, constant_ns: float
    ) -> LatencyTolerance:
        """The answer for one limit on T."""
        source = self._random.latency
        if source.mean == 0:
            raise InputError(
                f"tolerance: the latency '{source.text}' is 0; give one with a positive mean"
            )
        scale = self._largest(lambda s: source.values * s, limit_ns, 1.0)
        scaled = (
            None
            if math.isinf(scale)
            else self._tolerated(source.values * scale, limit_ns, scale=scale)
        )
        possible = self._within(np.full_like(source.values, source.mean), limit_ns)
        sd = (
            self._largest(lambda sd: lognormal(source.mean, sd), limit_ns, source.mean)
            if possible
            else 0.0
        )
        spread = (
            self._tolerated(lognormal(source.mean, sd), limit_ns)
            if possible and math.isfinite(sd)
            else None
        )
        return LatencyTolerance(
            degradation=degradation,
            probability=self._probability,
            limit_ns=limit_ns,
            constant_ns=constant_ns,
            scaled=scaled,
            spread_possible=possible,
            spread=spread,
        )

    def _largest(self, values: Family, limit_ns: float, start: float) -> float:
        """The largest parameter within the limit; infinite if doubling never exceeds the limit."""
        low, high = 0.0, start
        for _ in range(_MOST_DOUBLINGS):
            tried = values(high)
            if not self._within(tried, limit_ns):
                break
            if tried[tried > 0].min() > limit_ns:
                return math.inf
            low, high = high, 2 * high
        else:
            return math.inf
        while high - low > _EXACT * high:
            middle = (low + high) / 2
            if self._within(values(middle), limit_ns):
                low = middle
            else:
                high = middle
        return low

    def _within(self, values: Floats, limit_ns: float) -> bool:
        wanted = math.ceil(self._probability * self._samples)
        return self._count(values, limit_ns) >= wanted

    def _count(self, values: Floats, limit_ns: float) -> int:
        """Number of samples within the limit, from the same random numbers for all `values`."""
        dag = self._compiled(np.minimum(values, _BEYOND * limit_ns))
        T = dag.runtimes(self._random.seed, 0, self._samples, self._threads)
        return int(np.count_nonzero(limit_ns >= T))

    def _compiled(self, values: Floats) -> _core.RandomDag:
        noise = None if self._random.noise is None else self._random.noise.values
        high = float(values.max())
        if self._dag is None or high > self._dag.bounds_ns[1]:
            widest = max(high, float(self._random.latency.values.max()))
            self._dag = compile_random(
                self._graph,
                self._network,
                replace(self._random, latency=LatencySource("", values)),
                (0.0, widest),
            )
        return self._dag.with_table(values, noise)

    def _tolerated(
        self, values: Floats, limit_ns: float, scale: float | None = None
    ) -> ToleratedLatency:
        table = LatencySource("", values)
        return ToleratedLatency(
            scale=scale,
            mean_ns=table.mean,
            sd_ns=table.sd,
            p99_ns=table.quantile(0.99),
            share_within=estimate.share(self._count(values, limit_ns), self._samples),
        )


def lognormal(mean_ns: float, sd_ns: float) -> Floats:
    """The table of a lognormal with location 0; constant if the sd is 0."""
    if sd_ns <= 1e-6 * mean_ns:
        return np.full(4096, mean_ns)
    table = parse_table(f"lognormal(mean={mean_ns!r}ns,sd={sd_ns!r}ns)")
    return table.values.astype(np.float64)
