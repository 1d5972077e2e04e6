"""What the runs of one program say. Times in ns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latitude._types import Floats
from latitude.experiments.campaign.record import CONSTANT, DISTRIBUTION, LOAD, NONE, SWEEP
from latitude.experiments.suites.cells import Cell, Equal, equal_means, over_levels, over_runs
from latitude.statistics.mean_and_spread import (
    Correlated,
    Plane,
    Relation,
    correlated,
    plane,
    relation,
    separable,
)
from latitude.statistics.mean_ratios import Contrast, contrast

_LEAST = 4
"""Runs, or levels, under which nothing is correlated."""
_Over = Callable[[Sequence[Cell], str], Floats]
_PLANE = 4
"""Levels under which mean and sd are not told apart."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What mean and variation cost at one mean, each as a factor of runtime."""

    at: Equal
    mean: Contrast | None
    """Constant latency against none; None without either."""
    spread: Contrast
    """The widest distribution against the narrowest of this mean."""
    excess: Contrast | None
    """`spread` over `mean`: more than 1 when variation costs more."""


@dataclass(frozen=True)
class Study:
    """One program, on one number of ranks, at one layer of injection."""

    name: str
    program: str
    ranks: int | None
    layer: str | None
    messages: float | None
    """Delayed in a run, the median."""
    cells: tuple[Cell, ...]
    """All levels, by rising level; those without a run that ended well, too."""

    def of(self, *kinds: str) -> list[Cell]:
        """Cells of these kinds that have runs."""
        return [cell for cell in self.cells if cell.level.kind in kinds and cell.n]

    @property
    def bare(self) -> Cell | None:
        """Without the injector."""
        return next(iter(self.of(NONE)), None)

    @property
    def idle(self) -> Cell | None:
        """With the injector, which adds a latency of 0."""
        steady = self.of(CONSTANT, SWEEP)
        return next((cell for cell in steady if cell.level.mean_ns == 0), None)

    @property
    def baseline(self) -> Cell | None:
        """Without latency: under the idle injector where that was run, else without it."""
        return self.idle or self.bare

    @cached_property
    def injector(self) -> Contrast | None:
        """What the injector costs by itself, as a factor of runtime."""
        if self.idle is None or self.bare is None:
            return None
        return contrast([self.idle.T_ns, self.bare.T_ns], [1, -1])

    @property
    def still(self) -> list[Cell]:
        """The baseline, as a list of none or one."""
        return [self.baseline] if self.baseline else []

    @property
    def reference(self) -> Cell | None:
        """What slowdowns are relative to: the baseline, else the least level there is."""
        return self.baseline or next((cell for cell in self.cells if cell.n), None)

    @property
    def base_ns(self) -> float:
        """Mean runtime of the reference."""
        found = self.reference
        return float(found.T_ns.mean()) if found else float("nan")

    @cached_property
    def design(self) -> list[Cell]:
        """Cells of suite II: constants and distributions."""
        return [cell for cell in self.of(CONSTANT, DISTRIBUTION) if cell.level.mean_ns > 0]

    @cached_property
    def means(self) -> list[Equal]:
        """The design by its means."""
        return equal_means(self.design)

    @cached_property
    def crossed(self) -> bool:
        """Whether the design has two means or more, and variation: what suite II takes."""
        return len(self.means) > 1 and any(len(equal.cells) > 1 for equal in self.means)

    @cached_property
    def by_run(self) -> Correlated | None:
        """Over all runs of the design, as [U]; None when they cannot be correlated."""
        return self._correlated(over_runs, "mean_ns", "sd_ns")

    @cached_property
    def by_level(self) -> Correlated | None:
        """Over the levels' mean runtimes, of which each is one experiment."""
        return self._correlated(over_levels, "mean_ns", "sd_ns")

    @cached_property
    def by_run_achieved(self) -> Correlated | None:
        """As `by_run`, with the mean and sd that the messages had, where all runs say it."""
        return self._achieved(over_runs)

    @cached_property
    def by_level_achieved(self) -> Correlated | None:
        """As `by_level`, likewise."""
        return self._achieved(over_levels)

    @cached_property
    def plane(self) -> Plane | None:
        """What mean and sd cost, each by itself, over the levels."""
        if not self.crossed or len(self.design) < _PLANE:
            return None
        mean, std, T = (over_levels(self.design, name) for name in ("mean_ns", "sd_ns", "T_ns"))
        return plane(mean, std, T) if separable(mean, std) else None

    @cached_property
    def rising(self) -> Relation | None:
        """Suite I: runtime against the mean, over the runs at constant latency and without."""
        steady = [equal.steady for equal in self.means if equal.steady]
        return _line([*self.still, *steady], "mean_ns")

    @cached_property
    def sweep(self) -> Relation | None:
        """Runtime against ΔL, over the runs of the sweep and those without latency."""
        return _line(self.swept, "mean_ns")

    @property
    def swept(self) -> list[Cell]:
        """Cells of the sweep and that without latency; empty when there is but that."""
        rising = [cell for cell in self.of(SWEEP) if cell.level.mean_ns > 0]
        return [*self.still, *rising] if rising else []

    @cached_property
    def loads(self) -> list[tuple[float, Cell]]:
        """By rising load; 0 is without one."""
        loaded = [(cell.level.load or 0.0, cell) for cell in self.of(LOAD)]
        return [*[(0.0, cell) for cell in self.of(NONE)], *loaded] if loaded else []

    @cached_property
    def costs(self) -> list[Costs]:
        """At each mean that has variation."""
        return [_costs(equal, self.baseline) for equal in self.means if len(equal.cells) > 1]

    def times(self, cell: Cell) -> float:
        """Mean runtime there, as a multiple of the reference."""
        return float(cell.T_ns.mean()) / self.base_ns

    @cached_property
    def worst(self) -> Cell | None:
        """Of the longest mean runtime."""
        return max((cell for cell in self.cells if cell.n), key=self.times, default=None)

    def _achieved(self, over: _Over) -> Correlated | None:
        if not all(cell.known for cell in self.design):
            return None
        return self._correlated(over, "got_mean_ns", "got_sd_ns")

    def _correlated(self, over: _Over, x: str, y: str) -> Correlated | None:
        if not self.crossed:
            return None
        mean, std, T = (over(self.design, name) for name in (x, y, "T_ns"))
        if T.size < _LEAST or np.ptp(mean) == 0 or np.ptp(std) == 0:
            return None
        return correlated(mean, std, T)


