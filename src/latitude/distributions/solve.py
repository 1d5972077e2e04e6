"""Parameters of a distribution from moments and percentiles.

Location and scale enter all equations linearly, so they are eliminated; root finding yields the
shapes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.distributions.bounded import Bounded
from latitude.distributions.names import shape_names

Floats = NDArray[np.float64]

_EXACT = 1e-8
"""Relative error at which a requested quantity counts as met."""
_GRID = np.concatenate([np.geomspace(1e-3, 1e3, 241), -np.geomspace(1e-3, 1e3, 41)])
_STARTS = (0.3, 1.0, 3.0)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One requested property of the distribution: its mean, its sd or a percentile, in ns."""

    name: str
    """`mean`, `sd`, `p99.9`."""
    ns: float

    def standard(self, distribution: Any, shapes: Floats) -> float:
        """The property's value for the distribution with location 0 and scale 1."""
        if self.name == "mean":
            return float(distribution.mean(*shapes))
        if self.name == "sd":
            return float(distribution.std(*shapes))
        return float(distribution.ppf(float(self.name[1:]) / 100, *shapes))

    def follows_location(self) -> bool:
        """Whether a shift of the distribution shifts the property's value."""
        return self.name != "sd"


def solve(
    distribution: Any, label: str, given: dict[str, float], wanted: list[Wanted]
) -> dict[str, float]:
    """Finds all parameters of a distribution from moments and percentiles; shapes come first.

    Args:
        distribution: a SciPy distribution.
        label: the specification, for error messages.
        given: values of given parameters, by name.
        wanted: moments and percentiles to meet.
    """
    shapes = shape_names(distribution)
    distribution = Bounded(distribution, label)
    free = [name for name in shapes if name not in given]
    unbounded = not math.isfinite(_support_low(distribution, free))
    linear = [name for name in ("scale", "loc") if name not in given]
    if "loc" in linear and not (unbounded and wanted) and len(wanted) <= len(free) + 1:
        linear.remove("loc")
        given = {"loc": 0.0, **given}
    if not wanted and "scale" not in given:
        raise InputError(_advice(label, [*free, "scale"], 0))
    if len(wanted) != len(free) + len(linear):
        raise InputError(_advice(label, [*free, *linear], len(wanted)))
    problem = _Problem(distribution, given, wanted, shapes, free, linear)
    found = _solution(problem)
    if found is None:
        asked = " and ".join(f"{each.name}={each.ns:g}ns" for each in wanted)
        raise InputError(f"{label}: no {distribution.name} has {asked}")
    return found


def _support_low(distribution: Any, free: list[str]) -> float:
    shapes = [1.0] * distribution.numargs
    if free and not distribution._argcheck(*shapes):  # noqa: SLF001 - SciPy has no public one
        return 0.0
    low = distribution.support(*shapes)[0] if distribution.numargs else distribution.support()[0]
    return float(low) if not math.isnan(low) else 0.0


