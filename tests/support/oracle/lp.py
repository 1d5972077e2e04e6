"""The linear program of [S] §II.C, built from a graph's arrays and solved by HiGHS.

As in [S], an instant with one predecessor is substituted, so only joins get variables. They are one
y ≥ 0 per join, θ, and t, in the unit `scale` (ns). The same program answers two questions:

    min t   s.t. θ ≥ θ0           objective T(θ0); reduced cost of θ = λ at θ0
    max θ   s.t. t ≤ T_limit      objective = the tolerance
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import highspy
import numpy as np
from numpy.typing import NDArray

from .arrays import GraphArrays, Parameters, Prices, Theta
from .instants import Inequalities, inequalities
from .schedule import Schedule

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEASIBILITY = 1e-10
"""HiGHS' smallest feasibility tolerance, in units of `LatencyProgram.scale`."""


@dataclass(frozen=True)
class LatencyProgram:
    """y[head] − y[tail] − slope·θ ≥ constant for every row; tail −1 is the time origin.

    `head` equal to `joins` is t. Times in ns; θ in ns (L, o) or ns a byte (G).
    """

    joins: int
    head: Ints
    tail: Ints
    slope: Floats
    constant: Floats
    theta: Theta
    baseline: float

    @property
    def rows(self) -> int:
        return len(self.head)

    @cached_property
    def schedule(self) -> Schedule:
        """The schedule that all solvers of this program share."""
        return Schedule(self)

    @cached_property
    def scale(self) -> float:
        """ns in HiGHS' unit of time, in which T is 100 to 1,000."""
        runtime = self.schedule.at(self.baseline)[0][-1]
        return float(10.0 ** np.ceil(np.log10(max(runtime, 1.0)) - 3))

    @cached_property
    def model(self) -> highspy.HighsLp:
        """Gives HiGHS' form, for all solvers of this program; θ and t are its last two columns."""
        rows, columns = self.rows, self.joins + 2
        theta, t = self.joins, self.joins + 1
        inf = highspy.kHighsInf
        head = np.where(self.head == self.joins, t, self.head)
        has_tail, has_theta = self.tail >= 0, self.slope != 0
        row = np.arange(rows)
        index = np.concatenate([row, row[has_tail], row[has_theta]])
        column = np.concatenate([head, self.tail[has_tail], np.full(int(has_theta.sum()), theta)])
        value = np.concatenate(
            [np.ones(rows), np.full(int(has_tail.sum()), -1.0), -self.slope[has_theta]]
        )
        order = np.argsort(index, kind="stable")
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, rows
        model.col_cost_ = np.zeros(columns)
        model.col_lower_, model.col_upper_ = np.zeros(columns), np.full(columns, inf)
        model.row_lower_ = self.constant / self.scale
        model.row_upper_ = np.full(rows, inf)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.concatenate(
            [[0], np.cumsum(np.bincount(index, minlength=rows))]
        ).astype(np.int32)
        model.a_matrix_.index_ = column[order].astype(np.int32)
        model.a_matrix_.value_ = value[order]
        return model


@dataclass(frozen=True)
class Solution:
    """HiGHS' solution, in ns again."""

    t: float
    theta: float
    reduced_cost: float
    status: str
    iterations: int
    seconds: float


def build(
    graph: GraphArrays,
    costs: Parameters,
    theta: Theta = "L",
    along: Sequence[tuple[float, float]] | None = None,
) -> LatencyProgram:
    """The program of `graph` in which `theta` is a variable and the other costs are numbers;
    `along` as in `Parameters.prices`."""
    return program_of(inequalities(graph, costs), costs.prices(theta, along), theta)


def program_of(rows: Inequalities, prices: Prices, theta: Theta = "L") -> LatencyProgram:
    """Makes the program from the inequalities."""
    latency, gap = np.array(prices.latency)[rows.link], np.array(prices.gap)[rows.link]
    overhead = np.array(prices.overhead)[rows.link]
    constant, slope = (
        rows.latencies[:, None] * latency
        + rows.bytes[:, None] * gap
        + rows.overheads[:, None] * overhead
        + rows.gaps[:, None] * np.array(prices.spacing)[rows.link]
    ).T
    constant = rows.calc + constant
    return _without_dominated(_substitute(rows, slope, constant, theta, prices.baseline))


