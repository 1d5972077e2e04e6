"""The most likely parameters of one distribution.

SciPy's own `fit` starts one search with all shapes 1 and often misses the maximum. This search
starts from the best shapes of a coarse grid, with location and scale that match the samples'
quartiles.

A point of the search is (shapes…, edge, log scale). The edge is the lower end of the support if it
does not depend on the shapes, else the location. SciPy's Pareto begins at loc + scale, so its
likelihood has a ridge along loc + scale = smallest sample. A search over (loc, scale) does not
follow this ridge.
"""

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from latitude.distributions.names import scipy_distribution

Floats = NDArray[np.float64]

_GRID: dict[int, tuple[float, ...]] = {
    1: (0.1, 0.3, 0.7, 1.5, 3.0, 8.0, 30.0, -0.2, -1.0, -4.0),
    2: (0.3, 1.0, 3.0, -1.0),
    3: (0.4, 2.0, -1.0),
}
"""Shapes to start from, by the number of shapes."""
_STARTS = 2
"""Number of searches from different starts."""
_GAIN = 0.1
"""Gain in log-likelihood by a further search from the best point that justifies another search."""
_LOOKING, SEARCHING = 0.25, 0.8
"""Shares of the budget after which the search tries no further start (_LOOKING), and stops
(SEARCHING).
"""
_PENALTY = 1e6
"""Penalty for each sample that the distribution makes impossible."""
_PEAK = 100.0
"""A fit has a singularity at a sample if its density there exceeds the samples' own density by this
factor. The samples' own density is 1/(n · gap), with gaps of at most the median gap.
"""
_MARGIN = 0.1
"""Least distance of each end of the support from the outermost sample, as a share of the gap there.
"""


class _StopError(Exception):
    """Raised when the budget is used up."""


@dataclass(frozen=True, slots=True)
class FoundParameters:
    """Parameters for the samples in their original unit."""

    shapes: tuple[float, ...]
    loc: float
    scale: float
    finished: bool


def search(name: str, samples: Floats, budget_s: float) -> FoundParameters | None:
    """Searches within the budget of CPU time; None if it finds no possible parameters."""
    scaled = Scaled(samples)
    likelihood = Likelihood(scipy_distribution(name), scaled.values, budget_s)
    try:
        best = _from_many_starts(likelihood)
    except _StopError:
        best = likelihood.best
    return scaled.undo(likelihood, best)


def refine(
    name: str, samples: Floats, start: tuple[float, ...], budget_s: float
) -> FoundParameters | None:
    """One search from known parameters (shapes, loc, scale), for bootstrap samples."""
    scaled = Scaled(samples)
    likelihood = Likelihood(scipy_distribution(name), scaled.values, budget_s)
    *shapes, loc, scale = start
    begin = likelihood.point(shapes, (loc - scaled.origin) / scaled.unit, scale / scaled.unit)
    with suppress(_StopError):
        likelihood.descend(begin, tolerance=1e-3)
        likelihood.finished = True
    return scaled.undo(likelihood, likelihood.best)


class Scaled:
    """Samples scaled to median 0 and quartiles 1 apart: one step size then fits all parameters."""

    def __init__(self, samples: Floats) -> None:
        low, self.origin, high = np.quantile(samples, [0.25, 0.5, 0.75]).tolist()
        self.unit = (high - low) or float(np.std(samples)) or 1.0
        self.values: Floats = np.sort((samples - self.origin) / self.unit)

    def undo(self, likelihood: "Likelihood", point: Floats) -> FoundParameters | None:
        """The parameters for the original samples; None if they are impossible."""
        if not likelihood.possible(point):
            return None
        shapes, loc, scale = likelihood.parameters(point)
        return FoundParameters(
            tuple(shapes), loc * self.unit + self.origin, scale * self.unit, likelihood.finished
        )


