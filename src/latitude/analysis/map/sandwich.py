"""A convex function between two bounds: tangent planes below, chords above.

Few points give the function's value and slopes. The tangent planes at these points lie nowhere
above the function. Because the function is convex, it lies nowhere above the interpolation between
the points. The next point is the one at which the two bounds are furthest apart, a corner of the
planes' envelope (sandwich algorithm, Rote 1992; Siem, den Hertog and Hoffmann 2011).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from latitude._types import Booleans, Floats, Integers
from latitude.results.map import Planes, Simplices

Evaluate: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""A function: point (parameters,) → value at the point, above 0, and slopes (parameters,)."""

_BEND = 1e-11
"""Share by which the values at the box's corners are moved, so that no plane holds them all."""
_FLAT = 1e-13
"""Rounding of values, as a share of the values, and of volumes, as a share of the box."""
_WHOLE = 1e-9
"""Share of a simplex that counts as zero."""
_SAME_VOLUME = 1e-7
"""Share by which two volumes may differ and still count as equal."""
_MOST_RATIO = 1e6
"""Ratios of the bounds from this on count as infinite."""
_STEPS = 200
"""Largest number of steps of the simplex method, which usually takes about ten."""
_HELPS = 1e-11
"""Least gain per step of the simplex method, which ends at a smaller gain."""
_SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Sandwich:
    """Bounds of a convex function over a box.

    Everywhere in the box the highest plane is a lower bound, and (1 + error) times this plane is an
    upper bound.
    """

    planes: Planes
    """Planes that touch the function at the evaluated points."""
    simplices: Simplices
    error: float
    """Greatest distance of the two bounds, as a share of the lower one."""


def sandwich(
    evaluate: Evaluate, low: Sequence[float], high: Sequence[float], error: float, most: int
) -> Sandwich:
    """Refines the bounds until they are `error` apart everywhere, or `most` points are used.

    Args:
        evaluate: the function and its slopes.
        low: (parameters,) the lower ends of the box.
        high: (parameters,) its upper ends, each above the lower one.
        error: a share of the value, 0 for the function itself.
        most: largest number of points; the corners of the box are evaluated in any case.
    """
    return _Refinement(evaluate, np.asarray(low, float), np.asarray(high, float)).run(error, most)


class _Refinement:
    """Refines the bounds, in units of the box: from 0 to 1 along each parameter."""

    def __init__(self, evaluate: Evaluate, low: Floats, high: Floats) -> None:
        self._evaluate = evaluate
        self._low, self._span = low, high - low
        axes = low.size
        self._points, self._values, self._slopes = (
            np.empty(shape) for shape in ((0, axes), (0,), (0, axes))
        )
        for corner in product((0.0, 1.0), repeat=axes):
            self._ask(np.array(corner))
        self._cover = _Cover(self._points, self._values)
        self._gaps = self._bounds(self._cover.simplices)
        """Upper bound of the gap, by simplex; further planes only lower the gap."""

    def run(self, error: float, most: int) -> Sandwich:
        worst, where = self._worst()
        while worst > error + _SAME and len(self._points) < most:
            if not self._ask(where):
                break  # the bounds are equal here, except for rounding
            kept, added = self._cover.add(self._points, self._values)
            self._gaps = np.concatenate([self._gaps[kept], self._bounds(added)])
            worst, where = self._worst()
        return Sandwich(
            Planes(
                T_ns=self._values,
                point=self._points * self._span + self._low,
                slope=self._slopes / self._span,
            ),
            Simplices(corners=self._cover.simplices),
            worst,
        )

    def _ask(self, point: Floats) -> bool:
        """Evaluates the function at a point; False if this was done before."""
        if (np.abs(self._points - point) <= _SAME).all(axis=1).any():
            return False
        value, slope = self._evaluate(point * self._span + self._low)
        self._points = np.vstack([self._points, point])
        self._values = np.append(self._values, value)
        self._slopes = np.vstack([self._slopes, slope * self._span])
        return True

    def _worst(self) -> tuple[float, Floats]:
        """The greatest gap, computed exactly, and its place."""
        exact: dict[int, Floats] = {}
        while (top := int(self._gaps.argmax())) not in exact:
            self._gaps[top], exact[top] = self._gap(self._cover.simplices[top])
        return float(self._gaps[top]), exact[top]

    def _bounds(self, simplices: Integers) -> Floats:
        """Bounds of the gaps from the planes at each simplex's own corners.

        Any weighted mean of planes is below their envelope. So the gap is at most the greatest
        distance between chords and mean at a corner. The weights make the distances at all corners
        equal, if such weights exist.
        """
        values, points = self._values[simplices], self._points[simplices]
        slopes = self._slopes[simplices]
        offsets = values - np.einsum("sij,sij->si", slopes, points)
        planes = np.einsum("sij,skj->sik", points, slopes) + offsets[:, None]  # simplex, corner
        distances = values[..., None] - planes
        equal = np.linalg.pinv(distances).sum(axis=2).clip(0)
        total = equal.sum(axis=1, keepdims=True)
        even = np.full_like(equal, 1 / equal.shape[1])
        weights = np.where(total > 0, equal / np.where(total > 0, total, 1), even)
        highest = np.einsum("sik,sk->si", distances, weights).max(axis=1).clip(0)
        lower = planes.min(axis=1).max(axis=1)
        return np.where(lower > 0, highest / np.where(lower > 0, lower, 1), np.inf)

    def _gap(self, corners: Integers) -> tuple[float, Floats]:
        """The greatest share by which the chords of a simplex exceed the planes, and its place."""
        offsets = self._values - np.einsum("ij,ij->i", self._slopes, self._points)
        planes = self._points[corners] @ self._slopes.T + offsets
        ratio, weights = furthest(self._values[corners], planes)
        return max(ratio - 1, 0.0), weights @ self._points[corners]


