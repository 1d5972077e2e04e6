"""Runtime against mean and against standard deviation of latency, side by side ([U] §7)."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from latitude._types import Floats
from latitude.statistics.correlation import Correlation, pearson, spearman
from latitude.statistics.correlation_difference import Dependent, FisherTest, dependent, fisher
from latitude.statistics.regression import Line, line

_ALIKE = 1 - 1e-12
"""Correlations of columns that are one and the same."""
_TERMS = 3
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Relation:
    """Runtime against one figure of the latency."""

    pearson: Correlation
    spearman: Correlation
    line: Line
    """Slope in ns of runtime a ns."""


@dataclass(frozen=True, slots=True)
class Correlated:
    """A row of [U] Table 4: runtime against mean and against standard deviation of latency."""

    n: int
    mean: Relation
    std: Relation
    r_between: float
    """Of mean and standard deviation: the design's alone."""
    fisher: FisherTest | None
    """The test of [U] §7; None when runtime is a linear function of one of the two."""
    dependent: Dependent | None
    """Williams's and Steiger's, for correlations that share the runtimes; None as above."""


@dataclass(frozen=True, slots=True)
class Plane:
    """Runtime = intercept + per_mean·mean + per_std·sd, by least squares."""

    intercept_ns: float
    per_mean: float
    """Runtime that a ns more costs each message, variation being the same."""
    per_std: float
    """Runtime that a ns of sd costs at the same mean."""
    r_squared: float
    mean_half: float
    """Half the 95 % interval of `per_mean` by Student's t (n − 3 d.f.); NaN up to n = 3."""
    std_half: float
    """Half that of `per_std`."""


def correlated(mean: ArrayLike, std: ArrayLike, T: ArrayLike) -> Correlated | None:
    """Both correlations and what tells them apart; None when T never changes.

    Args:
        mean: of the latency, ns, one value a run (or a level).
        std: its standard deviation, ns.
        T: runtimes, ns.

    Raises:
        InputError: fewer than 4 runs, or a mean or sd that is the same in all of them.
    """
    runtimes = np.asarray(T, dtype=np.float64)
    if np.ptp(runtimes) == 0:
        return None
    against_mean, against_std = relation(mean, T), relation(std, T)
    both, n = compared(mean, std, T), runtimes.size
    return Correlated(
        n,
        against_mean,
        against_std,
        pearson(mean, std).r,
        fisher(against_mean.pearson.r, against_std.pearson.r, n) if both else None,
        both,
    )


def compared(mean: ArrayLike, std: ArrayLike, T: ArrayLike) -> Dependent | None:
    """The two correlations against each other; None when two of the columns are as good as one."""
    r_mean, r_std, between = (pearson(x, y).r for x, y in ((mean, T), (std, T), (mean, std)))
    if max(math.fabs(r_mean), math.fabs(r_std), math.fabs(between)) >= _ALIKE:
        return None
    return dependent(r_mean, r_std, between, np.size(T))


def relation(x: ArrayLike, T: ArrayLike) -> Relation:
    """Pearson, Spearman and the line; InputError as `correlated`."""
    return Relation(pearson(x, T), spearman(x, T), line(x, T))


def plane(mean: ArrayLike, std: ArrayLike, T: ArrayLike) -> Plane:
    """What mean and sd cost, each while the other stays; ask `separable` whether that is told.

    Intervals assume independent residuals of equal spread, and hold lack of fit as well as noise.
    """
    terms, T_ns = _terms(mean, std), np.asarray(T, dtype=np.float64)
    found = np.linalg.lstsq(terms, T_ns, rcond=None)[0]
    left = float(np.square(T_ns - terms @ found).sum())
    total = float(np.square(T_ns - T_ns.mean()).sum())
    free = T_ns.size - _TERMS
    mean_half = std_half = math.nan
    if free > 0:
        error = np.sqrt(np.diag(np.linalg.pinv(terms.T @ terms)) * left / free)
        _, mean_half, std_half = (stats.t.ppf(0.5 + _CONFIDENCE / 2, free) * error).tolist()
    intercept, per_mean, per_std = found.tolist()
    explained = 1 - left / total if total > 0 else 1.0
    return Plane(intercept, per_mean, per_std, explained, mean_half, std_half)


def separable(mean: ArrayLike, std: ArrayLike) -> bool:
    """Whether the latencies can tell a cost of the mean from one of the sd: not all on one line."""
    terms = _terms(mean, std)
    largest = np.abs(terms).max(axis=0, initial=0)
    return bool(np.linalg.matrix_rank(terms / np.where(largest > 0, largest, 1)) == _TERMS)


def _terms(mean: ArrayLike, std: ArrayLike) -> Floats:
    x, y = np.asarray(mean, dtype=np.float64), np.asarray(std, dtype=np.float64)
    return np.column_stack([np.ones_like(x), x, y])


def correlated_dict(found: Correlated | None) -> dict[str, Any] | None:
    """As in `latitude.variation/1` and `latitude.campaign/1`."""
    if found is None:
        return None
    fisher, both = found.fisher, found.dependent
    return {
        "n": found.n,
        "r_between": found.r_between,
        "mean": relation_dict(found.mean),
        "std": relation_dict(found.std),
        "fisher": None
        if fisher is None
        else {"z": fisher.z, "p": fisher.p, "log10_p": fisher.log10_p},
        "dependent": None
        if both is None
        else {
            "williams_t": both.williams_t,
            "williams_p": both.williams_p,
            "steiger_z": both.steiger_z,
            "steiger_p": both.steiger_p,
            "difference_low": both.low,
            "difference_high": both.high,
        },
    }


def relation_dict(found: Relation) -> dict[str, Any]:
    """As there."""
    fit = found.line
    return {
        "r": found.pearson.r,
        "r_low": found.pearson.low,
        "r_high": found.pearson.high,
        "p": found.pearson.p,
        "rho": found.spearman.r,
        "rho_low": found.spearman.low,
        "rho_high": found.spearman.high,
        "rho_p": found.spearman.p,
        "slope": fit.slope,
        "slope_low": fit.slope_low,
        "slope_high": fit.slope_high,
        "intercept_ns": fit.intercept,
        "r_squared": fit.r_squared,
    }
