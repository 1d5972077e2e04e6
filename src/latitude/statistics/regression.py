"""Fits to runtimes: a straight line (Underwood et al. 2018, §7), and a rising convex curve."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import scipy
from numpy.typing import ArrayLike

from latitude._types import Floats
from latitude.statistics.conventions import CONFIDENCE, LEAST, Assumption
from latitude.statistics.sample import paired
from latitude.units.columns import column, number

ASSUMPTION = Assumption(
    "regression",
    "independent runs, residuals of equal spread around a straight line",
    "the spread grows along the line, or levels were set by design and runs of a level count as "
    "independent",
)


@dataclass(frozen=True, slots=True)
class Line:
    """y = intercept + slope·x by least squares, with 95 % intervals; units of y and y/x."""

    n: int
    slope: float
    slope_se: float
    slope_low: float
    slope_high: float
    intercept: float
    intercept_se: float
    r_squared: Annotated[float, column("R²", number(".3f"))]
    residual_sd: float
    """√(RSS/(n−2)), in the unit of y."""
    p: float
    """Two-sided p-value against slope 0."""


def line(x: ArrayLike, y: ArrayLike) -> Line:
    """Least squares; intervals by Student's t with n − 2 degrees of freedom.

    Assumes independent runs, and residuals of equal spread around a straight line; check the
    scatter plot. InputError: there are fewer than 4 pairs, or a column is constant.
    """
    first, second = paired(x, y, LEAST)
    fit = scipy.stats.linregress(first, second)
    residual = second - (fit.intercept + fit.slope * first)
    n = first.size
    square = float(np.dot(residual, residual))
    centred = second - second.mean()
    half = float(scipy.stats.t.ppf(0.5 + CONFIDENCE / 2, n - 2)) * float(fit.stderr)
    return Line(
        n=n,
        slope=float(fit.slope),
        slope_se=float(fit.stderr),
        slope_low=float(fit.slope) - half,
        slope_high=float(fit.slope) + half,
        intercept=float(fit.intercept),
        intercept_se=float(fit.intercept_stderr),
        r_squared=1 - square / float(np.dot(centred, centred)),
        residual_sd=math.sqrt(square / (n - 2)),
        p=float(fit.pvalue),
    )


def convex_fit(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Values at each x of the rising convex function nearest to y, by weighted least squares.

    The fit is straight between neighbouring x: y₀ + Σ c_j (x − x_j)⁺ with c_j ≥ 0, so that
    non-negative least squares finds it (Hildreth, J. Am. Stat. Assoc. 49, 1954; with monotonicity
    Kuosmanen, Econometrics Journal 11, 2008, of which this is the case of one variable). T(L) of an
    execution graph is such a function, because it is the length of the longest path.

    Args:
        x: different values in rising order, ns.
        y: value at each x, positive.
        weights: weight of each square, positive.
    """
    scale = float(x[-1] - x[0]) or 1.0
    hinges = np.maximum(0.0, (x[:, None] - x[None, :-1]) / scale)
    basis = np.column_stack([np.ones_like(x), hinges])
    root = np.sqrt(weights / weights.max())
    level = float(y.max()) or 1.0
    found, _ = scipy.optimize.nnls(basis * root[:, None], y / level * root)
    fitted: Floats = basis @ found * level
    return fitted


def first_above(x: Floats, y: Floats, limit: float) -> float:
    """The x at which the line through rising points (x, y) exceeds `limit`; inf if never."""
    above = np.flatnonzero(y > limit)
    if not above.size:
        return float("inf")
    after = int(above[0])
    if after == 0:
        return float(x[0])
    before = after - 1
    share = (limit - y[before]) / (y[after] - y[before])
    return float(x[before] + share * (x[after] - x[before]))