def _substitute(
    rows: Inequalities, slope: Floats, constant: Floats, theta: Theta, baseline: float
) -> LatencyProgram:
    """Replaces every instant with one predecessor, and numbers the joins again, followed by t.

    t bounds only instants nothing else waits for: costs are not negative, so these are the last.
    """
    finish, instants = rows.instants, rows.instants + 1
    used = np.zeros(instants, bool)
    used[rows.source] = True
    is_target = np.zeros(instants, bool)
    is_target[rows.target] = True
    leaves = np.flatnonzero(is_target & ~used)
    source = np.concatenate([rows.source, leaves])
    target = np.concatenate([rows.target, np.full(len(leaves), finish)])
    slope = np.concatenate([slope, np.zeros(len(leaves))])
    constant = np.concatenate([constant, np.zeros(len(leaves))])

    incoming = np.bincount(target, minlength=instants)
    incoming[finish] = 2  # t stays a variable even when one path reaches it
    single = incoming[target] == 1
    root = np.arange(instants)
    root[target[single]] = source[single]
    slope_from_root, constant_from_root = np.zeros(instants), np.zeros(instants)
    slope_from_root[target[single]] = slope[single]
    constant_from_root[target[single]] = constant[single]
    moving = target[single]
    for _ in range(instants.bit_length()):  # pointer doubling: all end at their nearest join
        via = root[moving]
        further = root[via]
        slope_from_root[moving] += slope_from_root[via]
        constant_from_root[moving] += constant_from_root[via]
        root[moving] = further
        moving = moving[root[further] != further]
        if not len(moving):
            break

    source, target, slope, constant = (x[~single] for x in (source, target, slope, constant))
    slope = slope + slope_from_root[source]
    constant = constant + constant_from_root[source]
    source = root[source]
    is_join = incoming > 1
    is_join[finish] = False
    joins = int(is_join.sum())
    number = np.full(instants, -2)
    number[is_join] = np.arange(joins)
    number[finish], number[rows.origin] = joins, -1
    if (number[source] < -1).any():
        raise ValueError("the graph has a cycle")
    return LatencyProgram(joins, number[target], number[source], slope, constant, theta, baseline)


def _without_dominated(program: LatencyProgram) -> LatencyProgram:
    """Keeps, among rows between two variables with equal slopes, the largest constant."""
    order = np.lexsort((-program.constant, program.slope, program.tail, program.head))
    key = np.stack([program.head[order], program.tail[order], program.slope[order]])
    first = np.ones(len(order), bool)
    first[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
    kept = order[first]
    return replace(
        program,
        head=program.head[kept],
        tail=program.tail[kept],
        slope=program.slope[kept],
        constant=program.constant[kept],
    )


class Solver:
    """One program in HiGHS; later questions start from the last basis."""

    def __init__(self, program: LatencyProgram, **options: bool | float | str) -> None:
        self.program = program
        self._schedule = program.schedule
        self.scale = program.scale
        self._theta, self._t = program.joins, program.joins + 1
        self.highs = highspy.Highs()  # type: ignore[no-untyped-call]
        self.highs.silent()
        for name, value in {
            "primal_feasibility_tolerance": FEASIBILITY,
            "dual_feasibility_tolerance": FEASIBILITY,
            **options,
        }.items():
            status = self.highs.setOptionValue(name, value)
            if status != highspy.HighsStatus.kOk:
                raise ValueError(f"HiGHS refused {name}={value}")
        self.highs.passModel(program.model)

    def forget(self) -> None:
        """The next question starts from nothing, as the first one of a solver does."""
        self.highs.clearSolver()

    def start_from(self, theta: float, *, theta_is_free: bool) -> None:
        """Makes the schedule at `theta` the next basis; `theta_is_free` before maximise_theta."""
        _, tight = self._schedule.at(theta)
        status = highspy.HighsBasisStatus
        columns = [status.kBasic] * (self.program.joins + 2)
        if theta_is_free:
            columns[self._t] = status.kUpper
        else:
            columns[self._theta] = status.kLower
        rows = [status.kBasic] * self.program.rows
        for row in tight.tolist():
            rows[row] = status.kLower
        basis = highspy.HighsBasis()
        basis.alien = False  # as many are basic as there are rows: HiGHS need not look first
        basis.col_status, basis.row_status = columns, rows
        self.highs.setBasis(basis)

    def minimise_t(self, theta: float) -> Solution:
        """T and λ at `theta`."""
        self.highs.changeColCost(self._t, 1.0)
        self.highs.changeColCost(self._theta, 0.0)
        self.highs.changeColBounds(self._theta, theta / self.scale, highspy.kHighsInf)
        self.highs.changeColBounds(self._t, 0.0, highspy.kHighsInf)
        self.highs.changeObjectiveSense(highspy.ObjSense.kMinimize)
        return self._solve()

    def maximise_theta(self, limit: float, start: float = 0.0) -> Solution:
        """Largest θ ≥ `start` with T(θ) ≤ `limit`; inf without a largest."""
        self.highs.changeColCost(self._t, 0.0)
        self.highs.changeColCost(self._theta, 1.0)
        self.highs.changeColBounds(self._theta, start / self.scale, highspy.kHighsInf)
        self.highs.changeColBounds(self._t, 0.0, limit / self.scale)
        self.highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        return self._solve()

    def _solve(self) -> Solution:
        before = self.highs.getRunTime()
        self.highs.run()
        status = self.highs.getModelStatus()
        info = self.highs.getInfo()
        unbounded = {
            highspy.HighsModelStatus.kUnbounded,
            highspy.HighsModelStatus.kUnboundedOrInfeasible,
        }
        seconds = self.highs.getRunTime() - before
        iterations = max(info.simplex_iteration_count, info.ipm_iteration_count)
        name = self.highs.modelStatusToString(status)
        if status in unbounded:
            return Solution(np.nan, np.inf, 0.0, name, iterations, seconds)
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS stopped: {name}")
        solution = self.highs.getSolution()
        values = solution.col_value  # a copy each time it is asked for
        return Solution(
            t=values[self._t] * self.scale,
            theta=values[self._theta] * self.scale,
            reduced_cost=solution.col_dual[self._theta],
            status=name,
            iterations=iterations,
            seconds=seconds,
        )
