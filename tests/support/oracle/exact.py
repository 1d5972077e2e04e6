"""T(θ) in exact rational numbers, proved at each requested point.

Every parameter is a double and so a whole number of a power of two. In the smallest unit that all
of them have in common, path lengths are whole numbers, which `core/exact` adds up in 128 bits. Two
facts prove T at one θ: a path of that length (T is no less) and potentials that satisfy every
inequality (T is no more). The inequalities are those of `analysis/lp/rows.py`, written from the
model and not from the engine.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.analysis.lp.rows import Counts, Ints, Rows, rows_of
from latitude.model.theta import Theta

_WORD = 64
_ONES = (1 << _WORD) - 1
_BITS = 126
"""Bits of the largest number for the core."""


class PathLength(NamedTuple):
    """A path's length as a function of θ: constant + slope · θ, in ns."""

    constant: Fraction = Fraction(0)
    slope: Fraction = Fraction(0)

    def at(self, theta: Fraction) -> Fraction:
        """The path's length at θ."""
        return self.constant + self.slope * theta

    def meets(self, other: "PathLength") -> Fraction:
        """The θ at which it is as long as a line of another slope."""
        return (self.constant - other.constant) / (other.slope - self.slope)


def _constant(value: float) -> PathLength:
    return PathLength(Fraction(value))


@dataclass(frozen=True, slots=True)
class Prices:
    """Cost of a unit of each quantity as a function of θ, ns; all but computation by link class."""

    computation: PathLength
    recorded: PathLength
    overhead: tuple[PathLength, ...]
    gap: tuple[PathLength, ...]
    copied: tuple[PathLength, ...]
    latency: tuple[PathLength, ...]
    byte: tuple[PathLength, ...]

    @classmethod
    def of(cls, network: _core.Network) -> "Prices":
        """The network's prices, none of which depends on θ."""
        return cls(
            computation=_constant(network.compute_scale),
            recorded=_constant(1.0),
            overhead=tuple(map(_constant, network.o_of_class.tolist())),
            gap=tuple(map(_constant, network.g_of_class.tolist())),
            copied=tuple(map(_constant, network.O_of_class.tolist())),
            latency=tuple(_constant(L) for _, L, _ in network.classes),
            byte=tuple(_constant(G) for _, _, G in network.classes),
        )

    def along(self, theta: Theta) -> "Prices":
        """The prices at this θ."""
        pairs = zip(theta.fixed, theta.weight, strict=True)
        moving = tuple(PathLength(Fraction(fixed), Fraction(weight)) for fixed, weight in pairs)
        prices: dict[str, Any] = {_PRICE_OF[theta.parameter]: moving}
        return replace(self, **prices)

    def scaled(self, *names: str) -> "Prices":
        """θ times what these are: at θ = 1 the slope of T is the share of it that they are."""
        return self._changed(names, lambda price: PathLength(slope=price.constant))

    def counted(self, name: str) -> "Prices":
        """θ − 1 more than it is: at θ = 1 the slope of T is how many there are on its path."""
        return self._changed((name,), lambda price: PathLength(price.constant - 1, Fraction(1)))

    def free(self) -> "Prices":
        """Nothing costs anything but computation, which takes as long as was recorded."""
        names = ("recorded", *_BY_CLASS)
        costless = self._changed(names, lambda _: PathLength())
        return replace(costless, computation=_constant(1.0))

    def _changed(
        self, names: Iterable[str], change: Callable[[PathLength], PathLength]
    ) -> "Prices":
        changed: dict[str, Any] = {}
        for name in names:
            price = getattr(self, name)
            by_class = name in _BY_CLASS
            changed[name] = tuple(map(change, price)) if by_class else change(price)
        return replace(self, **changed)

    def _lines(self) -> list[PathLength]:
        """The prices as lines, in the core's order."""
        by_class = (getattr(self, name) for name in _BY_CLASS)
        links = (each for of_class in zip(*by_class, strict=True) for each in of_class)
        return [self.computation, self.recorded, *links]

    def unit_bits(self) -> int:
        """All are whole numbers of 2^−bits ns."""
        denominators = (number.denominator for line in self._lines() for number in line)
        return max(denominator.bit_length() - 1 for denominator in denominators)

    def words(self) -> Ints:
        """All lines in the common unit, in the core's form."""
        unit = 1 << self.unit_bits()
        return np.array(
            [words((line.constant * unit, line.slope * unit)) for line in self._lines()], np.int64
        )