class Likelihood:
    """Negative log-likelihood of scaled samples at (shapes…, edge, log scale)."""

    def __init__(self, distribution: Any, values: Floats, budget_s: float) -> None:
        self.distribution = distribution
        self.values = values
        ends = {tuple(map(float, distribution.support(*shapes))) for shapes in _grid(distribution)}
        low, high = ends.pop() if len(ends) == 1 else (0.0, 0.0)
        self._edge = low if math.isfinite(low) and not math.isfinite(high) else 0.0
        """Distance from the location to the edge, in units of the scale."""
        self.best: Floats = np.zeros(distribution.numargs + 2)
        self.least = math.inf
        self.finished = False
        gaps = np.diff(values)
        smallest = float(gaps[gaps > 0].min(initial=1.0))
        around = np.maximum(
            np.convolve(np.pad(gaps, 1, mode="edge"), [0.5, 0.5], "valid"), smallest
        )
        around = np.minimum(around, float(np.median(around)))
        self._ceiling = np.log(_PEAK / (values.size * around))
        usual = float(np.median(gaps[gaps > 0]))
        margins = [_margin(gaps, usual), _margin(gaps[::-1], usual)]
        self._points = np.concatenate([values, [values[0] - margins[0], values[-1] + margins[1]]])
        self._began = time.process_time()
        self._budget = budget_s

    def spent(self) -> float:
        """Used share of the budget."""
        return (time.process_time() - self._began) / self._budget

    def __call__(self, point: Floats) -> float:
        """The function to minimise; remembers the best point so far."""
        if self.spent() > SEARCHING:
            raise _StopError
        value = self._penalised(point)
        if value < self.least:
            self.least, self.best = value, np.array(point)
        return value

    def point(self, shapes: Sequence[float], loc: float, scale: float) -> Floats:
        """The search's point for these parameters."""
        return np.array([*shapes, loc + self._edge * scale, math.log(scale)])

    def parameters(self, point: Floats) -> tuple[list[float], float, float]:
        """Shapes, location and scale."""
        *shapes, edge, log_scale = point.tolist()
        scale = math.exp(log_scale)
        return shapes, edge - self._edge * scale, scale

    def _penalised(self, point: Floats) -> float:
        if not -60 < point[-1] < 60:  # noqa: PLR2004 - e±60 quartile distances
            return math.inf
        samples, ends, singular = self._densities(point)
        possible = np.isfinite(samples) & (samples < self._ceiling)
        impossible = possible.size - int(possible.sum())
        impossible += int(np.sum(~(ends > -math.inf))) + singular
        value = -float(samples[possible].sum()) + _PENALTY * impossible
        return value if math.isfinite(value) else math.inf

    def possible(self, point: Floats) -> bool:
        """Whether densities at samples are positive and limited, and the location's is finite."""
        samples, _, singular = self._densities(point)
        return bool(np.isfinite(samples).all() and not singular and (samples < self._ceiling).all())

    def _densities(self, point: Floats) -> tuple[Floats, Floats, bool]:
        """Logarithms of the density at the samples, and at points that the support must include.

        Also whether the density is infinite at a location between the samples. In that case the
        likelihood has no maximum: it is infinite with the location at any sample.
        """
        shapes, loc, scale = self.parameters(point)
        points = np.append(self._points, loc)
        found = self.distribution.logpdf(points, *shapes, loc=loc, scale=scale)
        between = self.values[0] <= loc <= self.values[-1]
        return found[:-3], found[-3:-1], bool(between and found[-1] == math.inf)

    def descend(self, start: Floats, tolerance: float, *, held: bool = False) -> None:
        """Nelder and Mead's method from this start; `held` keeps the edge fixed."""
        steps = np.full(start.size, 0.25)
        steps[:-2] = 0.15 * np.abs(start[:-2]) + 0.05
        free = np.full(start.size, fill_value=True)
        free[-2] = not held

        def value(coordinates: Floats) -> float:
            point = start.copy()
            point[free] = coordinates
            return self(point)

        begin = start[free]
        scipy.optimize.minimize(
            value,
            begin,
            method="Nelder-Mead",
            options={
                "initial_simplex": np.vstack([begin, begin + np.diag(steps[free])]),
                "maxiter": 250 * start.size,
                "xatol": tolerance,
                "fatol": tolerance,
            },
        )


