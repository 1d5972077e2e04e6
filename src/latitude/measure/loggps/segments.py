"""Finds message sizes at which the line of the half round trip changes."""

import numpy as np

from latitude.measure.loggps.replicates import Replicates
from latitude.measure.results import Values

LEAST_POINTS = 4
_LEAST_NS = 1.0
"""Resolution of clocks, ns."""
_NOISE = 0.02
"""Largest relative deviation that does not indicate a change of protocol."""
_PENALTY = 25.0
"""Least gain of a further line in squared deviations, in units of the noise."""


def coefficients(columns: Replicates, times: Replicates) -> Replicates:
    """Least squares of deviations relative to the measured times, for each replicate.

    Args:
        columns: sizes × coefficients.
        times: sizes × replicates, the measured times first. All replicates are weighted by the
            measured times, because their own times as weights would draw the fit to the least
            times.

    Returns:
        coefficients × replicates.
    """
    weight = 1 / np.maximum(times[:, :1], _LEAST_NS)
    solved, *_ = np.linalg.lstsq(columns * weight, times * weight, rcond=None)
    return np.asarray(solved, np.float64)


def lines(sizes: Values, times: Replicates) -> tuple[Replicates, Replicates]:
    """Offsets and slopes over sizes - 1, for all replicates of `times` (sizes × replicates)."""
    start, slope = coefficients(np.column_stack([np.ones_like(sizes), sizes - 1]), times)
    return start, slope


def _deviation(sizes: Values, times: Values) -> float:
    """Sum of squared relative deviations of `times` from their line."""
    start, slope = lines(sizes, times[:, None])
    rest = (start + slope * (sizes - 1)) / times - 1
    return float(rest @ rest)


def segments(sizes: Values, times: Values) -> list[tuple[int, int]]:
    """Index ranges [first, end) of the lines that describe `times` best.

    Each range has at least LEAST_POINTS points. Dynamic programming finds the ranges with the least
    squares of relative deviations; each further line must gain `_PENALTY`.
    """
    count = sizes.size
    if count < 2 * LEAST_POINTS:
        return [(0, count)]
    best = [0.0] + [np.inf] * count
    came_from = [0] * (count + 1)
    for end in range(LEAST_POINTS, count + 1):
        for first in range(end - LEAST_POINTS + 1):
            if not np.isfinite(best[first]):
                continue
            rest = _deviation(sizes[first:end], times[first:end])
            cost = best[first] + rest / _NOISE**2 + _PENALTY
            if cost < best[end]:
                best[end], came_from[end] = cost, first
    found = []
    end = count
    while end > 0:
        found.append((came_from[end], end))
        end = came_from[end]
    return found[::-1]
