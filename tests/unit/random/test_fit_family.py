"""The 3-parameter lognormal of [U] §5.3 and its family of equal means."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from latitude.distributions import parse_distribution, parse_table
from latitude.distributions.fitting.family import equal_mean_family, shape_for_mean
from latitude.distributions.fitting.lognormal import fit_lognormal
from latitude.distributions.fitting.worker import assess


@settings(max_examples=15, deadline=None)
@given(st.floats(0.1, 1.2), st.floats(0, 5e4), st.floats(100, 1e5), st.integers(0, 10**6))
def test_means_are_equal(s: float, loc: float, scale: float, seed: int) -> None:
    samples = np.sort(stats.lognorm(s, loc, scale).rvs(300, random_state=seed))
    family = equal_mean_family(assess("lognorm", fit_lognormal(samples), samples))
    members = [sibling.member for sibling in family]
    assert [member.name for member in members] == [
        "constant",
        *(f"lognormal-{share}" for share in (100, 75, 50, 25)),
    ]
    for member in members:
        assert member.mean_ns == pytest.approx(members[0].mean_ns, rel=1e-12)
        # Whole ns: half of one, shared by 4,096 entries.
        assert member.table.mean_ns == pytest.approx(member.mean_ns, rel=1e-6, abs=0.5 / 4096)
    assert sorted(member.sd_ns for member in members) == [member.sd_ns for member in members]


def test_members_are_words_that_make_the_same_table() -> None:
    samples = np.sort(stats.lognorm(0.6, 2e3, 3e3).rvs(500, random_state=1))
    for sibling in equal_mean_family(assess("lognorm", fit_lognormal(samples), samples)):
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