def _margin(gaps: Floats, usual: float) -> float:
    """A tenth of the first gap between different samples at this end, or of a smaller usual gap."""
    return _MARGIN * min(float(gaps[np.argmax(gaps > 0)]), usual)


def _from_many_starts(likelihood: Likelihood) -> Floats:
    with np.errstate(all="ignore"):
        for start in _starts(likelihood)[:_STARTS]:
            likelihood.descend(start, tolerance=1e-2)
        gained = math.inf
        while gained > _GAIN:  # a search that reaches the edge's limit ends early
            likelihood.descend(likelihood.best, tolerance=1e-4)
            before = likelihood.least
            likelihood.descend(likelihood.best, tolerance=1e-4, held=True)
            gained = before - likelihood.least
    likelihood.finished = True
    return likelihood.best


def _starts(likelihood: Likelihood) -> list[Floats]:
    """Starting points, most likely first."""
    distribution, values = likelihood.distribution, likelihood.values
    looked = [(likelihood(point), point) for point in _scipy_start(likelihood)]
    for shapes in _grid(distribution):
        if likelihood.spent() > _LOOKING and looked:
            break
        with suppress(ArithmeticError, ValueError, RuntimeError):  # quantiles fail at these shapes
            placed = [
                likelihood.point(shapes, *each) for each in _placed(distribution, shapes, values)
            ]
            looked += [(likelihood(point), point) for point in placed]
    return [point for _, point in sorted(looked, key=lambda pair: pair[0])]


def _grid(distribution: Any) -> list[tuple[float, ...]]:
    count = distribution.numargs
    if count == 0:
        return [()]
    values = _GRID.get(count, (1.0, 2.0))
    allowed = [
        shapes
        for shapes in product(values, repeat=count)
        if bool(np.all(distribution._argcheck(*shapes)))  # noqa: SLF001 - no public function
    ]
    return sorted(allowed, key=lambda shapes: sum(abs(math.log(abs(x))) for x in shapes))


def _placed(
    distribution: Any, shapes: tuple[float, ...], values: Floats
) -> list[tuple[float, float]]:
    """Location and scale that match the quartiles, or the median and the ends of the support."""
    quartiles = np.asarray(distribution.ppf([0.25, 0.5, 0.75], *shapes), dtype=np.float64)
    low, high = (float(end) for end in distribution.support(*shapes))
    median = float(np.median(values))
    pairs = [(median - quartiles[1] / _width(quartiles), 1.0 / _width(quartiles))]
    reach = float(np.ptp(values)) / values.size
    bottom, top = float(values[0]) - reach, float(values[-1]) + reach
    if math.isfinite(low) and quartiles[1] > low:
        scale = (median - bottom) / (quartiles[1] - low)
        pairs.append((bottom - low * scale, scale))
    if math.isfinite(high) and quartiles[1] < high:
        scale = (top - median) / (high - quartiles[1])
        pairs.append((top - high * scale, scale))
    if math.isfinite(low) and math.isfinite(high) and high > low:
        scale = (top - bottom) / (high - low)
        pairs.append((bottom - low * scale, scale))
    return [(loc, scale) for loc, scale in pairs if math.isfinite(loc) and 0 < scale < math.inf]


def _width(quartiles: Floats) -> float:
    width = float(quartiles[2] - quartiles[0])
    return width if width > 0 else math.nan


def _scipy_start(likelihood: Likelihood) -> list[Floats]:
    """SciPy's start; for some distributions it is better than the grid's."""
    try:
        *shapes, loc, scale = likelihood.distribution._fitstart(likelihood.values)  # noqa: SLF001
        start = likelihood.point(shapes, loc, scale)
    except Exception:  # noqa: BLE001 - whatever goes wrong there, the grid remains
        return []
    return [start] if np.isfinite(start).all() else []
