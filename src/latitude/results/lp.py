"""The result of `latitude lp`: engine and linear program side by side. Times are ns if not said."""

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
    """One number by both; infinite where there is no limit."""

    engine: _Limit
    lp: _Limit

    @property
    def difference(self) -> float:
        """Relative, or in ns where both are below 1 ns; 0 where both are infinite."""
        if self.engine == self.lp:
            return 0.0
        if not math.isfinite(self.engine) or not math.isfinite(self.lp):
            return math.inf
        return abs(self.engine - self.lp) / max(self.engine, self.lp, 1.0)


class LpSize(Part, frozen=True, kw_only=True):
    """The linear program that was solved, and by whom."""

    solver: str
    """With its version."""
    variables: Count
    constraints: Count


class LinkSensitivity(Part, frozen=True, kw_only=True):
    """λ of one link class, and the interval of its latency in which λ holds."""

    link: str
    """Class of links; `all links` where they do not differ."""
    L_ns: Nanoseconds
    lambda_left: Amount
    """dT/dL by the engine, towards lower latency."""
    lambda_right: Amount
    """The same towards higher latency."""
    reduced_cost: float
    """Reduced cost of l in the linear program: any value between the engine's two."""
    critical_below_ns: TwoAnswers
    """Next critical latency at or below L; 0 when there is none."""
    critical_above_ns: TwoAnswers
    """Next critical latency at or above L."""
    basis_ns: tuple[Unbounded, Unbounded] | None
    """With --ranging: range of l in which the solver's final basis stays optimal; where several
    bases belong to one critical path, a part of the interval between the critical latencies."""

    @property
    def difference(self) -> float:
        """How far the reduced cost is from the engine's slopes, relative."""
        least = self.lambda_left if self.L_ns > 0 else 0.0  # at 0 there is no left
        nearest = min(max(self.reduced_cost, least), self.lambda_right)
        return abs(self.reduced_cost - nearest) / max(abs(nearest), 1.0)


class LinkTolerance(Part, frozen=True, kw_only=True):
    """The largest latency of one link class at which T ≤ (1 + degradation) · T."""

    link: str
    """Class of links, the others as they are; `all together`: L_ns is the extra latency of every
    class."""
    degradation: Amount
    T_limit_ns: Nanoseconds
    L_ns: TwoAnswers


class Spent(Part, frozen=True, kw_only=True):
    """The latencies that are worth most under a limit on T."""

    degradation: Amount
    T_limit_ns: Nanoseconds
    L_ns: dict[str, _Limit]
    """Class of links → the latency worth most; null where a class carries no message."""
    engine_T_ns: Nanoseconds
    """Runtime there, by the engine."""


class Budget(Part, frozen=True, kw_only=True):
    """Question of --budget; empty without --budget."""

    weight: dict[str, Amount]
    """Class of links → what a ns of its latency is worth."""
    spent: list[Spent]


class SolveTimes(Part, frozen=True, kw_only=True):
    """Seconds of wall clock."""

    engine_build: Amount
    """From graph to model."""
    engine_solve: Amount
    lp_build: Amount
    """From graph to model."""
    lp_runtime: Amount
    """Least runtime, and λ."""
    lp_rest: Amount
    """Critical latencies and tolerances."""


class SecondOpinion(Result, frozen=True, kw_only=True):
    """Result of `latitude lp`.

    Times are ns where no other unit is named. null stands for infinite: no latency reaches the
    limit.
    """

    SCHEMA: ClassVar[str] = "latitude.lp/1"

    provenance: Provenance
    model: Assumptions
    lp: LpSize
    largest_difference: _Limit
    """Largest relative difference between the two answers, over all numbers that both give."""
    T_ns: TwoAnswers
    """Runtime."""
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
