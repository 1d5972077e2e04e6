"""Where the half round trip, as a function of the message size, changes its line."""

import numpy as np

from latitude.measure.results import Values

LEAST_POINTS = 4
_NOISE = 0.02
"""Deviations of such a share are no change of protocol."""
_PENALTY = 25.0
"""What a further line must win in squared deviations, in units of the noise."""


def line(sizes: Values, times: Values) -> tuple[float, float, float]:
    """Of `times` over sizes - 1: start, slope, and the sum of squared relative deviations."""
    x, weight = sizes - 1, 1 / times
    matrix = np.column_stack([weight, x * weight])
    (start, slope), *_ = np.linalg.lstsq(matrix, np.ones_like(x), rcond=None)
    rest = matrix @ np.array([start, slope]) - 1
    return float(start), float(slope), float(rest @ rest)


def segments(sizes: Values, times: Values) -> list[tuple[int, int]]:
    """Index ranges [first, end) of the lines that describe `times` best, each of some points.

    Least squares of relative deviations over all divisions, by dynamic programming; a further line
    must be worth it.
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
            *_, rest = line(sizes[first:end], times[first:end])
            cost = best[first] + rest / _NOISE**2 + _PENALTY
            if cost < best[end]:
                best[end], came_from[end] = cost, first
    found = []
    end = count
    while end > 0:
        found.append((came_from[end], end))
        end = came_from[end]
    return found[::-1]
