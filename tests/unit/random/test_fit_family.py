"""The 3-parameter lognormal of [U] §5.3 and its family of equal means."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from latitude.distributions import parse_distribution, parse_table
from latitude.distributions.table import table_text
from latitude.lab.distributions.family import equal_mean_family, shape_for_mean, with_mean
from latitude.lab.distributions.lognormal import fit_lognormal
from latitude.lab.distributions.worker import assess


@pytest.mark.thorough
@settings(max_examples=15, deadline=None)
@given(st.floats(0.1, 1.2), st.floats(0, 5e4), st.floats(100, 1e5), st.integers(0, 10**6))
def test_means_are_equal(s: float, loc: float, scale: float, seed: int) -> None:
    samples = np.sort(stats.lognorm(s, loc, scale).rvs(300, random_state=seed))
    mean = float(samples.mean())
    family = equal_mean_family(assess("lognorm", fit_lognormal(samples), samples), mean)
    members = [sibling.member for sibling in family]
    assert [member.name for member in members] == [
        "constant",
        *(f"lognormal-{share}" for share in (100, 75, 50, 25)),
    ]
    for member in members:
        assert member.mean_ns == pytest.approx(mean, rel=1e-12)
        # Whole ns: half of one, shared by 4,096 entries.
        assert member.table.mean_ns == pytest.approx(member.mean_ns, rel=1e-6, abs=0.5 / 4096)
    assert sorted(member.sd_ns for member in members) == [member.sd_ns for member in members]


@pytest.mark.parametrize(
    "samples",
    [
        stats.weibull_min(0.6, 0, 2e3).rvs(2000, random_state=1),
        stats.pareto(1.5, 0, 3e3).rvs(2000, random_state=1),
        np.concatenate([stats.norm(5e3, 50).rvs(900, random_state=1), np.full(100, 6e7)]),
        np.linspace(1e9, 1e9 + 1, 100),
    ],
    ids=["weibull", "pareto", "two sizes", "hardly varying"],
)
def test_the_family_keeps_the_mean_of_the_samples(samples: NDArray[np.float64]) -> None:
    """The most likely lognormal does not: its mean is up to 30 times as large here."""
    lognormal = assess("lognorm", fit_lognormal(np.sort(samples)), np.sort(samples))
    mean = float(samples.mean())
    for sibling in equal_mean_family(lognormal, mean):
        assert sibling.member.mean_ns == pytest.approx(mean, rel=1e-12)
        written = np.loadtxt(table_text(sibling.table).splitlines(), dtype=np.int64)
        assert written.mean() == pytest.approx(mean, rel=1e-9, abs=0.5 / 4096)


def test_a_mean_that_no_shape_has_changes_the_scale() -> None:
    shape, loc, scale = with_mean(1e-4, 100.0, 5000.0, 5099.9)
    assert (shape, loc) == (1e-4, 100.0)
    assert stats.lognorm.mean(shape, loc, scale) == pytest.approx(5099.9, rel=1e-12)


def test_members_are_words_that_make_the_same_table() -> None:
    samples = np.sort(stats.lognorm(0.6, 2e3, 3e3).rvs(500, random_state=1))
    lognormal = assess("lognorm", fit_lognormal(samples), samples)
    for sibling in equal_mean_family(lognormal, float(samples.mean())):
        again = parse_table(sibling.member.distribution)
        np.testing.assert_array_equal(again.values, sibling.table.values)
        if sibling.member.name != "constant":
            frozen = parse_distribution(sibling.member.distribution)
            assert frozen.mean() == pytest.approx(sibling.member.mean_ns, rel=1e-12)


@given(st.floats(1e-5, 5), st.floats(1, 1e9))
def test_root_finding_agrees_with_the_formula(shape: float, scale: float) -> None:
    mean = scale * math.exp(shape * shape / 2)
    assert shape_for_mean(mean, scale) == pytest.approx(shape, rel=1e-4)


def test_parameters_come_back() -> None:
    samples = np.sort(stats.lognorm(0.5, 6000, 900).rvs(5000, random_state=2))
    found = fit_lognormal(samples)
    assert found.shapes[0] == pytest.approx(0.5, rel=0.05)
    assert found.loc == pytest.approx(6000, rel=0.02)
    assert found.scale == pytest.approx(900, rel=0.05)


def test_a_latency_does_not_begin_below_zero() -> None:
    samples = np.sort(np.abs(stats.norm(5000, 500).rvs(500, random_state=3)))
    assert fit_lognormal(samples).loc >= 0


def test_zero_latencies_have_a_fit() -> None:
    samples = np.sort(np.append(stats.expon(0, 100).rvs(100, random_state=4), 0.0))
    found = assess("lognorm", fit_lognormal(samples), samples)
    assert math.isfinite(found.log_likelihood)