def _advice(label: str, unknown: list[str], count: int) -> str:
    names = ", ".join(unknown) or "nothing"
    return (
        f"{label}: {names} to be found from {count} moments and percentiles; give "
        f"{len(unknown)} of mean=, sd=, p50=, p99=, …, or the parameters by name"
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    distribution: Any
    given: dict[str, float]
    wanted: list[Wanted]
    shapes: list[str]
    free: list[str]
    linear: list[str]

    def complete(self, free: Floats) -> dict[str, float] | None:
        """All parameters, given the free shapes; None if no scale fits."""
        values = dict(zip(self.free, free.tolist(), strict=True))
        shapes = np.array([values.get(name, self.given.get(name, 0.0)) for name in self.shapes])
        first = self.wanted[: len(self.linear)]
        matrix, right = [], []
        for each in first:
            standard = each.standard(self.distribution, shapes)
            moves = 1.0 if each.follows_location() else 0.0
            row = {"scale": standard, "loc": moves}
            matrix.append([row[name] for name in self.linear])
            known = sum(row[name] * self.given[name] for name in row if name not in self.linear)
            right.append(each.ns - known)
        a = np.array(matrix)
        if first and (not np.isfinite(a).all() or abs(np.linalg.det(a)) < 1e-300):  # noqa: PLR2004
            return None
        solved = np.linalg.solve(a, np.array(right)).tolist() if first else []
        all_of_them = {**self.given, **dict(zip(self.linear, solved, strict=True))}
        if not 0 < all_of_them["scale"] < math.inf:
            return None
        named = dict(zip(self.shapes, shapes.tolist(), strict=True))
        return {**named, "loc": all_of_them["loc"], "scale": all_of_them["scale"]}

    def errors(self, free: Floats) -> Floats | None:
        """Relative errors of the properties that the linear parameters do not already meet."""
        found = self.complete(free)
        if found is None:
            return None
        shapes = np.array([found[name] for name in self.shapes])
        missed = []
        for each in self.wanted[len(self.linear) :]:
            moves = found["loc"] if each.follows_location() else 0.0
            value = moves + found["scale"] * each.standard(self.distribution, shapes)
            missed.append((value - each.ns) / each.ns if each.ns else value)
        errors = np.array(missed)
        return errors if np.isfinite(errors).all() else None


def _solution(problem: _Problem) -> dict[str, float] | None:
    with np.errstate(all="ignore"):
        if not problem.free:
            return problem.complete(np.empty(0))
        found = _one_shape(problem) if len(problem.free) == 1 else _many_shapes(problem)
        return None if found is None else problem.complete(found)


def _one_shape(problem: _Problem) -> Floats | None:
    """The root for one shape, by brackets from a grid and bisection to the last bit."""

    def error(shape: float) -> float:
        errors = problem.errors(np.array([shape]))
        return math.nan if errors is None else float(errors[0])

    roots = []
    for low, high, at_low, at_high in _brackets(error):
        if at_low == 0:
            roots.append(np.array([low]))
        elif at_low * at_high < 0:
            root = _bisected(error, low, high, at_low)
            if abs(error(root)) < _EXACT:
                roots.append(np.array([root]))
    return min(roots, key=lambda root: _spread(problem, root), default=None)


def _bisected(error: Callable[[float], float], low: float, high: float, at_low: float) -> float:
    while low < (middle := (low + high) / 2) < high:
        if error(middle) * at_low > 0:
            low = middle
        else:
            high = middle
    return low


def _spread(problem: _Problem, root: Floats) -> float:
    """The sd at this root.

    If several distributions have the same figures, Latitude takes the narrowest.
    """
    found = problem.complete(root)
    if found is None:
        return math.inf
    sd = float(problem.distribution.std(*(found[name] for name in problem.shapes)))
    return sd * found["scale"] if math.isfinite(sd) else math.inf


def _brackets(error: Callable[[float], float]) -> list[tuple[float, float, float, float]]:
    grid = np.sort(_GRID)
    positive, negative = grid[grid > 0], grid[grid < 0]
    found = []
    for part in (positive, negative):
        values = [(float(x), error(float(x))) for x in part]
        known = [(x, y) for x, y in values if math.isfinite(y)]
        found += [(a, b, y, z) for (a, y), (b, z) in pairwise(known)]
    return found


def _many_shapes(problem: _Problem) -> Floats | None:
    """The root for several shapes: least squares over their logarithms, from several starts."""
    from scipy import optimize  # noqa: PLC0415 - slow to import

    count = len(problem.free)

    def errors(logarithms: Floats) -> Floats:
        found = problem.errors(np.exp(np.clip(logarithms, -30, 30)))
        return np.full(count, 1e3) if found is None else found

    for start in product(_STARTS, repeat=count):
        fit = optimize.least_squares(errors, np.log(start), xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if np.abs(fit.fun).max() < _EXACT:
            return np.exp(np.clip(fit.x, -30, 30))
    return None