_BY_CLASS = ("overhead", "gap", "copied", "latency", "byte")
"""Prices that each class has, in the core's order."""
_PRICE_OF = {"L": "latency", "G": "byte", "o": "overhead", "g": "gap"}


def words(numbers: Iterable[Fraction | int]) -> list[int]:
    """The high and the low word of whole numbers; InputError where they have too many bits."""
    result = []
    for number in map(int, numbers):
        if number.bit_length() > _BITS:
            raise InputError(
                "exact sums of these times need more than 128 bits; give parameters of fewer digits"
            )
        low = number & _ONES
        result += [number >> _WORD, low - (1 << _WORD) if low >> (_WORD - 1) else low]
    return result


def _number(high: int, low: int) -> int:
    return (high << _WORD) | (low & _ONES)


class ExactGraph:
    """A graph on a network as inequalities, to be priced in several ways."""

    def __init__(self, graph: _core.Graph, network: _core.Network) -> None:
        self.rows: Rows = rows_of(graph, network)
        self.prices = Prices.of(network)
        rows, counts = self.rows, self.rows.counts
        self.paths = _core.ExactPaths(rows.variables, rows.finish, rows.head, rows.tail)
        self.counts = _columns(counts)
        self.priced: Runtime | None = None
        """The runtime whose prices the paths have now."""

    def along(self, theta: Theta) -> "Runtime":
        """T(θ)."""
        return Runtime(self, self.prices.along(theta))

    def with_prices(self, prices: Prices) -> "Runtime":
        """T by other prices."""
        return Runtime(self, prices)


def _columns(counts: Counts) -> list[Ints]:
    names = ("computation", "recorded", "overheads", "gaps", "copied", "hops", "bytes", "link")
    return [np.ascontiguousarray(getattr(counts, name), np.int64) for name in names]


