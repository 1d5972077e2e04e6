"""Tests if runtime correlates more with one column than with another (Underwood et al. 2018, §7).

`fisher` is the paper's test, which treats the two coefficients as if they came from different runs.
Both coefficients share the runtimes, so `dependent` is the right test. It also needs the
correlation between the two columns, which the paper does not print.
"""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import scipy

from latitude._core import InputError
from latitude.lab.statistics.correlation import interval
from latitude.statistics.conventions import LEAST, Assumption
from latitude.units.columns import LOG10_P, P_VALUE, column, number

ASSUMPTIONS = (
    Assumption(
        "Fisher's z for two correlations",
        "two independent sets of runs (Underwood et al., §7, use it, one-sided)",
        "both correlations are of the same runtimes, as here: use Williams's test as well",
    ),
    Assumption(
        "Williams's t, Steiger's z",
        "n independent runs, trivariate normal; takes into account that both correlations share "
        "the runtimes, and needs the correlation between the two columns",
        "runs of one level are repeated: n then counts the same information several times",
    ),
)
_GRID = 2001


@dataclass(frozen=True, slots=True)
class FisherTest:
    """The paper's Fisher's z for the difference of two independent correlations."""

    r_mean: float
    r_std: float
    n: int
    z: Annotated[float, column("Fisher z", number(".2f"))]
    p: float
    """Φ(z): one-sided, small if r_std is the larger one."""
    log10_p: Annotated[float, column("1-sided p", LOG10_P)]
    """Logarithm of p, for p-values below the smallest double."""
    p_two_sided: float


@dataclass(frozen=True, slots=True)
class Dependent:
    """The difference of two correlations that share a variable, measured on the same n runs."""

    r_mean: Annotated[float, column("r₁", number(".3f"))]
    r_std: Annotated[float, column("r₂", number(".3f"))]
    r_between: Annotated[float, column("between", number(".3f"))]
    n: int
    williams_t: Annotated[float, column("Williams t", number(".2f"))]
    """Williams's t, with n − 3 degrees of freedom."""
    williams_p: Annotated[float, column("p", P_VALUE)]
    """Two-sided p-value of Williams's t."""
    steiger_z: Annotated[float, column("Steiger z", number(".2f"))]
    steiger_p: Annotated[float, column("p", P_VALUE)]
    """Two-sided p-value of Steiger's z."""
    low: float
    high: float
    """Upper end of the 95 % interval of r_mean − r_std (Zou, Psychological Methods 12, 2007)."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Results of Williams's test over all r_between that r_mean and r_std allow."""

    low: float
    high: float
    """Largest r_between with which all three r form a correlation matrix (`low`: the smallest)."""
    weakest: Dependent
    """The test at the r_between with the largest p-value."""


def fisher(r_mean: float, r_std: float, n: int) -> FisherTest:
    """Fisher's z = (artanh r_mean − artanh r_std)/√(2/(n−3)) and p = Φ(z).

    Assumes bivariate normal pairs, and two independent sets of n runs each. Two coefficients of the
    same runs violate the second assumption.
    """
    _check(n, r_mean=r_mean, r_std=r_std)
    z = (math.atanh(r_mean) - math.atanh(r_std)) / math.sqrt(2 / (n - 3))
    return FisherTest(
        r_mean,
        r_std,
        n,
        z,
        float(scipy.stats.norm.cdf(z)),
        float(scipy.stats.norm.logcdf(z)) / math.log(10),
        float(2 * scipy.stats.norm.sf(abs(z))),
    )


def dependent(r_mean: float, r_std: float, r_between: float, n: int) -> Dependent:
    """Williams's t and Steiger's z (J. H. Steiger, Psychological Bulletin 87, 1980, eqs. 7, 14).

    Assumes n independent, trivariate normal runs. InputError: no three variables can have these
    correlations.
    """
    _check(n, r_mean=r_mean, r_std=r_std, r_between=r_between)
    low, high = admissible(r_mean, r_std)
    if not low <= r_between <= high:
        raise InputError(
            f"r_between = {r_between:g} cannot go with r_mean = {r_mean:g} and r_std = {r_std:g}: "
            f"it must lie between {low:.4f} and {high:.4f}"
        )
    t = _williams(r_mean, r_std, r_between, n)
    z = _steiger(r_mean, r_std, r_between, n)
    return Dependent(
        r_mean,
        r_std,
        r_between,
        n,
        t,
        float(2 * scipy.stats.t.sf(abs(t), n - 3)),
        z,
        float(2 * scipy.stats.norm.sf(abs(z))),
        *_zou(r_mean, r_std, r_between, n),
    )


def between_unknown(r_mean: float, r_std: float, n: int) -> Unknown:
    """Williams's test if r_between was not published: its range, and the weakest case."""
    _check(n, r_mean=r_mean, r_std=r_std)
    low, high = admissible(r_mean, r_std)
    grid = np.linspace(low, high, _GRID)[1:-1]
    weakest = min(grid.tolist(), key=lambda r: abs(_williams(r_mean, r_std, r, n)))
    return Unknown(low, high, dependent(r_mean, r_std, weakest, n))


def admissible(r_mean: float, r_std: float) -> tuple[float, float]:
    """The r_between for which the three correlations form a correlation matrix."""
    half = math.sqrt((1 - r_mean**2) * (1 - r_std**2))
    return r_mean * r_std - half, r_mean * r_std + half


def _check(n: int, **correlations: float) -> None:
    if n < LEAST:
        raise InputError(f"n = {n}: Fisher's z needs at least {LEAST} runs")
    for name, r in correlations.items():
        if not -1 < r < 1:
            raise InputError(f"{name} = {r:g}: a correlation here must lie between −1 and 1")


def _williams(first: float, second: float, between: float, n: int) -> float:
    """Steiger's T2, eq. (7)."""
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    spread = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1 - between) ** 3
    return (first - second) * math.sqrt((n - 1) * (1 + between) / spread)


def _steiger(first: float, second: float, between: float, n: int) -> float:
    """Steiger's Z1*, eq. (14): Dunn & Clark's z with the mean correlation in the covariance."""
    covariance = _covariance((first + second) / 2, (first + second) / 2, between)
    return (math.atanh(first) - math.atanh(second)) * math.sqrt((n - 3) / (2 - 2 * covariance))


def _covariance(first: float, second: float, between: float) -> float:
    """Correlation between the two coefficients (Steiger, eq. 3)."""
    psi = between * (1 - first**2 - second**2) - 0.5 * first * second * (
        1 - first**2 - second**2 - between**2
    )
    return psi / ((1 - first**2) * (1 - second**2))


def _zou(first: float, second: float, between: float, n: int) -> tuple[float, float]:
    (low1, high1), (low2, high2) = interval(first, n), interval(second, n)
    shared = _covariance(first, second, between)
    down, up = first - low1, high2 - second
    low = math.sqrt(max(down**2 + up**2 - 2 * shared * down * up, 0.0))
    up, down = high1 - first, second - low2
    high = math.sqrt(max(up**2 + down**2 - 2 * shared * up * down, 0.0))
    return first - second - low, first - second + high