class _Cover:
    """Simplices that fill the box: the lower side of the hull of the points with their values.

    A new point lies below the chords of some simplices. These simplices go, and
    the point joins the faces around the hole.
    """

    def __init__(self, points: Floats, values: Floats) -> None:
        """Fills the box with simplices of its corners."""
        self._scale = float(np.abs(values).max()) or 1.0
        self._bend = _BEND * np.random.default_rng(0).uniform(size=values.size)
        size = points.shape[1] + 1
        every = np.array([*combinations(range(len(points)), size)])
        every = every[_volumes(points[every]) > _FLAT]
        above = self._lifted(values) - self._chords(every, points, values) @ _with_one(points).T
        self.simplices: Integers = every[(above >= -_FLAT).all(axis=1)]
        """(simplices, axes + 1) numbers of points."""

    def add(self, points: Floats, values: Floats) -> tuple[Integers, Integers]:
        """Adds the last point; returns the rows that stay, which come first, and the new rows."""
        chords = self._chords(self.simplices, points, values)
        below = chords @ _with_one(points[-1:])[0] > self._lifted(values)[-1] + _FLAT
        holding = self._holding(points)
        gone = below | holding
        joined, whole = self._joined(gone, points)
        if not whole:  # rounding: cuts only simplices around the point
            gone = holding
            joined, _ = self._joined(gone, points)
        kept = np.flatnonzero(~gone)
        self.simplices = np.concatenate([self.simplices[kept], joined])
        return kept, joined

    def _holding(self, points: Floats) -> Booleans:
        """(simplices,) whether each simplex contains the last point."""
        inside = np.swapaxes(_with_one(points[self.simplices]), 1, 2)
        weights = np.linalg.solve(inside, _with_one(points[-1:])[0][:, None])[..., 0]
        return np.asarray((weights >= -_WHOLE).all(axis=1))

    def _joined(self, gone: Booleans, points: Floats) -> tuple[Integers, bool]:
        """Joins the last point to each face that belongs to only one simplex in `gone`.

        Also returns whether the new simplices fill the same volume.
        """
        rows = np.sort(self.simplices[gone], axis=1)
        size = rows.shape[1]
        volumes = _volumes(points[rows])
        faces = np.concatenate([np.delete(rows, corner, axis=1) for corner in range(size)])
        single, first, count = np.unique(faces, axis=0, return_index=True, return_counts=True)
        outer = single[count == 1]
        joined = np.column_stack([outer, np.full(len(outer), len(points) - 1)])
        filled = _volumes(points[joined])
        thick = filled > _WHOLE * np.tile(volumes, size)[first[count == 1]]
        whole = abs(filled.sum() - volumes.sum()) <= _SAME_VOLUME * volumes.sum()
        return joined[thick], bool(whole)

    def _lifted(self, values: Floats) -> Floats:
        lifted = values / self._scale
        lifted[: self._bend.size] += self._bend
        return lifted

    def _chords(self, simplices: Integers, points: Floats, values: Floats) -> Floats:
        """(simplices, axes + 1) slopes and offset of the interpolation in each simplex."""
        inside = _with_one(points[simplices])
        lifted = self._lifted(values)[simplices]
        return np.asarray(np.linalg.solve(inside, lifted[..., None])[..., 0], float)


def _with_one(points: Floats) -> Floats:
    """Points with an appended 1, for offsets."""
    return np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)


def _volumes(corners: Floats) -> Floats:
    """(simplices,) volumes of simplices (simplices, corners, axes), up to a common factor."""
    return np.asarray(np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])), float)


def furthest(values: Floats, planes: Floats) -> tuple[float, Floats]:
    """The greatest ratio of the chords of a simplex to the highest plane, and its place.

    Let u be the weights of the corners over the highest plane. The ratio is the linear program max
    u · values, u · plane ≤ 1 for each plane, u ≥ 0 (Charnes and Cooper 1962). The simplex method
    solves its dual, which has one row per corner: min Σ y, planes · y ≥ values, y ≥ 0. It begins
    with an expensive plane through all values. This plane leaves the basis, unless no other plane
    is above 0.

    Args:
        values: (corners,) chords at the corners, above 0.
        planes: (corners, planes) planes at the corners.

    Returns:
        The ratio, infinite if at some point no plane is above 0, and the weights of the corners.
    """
    count = values.size
    scaled = planes / values[:, None]
    columns = np.column_stack([scaled, -np.eye(count), np.ones(count)])
    costs = np.concatenate([np.ones(planes.shape[1]), np.zeros(count), [_MOST_RATIO]])
    last = columns.shape[1] - 1
    basis = np.array([last, *range(last - count + 1, last)])
    prices = np.zeros(count)
    for step in range(_STEPS):  # each step gives a bound, which rounding keeps valid
        inverse = np.linalg.inv(columns[:, basis])
        prices = costs[basis] @ inverse
        reduced = costs - prices @ columns
        reduced[basis] = 0.0
        # After many steps, the first column that helps: this rule never cycles.
        entering = int(reduced.argmin() if step < _STEPS // 2 else (reduced < -_HELPS).argmax())
        direction, level = inverse @ columns[:, entering], inverse.sum(axis=1)
        rising = direction > _HELPS
        if reduced[entering] >= -_HELPS or not rising.any():
            break
        basis[np.where(rising, level / np.where(rising, direction, 1), np.inf).argmin()] = entering
    weights = np.clip(prices, 0.0, None) / values
    ratio = float(prices.sum())
    return (ratio if ratio < _MOST_RATIO else math.inf), weights / weights.sum()
