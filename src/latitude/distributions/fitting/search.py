"""The most likely parameters of one distribution.

SciPy's own `fit` starts one search with all shapes 1 and often ends elsewhere. Here shapes from a
coarse grid, with location and scale that match the samples' quartiles, compete for the start.
"""

import math
import time
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
"""Shapes to start from, by how many shapes there are."""
_STARTS = 2
"""Searches from different starts."""
_LOOKING, SEARCHING = 0.25, 0.8
"""Shares of the budget after which no further start is looked at, and the search stops."""
_PENALTY = 1e6
"""For each sample the distribution makes impossible."""
_PEAK = 100.0
"""A density above 100 times that of the samples, around there and at their median, is a singularity
set onto a sample."""
_MARGIN = 0.1
"""The support must reach so far beyond the outermost samples, in gaps between samples there."""


class _StopError(Exception):
    """The budget is used up."""


@dataclass(frozen=True, slots=True)
class FoundParameters:
    """Parameters for samples as they came."""

    shapes: tuple[float, ...]
    loc: float
    scale: float
    log_likelihood: float
    finished: bool


def search(name: str, samples: Floats, budget_s: float) -> FoundParameters | None:
    """Searches within the budget of CPU time; None when every set of parameters is impossible."""
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
    begin = np.array([*shapes, (loc - scaled.origin) / scaled.unit, math.log(scale / scaled.unit)])
    with suppress(_StopError):
        likelihood.descend(begin, tolerance=1e-3)
        likelihood.finished = True
    return scaled.undo(likelihood, likelihood.best)


class Scaled:
    """Samples with quartiles 1 apart around 0, where the optimiser's steps fit all parameters."""

    def __init__(self, samples: Floats) -> None:
        low, self.origin, high = np.quantile(samples, [0.25, 0.5, 0.75]).tolist()
        self.unit = (high - low) or float(np.std(samples)) or 1.0
        self.values: Floats = np.sort((samples - self.origin) / self.unit)

    def undo(self, likelihood: "Likelihood", point: Floats) -> FoundParameters | None:
        """Parameters for the samples as they came."""
        value = likelihood.exact(point)
        if not math.isfinite(value):
            return None
        *shapes, loc, log_scale = point.tolist()
        return FoundParameters(
            tuple(shapes),
            loc * self.unit + self.origin,
            math.exp(log_scale) * self.unit,
            -value - self.values.size * math.log(self.unit),
            likelihood.finished,
        )


class Likelihood:
    """Negative log-likelihood of scaled samples at (shapes…, loc, log scale)."""

    def __init__(self, distribution: Any, values: Floats, budget_s: float) -> None:
        self.distribution = distribution
        self.values = values
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
        usual = float(np.ptp(values)) / values.size
        ends = [_margin(gaps, usual), _margin(gaps[::-1], usual)]
        self._points = np.concatenate([values, [values[0] - ends[0], values[-1] + ends[1]]])
        self._began = time.process_time()
        self._budget = budget_s

    def spent(self) -> float:
        """Share of the budget."""
        return (time.process_time() - self._began) / self._budget

    def __call__(self, point: Floats) -> float:
        """What is minimised; remembers the best."""
        if self.spent() > SEARCHING:
            raise _StopError
        value = self._penalised(point)
        if value < self.least:
            self.least, self.best = value, np.array(point)
        return value

    def _penalised(self, point: Floats) -> float:
        *shapes, loc, log_scale = point.tolist()
        if not -60 < log_scale < 60:  # noqa: PLR2004 - e±60 quartile distances
            return math.inf
        scale = math.exp(log_scale)
        density = self.distribution.logpdf(self._points, *shapes, loc=loc, scale=scale)
        inner = density[:-2]
        possible = np.isfinite(inner) & (inner < self._ceiling)
        impossible = possible.size - int(possible.sum())
        impossible += int(np.sum(~(density[-2:] > -math.inf)))
        value = -float(inner[possible].sum()) + _PENALTY * impossible
        return value if math.isfinite(value) else math.inf

    def exact(self, point: Floats) -> float:
        """Without penalties: infinite when a sample is impossible."""
        *shapes, loc, log_scale = point.tolist()
        scale = math.exp(log_scale)
        density = self.distribution.logpdf(self.values, *shapes, loc=loc, scale=scale)
        value = -float(density.sum())
        singular = bool(np.any(density > self._ceiling))
        return value if math.isfinite(value) and not singular else math.inf

    def descend(self, start: Floats, tolerance: float) -> None:
        """Nelder and Mead's method from here."""
        steps = np.full(start.size, 0.25)
        steps[:-2] = 0.15 * np.abs(start[:-2]) + 0.05
        simplex = np.vstack([start, start + np.diag(steps)])
        scipy.optimize.minimize(
            self,
            start,
            method="Nelder-Mead",
            options={
                "initial_simplex": simplex,
                "maxiter": 250 * start.size,
                "xatol": tolerance,
                "fatol": tolerance,
            },
        )


def _margin(gaps: Floats, usual: float) -> float:
    """A tenth of the first gap between different samples at this end."""
    return _MARGIN * min(float(gaps[np.argmax(gaps > 0)]), usual)


def _from_many_starts(likelihood: Likelihood) -> Floats:
    with np.errstate(all="ignore"):
        for start in _starts(likelihood)[:_STARTS]:
            likelihood.descend(start, tolerance=1e-2)
        likelihood.descend(likelihood.best, tolerance=1e-4)
    likelihood.finished = True
    return likelihood.best


def _starts(likelihood: Likelihood) -> list[Floats]:
    """Starting points, most likely first."""
    distribution, values = likelihood.distribution, likelihood.values
    looked = [(likelihood(point), point) for point in _scipy_start(distribution, values)]
    for shapes in _grid(distribution):
        if likelihood.spent() > _LOOKING and looked:
            break
        with suppress(ArithmeticError, ValueError, RuntimeError):  # its quantiles fail here
            looked += [(likelihood(p), p) for p in _placed(distribution, shapes, values)]
    return [point for _, point in sorted(looked, key=lambda pair: pair[0])]


def _grid(distribution: Any) -> list[tuple[float, ...]]:
    count = distribution.numargs
    if count == 0:
        return [()]
    values = _GRID.get(count, (1.0, 2.0))
    allowed = [
        shapes
        for shapes in product(values, repeat=count)
        if bool(np.all(distribution._argcheck(*shapes)))  # noqa: SLF001 - no public one
    ]
    return sorted(allowed, key=lambda shapes: sum(abs(math.log(abs(x))) for x in shapes))


def _placed(distribution: Any, shapes: tuple[float, ...], values: Floats) -> list[Floats]:
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
    return [
        np.array([*shapes, loc, math.log(scale)])
        for loc, scale in pairs
        if math.isfinite(loc) and 0 < scale < math.inf
    ]


def _width(quartiles: Floats) -> float:
    width = float(quartiles[2] - quartiles[0])
    return width if width > 0 else math.nan


def _scipy_start(distribution: Any, values: Floats) -> list[Floats]:
    """Where SciPy would start; some distributions know better than the grid."""
    try:
        *shapes, loc, scale = distribution._fitstart(values)  # noqa: SLF001 - no public one
    except Exception:  # noqa: BLE001 - whatever goes wrong there, the grid remains
        return []
    start = np.array([*shapes, loc, math.log(scale) if scale > 0 else math.nan], dtype=np.float64)
    return [start] if np.isfinite(start).all() else []
