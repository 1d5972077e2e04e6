"""L-moments against the definition, SciPy, and distributions whose ratios are known."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from latitude.lab.statistics.l_moments import LMoments, l_moments
from latitude.statistics.sample import sample_of


@given(st.lists(st.integers(0, 10**6), min_size=4, max_size=9))
@settings(max_examples=40, deadline=None)
def test_they_are_means_over_all_subsamples(values: list[int]) -> None:
    """Hosking 1990, (2.1): λ_r is a mean of differences within every subsample of size r."""
    ordered = np.sort(np.array(values, dtype=float))
    weights = ((1,), (-1, 1), (1, -2, 1), (-1, 3, -3, 1))
    expected = [
        np.mean([np.dot(w, part) for part in combinations(ordered, len(w))]) / len(w)
        for w in weights
    ]
    assert l_moments(ordered) == pytest.approx(expected, abs=1e-6)


def test_they_are_scipys() -> None:
    values = np.sort(np.random.default_rng(1).lognormal(8, 1, 500))
    theirs = [float(stats.lmoment(values, order=r, standardize=False)) for r in (1, 2, 3, 4)]
    assert l_moments(values) == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize(
    ("quantile", "ratios"),
    [
        (stats.uniform.ppf, (1 / 3, 0, 0)),
        (stats.expon.ppf, (1 / 2, 1 / 3, 1 / 6)),
        (stats.gumbel_r(10).ppf, (np.log(2) / (10 + np.euler_gamma), 0.1699, 0.1504)),
        (stats.norm(10).ppf, (1 / (10 * np.sqrt(np.pi)), 0, 0.1226)),
    ],
)
def test_ratios_of_known_distributions(quantile: object, ratios: tuple[float, ...]) -> None:
    """Hosking 1990, Table 1, on evenly spaced quantiles."""
    assert callable(quantile)
    found = LMoments.of(sample_of(1e3 * quantile((np.arange(200_000) + 0.5) / 200_000)))
    assert found is not None
    assert (found.l_cv, found.l_skewness, found.l_kurtosis) == pytest.approx(ratios, abs=2e-4)


def test_a_constant_sample_has_none() -> None:
    assert LMoments.of(sample_of([5.0] * 10)) is None
