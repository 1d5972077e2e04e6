"""The result of `latitude lp`: engine and linear program side by side. Times are ns by default."""

import math
from typing import Annotated, ClassVar

from msgspec import Meta

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.declared import Amount, Count, Nanoseconds, Part, Result, Unbounded

_Limit = Annotated[Unbounded, Meta(ge=0)]

ALL = "all together"
"""Name of the answer for all classes together."""


class TwoAnswers(Part, frozen=True, kw_only=True):
    """One number by both methods; infinite without a limit."""

    engine: _Limit
    lp: _Limit

    @property
    def difference(self) -> float:
        """Relative difference, or ns if both are below 1 ns; 0 if both are infinite."""
        if self.engine == self.lp:
            return 0.0
        if not math.isfinite(self.engine) or not math.isfinite(self.lp):
            return math.inf
        return abs(self.engine - self.lp) / max(self.engine, self.lp, 1.0)


class LpSize(Part, frozen=True, kw_only=True):
    """Size of the solved linear program, and the solver."""

    solver: str
    """Name and version of the solver."""
    variables: Count
    constraints: Count


class LinkSensitivity(Part, frozen=True, kw_only=True):
    """λ of one link class, and the interval of its latency in which λ holds."""

    link: str
    """Class of links; `all links` if they are equal."""
    L_ns: Nanoseconds
    lambda_left: Amount
    """dT/dL by the engine, towards lower latency."""
    lambda_right: Amount
    """dT/dL by the engine, towards higher latency."""
    reduced_cost: float
    """Reduced cost of l in the linear program: any value between the engine's two slopes."""
    critical_below_ns: TwoAnswers
    """Next critical latency at or below L; otherwise 0."""
    critical_above_ns: TwoAnswers
    """Next critical latency at or above L; otherwise infinite."""
    basis_ns: tuple[Unbounded, Unbounded] | None
    """With --ranging: range of l in which the solver's final basis stays optimal. If several bases
    belong to one critical path, this is a part of the interval between the critical latencies."""

    @property
    def difference(self) -> float:
        """Distance of the reduced cost from the engine's slopes, relative."""
        least = self.lambda_left if self.L_ns > 0 else 0.0  # L = 0 has no left slope
        nearest = min(max(self.reduced_cost, least), self.lambda_right)
        return abs(self.reduced_cost - nearest) / max(abs(nearest), 1.0)


class LinkTolerance(Part, frozen=True, kw_only=True):
    """The largest latency of one link class at which T ≤ (1 + degradation) · T."""

    link: str
    """Class of links whose latency rises; other classes stay unchanged. For `all together`, L_ns is
    the extra latency of every class."""
    degradation: Amount
    T_limit_ns: Nanoseconds
    L_ns: TwoAnswers


class Spent(Part, frozen=True, kw_only=True):
    """The latencies with the greatest worth under a limit on T."""

    degradation: Amount
    T_limit_ns: Nanoseconds
    L_ns: dict[str, _Limit]
    """Class of links → latency with the greatest worth; null if the class has no upper bound and
    carries no message."""
    engine_T_ns: Nanoseconds
    """Runtime at these latencies, by the engine."""


class Budget(Part, frozen=True, kw_only=True):
    """Question of --budget; empty without --budget."""

    weight: dict[str, Amount]
    """Class of links → worth of a ns of its latency."""
    spent: list[Spent]


class SolveTimes(Part, frozen=True, kw_only=True):
    """Seconds of wall clock."""

    engine_build: Amount
    """Time from graph to model, engine."""
    engine_solve: Amount
    lp_build: Amount
    """Time from graph to model, LP."""
    lp_runtime: Amount
    """Time for the least runtime, and λ."""
    lp_rest: Amount
    """Time for critical latencies and tolerances."""


class SecondOpinion(Result, frozen=True, kw_only=True):
    """Result of `latitude lp`.

    Times are ns unless a name has another unit. null means infinite: no latency reaches the limit.
    """

    SCHEMA: ClassVar[str] = "latitude.lp/1"

    provenance: Provenance
    model: Assumptions
    lp: LpSize
    largest_difference: _Limit
    """Largest relative difference between the two answers, over all numbers that both give."""
    T_ns: TwoAnswers
    """Runtime by both methods."""
    sensitivity: list[LinkSensitivity]
    tolerance: list[LinkTolerance]
    budget: Budget
    seconds: SolveTimes
    warnings: list[Notice]
    """Warnings about the program."""


def largest_difference(
    runtime: TwoAnswers, sensitivity: list[LinkSensitivity], tolerance: list[LinkTolerance]
) -> float:
    """Largest relative difference over all numbers of both answers."""
    both = [runtime, *(t.L_ns for t in tolerance)]
    for s in sensitivity:
        both += [s.critical_below_ns, s.critical_above_ns]
    return max([b.difference for b in both] + [s.difference for s in sensitivity])
