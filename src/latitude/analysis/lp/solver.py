"""The questions to a solver; times are ns."""

from collections.abc import Callable
from typing import Protocol

from latitude._core import InputError
from latitude.analysis.lp.model import Matrix, Solution
from latitude.analysis.lp.rows import Floats


class Solver(Protocol):
    """One model; later questions start from the last basis."""

    name: str

    def minimise_t(self, latency_ns: Floats, *, ranging: bool = False) -> Solution:
        """Minimises t with every latency at least the given one."""

    def maximise(
        self, weight: Floats, limit_ns: float, low_ns: Floats, high_ns: Floats
    ) -> Solution:
        """Maximises Σ weight · l with t ≤ limit and low ≤ l ≤ high."""

    def piece(self, link: int, at: Solution) -> tuple[float, float]:
        """The interval of latency `link` around `at` in which t is one straight line.

        Its ends are the critical latencies next to `at`: the least and the largest l with t ≤ t_at
        + λ · (l − l_at). The other latencies stay unchanged.
        """


SOLVERS = ("highs", "gurobi")


def solver_named(name: str) -> Callable[[Matrix], Solver]:
    """The constructor of a solver. InputError: the solver is not installed."""
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
