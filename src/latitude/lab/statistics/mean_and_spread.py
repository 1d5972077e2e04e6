"""Correlations of runtime with mean and standard deviation of latency, side by side."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import scipy
from msgspec import Meta
from numpy.typing import ArrayLike

from latitude._types import Count, Floats, Share, Unbounded
from latitude.lab.statistics.correlation import pearson, spearman
from latitude.lab.statistics.correlation_difference import Dependent, dependent, fisher
from latitude.statistics.conventions import CONFIDENCE
from latitude.statistics.regression import line
from latitude.units.columns import COUNT, LOG10_P, P_VALUE, column, number

Coefficient = Annotated[float, Meta(ge=-1, le=1)]

_ALIKE = 1 - 1e-12
"""Least correlation of two columns that count as equal."""
_TERMS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Runtime against one property of the latency."""

    r: Annotated[Coefficient, column("r", number(".2f"))]
    """Pearson's r."""
    r_low: Coefficient
    r_high: Coefficient
    p: Share
    rho: Coefficient
    """Spearman's ρ."""
    rho_low: Coefficient
    rho_high: Coefficient
    rho_p: Share
    slope: float
    """ns of runtime per ns, by least squares."""
    slope_low: float
    slope_high: float
    intercept_ns: float
    r_squared: Annotated[float, column("R²", number(".3f"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTest:
    """The one-sided test of Underwood et al."""

    z: float
    p: Share
    log10_p: Annotated[float, column("p as published", LOG10_P)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentTest:
    """Tests of Williams and of Steiger for correlations that share the runtimes, two-sided."""

    williams_t: float
    williams_p: Annotated[Share, column("p (Williams)", P_VALUE)]
    steiger_z: float
    steiger_p: Share
    difference_low: float
    """Lower end of the interval of r_mean - r_std."""
    difference_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlated:
    """A row of Table 4 of Underwood et al.: runtime against mean and against sd of latency."""

    n: Annotated[Count, column("levels", COUNT)]
    r_between: Coefficient
    """Correlation of mean and sd of the distributions."""
    mean: Relation
    std: Relation
    fisher: PublishedTest | None
    """null if two of runtime, mean and sd are linear functions of each other."""
    dependent: DependentTest | None
    """null if two of runtime, mean and sd are linear functions of each other."""

    @property
    def std_more(self) -> bool:
        """Whether the standard deviation has the larger correlation."""
        return self.std.r > self.mean.r


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """Mean runtime = intercept + per_mean * mean + per_std * sd, by least squares."""

    intercept_ns: float
    per_mean: float
    """Runtime per additional ns of each message's mean latency, at the same variation."""
    per_std: float
    """Runtime per additional ns of sd, at the same mean."""
    r_squared: Annotated[float, column("R²", number(".3f"))]
    mean_half: Unbounded
    """Half the 95 % interval by Student's t (n − 3 d.f.); null up to n = 3."""
    std_half: Unbounded


def correlated(mean: ArrayLike, std: ArrayLike, T: ArrayLike) -> Correlated | None:
    """Both correlations and the tests of their difference; None if T never changes.

    Args:
        mean: mean of the latency, ns, one value per run (or per level).
        std: standard deviation of the latency, ns.
        T: runtimes, ns.

    Raises:
        InputError: there are fewer than 4 runs, or the means or the sds are all equal.
    """
    runtimes = np.asarray(T, dtype=np.float64)
    if np.ptp(runtimes) == 0:
        return None
    against_mean, against_std = relation(mean, T), relation(std, T)
    both, n = compared(mean, std, T), runtimes.size
    return Correlated(
        n=n,
        r_between=pearson(mean, std).r,
        mean=against_mean,
        std=against_std,
        fisher=None if both is None else _fisher(against_mean.r, against_std.r, n),
        dependent=None if both is None else _dependent(both),
    )


def _fisher(r_mean: float, r_std: float, n: int) -> PublishedTest:
    found = fisher(r_mean, r_std, n)
    return PublishedTest(z=found.z, p=found.p, log10_p=found.log10_p)


def _dependent(found: Dependent) -> DependentTest:
    return DependentTest(
        williams_t=found.williams_t,
        williams_p=found.williams_p,
        steiger_z=found.steiger_z,
        steiger_p=found.steiger_p,
        difference_low=found.low,
        difference_high=found.high,
    )


def compared(mean: ArrayLike, std: ArrayLike, T: ArrayLike) -> Dependent | None:
    """Test of the difference of two correlations; None if T is constant, or some |r| is 1."""
    if np.ptp(np.asarray(T)) == 0:
        return None
    r = np.corrcoef([mean, std, T])  # no intervals, because this runs often
    r_mean, r_std, between = float(r[0, 2]), float(r[1, 2]), float(r[0, 1])
    if max(math.fabs(r_mean), math.fabs(r_std), math.fabs(between)) >= _ALIKE:
        return None
    return dependent(r_mean, r_std, between, np.size(T))


def relation(x: ArrayLike, T: ArrayLike) -> Relation:
    """Pearson's r, Spearman's ρ and the line. InputError as for `pearson`."""
    linear, ranked, fit = pearson(x, T), spearman(x, T), line(x, T)
    return Relation(
        r=linear.r,
        r_low=linear.low,
        r_high=linear.high,
        p=linear.p,
        rho=ranked.r,
        rho_low=ranked.low,
        rho_high=ranked.high,
        rho_p=ranked.p,
        slope=fit.slope,
        slope_low=fit.slope_low,
        slope_high=fit.slope_high,
        intercept_ns=fit.intercept,
        r_squared=fit.r_squared,
    )


def plane(mean: ArrayLike, std: ArrayLike, T: ArrayLike) -> Plane:
    """The separate costs of mean and sd; `separable` tells if the data separate mean and sd.

    Intervals assume independent residuals of equal spread, and contain lack of fit as well as
    noise.
    """
    terms, T_ns = _terms(mean, std), np.asarray(T, dtype=np.float64)
    found = np.linalg.lstsq(terms, T_ns, rcond=None)[0]
    left = float(np.square(T_ns - terms @ found).sum())
    total = float(np.square(T_ns - T_ns.mean()).sum())
    free = T_ns.size - _TERMS
    mean_half = std_half = math.nan
    if free > 0:
        error = np.sqrt(np.diag(np.linalg.pinv(terms.T @ terms)) * left / free)
        _, mean_half, std_half = (scipy.stats.t.ppf(0.5 + CONFIDENCE / 2, free) * error).tolist()
    intercept, per_mean, per_std = found.tolist()
    explained = 1 - left / total if total > 0 else 1.0
    return Plane(
        intercept_ns=intercept,
        per_mean=per_mean,
        per_std=per_std,
        r_squared=explained,
        mean_half=mean_half,
        std_half=std_half,
    )


def separable(mean: ArrayLike, std: ArrayLike) -> bool:
    """Whether the latencies can tell costs of mean and sd apart: they are not all on one line."""
    terms = _terms(mean, std)
    largest = np.abs(terms).max(axis=0, initial=0)
    return bool(np.linalg.matrix_rank(terms / np.where(largest > 0, largest, 1)) == _TERMS)


def _terms(mean: ArrayLike, std: ArrayLike) -> Floats:
    x, y = np.asarray(mean, dtype=np.float64), np.asarray(std, dtype=np.float64)
    return np.column_stack([np.ones_like(x), x, y])