def shown_means(studies: Sequence[Study]) -> list[float]:
    """Means with variation, ns: at most three of them, the smallest, the middle, the largest."""
    means: list[float] = []
    varied = [equal for study in studies for equal in study.means if len(equal.cells) > 1]
    for equal in sorted(varied, key=lambda each: each.mean_ns):
        if not means or not equal.near(means[-1]):
            means.append(equal.mean_ns)
    most = 3
    return means if len(means) <= most else [means[0], means[len(means) // 2], means[-1]]


def _line(cells: Sequence[Cell], x: str) -> Relation | None:
    if len(cells) < 2:  # noqa: PLR2004 - a line takes two places
        return None
    along, T = over_runs(cells, x), over_runs(cells, "T_ns")
    if T.size < _LEAST or np.ptp(along) == 0 or np.ptp(T) == 0:
        return None
    return relation(along, T)


def _costs(at: Equal, baseline: Cell | None) -> Costs:
    narrow, wide = at.narrow.T_ns, at.wide.T_ns
    spread = contrast([wide, narrow], [1, -1])
    if baseline is None or at.steady is None:
        return Costs(at, None, spread, None)
    alone = baseline.T_ns
    return Costs(
        at,
        contrast([narrow, alone], [1, -1]),
        spread,
        contrast([wide, narrow, alone], [1, -2, 1]),
    )