class Runtime:
    """T(θ) of a graph: convex, piecewise linear."""

    def __init__(self, graph: ExactGraph, prices: Prices) -> None:
        self._graph, self._prices = graph, prices
        self._unit = 1 << prices.unit_bits()
        self._known: dict[tuple[Fraction | None, bool], PathLength] = {}

    def _paths(self) -> _core.ExactPaths:
        """The paths with these prices."""
        graph = self._graph
        if graph.priced is not self:
            graph.paths.price(graph.counts, self._prices.words())
            graph.priced = self
        return graph.paths

    def line(self, theta: Fraction | None, *, right: bool = True) -> PathLength:
        """The longest path at θ, at a corner that to its right or left; beyond all θ if None."""
        key = theta, right
        if key not in self._known:
            found = self._paths().longest(_theta_words(theta), right).tolist()
            unit = self._unit
            constant, slope = _number(*found[:2]), _number(*found[2:])
            self._known[key] = PathLength(Fraction(constant, unit), Fraction(slope, unit))
        return self._known[key]

    def at(self, theta: Fraction) -> Fraction:
        """T, ns."""
        return self.line(theta).at(theta)

    def slope(self, theta: Fraction) -> Fraction:
        """dT/dθ towards higher values."""
        return self.line(theta).slope

    def slopes(self, theta: Fraction) -> tuple[Fraction, Fraction]:
        """dT/dθ to the left and to the right."""
        return self.line(theta, right=False).slope, self.line(theta).slope

    def digits(self, theta: Fraction, length: Fraction) -> int:
        """Binary digits that T, of this length, needs at θ; a double has 53."""
        bits = self._prices.unit_bits() + theta.denominator.bit_length() - 1
        return int(length * (1 << bits)).bit_length()

    def last_within(self, limit: Fraction, start: Fraction) -> Fraction | None:
        """The largest θ ≥ `start` with T(θ) ≤ limit; None without a largest.

        By Newton's method from the right: T is convex, so each line is met before T is. ValueError:
        T is above the limit at `start` already.
        """
        if self.at(start) > limit:
            raise ValueError("the limit is below T")
        line = self.line(None)
        while line.slope > 0:
            theta = (limit - line.constant) / line.slope
            if theta <= start:
                return start
            following = self.line(theta)
            if following.at(theta) == limit:
                return theta
            line = following
        return None

    def shortfall(self, theta: Fraction, slope: Fraction) -> Fraction | None:
        """Least amount by which paths of this slope are shorter than T(θ); None if none is steep.

        Between two tied paths lies any slope between theirs, so the search is for the supporting
        line of that slope.
        """
        left, right = self.slopes(theta)
        if left <= slope <= right:
            return Fraction(0)
        lower = slope < left
        other = self.line(Fraction(0) if lower else None)
        if other.slope > slope if lower else other.slope < slope:
            return None
        near = self.line(theta, right=not lower)
        length = self.at(theta)
        while other.slope != slope:  # one of the two is less steep than asked for, one is steeper
            corner = near.meets(other)
            line = self.line(corner)
            if line.at(corner) == near.at(corner):
                return length - (line.at(corner) + slope * (theta - corner))
            if line.slope == slope or (line.slope < slope) != (near.slope < slope):
                other = line
            else:
                near = line
        return length - other.at(theta)


def _theta_words(theta: Fraction | None) -> Ints:
    ratio = (1, 0) if theta is None else (theta.numerator, theta.denominator)
    return np.array(words(ratio), np.int64)


@dataclass(frozen=True, slots=True)
class RuntimePieces:
    """T over an interval: its lines from left to right, and the corners where they meet."""

    lines: Sequence[PathLength]
    corners: Sequence[Fraction]

    @classmethod
    def of(cls, runtime: Runtime, low: Fraction, high: Fraction) -> "RuntimePieces":
        """Proved at the ends and at all corners.

        Between two of these points T is convex, so at most the line through both, and a path of
        that length exists.
        """
        found = [(low, runtime.line(low))]
        open_ends = [(high, runtime.line(high, right=False))]
        corners: list[Fraction] = []
        while open_ends:
            (_, line), (_, steeper) = found[-1], open_ends[-1]
            if line == steeper:
                found.append(open_ends.pop())
                continue
            corner = line.meets(steeper)
            at = runtime.line(corner)
            if at.at(corner) == line.at(corner):
                corners.append(corner)
                found.append((corner, steeper))
                found.append(open_ends.pop())
            else:
                open_ends.append((corner, at))
        lines = list(dict.fromkeys(line for _, line in found))
        return cls(lines, corners)

    def at(self, theta: Fraction) -> Fraction:
        """T, ns."""
        return self.lines[bisect_left(self.corners, theta)].at(theta)

    def slope(self, theta: Fraction) -> Fraction:
        """dT/dθ towards higher values."""
        return self.lines[bisect_right(self.corners, theta)].slope

    def shortfall(self, theta: Fraction, slope: Fraction) -> Fraction | None:
        """Gives the shortfall as in `Runtime`, among the lines of this interval."""
        k = bisect_left(self.lines, slope, key=lambda line: line.slope)
        if k == len(self.lines) or (k == 0 and self.lines[0].slope != slope):
            return None
        if self.lines[k].slope == slope:
            return self.at(theta) - self.lines[k].at(theta)
        corner = self.corners[k - 1]
        return self.at(theta) - (self.at(corner) + slope * (theta - corner))
