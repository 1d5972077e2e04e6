"""Two samples against each other: published values, brute force, invariances."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from latitude._core import InputError
from latitude.lab.statistics.normality import critical, normality
from latitude.lab.statistics.two_sample_distance import DistributionDistance, tied_p
from latitude.statistics.corrections import benjamini_hochberg, holm
from latitude.statistics.rank_test import rank_test, u_counts

# R, help(wilcox.test), after Hollander & Wolfe (1973), p. 69f: permeability constants.
CHORIOAMNION = (0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
TERM = (1.15, 0.88, 0.90, 0.74, 1.21)


def test_mann_whitney_as_in_r() -> None:
    """R: W = 35, one-sided exact p-value = 0.1272; two-sided it is twice that."""
    found = rank_test(CHORIOAMNION, TERM)
    assert found.u == 35
    assert found.exact
    assert found.p.p == pytest.approx(2 * 0.1272, abs=1e-4)
    assert found.larger == pytest.approx(0.7)
    assert found.rank_biserial == pytest.approx(0.4)


def test_hodges_lehmann_as_in_r() -> None:
    """R, wilcox.test(x, y, conf.int = TRUE): location 0.305, 95 % interval (−0.15, 0.76)."""
    found = rank_test(CHORIOAMNION, TERM)
    assert found.shift_ns == pytest.approx(0.305)
    assert (found.shift_low_ns, found.shift_high_ns) == pytest.approx((-0.15, 0.76))


def test_distribution_of_u_by_listing() -> None:
    for n, m in ((2, 3), (4, 4), (5, 2)):
        listed = np.zeros(n * m + 1)
        for places in combinations(range(n + m), n):
            listed[sum(places) - n * (n - 1) // 2] += 1
        assert u_counts(n, m).tolist() == listed.tolist()
    assert u_counts(20, 25).sum() == math.comb(45, 20)


@given(
    st.lists(st.integers(0, 1000), min_size=4, max_size=25),
    st.lists(st.integers(0, 1000), min_size=4, max_size=25),
)
@settings(max_examples=60, deadline=None)
def test_the_shift_is_the_median_of_all_differences(first: list[int], second: list[int]) -> None:
    found = rank_test(first, second)
    differences = np.subtract.outer(np.array(first), np.array(second)).ravel()
    assert found.shift_ns == pytest.approx(float(np.median(differences)), abs=1e-9)
    assert found.shift_low_ns <= found.shift_ns <= found.shift_high_ns
    assert found.u == np.sum(differences > 0) + np.sum(differences == 0) / 2
    back = rank_test(second, first)
    assert back.larger == pytest.approx(1 - found.larger)
    assert back.shift_ns == pytest.approx(-found.shift_ns, abs=1e-9)
    assert back.p.p == pytest.approx(found.p.p)


@pytest.mark.thorough
@given(
    st.lists(st.integers(1, 10**6), min_size=4, max_size=30),
    st.lists(st.integers(1, 10**6), min_size=4, max_size=30),
)
@settings(max_examples=60, deadline=None)
def test_ranks_do_not_know_units(first: list[int], second: list[int]) -> None:
    plain = rank_test(first, second)
    bent = rank_test(np.log(first), np.log(second))
    assert plain.p.p == pytest.approx(bent.p.p, abs=1e-9)
    for name in ("u", "larger", "larger_low", "larger_high", "rank_biserial"):
        assert getattr(plain, name) == pytest.approx(getattr(bent, name), abs=1e-9)


@pytest.mark.thorough
def test_intervals_of_a_comparison_hold_what_they_promise() -> None:
    random = np.random.default_rng(3)
    larger = shift = 0
    truth = float(stats.norm.cdf(0.5 / math.sqrt(2)))
    for _ in range(200):
        found = rank_test(random.normal(0.5, 1, 70), random.normal(0, 1, 60))
        larger += found.larger_low <= truth <= found.larger_high
        shift += found.shift_low_ns <= 0.5 <= found.shift_high_ns
    assert larger >= 0.9 * 200
    assert shift >= 0.9 * 200


def listed_p(first: list[int], second: list[int]) -> float:
    """p of two-sample Kolmogorov and Smirnov's D, from every division of the pooled values."""
    pooled, n = np.sort([*first, *second]), len(first)

    def distance(chosen: tuple[int, ...]) -> float:
        held = np.zeros(pooled.size, dtype=bool)
        held[list(chosen)] = True
        ends = np.append(np.diff(pooled) > 0, True)
        gaps = np.cumsum(held) / n - np.cumsum(~held) / (pooled.size - n)
        return float(np.abs(gaps[ends]).max())

    found = float(stats.ks_2samp(first, second, method="asymp").statistic)
    every = [distance(chosen) for chosen in combinations(range(pooled.size), n)]
    return float(np.mean(np.array(every) >= found - 1e-12))


