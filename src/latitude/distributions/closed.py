"""The most common distributions by their formulas, because SciPy, which has all, is slow to import.

Each offers the part of SciPy's distributions that parser and tables use, by the same names.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.distributions.names import scipy_distribution, without_alias

_STANDARD = NormalDist()
_ROOT_2_PI = math.sqrt(2 * math.pi)


def distribution_named(name: str) -> Any:
    """A distribution by its formulas, otherwise SciPy's. InputError: the name is unknown."""
    known = without_alias(name)
    return _CLOSED[known] if known in _CLOSED else scipy_distribution(name)


class _Standard:
    """A distribution with location 0 and scale 1; methods take its shapes last."""

    name: str
    shapes: str | None = None
    numargs = 0
    low = 0.0
    var: Callable[..., float]

    def __call__(self, *shapes: float, loc: float, scale: float) -> "_Frozen":
        return _Frozen(self, shapes, loc, scale)

    def support(self, *_: float) -> tuple[float, float]:
        return self.low, math.inf

    def std(self, *shapes: float) -> float:
        return math.sqrt(self.var(*shapes))

    def _argcheck(self, *shapes: float) -> bool:
        return all(shape > 0 for shape in shapes)


class _Normal(_Standard):
    name = "norm"
    low = -math.inf

    def ppf(self, share: Any) -> Any:
        shares = np.asarray(share, dtype=np.float64)
        return np.array([_normal_quantile(p) for p in shares.ravel()]).reshape(shares.shape)

    def isf(self, share: Any) -> Any:
        return -self.ppf(share)

    def cdf(self, x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    def logpdf(self, x: Floats) -> Any:
        return -np.square(x) / 2 - math.log(_ROOT_2_PI)

    def mean(self) -> float:
        return 0.0

    def var(self) -> float:
        return 1.0


_NORMAL = _Normal()


class _Exponential(_Standard):
    name = "expon"

    def ppf(self, share: Any) -> Any:
        with np.errstate(divide="ignore"):
            return -np.log1p(-np.asarray(share))

    def isf(self, share: Any) -> Any:
        return -np.log(share)

    def cdf(self, x: float) -> float:
        return -math.expm1(-max(x, 0.0))

    def logpdf(self, x: Floats) -> Any:
        return np.where(x >= 0, -x, -np.inf)

    def mean(self) -> float:
        return 1.0

    def var(self) -> float:
        return 1.0


class _Lognormal(_Standard):
    name = "lognorm"
    shapes = "s"
    numargs = 1

    def ppf(self, share: Any, s: float) -> Any:
        return np.exp(_positive(s) * _NORMAL.ppf(share))

    def isf(self, share: Any, s: float) -> Any:
        return np.exp(_positive(s) * _NORMAL.isf(share))

    def cdf(self, x: float, s: float) -> float:
        return _NORMAL.cdf(math.log(x) / s) if x > 0 else 0.0

    def logpdf(self, x: Floats, s: float) -> Any:
        return -np.square(np.log(x)) / (2 * s**2) - np.log(s * x * _ROOT_2_PI)

    def mean(self, s: float) -> float:
        return float(np.sqrt(np.exp(_positive(s) ** 2)))

    def var(self, s: float) -> float:
        square = np.exp(_positive(s) ** 2)
        return float(square * (square - 1))


_CLOSED: dict[str, Any] = {each.name: each for each in (_NORMAL, _Exponential(), _Lognormal())}


@dataclass(frozen=True, slots=True)
class _Frozen:
    """A distribution with all its parameters."""

    dist: Any
    args: tuple[float, ...]
    loc: float
    scale: float

    def ppf(self, share: Any) -> Any:
        return self.dist.ppf(share, *self.args) * _positive(self.scale) + self.loc

    def isf(self, share: Any) -> Any:
        return self.dist.isf(share, *self.args) * self.scale + self.loc

    def median(self) -> float:
        return float(self.ppf(0.5))

    def cdf(self, x: float) -> Any:
        return self.dist.cdf((x - self.loc) / self.scale, *self.args)

    def logpdf(self, x: Floats) -> Any:
        return self.dist.logpdf((x - self.loc) / self.scale, *self.args) - math.log(self.scale)

    def mean(self) -> Any:
        return self.dist.mean(*self.args) * self.scale + self.loc

    def std(self) -> float:
        return math.sqrt(self.dist.var(*self.args) * self.scale**2)


def _normal_quantile(share: float) -> float:
    if 0 < share < 1:
        return _STANDARD.inv_cdf(share)
    return -math.inf if share <= 0 else math.inf


def _positive(parameter: float) -> float:
    """The parameter, or NaN, with which every figure is NaN."""
    return parameter if parameter > 0 else math.nan
