"""Correlations and lines against published values: R's documentation, NIST, hand calculation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latitude._core import InputError
from latitude.lab.statistics.correlation import pearson, spearman
from latitude.statistics.regression import line

# R, help(cor.test), after Hollander & Wolfe (1973), p. 187f: Hunter L measures of tuna.
TUNA_X = (44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1)
TUNA_Y = (2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8)

# NIST StRD, linear regression, Norris: y, x.
NORRIS = """
0.1 0.2 338.8 337.4 118.1 118.2 888.0 884.6 9.2 10.1 228.1 226.5 668.5 666.3 998.5 996.3
449.1 448.6 778.9 777.0 559.2 558.2 0.3 0.4 0.1 0.6 778.1 775.5 668.8 666.9 339.3 338.0
448.9 447.5 10.8 11.6 557.7 556.0 228.3 228.1 998.0 995.8 888.8 887.6 119.6 120.2 0.3 0.3
0.6 0.3 557.6 556.8 339.3 339.1 888.0 887.2 998.5 999.0 778.9 779.0 10.2 11.1 117.6 118.3
228.9 229.2 668.4 669.1 449.2 448.9 0.2 0.5
"""


def test_pearson_as_in_r() -> None:
    found = pearson(TUNA_X, TUNA_Y)
    assert found.r == pytest.approx(0.5711816, abs=5e-8)
    assert (found.low, found.high) == pytest.approx((-0.1497426, 0.8955795), abs=5e-8)
    assert found.p == pytest.approx(0.1082, abs=5e-5)
    assert found.n == 9


def test_spearman_as_in_r() -> None:
    found = spearman(TUNA_X, TUNA_Y)
    assert found.r == pytest.approx(0.6)
    assert found.p == pytest.approx(0.0968, abs=5e-5)  # R: exact
    half = 1.959964 * math.sqrt((1 + 0.18) / 6)
    assert found.high == pytest.approx(math.tanh(math.atanh(0.6) + half), abs=1e-6)


def test_norris() -> None:
    numbers = np.array(NORRIS.split(), dtype=float).reshape(-1, 2)
    fit = line(numbers[:, 1], numbers[:, 0])
    assert fit.n == 36
    assert fit.slope == pytest.approx(1.00211681802045, rel=1e-12)
    assert fit.intercept == pytest.approx(-0.262323073774029, rel=1e-11)
    assert fit.slope_se == pytest.approx(0.429796848199937e-03, rel=1e-11)
    assert fit.intercept_se == pytest.approx(0.232818234301152, rel=1e-11)
    assert fit.residual_sd == pytest.approx(0.884796396144373, rel=1e-11)
    assert fit.r_squared == pytest.approx(0.999993745883712, rel=1e-13)


def test_pearson_is_exact_far_from_zero() -> None:
    x = np.array([1e12, 1e12 + 1, 1e12 + 2, 1e12 + 3])
    assert pearson(x, 5 - 2 * x).r == -1.0
    assert pearson(x, x).p == 0.0
    assert (pearson(x, x).low, pearson(x, x).high) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("x", "y", "advice"),
    [
        ((1, 2, 3), (1, 2, 3), "only 3 pairs of values; at least 4"),
        ((1, 2, 3, 4), (1, 2, 3), "x has 4 values and y 3; they must pair up"),
        ((1, 1, 1, 1), (1, 2, 3, 4), "x is constant (1)"),
        ((1, 2, 3, 4), (7, 7, 7, 7), "y is constant (7)"),
        ((1, 2, math.nan, 4), (1, 2, 3, 4), "x: 1 of 4 values are not finite"),
        ((1, 2, 3, 4), (1, 2, 3, math.inf), "y: 1 of 4 values are not finite"),
    ],
)
def test_wrong_columns(x: tuple[float, ...], y: tuple[float, ...], advice: str) -> None:
    for correlate in (pearson, spearman, line):
        with pytest.raises(InputError) as stop:
            correlate(x, y)
        assert advice in str(stop.value)


@pytest.mark.thorough
@given(
    st.lists(st.integers(-10_000, 10_000), min_size=4, max_size=40, unique=True),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_spearman_knows_ranks_only(x: list[int], random: st.DrawFn) -> None:
    y = list(x)
    random.shuffle(y)  # type: ignore[attr-defined]
    plain = spearman(x, y)
    bent = spearman(np.array(x) ** 3, np.arctan(np.array(y) / 1e4))
    assert plain.r == pytest.approx(bent.r, abs=1e-12)
    assert plain.p == pytest.approx(bent.p, abs=1e-9)
    assert spearman(y, x).r == pytest.approx(plain.r, abs=1e-12)
    assert -1 <= plain.low <= plain.r <= plain.high <= 1
