"""The table of runs: programs × levels × runtimes, measured or drawn from an execution graph.

A `Runs` is a row of the table: the runs of one program at one level. A `Study` has a program's
rows. `latitude validate` compares the table with one prediction per level. `campaign analyze` finds
the costs of mean and variation of latency. Times are ns.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Annotated

import numpy as np

from latitude._types import Floats
from latitude.results.injection import Layer
from latitude.units.columns import COUNT, column, number

NONE, CONSTANT, DISTRIBUTION, SWEEP, LOAD = "none", "constant", "distribution", "sweep", "load"
KINDS = (NONE, CONSTANT, DISTRIBUTION, SWEEP, LOAD)
"""Kinds of levels."""
OK, FAILED, TIMEOUT = "ok", "failed", "timeout"
STATUSES = (OK, FAILED, TIMEOUT)

ENOUGH = 3
"""Fewest runs of a cell with a reliable spread; cells with fewer are flagged."""
_ONE_MEAN = 0.02
"""Relative difference below which two requested means count as equal, because tables hold whole ns.
"""
AWAY = 0.1
"""Largest relative difference of achieved latency from the requested one, or from cells with the
same requested mean."""
_NOTHING: Floats = np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The latency at which a program runs. Times are ns."""

    name: str
    kind: str
    """One of KINDS."""
    family: str | None = None
    """Name of the family; all its levels have equal means."""
    layer: Layer | None = None
    """Layer of injection; None if nothing is injected."""
    mean_ns: float = 0.0
    sd_ns: float = 0.0
    load: float | None = None
    """Share of the bandwidth: the generated load if `kind` is load, else the load that the latency
    represents."""

    @property
    def at_rest(self) -> bool:
        """Whether nothing is added: neither latency nor load."""
        return self.mean_ns == 0 and self.kind != LOAD

    @property
    def rising(self) -> tuple[int, float, float, float]:
        """Key for sorting levels: kind, load, mean, sd."""
        load = self.load if self.kind == LOAD and self.load is not None else 0.0
        return KINDS.index(self.kind), load, self.mean_ns, self.sd_ns


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of a program at one level. Times are ns, dates ISO 8601 in UTC."""

    run_id: str
    campaign: str
    program: str
    ranks: int | None
    level: str
    """Name of the level."""
    family: str | None
    """Name of the family; all its levels have equal means."""
    kind: str
    """One of KINDS."""
    layer: str | None
    """Layer of injection, flow or verbs; None if nothing is injected."""
    asked_mean_ns: float
    asked_sd_ns: float
    """Standard deviation of the table from which latencies are drawn; 0 if nothing is injected."""
    achieved_mean_ns: float | None
    achieved_sd_ns: float | None
    """Standard deviation over all delayed messages of all ranks."""
    late_mean_ns: float | None
    """Mean lateness over all delayed messages: latency that the machine has added. A message for
    which no rank waited counts as punctual. None if nothing was delayed."""
    load: float | None
    """Share of the bandwidth: the generated load if `kind` is load, else the load that the latency
    represents."""
    seed: int
    """Seed of the injector."""
    repetition: int
    """Number of the repetition, from 1."""
    order: int
    """Place in the campaign's random order, from 1."""
    attempt: int
    """Number of the attempt, from 1."""
    status: str
    """One of STATUSES."""
    exit_code: int | None
    """Exit status as a shell reports it: 128 + n for signal n."""
    runtime_ns: float | None
    """Runtime by the program's `runtime`; None if the run is not ok."""
    wall_ns: float
    """Duration from the start of the launch line to its end."""
    messages: int | None
    """Number of messages that the injector delayed."""
    started: str
    host: str
    """Host on which the launch line was started."""
    nodes: str | None
    """Hosts of the ranks, folded: node[1-4]."""
    b_before: float | None
    b_after: float | None
    """Background traffic b after the run, if requested (Salimi Beni and Cosenza 2022, eq. 2)."""
    error: str | None
    """Reason in one line if the run is not ok."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one program at one level; arrays hold one value per successful run."""

    level: Level
    T_ns: Floats
    run_ids: tuple[str, ...] = ()
    got_mean_ns: Floats = field(default_factory=lambda: _NOTHING)
    """Mean latency that the run's messages had; NaN if not recorded."""
    got_sd_ns: Floats = field(default_factory=lambda: _NOTHING)
    order: Floats = field(default_factory=lambda: _NOTHING)
    """Place in the campaign's order."""
    lost: int = 0
    """Repetitions without a successful attempt."""

    @property
    def n(self) -> int:
        """Number of successful runs."""
        return self.T_ns.size

    @property
    def mean_ns(self) -> Floats:
        """Requested mean latency, one value per run."""
        return np.full(self.n, self.level.mean_ns)

    @property
    def sd_ns(self) -> Floats:
        """Requested standard deviation of latency, one value per run."""
        return np.full(self.n, self.level.sd_ns)

    @property
    def average_ns(self) -> float:
        """Mean runtime."""
        return float(self.T_ns.mean())

    @property
    def median_ns(self) -> float:
        """Median runtime, because occasional disturbances of the machine only lengthen runs."""
        return float(statistics.median(self.T_ns.tolist())) if self.n else math.nan

    @property
    def spread(self) -> float:
        """Standard deviation of the runtimes as a share of their mean; NaN below two runs."""
        if self.n < 2:  # noqa: PLR2004 - a spread takes two
            return math.nan
        runtimes: list[float] = self.T_ns.tolist()
        return statistics.stdev(runtimes) / statistics.fmean(runtimes)

    @property
    def known(self) -> bool:
        """Whether every run has recorded the latency of its messages."""
        return self.n > 0 and not np.isnan(self.got_mean_ns + self.got_sd_ns).any()

    @property
    def few(self) -> bool:
        """Whether the cell has fewer than ENOUGH runs."""
        return self.n < ENOUGH


