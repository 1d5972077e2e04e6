"""Hartigan's dip: the distance of a sample from the nearest distribution with one mode.

Written from J. A. Hartigan & P. M. Hartigan, "The Dip Test of Unimodality", Annals of Statistics
13 (1985), §3, with the ends handled as in P. M. Hartigan's AS 217 (Applied Statistics 34, 1985):
the dip of n distinct values is at least 1/(2n).
"""

import numpy as np
from numpy.typing import NDArray

from latitude._types import Floats

Indices = NDArray[np.intp]
VECTOR = 200
"""Number of points above which pruning with numpy before the chain saves time."""
_KEEP = 0.9
"""Pruning goes on while it removes at least a tenth of the points."""


def dip(ordered: Floats) -> float:
    """The dip of distinct values in ascending order: sup |F − U| for the closest unimodal U.

    Each round compares the greatest convex minorant G and the least concave majorant L of the
    empirical distribution on the modal interval. It narrows the interval to the place where both
    are furthest apart. It records how far F departs from G to the left of the new interval, and
    from L to its right. The rounds end when the gap within the interval does not exceed the
    distance recorded outside. Distances are counted in steps of 1/n and halved at the end, because
    a unimodal U may run in the middle of F's step.
    """
    n = ordered.size
    if n == 0 or ordered[0] == ordered[-1]:
        return 0.0
    low, high, best = 0, n - 1, 1.0
    while True:
        minorant = _hull(ordered, low, high, 1.0)
        majorant = _hull(ordered, low, high, -1.0)
        gap, left, right = _widest(ordered, minorant, majorant)
        if gap <= best:
            break
        best = max(
            best,
            _away(ordered, minorant[minorant <= left], 1),
            _away(ordered, majorant[majorant >= right], -1),
        )
        if (left, right) == (low, high):
            break
        low, high = left, right
    return best / (2 * n)


def _widest(x: Floats, minorant: Indices, majorant: Indices) -> tuple[float, int, int]:
    """Largest distance between majorant and minorant, in steps, and its interval.

    Majorants touch F at the top of a step, minorants at its foot, hence the 1.
    """
    upper = np.interp(x[minorant], x[majorant], majorant.astype(np.float64)) - minorant + 1.0
    lower = majorant - np.interp(x[majorant], x[minorant], minorant.astype(np.float64)) + 1.0
    i, j = int(upper.argmax()), int(lower.argmax())
    if upper[i] >= lower[j]:
        left = minorant[i]
        right = majorant[min(np.searchsorted(majorant, left), majorant.size - 1)]
        return float(upper[i]), int(left), int(right)
    right = majorant[j]
    left = minorant[max(np.searchsorted(minorant, right, side="right") - 1, 0)]
    return float(lower[j]), int(left), int(right)


def _away(x: Floats, touching: Indices, sign: float) -> float:
    """Largest distance of F from the convex minorant (sign 1) or concave majorant (−1), in steps.

    Only the range between the outermost touching points counts.
    """
    if touching.size < 2:  # noqa: PLR2004 - no segment
        return 1.0
    inside = np.arange(touching[0], touching[-1] + 1)
    line = np.interp(x[inside], x[touching], touching.astype(np.float64))
    return float((sign * (inside - line)).max()) + 1.0


def _hull(x: Floats, low: int, high: int, sign: float) -> Indices:
    """Touching points of the convex minorant (sign 1) or concave majorant (−1) of (x[i], i)."""
    points = np.arange(low, high + 1)
    while points.size > VECTOR:
        kept = points[_convex(x, points, sign)]
        shrunk = kept.size < _KEEP * points.size
        points = kept
        if not shrunk:
            break
    return _chain(x, points, sign)


def _convex(x: Floats, points: Indices, sign: float) -> NDArray[np.bool_]:
    """Ends, and points beyond their neighbours' chord; no other point can be on the hull."""
    keep = np.ones(points.size, dtype=np.bool_)
    width = np.diff(x[points])
    rise = np.diff(points)
    keep[1:-1] = sign * (rise[1:] * width[:-1] - rise[:-1] * width[1:]) > 0
    return keep


def _chain(x: Floats, points: Indices, sign: float) -> Indices:
    """Andrew's monotone chain."""
    abscissa, ordinate = x[points].tolist(), points.tolist()
    hull: list[int] = []
    for i in range(len(ordinate)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            turn = (ordinate[i] - ordinate[b]) * (abscissa[b] - abscissa[a]) - (
                ordinate[b] - ordinate[a]
            ) * (abscissa[i] - abscissa[b])
            if sign * turn > 0:
                break
            hull.pop()
        hull.append(i)
    touching: Indices = points[np.array(hull)]
    return touching
