"""Gurobi, through the package gurobipy, which users install and license themselves."""

from time import perf_counter

import gurobipy
import numpy as np
from gurobipy import GRB

from latitude._core import InputError
from latitude.analysis.lp.model import Matrix, Solution, unbounded
from latitude.analysis.lp.rows import Floats

_FEASIBILITY = 1e-9
"""Gurobi's smallest feasibility tolerance."""
_UNBOUNDED = (GRB.UNBOUNDED, GRB.INF_OR_UNBD)


class Gurobi:
    """One model in Gurobi."""

    def __init__(self, model: Matrix) -> None:
        self.name = "Gurobi " + ".".join(map(str, gurobipy.gurobi.version()))
        self._scale = model.scale
        try:
            self._gurobi = gurobipy.Model(env=_quiet())
            variables = self._gurobi.addMVar(model.columns)
            self._gurobi.addMConstr(model.matrix, variables, ">", model.lower)
            self._gurobi.update()
        except gurobipy.GurobiError as error:
            raise InputError(f"--solver gurobi: {error}; leave it out to use HiGHS") from error
        self._links = variables[: model.links]
        self._t = variables[model.t].item()

    def minimise_t(self, latency_ns: Floats, *, ranging: bool = False) -> Solution:
        """Minimises t with every latency at least the given one."""
        self._bound(latency_ns, np.full(latency_ns.size, np.inf), np.inf)
        self._gurobi.setObjective(self._t, GRB.MINIMIZE)
        return self._solve(ranging=ranging)

    def maximise(
        self, weight: Floats, limit_ns: float, low_ns: Floats, high_ns: Floats
    ) -> Solution:
        """Maximises Σ weight · l with t ≤ limit and low ≤ l ≤ high."""
        self._bound(low_ns, high_ns, limit_ns)
        self._gurobi.setObjective(weight @ self._links, GRB.MAXIMIZE)
        return self._solve(ranging=False)

    def piece(self, link: int, at: Solution) -> tuple[float, float]:
        """The interval of latency `link` around `at` in which t is one straight line."""
        slope = float(at.reduced_cost[link])
        above = (at.t_ns - slope * at.latency_ns[link]) / self._scale
        line = self._gurobi.addConstr(self._t - slope * self._links[link].item() <= above)
        weight, low = np.zeros(at.latency_ns.size), at.latency_ns.copy()
        low[link] = 0.0
        unlimited = np.full(weight.size, np.inf)
        ends = []
        for sign in (-1.0, 1.0):
            weight[link] = sign
            ends.append(self.maximise(weight, np.inf, low, unlimited).latency_ns[link])
        self._gurobi.remove(line)
        return float(ends[0]), float(ends[1])

    def _bound(self, low: Floats, high: Floats, limit: float) -> None:
        self._links.LB, self._links.UB = low / self._scale, high / self._scale
        self._t.UB = limit / self._scale

    def _solve(self, *, ranging: bool) -> Solution:
        before = perf_counter()
        try:
            self._gurobi.optimize()
        except gurobipy.GurobiError as error:
            raise InputError(f"--solver gurobi: {error}; leave it out to use HiGHS") from error
        seconds = perf_counter() - before
        status, iterations = self._gurobi.Status, int(self._gurobi.IterCount)
        nothing = np.full(self._links.size, np.nan)
        if status in _UNBOUNDED:
            return unbounded(self._links.size, iterations, seconds)
        if status == GRB.INTERRUPTED:
            raise KeyboardInterrupt
        if status != GRB.OPTIMAL:
            raise InputError(f"Gurobi stopped without an answer: status {status}")
        return Solution(
            t_ns=self._t.X * self._scale,
            latency_ns=self._links.X * self._scale,
            reduced_cost=self._links.RC if ranging else nothing,
            low_ns=self._links.SALBLow * self._scale if ranging else nothing,
            high_ns=self._links.SALBUp * self._scale if ranging else nothing,
            iterations=iterations,
            seconds=seconds,
        )


def _quiet() -> gurobipy.Env:
    env = gurobipy.Env(empty=True)
    env.setParam("OutputFlag", 0)
    env.setParam("FeasibilityTol", _FEASIBILITY)
    env.setParam("OptimalityTol", _FEASIBILITY)
    env.start()
    return env
