"""Differences of correlations: worked examples of the literature, and Table 4 of [U]."""

import math

import pytest

from latitude._core import InputError
from latitude.statistics.correlation_difference import between_unknown, dependent, fisher
from latitude.statistics.underwood import TABLE, common, solve

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
    """Which n gives the p-values of [U] Table 4; docs/statistics.md states this finding."""
    solved = [solve(row) for row in TABLE]
    assert [round(each.n) for each in solved] == [920, 948, 1000, 1033, 1118]
    # From the coefficients as printed no single n gives all five p-values …
    assert max(each.n for each in solved) / min(each.n for each in solved) > 1.2
    # … but coefficients that round to the printed ones do, for any n from 934 to 1041.
    assert common(solved) == (934, 1041)
    for each in solved:
        assert each.at(round(each.n)).p == pytest.approx(each.row.p, rel=0.2)
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
