"""The criteria of a fit, against figures worked out by hand and SciPy's own statistic."""

import math

import numpy as np
import pytest
from scipy import stats

from latitude.lab.distributions.criteria import BINS, criteria

SAMPLES = np.sort(np.random.default_rng(3).exponential(2_000, 500))
FITTED = stats.expon(scale=2_000)


def test_parameters_cost_two_or_ln_n_each() -> None:
    likelihood = float(FITTED.logpdf(SAMPLES).sum())
    found = criteria(FITTED, 3, SAMPLES)
    assert found.aic == pytest.approx(6 - 2 * likelihood, rel=1e-12)
    assert found.bic == pytest.approx(3 * math.log(500) - 2 * likelihood, rel=1e-12)


def test_the_distance_is_that_of_kolmogorov_and_smirnov() -> None:
    found = criteria(FITTED, 2, SAMPLES)
    assert found.ks == pytest.approx(stats.kstest(SAMPLES, FITTED.cdf).statistic, rel=1e-12)


def test_squared_errors_are_those_of_densities_per_us() -> None:
    """All samples in the first of 100 bins but one: densities are known."""
    samples = np.array([0.0] * 99 + [1e5])
    flat = stats.uniform(0, 1e5)
    high, width = 0.99 * BINS / 1e5, 1e5 / BINS
    off = (high - 1e-5) ** 2 + (0.01 / width - 1e-5) ** 2 + (BINS - 2) * 1e-5**2
    assert criteria(flat, 2, samples).sse == pytest.approx(off * 1e6, rel=1e-9)
