"""A straight line through runtimes ([U] §7, Figs. 13 and 14)."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import scipy
from numpy.typing import ArrayLike

from latitude.statistics.assumption import Assumption
from latitude.statistics.conventions import CONFIDENCE, LEAST
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
    """√(RSS/(n−2)), unit of y."""
    p: float
    """Two-sided, against slope 0."""


def line(x: ArrayLike, y: ArrayLike) -> Line:
    """Least squares; intervals by Student's t with n − 2 degrees of freedom.

    Assumes independent runs and residuals of equal spread around a straight line: look at the
    scatter. InputError for fewer than 4 pairs, or when a column is constant.
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