@dataclass(frozen=True, slots=True, eq=False)
class Equal:
    """Cells with one requested mean, by rising sd."""

    cells: tuple[Runs, ...]

    @property
    def mean_ns(self) -> float:
        """The requested mean."""
        return self.cells[0].level.mean_ns

    @property
    def load(self) -> float | None:
        """The load with this latency, if the campaign names a load."""
        return self.cells[0].level.load

    @property
    def narrow(self) -> Runs:
        """Runs with the least sd."""
        return self.cells[0]

    @property
    def wide(self) -> Runs:
        """Runs with the largest sd."""
        return self.cells[-1]

    @property
    def varied(self) -> bool:
        """Whether there is more than one sd."""
        return len(self.cells) > 1

    @property
    def steady(self) -> Runs | None:
        """Runs with constant latency."""
        return self.narrow if self.narrow.level.sd_ns == 0 else None

    @property
    def achieved_ns(self) -> tuple[float, float] | None:
        """Least and largest achieved mean of a cell's messages; None if not recorded."""
        means = [float(cell.got_mean_ns.mean()) for cell in self.cells if cell.known]
        return (min(means), max(means)) if means else None

    @property
    def even(self) -> bool:
        """Whether the achieved means are equal, as far as recorded."""
        achieved = self.achieved_ns
        return achieved is None or achieved[1] <= achieved[0] * (1 + AWAY)

    def near(self, mean_ns: float) -> bool:
        """Whether the cells' mean counts as equal to this mean, e.g. that of another program."""
        return abs(self.mean_ns / mean_ns - 1) <= _ONE_MEAN


