"""Quantiles of test distributions without SciPy, whose import takes a second."""

import math
from functools import cache
from typing import Any

import numpy as np

from latitude._types import Floats

_STEP, _STEPS = 0.25, 168
"""Step and length of the sum over half of Student's t, in units of 1/√ν."""
_NEWTON_STEPS = 50
_FAR = 40
"""Standard deviations beyond which a binomial count has no share that a double could hold."""


def student_t(share: float, freedom: int) -> float:
    """The quantile of Student's t; `share` is between 0.5 and 1.

    With t = √ν · sinh(u), the density becomes cosh(u)^−ν. Newton's method finds the end u of the
    integral.
    """
    root = math.sqrt(freedom)
    whole = _STEP / root * (2 * _density(_STEP / root * np.arange(_STEPS), freedom).sum() - 1)
    nodes, weights = _quadrature()
    u = 0.0
    for _ in range(_NEWTON_STEPS):
        below = float(weights @ _density(u * (nodes + 1) / 2, freedom)) * u / 2
        step = ((share - 0.5) * whole - below) / float(_density(u, freedom))
        u += step
        if abs(step) <= np.spacing(u):
            break
    return root * math.sinh(u)


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre, found at their first use."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    return nodes, weights


def _density(u: Any, freedom: int) -> Any:
    """cosh(u)^−ν, exact for small u and large ν, too."""
    return np.exp(-freedom * np.log1p(2 * np.sinh(u / 2) ** 2))


def binomial_ends(tail: float, n: int, share: float) -> tuple[int, int]:
    """Quantiles of the number of hits in n trials that each hit with this share.

    The first is the least number up to which the probability is `tail` or more. The second is the
    least number beyond which the probability is `tail` or less.
    """
    if not 0 < share < 1:
        return round(n * share), round(n * share)
    reach = math.ceil(_FAR * (math.sqrt(n * share * (1 - share)) + 1))
    first = max(0, math.floor(n * share) - reach)
    counts = np.arange(first, min(n, first + 2 * reach) + 1)
    ratios = (n - counts[:-1]) / (counts[:-1] + 1) * (share / (1 - share))
    logarithms = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    masses = np.exp(logarithms - logarithms.max())
    masses /= masses.sum()
    up_to = np.cumsum(masses)
    beyond = np.append(np.cumsum(masses[:0:-1])[::-1], 0.0)
    low = int(np.argmax(up_to >= tail))
    high = int(np.argmax(beyond <= tail))
    return first + low, first + high
