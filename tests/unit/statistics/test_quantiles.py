"""Quantiles without SciPy: those of SciPy."""

import pytest
from scipy import stats

from latitude.statistics.quantiles import binomial_ends, student_t


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 99, 999, 10**5, 10**7])
@pytest.mark.parametrize("share", [0.6, 0.95, 0.975, 0.995])
def test_student_s_quantiles(freedom: int, share: float) -> None:
    assert student_t(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=2e-13)


@pytest.mark.parametrize("n", [1, 2, 17, 64, 1000, 1024, 12_345, 10**7])
@pytest.mark.parametrize("share", [0.0, 1e-6, 0.05, 0.25, 0.5, 0.9, 0.99, 0.9999, 1.0])
@pytest.mark.parametrize("tail", [0.025, 0.005])
def test_the_ends_of_a_binomial(n: int, share: float, tail: float) -> None:
    binomial = stats.binom(n, share)
    assert binomial_ends(tail, n, share) == (binomial.ppf(tail), binomial.isf(tail))
