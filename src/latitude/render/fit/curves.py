"""The samples and the best fits as curves, computed once for all charts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude.distributions.fitting.result import Fit, FitResult
from latitude.distributions.names import scipy_distribution
from latitude.render.charts import theme

Floats = NDArray[np.float64]

SHOWN = 3
"""Best fits in the charts."""
COLOURS = (theme.LATENCY, theme.OVERHEAD, "#009e73", theme.BANDWIDTH)
DASHES = ("solid", "dash", "dot", "dashdot")
_POINTS = 300
BULK = 0.99


@dataclass(frozen=True, slots=True)
class Curve:
    """One distribution over the latencies the charts show."""

    name: str
    colour: str
    dash: str
    density: Floats
    """Per ns."""
    above: Floats
    """Share of latencies above."""


@dataclass(frozen=True, slots=True)
class Curves:
    """What the charts draw."""

    samples: Floats
    """Rising, ns."""
    grid: Floats
    """Latencies at which the fits are known, ns."""
    fits: list[Curve]
    bulk_end: float
    """p99 of the samples, ns."""


def curves(result: FitResult) -> Curves:
    """Of the best fits, and of [U]'s lognormal where it is not one of them."""
    samples = result.chosen
    bulk_end = float(np.quantile(samples, BULK))
    low, high = float(samples[0]), float(samples[-1])
    low = max(0.0, low - 0.05 * (bulk_end - low))
    bulk = np.linspace(low, bulk_end, _POINTS)
    tail = np.geomspace(max(bulk_end, 1.0), max(high, bulk_end, 1.0) * 2, _POINTS)
    grid = np.union1d(bulk, tail)
    best = result.winners(SHOWN)
    if not any(fit.name == "lognorm" for fit in best):
        best = [*best, result.lognormal]
    drawn = [_curve(fit, grid, COLOURS[index], DASHES[index]) for index, fit in enumerate(best)]
    return Curves(samples, grid, drawn, bulk_end)


def _curve(fit: Fit, grid: Floats, colour: str, dash: str) -> Curve:
    *shapes, loc, scale = fit.parameters.values()
    frozen = scipy_distribution(fit.name)(*shapes, loc=loc, scale=scale)
    with np.errstate(all="ignore"):
        density = np.exp(np.asarray(frozen.logpdf(grid), dtype=np.float64))
        above = np.asarray(frozen.sf(grid), dtype=np.float64)
    return Curve(fit.name, colour, dash, np.nan_to_num(density, posinf=0.0), np.nan_to_num(above))


def quantiles(found: Curves, curve: Curve, above: Floats) -> Floats:
    """Where a fit has these shares above; NaN beyond the grid."""
    falling = np.minimum.accumulate(curve.above)
    known = falling > 0
    rising = -np.log(falling[known])
    value: Floats = np.interp(-np.log(above), rising, found.grid[known], np.nan, np.nan)
    return value
