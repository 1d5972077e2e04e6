"""Spends a limit on T over several link classes; only the LP answers this question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from latitude._core import InputError
from latitude.analysis.lp.rows import Flags, Floats
from latitude.analysis.lp.solver import Solver


@dataclass(frozen=True, slots=True)
class Spending:
    """The worth of a ns of latency of each class, and the interval of that latency.

    Classes without a weight are worth nothing and stay at their L. Latencies may only rise, without
    limit, unless `bounds` has (low, high) in ns.
    """

    weight: Mapping[str, float]
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def check(self, classes: Sequence[str]) -> None:
        """Raises InputError if a class is unknown, or no weight is above 0."""
        for name in (*self.weight, *self.bounds):
            if name not in classes:
                raise InputError(
                    f"budget: unknown link class '{name}'; this network has "
                    + ", ".join(f"'{known}'" for known in classes)
                )
        if not any(self.weight.values()):
            raise InputError("budget: give one class at least a weight above 0, e.g. inter=1")

    def maximise(
        self, solver: Solver, classes: Sequence[str], latency: Floats, used: Flags, limit_ns: float
    ) -> Floats:
        """The latencies with the largest Σ weight · l at which T is within the limit.

        Infinite for a class that carries no message (not `used`) and has no upper bound.
        """
        weight = np.array([self.weight.get(name, 0.0) for name in classes])
        low, high = latency.copy(), np.where(weight > 0, np.inf, latency)
        for i, name in enumerate(classes):
            if name in self.bounds:
                low[i], high[i] = self.bounds[name]
        free = ~used & np.isinf(high) & (weight > 0)
        high[free] = low[free]  # otherwise the program would be unbounded
        found = solver.maximise(weight, limit_ns, low, high)
        if np.isinf(found.latency_ns).any():
            raise InputError("budget: the LP is unbounded or infeasible; narrow it with --bound")
        return np.where(free, np.inf, found.latency_ns)
