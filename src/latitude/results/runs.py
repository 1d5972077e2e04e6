"""The one table of runs: programs × levels × runtimes, measured or drawn from an execution graph.

A `Runs` is a row of it: the runs of one program at one level. A `Study` is a program's rows.
`latitude validate` asks of them how right one prediction per level is, `campaign analyze` what mean
and variation of latency cost. Times in ns.
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
"""Runs under which a cell is flagged: its spread is a guess."""
_ONE_MEAN = 0.02
"""Asked means this close are one: tables hold whole ns."""
AWAY = 0.1
"""By how much achieved latency may miss what was asked for, or another of the same asked mean."""
_NOTHING: Floats = np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The latency that a program meets. Times in ns."""

    name: str
    kind: str
    """One of KINDS."""
    family: str | None = None
    """Levels of one family have one mean."""
    layer: Layer | None = None
    """None where nothing is injected."""
    mean_ns: float = 0.0
    sd_ns: float = 0.0
    load: float | None = None
    """Share of the bandwidth: generated when `kind` is load; else the one it stands for."""

    @property
    def at_rest(self) -> bool:
        """Whether a program meets nothing: no latency is added, and no load generated."""
        return self.mean_ns == 0 and self.kind != LOAD

    @property
    def rising(self) -> tuple[int, float, float, float]:
        """Sorts levels: by kind, load, mean, sd."""
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
    """Its name."""
    family: str | None
    """Levels of one family have one mean."""
    kind: str
    """One of KINDS."""
    layer: str | None
    """flow, verbs, or None where nothing is injected."""
    asked_mean_ns: float
    asked_sd_ns: float
    """Of the table that latencies are drawn from; 0 where nothing is injected."""
    achieved_mean_ns: float | None
    achieved_sd_ns: float | None
    """Over all delayed messages of all ranks."""
    late_mean_ns: float | None
    """By how much these came too late for ranks that waited: what the machine has added to each.
    None where nothing was delayed."""
    load: float | None
    """Share of the bandwidth: generated when `kind` is load; else the one it stands for."""
    seed: int
    """Of the injector."""
    repetition: int
    """From 1."""
    order: int
    """Place in the campaign's random order, from 1."""
    attempt: int
    """From 1."""
    status: str
    """One of STATUSES."""
    exit_code: int | None
    """As a shell reports it: 128 + n for signal n."""
    runtime_ns: float | None
    """As the program's `runtime` says; None when the run is not ok."""
    wall_ns: float
    """From the start of the launch line to its end."""
    messages: int | None
    """Delayed by the injector."""
    started: str
    host: str
    """That the launch line was started on."""
    nodes: str | None
    """That the ranks ran on, folded: node[1-4]."""
    b_before: float | None
    b_after: float | None
    """Background traffic of [B] eq. 2, where it was asked for."""
    error: str | None
    """Why the run is not ok, in a line."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one program at one level; arrays hold one value per run that ended well."""

    level: Level
    T_ns: Floats
    run_ids: tuple[str, ...] = ()
    got_mean_ns: Floats = field(default_factory=lambda: _NOTHING)
    """Of the latency that the run's messages had; NaN where the run does not say."""
    got_sd_ns: Floats = field(default_factory=lambda: _NOTHING)
    order: Floats = field(default_factory=lambda: _NOTHING)
    """Place in the campaign."""
    lost: int = 0
    """Repetitions of which no attempt ended well."""

    @property
    def n(self) -> int:
        """Runs that ended well."""
        return self.T_ns.size

    @property
    def mean_ns(self) -> Floats:
        """Mean latency asked for, one value per run."""
        return np.full(self.n, self.level.mean_ns)

    @property
    def sd_ns(self) -> Floats:
        """Its standard deviation, likewise."""
        return np.full(self.n, self.level.sd_ns)

    @property
    def average_ns(self) -> float:
        """Mean runtime."""
        return float(self.T_ns.mean())

    @property
    def median_ns(self) -> float:
        """Median runtime: what a machine does now and then to a run only makes it longer."""
        return float(statistics.median(self.T_ns.tolist())) if self.n else math.nan

    @property
    def spread(self) -> float:
        """Standard deviation of the runtimes as a share of their mean; NaN for fewer than two."""
        if self.n < 2:  # noqa: PLR2004 - a spread takes two
            return math.nan
        runtimes: list[float] = self.T_ns.tolist()
        return statistics.stdev(runtimes) / statistics.fmean(runtimes)

    @property
    def known(self) -> bool:
        """Whether every run says what its messages had."""
        return self.n > 0 and not np.isnan(self.got_mean_ns + self.got_sd_ns).any()

    @property
    def few(self) -> bool:
        """Whether there are too few runs to rely on."""
        return self.n < ENOUGH