@dataclass(frozen=True, eq=False)
class Study:
    """The rows of one program with one number of ranks at one layer of injection."""

    name: Annotated[str, column("program")]
    cells: tuple[Runs, ...]
    """All levels, including those without a successful run."""
    program: str = ""
    ranks: Annotated[int | None, column("ranks", COUNT)] = None
    layer: str | None = None
    messages: Annotated[float | None, column("messages", number(",.0f"))] = None
    """Median number of delayed messages per run."""

    def of(self, *kinds: str) -> list[Runs]:
        """Cells of these kinds that have runs."""
        return [cell for cell in self.cells if cell.level.kind in kinds and cell.n]

    @property
    def bare(self) -> Runs | None:
        """Runs without the injector."""
        return next(iter(self.of(NONE)), None)

    @property
    def idle(self) -> Runs | None:
        """Runs with the injector, which adds a latency of 0."""
        steady = self.of(CONSTANT, SWEEP)
        return next((cell for cell in steady if cell.level.mean_ns == 0), None)

    @property
    def baseline(self) -> Runs | None:
        """Runs without latency: under the idle injector if there are any, else without injector."""
        return self.idle or self.bare

    @property
    def still(self) -> list[Runs]:
        """The baseline, as a list with at most one entry."""
        return [self.baseline] if self.baseline else []

    @property
    def reference(self) -> Runs | None:
        """Reference of slowdowns: the baseline, or else the least level."""
        return self.baseline or next((cell for cell in self.cells if cell.n), None)

    @cached_property
    def base_ns(self) -> float:
        """Mean runtime of the reference, the base of mean slowdowns."""
        found = self.reference
        return found.average_ns if found else math.nan

    @cached_property
    def median_base_ns(self) -> float:
        """Median runtime of the reference, the base of median slowdowns."""
        return self.reference.median_ns if self.reference else math.nan

    @cached_property
    def design(self) -> list[Runs]:
        """Cells of suite II: constants and distributions."""
        return [cell for cell in self.of(CONSTANT, DISTRIBUTION) if cell.level.mean_ns > 0]

    @cached_property
    def means(self) -> list[Equal]:
        """The design by its means, rising; means within 2 % of the next smaller one are merged."""
        ordered = sorted(self.design, key=lambda cell: cell.level.mean_ns)
        starts = [
            index
            for index, (before, cell) in enumerate(pairwise(ordered), 1)
            if cell.level.mean_ns > before.level.mean_ns * (1 + _ONE_MEAN)
        ]
        return [
            Equal(tuple(sorted(ordered[first:last], key=lambda cell: cell.level.sd_ns)))
            for first, last in pairwise([0, *starts, len(ordered)])
            if last > first
        ]

    @property
    def varied(self) -> list[Equal]:
        """Means with more than one sd."""
        return [equal for equal in self.means if equal.varied]

    @property
    def steady(self) -> list[Runs]:
        """Constant latencies of the design, by rising mean."""
        return [equal.steady for equal in self.means if equal.steady]

    @property
    def crossed(self) -> bool:
        """Whether the design has two or more means, and variation, as suite II needs."""
        return len(self.means) > 1 and bool(self.varied)

    @property
    def swept(self) -> list[Runs]:
        """The baseline and the cells of the sweep; empty if the sweep has no cell with latency."""
        rising = [cell for cell in self.of(SWEEP) if cell.level.mean_ns > 0]
        return [*self.still, *rising] if rising else []

    @cached_property
    def loads(self) -> list[tuple[float, Runs]]:
        """Cells by rising load; 0 means no load."""
        loaded = [(cell.level.load or 0.0, cell) for cell in self.of(LOAD)]
        return [*[(0.0, cell) for cell in self.of(NONE)], *loaded] if loaded else []

    def mean_times(self, cell: Runs) -> float:
        """Mean runtime of a cell, as a multiple of the reference's."""
        return cell.average_ns / self.base_ns if self.base_ns else 1.0

    def times(self, cell: Runs) -> float:
        """Median runtime of a cell, as a multiple of the reference's."""
        return cell.median_ns / self.median_base_ns

    def ends(self, cell: Runs) -> tuple[float, float]:
        """Shortest and longest runtime of a cell, as multiples of the reference's median."""
        base = self.median_base_ns
        return float(cell.T_ns.min()) / base, float(cell.T_ns.max()) / base

    @cached_property
    def worst(self) -> Runs | None:
        """The cell with the longest median runtime."""
        return max((cell for cell in self.cells if cell.n), key=self.times, default=None)


Over = Callable[[Sequence[Runs], str], Floats]


def over_runs(cells: Sequence[Runs], name: str) -> Floats:
    """One array with the values of all cells' runs, one cell after the other."""
    return np.concatenate([getattr(cell, name) for cell in cells])


def over_levels(cells: Sequence[Runs], name: str) -> Floats:
    """One array with the mean of `name` over the runs of each cell."""
    return np.array([float(getattr(cell, name).mean()) for cell in cells])


def chosen_means(studies: Sequence[Study]) -> list[float]:
    """Means with variation, ns: at most three, namely the smallest, the middle and the largest."""
    means: list[float] = []
    varied = [equal for study in studies for equal in study.varied]
    for equal in sorted(varied, key=lambda each: each.mean_ns):
        if not means or not equal.near(means[-1]):
            means.append(equal.mean_ns)
    most = 3
    return means if len(means) <= most else [means[0], means[len(means) // 2], means[-1]]
