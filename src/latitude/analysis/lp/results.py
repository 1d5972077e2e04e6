"""What `latitude lp` finds: engine and LP side by side. Times in ns where not said otherwise."""

from dataclasses import dataclass

import numpy as np

ALL = "all together"
"""What the answer for all classes rising together is called."""


@dataclass(frozen=True, slots=True)
class Both:
    """One number by both; ns. Infinite where there is no limit."""

    engine: float
    lp: float

    @property
    def difference(self) -> float:
        """Relative, or in ns where both are below 1 ns; 0 where both are infinite."""
        if self.engine == self.lp:
            return 0.0
        if not np.isfinite(self.engine) or not np.isfinite(self.lp):
            return float("inf")
        return abs(self.engine - self.lp) / max(self.engine, self.lp, 1.0)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """λ of one link class, and the interval of its latency in which λ holds."""

    link: str
    L_ns: float
    lambda_left: float
    """Of the engine, towards lower latency."""
    lambda_right: float
    """Of the engine, towards higher latency."""
    reduced_cost: float
    """Of the LP; where the engine's two differ, either of them, or one in between, is right."""
    critical_below: Both
    """Next critical latency at or below L, 0 when there is none."""
    critical_above: Both
    """Next critical latency at or above L, infinite when there is none."""
    basis_ns: tuple[float, float] | None
    """Where asked for: range of l in which the solver's final basis stays optimal; where several
    bases belong to one critical path, a part of the interval between the critical latencies."""

    @property
    def difference(self) -> float:
        """How far the reduced cost is from the engine's slopes, relative."""
        least = self.lambda_left if self.L_ns > 0 else 0.0  # at 0 there is no left
        nearest = min(max(self.reduced_cost, least), self.lambda_right)
        return abs(self.reduced_cost - nearest) / max(abs(nearest), 1.0)


@dataclass(frozen=True, slots=True)
class Tolerated:
    """The largest latency of `link` at which T ≤ (1 + degradation) · T, the others as they are.

    For ALL: the extra latency that every link takes at once.
    """

    link: str
    degradation: float
    limit_ns: float
    latency: Both


@dataclass(frozen=True, slots=True)
class Budget:
    """The latencies that maximise Σ weight · l under a limit on T."""

    degradation: float
    limit_ns: float
    latency_ns: list[float]
    """Of every class; infinite where a class carries no message and so costs nothing."""
    engine_T_ns: float
    """The engine's runtime at these latencies."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of wall clock."""

    engine_build: float
    engine_solve: float
    lp_build: float
    lp_runtime: float
    """min t, with the range of its basis."""
    lp_rest: float
    """Critical latencies and tolerances."""


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Everything `latitude lp --solve` found."""

    solver: str
    variables: int
    constraints: int
    T_ns: Both
    sensitivity: list[Sensitivity]
    tolerance: list[Tolerated]
    budget: list[Budget]
    weight: dict[str, float]
    """What the budget's question gave each class; empty when it was not asked."""
    times: Times

    @property
    def largest_difference(self) -> float:
        """Of all numbers that both give, relative."""
        both = [self.T_ns, *(t.latency for t in self.tolerance)]
        for s in self.sensitivity:
            both += [s.critical_below, s.critical_above]
        return max([b.difference for b in both] + [s.difference for s in self.sensitivity])
