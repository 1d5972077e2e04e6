"""What a solver is asked; times in ns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from latitude._core import InputError
from latitude.analysis.lp.model import Matrix
from latitude.analysis.lp.rows import Floats


@dataclass(frozen=True, slots=True)
class Solution:
    """An optimal basis. Arrays have one entry a latency variable."""

    t_ns: float
    latency_ns: Floats
    """Values of the latencies; infinite when the program is unbounded."""
    reduced_cost: Floats
    """Of the latencies: λ of each class when t was minimised."""
    low_ns: Floats
    high_ns: Floats
    """The range of each latency in which this basis stays optimal; nan unless asked for."""
    iterations: int
    seconds: float
    """Inside the solver."""


def unbounded(links: int, iterations: int, seconds: float) -> Solution:
    """What there is to say when the latencies have no largest value."""
    unknown = np.full(links, np.nan)
    return Solution(np.nan, np.full(links, np.inf), unknown, unknown, unknown, iterations, seconds)


class Solver(Protocol):
    """One model; later questions start from the last basis."""

    name: str

    def minimise_t(self, latency_ns: Floats, *, ranging: bool = False) -> Solution:
        """Min t with every latency at least the one given."""

    def maximise(
        self, weight: Floats, limit_ns: float, low_ns: Floats, high_ns: Floats
    ) -> Solution:
        """Max Σ weight · l with t ≤ limit and low ≤ l ≤ high."""

    def piece(self, link: int, at: Solution) -> tuple[float, float]:
        """The interval of latency `link` in which t is the straight line found at `at`.

        Its ends, the critical latencies next to it, are the least and the largest l with
        t ≤ t_at + λ · (l − l_at); the other latencies stay where they are.
        """


SOLVERS = ("highs", "gurobi")


def solver_named(name: str) -> Callable[[Matrix], Solver]:
    """How to make a solver; InputError when it is not installed."""
    if name == "highs":
        from latitude.analysis.lp.highs import Highs  # noqa: PLC0415 - only `lp` needs it, it is large

        return Highs
    try:
        from latitude.analysis.lp.gurobi import Gurobi  # noqa: PLC0415 - proprietary, only where installed
    except ImportError as error:
        raise InputError(
            "--solver gurobi: gurobipy is not installed in this Python; install it and a licence, "
            "or leave the option out to use HiGHS"
        ) from error
    return Gurobi
