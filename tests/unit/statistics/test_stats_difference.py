"""Differences of correlations: worked examples of the literature, and Table 4 of [U]."""

import math
from dataclasses import dataclass

import pytest
import scipy

from latitude._core import InputError
from latitude.lab.statistics.correlation_difference import between_unknown, dependent, fisher

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
    """Solution from the coefficients as printed."""
    low: float
    high: float
    """Greatest solution from all coefficients that round to the printed ones."""


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


# Silver, Hittner & May, Applied Psychological Measurement 30 (2006): r = .3, .4, .5; n = 100.
SILVER = (0.3, 0.4, 0.5, 100)


def test_williams_and_steiger_as_published() -> None:
    found = dependent(*SILVER)
    assert round(found.williams_t, 4) == -1.0767
    assert round(found.williams_p, 4) == 0.2843
    assert round(found.steiger_z, 4) == -1.0718
    assert round(found.steiger_p, 4) == 0.2838


def test_steigers_own_example() -> None:
    """Psychological Bulletin 87 (1980), p. 249, case A: masculinity, femininity, verbal ability.

    The paper prints −.8913 with a covariance rounded to .0042; unrounded it is −.8887.
    """
    found = dependent(0.4, 0.5, 0.1, 103)
    assert found.steiger_z == pytest.approx(-0.8887185, abs=5e-8)
    assert found.steiger_z == pytest.approx(-0.8913, abs=0.003)
    assert found.williams_t == pytest.approx(-0.89, abs=0.005)


def test_zous_interval_as_published() -> None:
    """Zou, Psychological Methods 12 (2007): (−.093, .517)."""
    found = dependent(0.396, 0.179, 0.088, 66)
    assert (round(found.low, 3), round(found.high, 3)) == (-0.093, 0.517)


def test_fisher_as_in_underwood() -> None:
    found = fisher(0.70, 0.89, 920)
    z = (math.atanh(0.70) - math.atanh(0.89)) / math.sqrt(2 / 917)
    assert found.z == pytest.approx(z)
    assert found.p == pytest.approx(7.89e-33, rel=0.01)
    assert 10**found.log10_p == pytest.approx(found.p, rel=1e-6)
    assert fisher(0.1, 0.99, 10_000).p == 0.0
    assert fisher(0.1, 0.99, 10_000).log10_p < -1000


def test_underwoods_table_4() -> None:
    """Which n gives the p-values of [U] Table 4, as docs/explanation/statistics.md states."""
    solved = [solve(row) for row in TABLE]
    assert [round(each.n) for each in solved] == [920, 948, 1000, 1033, 1118]
    # From the coefficients as printed no single n gives all five p-values …
    assert max(each.n for each in solved) / min(each.n for each in solved) > 1.2
    # … but coefficients that round to the printed ones do, for any n from 934 to 1041.
    assert common(solved) == (934, 1041)
    for each in solved:
        assert fisher(each.row.r_mean, each.row.r_std, round(each.n)).p == pytest.approx(
            each.row.p, rel=0.2
        )
        assert each.low < 934
        assert each.high > 1041


def test_underwoods_conclusion_stands_for_every_r_between() -> None:
    for row in TABLE:
        unknown = between_unknown(row.r_mean, row.r_std, 934)
        assert unknown.low > 0
        assert unknown.weakest.williams_p < 1e-30
        # Ignoring that both share the runtimes was cautious here, not the reverse.
        assert unknown.weakest.williams_p < fisher(row.r_mean, row.r_std, 934).p_two_sided


def test_underwoods_conclusion_needs_more_than_the_levels() -> None:
    """Were only the levels independent (say 40), FT's difference would still be significant."""
    assert between_unknown(0.70, 0.89, 40).weakest.williams_p < 0.05
    assert fisher(0.70, 0.89, 20).p_two_sided > 0.05


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ((0.5, 0.6, 0.5, 3), "n = 3: Fisher's z needs at least 4 runs"),
        ((1.0, 0.6, 0.5, 30), "r_mean = 1: a correlation here must lie between"),
        ((0.9, 0.9, -0.9, 30), "r_between = -0.9 cannot go with r_mean = 0.9"),
    ],
)
def test_impossible_correlations(arguments: tuple[float, float, float, int], advice: str) -> None:
    with pytest.raises(InputError) as stop:
        dependent(*arguments)
    assert advice in str(stop.value)


def test_equal_correlations_do_not_differ() -> None:
    found = dependent(0.6, 0.6, 0.3, 50)
    assert (found.williams_t, found.steiger_z) == (0.0, 0.0)
    assert found.low < 0 < found.high
