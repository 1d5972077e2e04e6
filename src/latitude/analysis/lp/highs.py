"""HiGHS, through highspy."""

from time import perf_counter

import highspy
import numpy as np

from latitude._core import InputError
from latitude.analysis.lp.model import Matrix, Solution, unbounded
from latitude.analysis.lp.rows import Floats

_FEASIBILITY = 1e-10
"""HiGHS' smallest feasibility tolerance."""
_UNBOUNDED = {
    highspy.HighsModelStatus.kUnbounded,
    highspy.HighsModelStatus.kUnboundedOrInfeasible,
}


class Highs:
    """One model in HiGHS. An interrupt ends the search."""

    def __init__(self, model: Matrix) -> None:
        self._model = model
        self._links = np.arange(model.links, dtype=np.int32)
        self._highs = silent_highs()
        self._highs.HandleKeyboardInterrupt = True
        self.name = f"HiGHS {self._highs.version()}"
        for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._highs.setOptionValue(option, _FEASIBILITY)
        self._highs.passModel(lp_of(model))
        # A row that binds nothing until piece() needs a line: λ · l − t ≥ −∞.
        self._line = model.matrix.shape[0]
        self._highs.addRow(-highspy.kHighsInf, highspy.kHighsInf, 1, [model.t], [-1.0])

    def minimise_t(self, latency_ns: Floats, *, ranging: bool = False) -> Solution:
        """Minimises t with every latency at least the given one."""
        unlimited = np.full(self._links.size, np.inf)
        self._ask(np.zeros(self._links.size), latency_ns, unlimited, np.inf)
        return self._solve(ranging=ranging)

    def maximise(
        self, weight: Floats, limit_ns: float, low_ns: Floats, high_ns: Floats
    ) -> Solution:
        """Maximises Σ weight · l with t ≤ limit and low ≤ l ≤ high."""
        self._ask(weight, low_ns, high_ns, limit_ns)
        return self._solve(ranging=False)

    def piece(self, link: int, at: Solution) -> tuple[float, float]:
        """The interval of latency `link` around `at` in which t is one straight line."""
        line, slope, here = self._line, at.reduced_cost[link], at.latency_ns[link]
        self._highs.changeCoeff(line, link, slope)
        self._highs.changeRowBounds(
            line, (slope * here - at.t_ns) / self._model.scale, highspy.kHighsInf
        )
        weight, low = np.zeros(self._links.size), at.latency_ns.copy()
        low[link] = 0.0
        unlimited = np.full(self._links.size, np.inf)
        ends = []
        for sign in (-1.0, 1.0):
            weight[link] = sign
            ends.append(self.maximise(weight, np.inf, low, unlimited).latency_ns[link])
        self._highs.changeRowBounds(line, -highspy.kHighsInf, highspy.kHighsInf)
        self._highs.changeCoeff(line, link, 0.0)
        return float(ends[0]), float(ends[1])

    def _ask(self, weight: Floats, low: Floats, high: Floats, limit: float) -> None:
        highs, scale, t = self._highs, self._model.scale, self._model.t
        maximise = bool(weight.any())
        for link in range(self._links.size):
            highs.changeColCost(link, weight[link])
            highs.changeColBounds(link, low[link] / scale, high[link] / scale)
        highs.changeColCost(t, 0.0 if maximise else 1.0)
        highs.changeColBounds(t, 0.0, limit / scale)
        sense = highspy.ObjSense.kMaximize if maximise else highspy.ObjSense.kMinimize
        highs.changeObjectiveSense(sense)

    def _solve(self, *, ranging: bool) -> Solution:
        highs, scale = self._highs, self._model.scale
        before = perf_counter()
        highs.solve()
        if highs.getModelStatus() == highspy.HighsModelStatus.kUnknown:
            highs.clearSolver()  # the last basis was no help: start without a basis
            highs.solve()
        seconds = perf_counter() - before
        status, info = highs.getModelStatus(), highs.getInfo()
        iterations = max(info.simplex_iteration_count, info.ipm_iteration_count, 0)
        nothing = np.full(self._links.size, np.nan)
        if status in _UNBOUNDED:
            return unbounded(self._links.size, iterations, seconds)
        if status == highspy.HighsModelStatus.kInterrupt:
            raise KeyboardInterrupt
        if status != highspy.HighsModelStatus.kOptimal:
            raise InputError(
                f"HiGHS stopped without an answer: {highs.modelStatusToString(status)}"
            )
        solution = highs.getSolution()
        low, high = nothing, nothing
        if ranging:
            _, found = highs.getRanging()
            low = np.array(found.col_bound_dn.value_)[self._links] * scale
            high = np.array(found.col_bound_up.value_)[self._links] * scale
        return Solution(
            t_ns=solution.col_value[self._model.t] * scale,
            latency_ns=np.array(solution.col_value[: self._links.size]) * scale,
            reduced_cost=np.array(solution.col_dual[: self._links.size]),
            low_ns=low,
            high_ns=high,
            iterations=iterations,
            seconds=seconds,
        )


class _Silent(highspy.Highs):
    """HiGHS that prints nothing to standard output, where a command's result may go."""

    def enableCallbacks(self) -> None:  # noqa: N802 - HiGHS' name
        # HiGHS 1.16 prints its banner in this method. The constructor calls the method before a
        # caller can ask for silence.
        self.silent()
        super().enableCallbacks()  # type: ignore[no-untyped-call]


def silent_highs() -> highspy.Highs:
    """HiGHS without a model."""
    highs = _Silent()  # type: ignore[no-untyped-call]
    highs.silent()
    return highs


def lp_of(model: Matrix) -> highspy.HighsLp:
    """The model in the form of HiGHS: min t, with latencies from 0 to infinity."""
    lp = highspy.HighsLp()
    rows, columns = model.matrix.shape
    lp.num_row_, lp.num_col_ = rows, columns
    cost = np.zeros(columns)
    cost[model.t] = 1.0
    lp.col_cost_ = cost
    lp.col_lower_, lp.col_upper_ = np.zeros(columns), np.full(columns, highspy.kHighsInf)
    lp.row_lower_, lp.row_upper_ = model.lower, np.full(rows, highspy.kHighsInf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = model.matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = model.matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = model.matrix.data
    return lp