@dataclass(frozen=True, slots=True, eq=False)
class Equal:
    """Cells of one asked mean, by rising sd."""

    cells: tuple[Runs, ...]

    @property
    def mean_ns(self) -> float:
        """As asked."""
        return self.cells[0].level.mean_ns

    @property
    def load(self) -> float | None:
        """The load whose latency this is, where the campaign says so."""
        return self.cells[0].level.load

    @property
    def narrow(self) -> Runs:
        """Runs of the least sd."""
        return self.cells[0]

    @property
    def wide(self) -> Runs:
        """Of the largest sd."""
        return self.cells[-1]

    @property
    def varied(self) -> bool:
        """Whether there is more than one sd."""
        return len(self.cells) > 1

    @property
    def steady(self) -> Runs | None:
        """That of constant latency."""
        return self.narrow if self.narrow.level.sd_ns == 0 else None

    @property
    def achieved_ns(self) -> tuple[float, float] | None:
        """Least and largest mean that the messages of a cell had; None where no cell says it."""
        means = [float(cell.got_mean_ns.mean()) for cell in self.cells if cell.known]
        return (min(means), max(means)) if means else None

    @property
    def even(self) -> bool:
        """Whether the means are the same as far as the runs say what their messages had."""
        achieved = self.achieved_ns
        return achieved is None or achieved[1] <= achieved[0] * (1 + AWAY)

    def near(self, mean_ns: float) -> bool:
        """Whether this is that mean, of whatever program."""
        return abs(self.mean_ns / mean_ns - 1) <= _ONE_MEAN


@dataclass(frozen=True, eq=False)
class Study:
    """The rows of one program, on one number of ranks, at one layer of injection."""

    name: Annotated[str, column("program")]
    cells: tuple[Runs, ...]
    """All levels; those without a run that ended well, too."""
    program: str = ""
    ranks: Annotated[int | None, column("ranks", COUNT)] = None
    layer: str | None = None
    messages: Annotated[float | None, column("messages", number(",.0f"))] = None
    """Delayed in a run, the median."""

    def of(self, *kinds: str) -> list[Runs]:
        """Cells of these kinds that have runs."""
        return [cell for cell in self.cells if cell.level.kind in kinds and cell.n]

    @property
    def bare(self) -> Runs | None:
        """Without the injector."""
        return next(iter(self.of(NONE)), None)

    @property
    def idle(self) -> Runs | None:
        """With the injector, which adds a latency of 0."""
        steady = self.of(CONSTANT, SWEEP)
        return next((cell for cell in steady if cell.level.mean_ns == 0), None)

    @property
    def baseline(self) -> Runs | None:
        """Without latency: under the idle injector where that was run, else without it."""
        return self.idle or self.bare

    @property
    def still(self) -> list[Runs]:
        """The baseline, as a list of none or one."""
        return [self.baseline] if self.baseline else []

    @property
    def reference(self) -> Runs | None:
        """Reference of slowdowns: the baseline, else the least level there is."""
        return self.baseline or next((cell for cell in self.cells if cell.n), None)

    @cached_property
    def base_ns(self) -> float:
        """Runtime that mean slowdowns are relative to: the mean of the reference."""
        found = self.reference
        return found.average_ns if found else math.nan

    @cached_property
    def median_base_ns(self) -> float:
        """Runtime that slowdowns of medians are relative to: the median of the reference."""
        return self.reference.median_ns if self.reference else math.nan

    @cached_property
    def design(self) -> list[Runs]:
        """Cells of suite II: constants and distributions."""
        return [cell for cell in self.of(CONSTANT, DISTRIBUTION) if cell.level.mean_ns > 0]

    @cached_property
    def means(self) -> list[Equal]:
        """The design by its means, rising; one within 2 % of the next smaller one is the same."""
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
        """Whether the design has two means or more, and variation: what suite II takes."""
        return len(self.means) > 1 and bool(self.varied)

    @property
    def swept(self) -> list[Runs]:
        """Cells of the sweep and that without latency; empty when there is but that."""
        rising = [cell for cell in self.of(SWEEP) if cell.level.mean_ns > 0]
        return [*self.still, *rising] if rising else []

    @cached_property
    def loads(self) -> list[tuple[float, Runs]]:
        """By rising load; 0 is without one."""
        loaded = [(cell.level.load or 0.0, cell) for cell in self.of(LOAD)]
        return [*[(0.0, cell) for cell in self.of(NONE)], *loaded] if loaded else []

    def mean_times(self, cell: Runs) -> float:
        """Mean runtime there, as a multiple of that without latency."""
        return cell.average_ns / self.base_ns if self.base_ns else 1.0

    def times(self, cell: Runs) -> float:
        """Median runtime there, as a multiple of that without latency."""
        return cell.median_ns / self.median_base_ns

    def ends(self, cell: Runs) -> tuple[float, float]:
        """Shortest and longest runtime there, as multiples of the median without latency."""
        base = self.median_base_ns
        return float(cell.T_ns.min()) / base, float(cell.T_ns.max()) / base

    @cached_property
    def worst(self) -> Runs | None:
        """Of the longest median runtime."""
        return max((cell for cell in self.cells if cell.n), key=self.times, default=None)


Over = Callable[[Sequence[Runs], str], Floats]


def over_runs(cells: Sequence[Runs], name: str) -> Floats:
    """An array of every cell's runs, one after the other."""
    return np.concatenate([getattr(cell, name) for cell in cells])


def over_levels(cells: Sequence[Runs], name: str) -> Floats:
    """The same, as one mean per cell."""
    return np.array([float(getattr(cell, name).mean()) for cell in cells])


def chosen_means(studies: Sequence[Study]) -> list[float]:
    """Means with variation, ns: at most three of them, the smallest, the middle, the largest."""
    means: list[float] = []
    varied = [equal for study in studies for equal in study.varied]
    for equal in sorted(varied, key=lambda each: each.mean_ns):
        if not means or not equal.near(means[-1]):
            means.append(equal.mean_ns)
    most = 3
    return means if len(means) <= most else [means[0], means[len(means) // 2], means[-1]]
