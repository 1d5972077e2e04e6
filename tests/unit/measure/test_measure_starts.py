"""Measurements of several starts: intervals hold what differs between them, and models stay."""

from dataclasses import replace

import numpy as np
import pytest

from latitude.measure.loggps import Enough
from latitude.measure.loggps.measured import MeasuredLinks, link_classes, warnings_of
from latitude.measure.loggps.pair import pairs_of
from latitude.measure.loggps.replicates import (
    REPLICATES,
    nearly_always,
    quantiles,
    start_weights,
    together,
)
from latitude.measure.results import BenchResults, Series
from support.simulated_starts import Truth, simulated
from support.tiers import first_of

CAMPAIGNS = 120
TRUTH = Truth()
NAMES = ("L", "o", "send", "receive", "slope", "O")


def measured(truth: Truth, starts: int, random: np.random.Generator) -> MeasuredLinks:
    (found,) = link_classes(pairs_of(simulated(truth, starts, random), 0.5, 1), 1)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("starts", "spread", "noise"),
    [(3, 0.2, 0.02), (5, 0.05, 0.02)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(
    starts: int, spread: float, noise: float
) -> None:
    """95 % intervals of the parameters, and 90 % ones of the draws that predictions take."""
    random = np.random.default_rng([7, starts])
    truth = replace(TRUTH, spread=spread, noise=noise)
    held = np.zeros((2, len(NAMES)))
    for _ in range(CAMPAIGNS):
        found = measured(truth, starts, random)
        for column, name in enumerate(NAMES):
            values = found.replicates[name]
            for row, level in enumerate((0.95, 0.9)):
                low, high = np.quantile(values[1:], [(1 - level) / 2, (1 + level) / 2])
                held[row, column] += low <= truth.of()[name] <= high
    for row, level in enumerate((0.95, 0.9)):
        error = 3.5 * np.sqrt(CAMPAIGNS * level * (1 - level))
        assert np.abs(held[row] - CAMPAIGNS * level).max() <= error, held


@pytest.mark.thorough
def test_three_in_a_row_agree() -> None:
    """Intervals of all three have a point in common, and all are of one model."""
    random = np.random.default_rng(8)
    apart = models = 0
    for _ in range(30):
        three = [measured(TRUTH, 5, random) for _ in range(3)]
        for name in ("L", "o", "slope", "O"):
            ends = [np.quantile(each.replicates[name][1:], [0.025, 0.975]) for each in three]
            apart += max(low for low, _ in ends) > min(high for _, high in ends)
        models += len({(each.bytes_count, each.S, each.rendezvous) for each in three}) == 1
    assert apart <= 8  # of 120; expected are 2
    assert models >= 29


@pytest.mark.thorough
@pytest.mark.parametrize(
    "truth",
    first_of(
        replace(TRUTH, O=share * limit, spread=spread)
        for limit, shares in ((TRUTH.slope, (0.95, 1.0)), (400 / TRUTH.S, (1.0, 1.05)))
        for share in shares
        for spread in (0.1, 0.03)
        if share == 1 or spread == 0.1
    ),
    ids=lambda truth: f"O={truth.O:.3f}-spread={truth.spread}",
)
def test_near_its_limits_O_is_not_told_apart(truth: Truth) -> None:
    """Finds no O at its limits: a byte costs CPUs as much as in total, or all bytes cost as much as
    o; also within a standard error of these limits, at which plain estimates change from
    measurement to measurement.
    """
    random = np.random.default_rng(9)
    told = sum(measured(truth, 5, random).bytes_count for _ in range(60))
    assert told <= 3


@pytest.mark.parametrize("O", first_of([0.4, 1.2, 0.02]))
def test_far_from_its_limits_O_is_told_apart_or_not(O: float) -> None:
    random = np.random.default_rng(10)
    truth = replace(TRUTH, O=O)
    found = [measured(truth, 5, random).bytes_count for _ in range(40)]
    assert found.count(O == 0.4) >= 39


@pytest.mark.thorough
@pytest.mark.parametrize("between", [0.5, 0.0, 1.0])
def test_a_rendezvous_that_is_not_told_is_the_models_own(between: float) -> None:
    """Half way between two readings each next measurement would find another one."""
    random = np.random.default_rng(11)
    sharp = replace(TRUTH, between=between, spread=0.01, noise=0.002)
    truth = replace(TRUTH, between=0.5) if between == 0.5 else sharp
    found = [measured(truth, 5, random) for _ in range(40)]
    wanted = "llamp" if between == 1 else "handshake"
    assert sum(each.rendezvous == wanted for each in found) >= 38
    assert sum(each.reading_told for each in found) >= 38 or between == 0.5


def test_what_is_not_told_is_said() -> None:
    random = np.random.default_rng(12)
    pairs = pairs_of(simulated(replace(TRUTH, between=0.5), 5, random), 0.5, 1)
    classes = link_classes(pairs, 1)
    codes = [each.code for each in warnings_of(pairs, classes, 1)]
    assert classes[0].rendezvous == "handshake"
    assert "rendezvous-untold" in codes
    assert "one-start" not in codes


def test_one_start_knows_nothing_of_others() -> None:
    """The intervals are those of the start's rounds; a warning reports this."""
    random = np.random.default_rng(13)
    pairs = pairs_of(simulated(replace(TRUTH, spread=0.5), 1, random), 0.5, 1)
    classes = link_classes(pairs, 1)
    L = classes[0].L
    assert (L.high - L.low) < 0.2 * L.value
    assert "one-start" in [each.code for each in warnings_of(pairs, classes, 1)]


def test_starts_that_found_other_limits_are_told() -> None:
    random = np.random.default_rng(14)
    starts = simulated(TRUTH, 3, random)
    odd = simulated(replace(TRUTH, S=4096), 1, random)
    (pair,) = pairs_of([*odd, *starts], 0.5, 1)
    assert (pair.eager, pair.one_S, len(pair.smallest)) == (TRUTH.S, False, 4)
    assert 4097 not in pair.half  # only one start sent it
    codes = [each.code for each in warnings_of([pair], link_classes([pair], 1), 1)]
    assert "eager-limits-differ" in codes


def test_a_measurement_is_the_same_whenever_it_is_read() -> None:
    starts = simulated(TRUTH, 3, np.random.default_rng(15))
    first, second = (link_classes(pairs_of(starts, 0.5, 1), 1)[0] for _ in range(2))
    assert first.draws(None) == second.draws(None)


def test_what_starts_change_together_stays_together() -> None:
    """Replicates of values whose starts are proportional are so themselves."""
    random = np.random.default_rng(16)
    weights = start_weights(4, random)
    starts = [np.full(REPLICATES + 1, value) for value in (1e3, 1.2e3, 0.9e3, 1.1e3)]
    one = together(starts, weights)
    np.testing.assert_allclose(together([3 * each for each in starts], weights), 3 * one)
    assert one[0] == pytest.approx(1_050)
    assert (one > 0).all()
    np.testing.assert_allclose(weights.sum(axis=0), 0, atol=1e-12)


def test_starts_are_spread_as_student_says() -> None:
    """Three starts, whose interval is ± 4.303 standard errors; those of a median are 1.2 times as
    large as those of a mean."""
    found = []
    for seed in range(40):
        weights = start_weights(3, np.random.default_rng(seed))
        starts = [np.full(REPLICATES + 1, value) for value in (999.0, 1_000.0, 1_001.0)]
        above = np.quantile(together(starts, weights)[1:], 0.975) - 1_000
        found.append(above / (1.2 / np.sqrt(3)))
    assert np.mean(found) == pytest.approx(4.303, rel=0.05)


def test_a_disturbed_start_does_not_move_the_value() -> None:
    weights = start_weights(5, np.random.default_rng(18))
    starts = [np.full(REPLICATES + 1, value) for value in (4e3, 4.1e3, 3.9e3, 4.05e3, 70e3)]
    found = together(starts, weights)
    assert found[0] == 4_050
    assert np.quantile(found[1:], 0.975) > 8_000  # but it makes the interval wide


def test_two_starts_that_differ_are_known_badly_but_finite() -> None:
    weights = start_weights(2, np.random.default_rng(19))
    found = together([np.full(REPLICATES + 1, value) for value in (1e3, 1e5)], weights)
    assert found.max() == pytest.approx(100 * found[0])
    assert found.min() == pytest.approx(found[0] / 100)


@pytest.mark.thorough
@pytest.mark.parametrize("quantile", [0.1, 0.5])
def test_rounds_are_disturbed_as_a_whole(quantile: float) -> None:
    """95 % intervals of one start of 30 rounds, each of which is longer or shorter by itself."""
    random = np.random.default_rng(17)
    every = random.normal(size=(4000, 10)) * 0.3 + random.normal(size=(4000, 1))
    truth, held = np.quantile(every, quantile), 0
    for _ in range(CAMPAIGNS):
        values = random.normal(size=(30, 10)) * 0.3 + random.normal(size=(30, 1))
        found = quantiles(values.ravel(), np.full(30, 10), quantile, random)
        low, high = np.quantile(found[1:], [0.025, 0.975])
        held += low <= truth <= high
    assert 104 <= held <= 119


def test_nearly_always_is_199_of_200_replicates_and_the_value() -> None:
    holds = np.ones(1 + 1000, np.bool_)
    holds[1:6] = False
    assert nearly_always(holds)
    holds[6] = False
    assert not nearly_always(holds)
    assert not nearly_always(np.arange(1001) > 0)


def test_no_start_begins_long_after_the_time_is_over() -> None:
    """30 s allow 45 s and a minute more; pairs of ranks measure one after the other."""
    start = BenchResults(
        "loggps", (), tuple(Series("pair", {}, np.array([20.0, 1.0])) for _ in range(2))
    )
    enough = Enough(30e9)
    assert [enough(start) for _ in range(3)] == [False, False, True]
