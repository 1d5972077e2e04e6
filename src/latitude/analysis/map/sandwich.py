"""A convex function between two bounds: tangent planes below it, chords above it.

The function is asked for its value and its slopes at few points. The planes that touch it there lie
nowhere above it, and because it is convex, it lies nowhere above what is interpolated between these
points. The next point is where the two bounds are furthest apart, which is a corner of the planes'
envelope (sandwich algorithm: Rote 1992; Siem, den Hertog and Hoffmann 2011).
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from latitude._types import Floats, Integers
from latitude.results.map import Planes, Simplices

Evaluate: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""A point (parameters,) → the value there, above 0, and its slopes (parameters,)."""

_BEND = 1e-9
"""Share of the values by which lifted points are bent, so that those in a plane have an order."""
_ROUNDS = 8
"""Of Dinkelbach's steps, each of which squares the error of a ratio."""
_SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Sandwich:
    """What is known of a convex function over a box.

    Everywhere in the box the highest of the planes is a lower bound, and (1 + error) times it an
    upper one.
    """

    planes: Planes
    """Those that touch the function, where it was asked for."""
    simplices: Simplices
    error: float
    """Greatest distance of the two bounds, as a share of the lower one."""


def sandwich(
    evaluate: Evaluate, low: Sequence[float], high: Sequence[float], error: float, most: int
) -> Sandwich:
    """Refines the bounds until they are nowhere further apart than `error`, or `most` points.

    Args:
        evaluate: the function and its slopes.
        low: (parameters,) the lower ends of the box.
        high: (parameters,) its upper ends, each above the lower one.
        error: a share of the value, 0 for the function itself.
        most: points to ask for; the corners of the box are asked for in any case.
    """
    return _Refinement(evaluate, np.asarray(low, float), np.asarray(high, float)).run(error, most)