@pytest.mark.thorough
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=6),
    st.lists(st.integers(0, 4), min_size=2, max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_tied_samples_have_an_exact_p_value(first: list[int], second: list[int]) -> None:
    a, b = np.sort(np.array(first, dtype=float)), np.sort(np.array(second, dtype=float))
    assert DistributionDistance.of(a, b).p.p == pytest.approx(listed_p(first, second), abs=1e-12)


def test_ties_make_scipys_p_value_too_large() -> None:
    random = np.random.default_rng(5)
    a, b = (np.sort(random.integers(0, 4, 300).astype(float)) for _ in range(2))
    found = DistributionDistance.of(a, b)
    theirs = stats.ks_2samp(a, b)
    assert found.distance == theirs.statistic
    assert found.p.p < 0.8 * theirs.pvalue
    untied = random.random(40), random.random(50)
    ours = DistributionDistance.of(*map(np.sort, untied)).p.p
    assert ours == pytest.approx(float(stats.ks_2samp(*untied).pvalue))
    together = np.ones(90, dtype=np.int64)  # the same walk, without ties
    d = float(stats.ks_2samp(*untied).statistic)
    assert tied_p(d, 40, 50, together) == pytest.approx(ours, rel=1e-9)


def test_samples_far_apart() -> None:
    found = rank_test([10.0, 11, 12, 13, 14], [1.0, 2, 3, 4, 5])
    assert found.larger == 1.0
    assert found.larger_low < 0.6
    assert found.larger_high == 1.0
    same = rank_test([5.0] * 6, [5.0] * 7)
    assert (same.p.p, same.larger, same.shift_ns) == (1.0, 0.5, 0.0)


@pytest.mark.thorough
def test_many_samples_are_compared_without_listing_pairs() -> None:
    random = np.random.default_rng(1)
    found = rank_test(random.normal(100, 10, 200_000), random.normal(98, 10, 100_000))
    assert found.shift_ns == pytest.approx(2, abs=0.2)
    assert found.shift_low_ns < 2 < found.shift_high_ns


# Lilliefors, JASA 62 (1967) simulated 1,000 samples; these are the values of later, larger
# simulations: Dallal & Wilkinson, American Statistician 40 (1986), and 0.895/√n and 1.035/√n of
# Stephens, JASA 69 (1974), for the large n. Ours are 1.8 % over Stephens's at the level 0.01, for
# every n from 100 on; his come from a smaller simulation.
@pytest.mark.parametrize(
    ("n", "level", "value"),
    [
        (10, 0.05, 0.262),
        (20, 0.05, 0.192),
        (30, 0.05, 0.159),
        (20, 0.01, 0.223),
        (1000, 0.05, 0.895 / (math.sqrt(1000) - 0.01 + 0.85 / math.sqrt(1000))),
        (1000, 0.01, 1.035 / (math.sqrt(1000) - 0.01 + 0.85 / math.sqrt(1000))),
    ],
)
def test_critical_values_of_lilliefors_as_published(n: int, level: float, value: float) -> None:
    assert critical(level, n) == pytest.approx(value, rel=0.02)


def test_lilliefors_against_scipys_simulation() -> None:
    values = np.random.default_rng(12).gamma(9, 1, 40)
    ours = normality(values)
    theirs = stats.goodness_of_fit(
        stats.norm, values, statistic="ks", n_mc_samples=1999, rng=np.random.default_rng(1)
    )
    assert ours.distance == pytest.approx(float(theirs.statistic), abs=1e-12)
    assert ours.p == pytest.approx(float(theirs.pvalue), abs=0.04)
    assert ours.p_plain == pytest.approx(
        float(stats.kstest(values, "norm", (values.mean(), values.std(ddof=1))).pvalue)
    )
    assert ours.p_plain > ours.p  # taking mean and sd as known is too kind


def test_normality_by_kind() -> None:
    random = np.random.default_rng(0)
    assert normality(random.normal(100, 5, 500)).p > 0.05
    assert normality(random.lognormal(8, 1, 500)).p == 0.0005
    with pytest.raises(InputError, match="constant sample"):
        normality([3.0] * 9)


def test_corrections_as_published() -> None:
    """R, p.adjust: Benjamini & Hochberg (1995), §3.2, fifteen p-values; the first four stand."""
    p = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459),
        *(0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
    ]
    assert sum(value <= 0.05 for value in benjamini_hochberg(p)) == 4
    assert sum(value <= 0.05 for value in holm(p)) == 3
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == benjamini_hochberg([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_only_make_p_larger(p: list[float]) -> None:
    for corrected in (holm(p), benjamini_hochberg(p)):
        assert all(c >= value - 1e-12 for c, value in zip(corrected, p, strict=True))
        assert max(corrected) <= 1
    assert all(h >= b - 1e-12 for h, b in zip(holm(p), benjamini_hochberg(p), strict=True))
