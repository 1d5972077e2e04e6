"""Table 4 of [U]: which n its p-values were computed with."""

import math
from dataclasses import dataclass

import scipy

from latitude.statistics.correlation_difference import FisherTest, fisher

ROUNDING = 0.005
"""The table's coefficients are rounded to 0.01."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row as printed: an NPB program, its two correlations, its p-value."""

    program: str
    r_mean: float
    r_std: float
    p: float


TABLE = (
    Row("FT", 0.70, 0.89, 7.89e-33),
    Row("CG", 0.73, 0.91, 4.94e-39),
    Row("IS", 0.76, 0.93, 8.89e-50),
    Row("MG", 0.73, 0.95, 1.31e-93),
    Row("LU", 0.76, 0.97, 5.24e-148),
)


@dataclass(frozen=True, slots=True)
class Solved:
    """The n that gives a row's p-value by the formula of [U] §7."""

    row: Row
    n: float
    """From the coefficients as printed."""
    low: float
    high: float
    """From all coefficients that round to the printed ones."""

    def at(self, n: int) -> FisherTest:
        """The row's test for another n."""
        return fisher(self.row.r_mean, self.row.r_std, n)


def solve(row: Row) -> Solved:
    """The row's n = 3 + 2·(Φ⁻¹(p)/(artanh r_mean − artanh r_std))²."""
    z = _z(row.p)
    closest = _n(z, row.r_mean + ROUNDING, row.r_std - ROUNDING)
    furthest = _n(z, row.r_mean - ROUNDING, row.r_std + ROUNDING)
    return Solved(row, _n(z, row.r_mean, row.r_std), furthest, closest)


def common(solved: list[Solved]) -> tuple[int, int] | None:
    """The whole n that explain every row once rounding is allowed for; None when none does."""
    low = math.ceil(max(s.low for s in solved))
    high = math.floor(min(s.high for s in solved))
    return (low, high) if low <= high else None


def _n(z: float, r_mean: float, r_std: float) -> float:
    return 3 + 2 * (z / (math.atanh(r_mean) - math.atanh(r_std))) ** 2


def _z(p: float) -> float:
    """Φ⁻¹(p), by the logarithm of Φ, so that 5e-148 is no problem."""
    target = math.log(p)
    return float(
        scipy.optimize.brentq(lambda z: float(scipy.stats.norm.logcdf(z)) - target, -60, 0)
    )