class _Refinement:
    """Points in units of the box, from 0 to 1 along each parameter."""

    def __init__(self, evaluate: Evaluate, low: Floats, high: Floats) -> None:
        self._evaluate = evaluate
        self._low, self._span = low, high - low
        self._points: list[Floats] = []
        self._values: list[float] = []
        self._slopes: list[Floats] = []
        self._gaps: dict[tuple[int, ...], float] = {}
        """Of simplices by their points: bounds of the gap, which further planes only lower."""
        for corner in product((0.0, 1.0), repeat=low.size):
            self._ask(np.array(corner))

    def run(self, error: float, most: int) -> Sandwich:
        simplices = self._simplices()
        worst, where = self._worst(simplices)
        while worst > error + _SAME and len(self._points) < most:
            if not self._ask(where):
                break  # the bounds meet here but for rounding
            simplices = self._simplices()
            worst, where = self._worst(simplices)
        return Sandwich(
            Planes(
                T_ns=np.array(self._values),
                point=np.array(self._points) * self._span + self._low,
                slope=np.array(self._slopes) / self._span,
            ),
            Simplices(corners=simplices),
            worst,
        )

    def _ask(self, point: Floats) -> bool:
        """Whether the point is a new one."""
        if any(np.allclose(point, known, rtol=0, atol=_SAME) for known in self._points):
            return False
        value, slope = self._evaluate(point * self._span + self._low)
        self._points.append(point)
        self._values.append(value)
        self._slopes.append(slope * self._span)
        return True

    def _simplices(self) -> Integers:
        """The simplices under the lifted points: those of which chords are lowest."""
        points, values = np.array(self._points), np.array(self._values)
        if points.shape[1] == 1:
            order = np.argsort(points[:, 0])
            return np.stack([order[:-1], order[1:]], axis=1)
        bend = _BEND * max(1.0, float(np.abs(values).max()))
        scale = max(float(np.ptp(values)), bend)
        lifted = (values + bend * (points**2).sum(axis=1)) / scale
        # A point above the box gives the hull a volume where all others are in a plane.
        apex = np.append(np.full(points.shape[1], 0.5), lifted.max() + 1)
        from scipy.spatial import ConvexHull  # noqa: PLC0415 - help needs no SciPy

        hull = ConvexHull(np.vstack([np.column_stack([points, lifted]), apex]), qhull_options="Qt")
        below = hull.equations[:, -2] < -_SAME
        return hull.simplices[below].astype(np.int64)

    def _worst(self, simplices: Integers) -> tuple[float, Floats]:
        """The greatest gap, and where it is: the first that is still on top when found exactly."""
        heap = []
        for row in map(tuple, np.sort(simplices, axis=1).tolist()):
            if row not in self._gaps:
                self._gaps[row] = self._bound(row)
            heap.append((-self._gaps[row], row))
        heapq.heapify(heap)
        exact: dict[tuple[int, ...], Floats] = {}
        while heap[0][1] not in exact:
            row = heap[0][1]
            self._gaps[row], exact[row] = self._gap(row)
            heapq.heapreplace(heap, (-self._gaps[row], row))
        gap, row = heap[0]
        return -gap, exact[row]

    def _bound(self, row: tuple[int, ...]) -> float:
        """A bound of the gap by the planes of the simplex' own corners.

        The mean of planes, however weighted, is below their envelope: the chords are above it by at
        most their greatest distance at a corner. The weights are those at which the distances at
        all corners are equal, where there are such.
        """
        values, planes = self._at_corners(row, row)
        lower = float(planes.min(axis=0).max())
        if not lower > 0:
            return math.inf
        distances = values[:, None] - planes  # (corners, planes)
        equal = np.linalg.lstsq(distances, np.ones(len(row)), rcond=None)[0].clip(0)
        weights = equal / equal.sum() if equal.sum() > 0 else np.full(len(row), 1 / len(row))
        return max(0.0, float((distances @ weights).max())) / lower

    def _at_corners(self, corners: Sequence[int], planes: Sequence[int]) -> tuple[Floats, Floats]:
        """Values at corners of a simplex, (corners,), and of planes there, (corners, planes)."""
        points, values = np.array(self._points), np.array(self._values)
        slopes = np.array(self._slopes)[[*planes]]
        offsets = values[[*planes]] - np.einsum("ij,ij->i", slopes, points[[*planes]])
        return values[[*corners]], points[[*corners]] @ slopes.T + offsets

    def _gap(self, rows: tuple[int, ...]) -> tuple[float, Floats]:
        """The greatest share by which the chords of a simplex are above the planes, and where.

        Dinkelbach's method: the x of the greatest chord(x) − (1 + gap) · planes(x) has a greater
        ratio, until there is none.
        """
        corners = np.array([self._points[row] for row in rows])
        values, planes = self._at_corners(rows, range(len(self._points)))
        planes = planes[:, planes.max(axis=0) > 0]
        gap, where = 0.0, corners[0]
        for _ in range(_ROUNDS):
            weights = _furthest(values, (1 + gap) * planes)
            chord, lower = float(weights @ values), float((weights @ planes).max())
            ratio = chord / lower - 1 if lower > 0 else math.inf
            if not ratio > gap + _SAME:
                break
            gap, where = ratio, weights @ corners
        return gap, where


def _furthest(values: Floats, planes: Floats) -> Floats:
    """(corners,) weights of the point at which the chords are furthest above all planes."""
    corners, count = planes.shape
    scale = float(np.abs(values).max()) or 1.0
    # Greatest t with t ≤ Σ w · (value − plane) for each plane, Σ w = 1, w ≥ 0.
    differences = (planes - values[:, None]).T / scale
    from scipy.optimize import linprog  # noqa: PLC0415 - as above

    found = linprog(
        c=np.append(np.zeros(corners), -1.0),
        A_ub=np.column_stack([differences, np.ones(count)]),
        b_ub=np.zeros(count),
        A_eq=np.append(np.ones(corners), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * corners + [(None, None)],
        method="highs",
    )
    if found.x is None:  # no case is known: the simplex is bounded, and t with it
        raise ArithmeticError(f"the bounds of a convex function: {found.message}")
    weights: Floats = np.clip(found.x[:corners], 0, None)
    whole: Floats = weights / weights.sum()
    return whole
