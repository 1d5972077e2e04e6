"""The measured tolerance: placed, bracketed, planned; its interval, on campaigns of known truth."""

import math
from pathlib import Path

import numpy as np
import pytest

from latitude._core import InputError
from latitude._types import Floats
from latitude.experiments.validation.plan import Setup, ValidationQuestion
from latitude.experiments.validation.runs import ValidationStore
from latitude.experiments.validation.tolerance import (
    Blocks,
    MeasuredTolerance,
    injected_ns,
    measured_tolerances,
    placed,
)

US, MS = 1e3, 1e6
SHARES = (0.01, 0.02, 0.05)
CAMPAIGNS = 70
"""Campaigns at each of three noise levels."""


def truth(x: Floats) -> Floats:
    """T of a program of 100 ms: 40 latencies, 700 from 8 µs on, 2,500 from 60 µs on."""
    lines = [100 * MS + 40 * x, 100 * MS + 700 * (x - 8 * US), 135 * MS + 2500 * (x - 60 * US)]
    found: Floats = np.max(lines, axis=0)
    return found


LATE = 300.0
"""Mean lateness of messages for ranks that wait, at ΔL = 0."""


def tolerated(share: float, late: float = 0.0) -> float:
    """The true tolerance, by bisection, where messages are late anyway."""
    low, high = 0.0, 1 * MS
    limit = truth(np.array([late]))[0] * (1 + share)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if truth(np.array([late + middle]))[0] <= limit else (low, middle)
        )
    return low


def levels(factor: float = 1.0) -> Floats:
    """ΔL of a validation whose predicted tolerances are off by a factor."""
    far = [0, 500_000, 1_000_000]
    held = list(far)
    for share in SHARES:
        held += placed(factor * tolerated(share), held)
    return np.array(sorted(held), dtype=np.float64)


def campaign(random: np.random.Generator, delta: Floats, blocks: int, noise: float) -> Blocks:
    """Runs that differ as real ones do: the block's own factor, each run's, and now and then a run
    that the machine has held up by a few per cent."""
    shape = blocks, delta.size
    late = random.exponential(LATE, shape) * (1 + delta / MS)
    injected = delta + late
    factor = np.exp(random.normal(0, 0.01, (blocks, 1)) + random.normal(0, noise, shape))
    held_up = 1 + (random.random(shape) < 0.05) * random.exponential(0.03, shape)
    more = late - np.median(late[:, 0])
    return Blocks(delta, delta + more, truth(injected) * factor * held_up)


@pytest.mark.thorough
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """90 % intervals of 210 campaigns, whatever was predicted and however runs differ."""
    random = np.random.default_rng(2026)
    true = [tolerated(share, LATE * math.log(2)) for share in SHARES]
    coverage = []
    for blocks, noise, factor in ((5, 0.004, 1.0), (8, 0.01, 1.3), (15, 0.02, 0.7)):
        delta = levels(factor)
        held = []
        for _ in range(CAMPAIGNS):
            found = measured_tolerances(campaign(random, delta, blocks, noise), SHARES)
            held.append([a.low_ns <= T <= a.high_ns for a, T in zip(found, true, strict=True)])
        coverage.append(np.mean(held, axis=0))
    assert np.min(coverage) >= 0.78  # the standard error of each is 0.04
    assert 0.85 <= np.mean(coverage) <= 0.95


def exact(delta: Floats, blocks: int = 5) -> Blocks:
    """Runs that do not differ."""
    shape = blocks, delta.size
    return Blocks(delta, np.broadcast_to(delta, shape), np.broadcast_to(truth(delta), shape))


def test_without_noise_the_estimate_is_the_truth_between_its_neighbours() -> None:
    delta = levels()
    for share, found in zip(SHARES, measured_tolerances(exact(delta), SHARES), strict=True):
        assert found.estimate_ns == pytest.approx(tolerated(share), rel=0.01)
        assert found.below_ns is not None
        assert found.above_ns is not None
        assert found.below_ns <= tolerated(share) * 1.001
        assert found.above_ns >= tolerated(share) * 0.999
        assert found.low_ns == pytest.approx(found.high_ns)
        assert found.narrow(0.01)


def test_what_no_runs_bracket_is_not_measured() -> None:
    """A straight line from 0 to 500 µs passes any limit between, and knows nothing of it."""
    far = np.array([0.0, 500 * US, 1 * MS])
    (found,) = measured_tolerances(exact(far), [0.01])
    assert found.estimate_ns is None
    assert (found.below_ns, found.above_ns, found.needed) == (0.0, 500 * US, None)
    assert found.low_ns == 0
    assert found.narrow(0.01)  # more runs of the same would not help
    near = np.array([0.0, 1 * US, 2 * US])
    (beyond,) = measured_tolerances(exact(near), [0.05])
    assert (beyond.estimate_ns, beyond.below_ns, beyond.above_ns) == (None, 2 * US, None)
    assert beyond.high_ns == math.inf


def test_few_blocks_and_lost_runs_say_less() -> None:
    delta = levels()
    (few,) = measured_tolerances(exact(delta, blocks=2), [0.01])
    assert (few.low_ns, few.high_ns, few.needed) == (0.0, math.inf, None)
    lost = exact(delta)
    T = np.array(lost.T_ns)
    T[:, 0] = np.nan  # T(0) is not known
    (nothing,) = measured_tolerances(Blocks(delta, lost.injected_ns, T), [0.01])
    assert (nothing.estimate_ns, nothing.high_ns, nothing.below_ns) == (None, math.inf, None)
    T = np.array(lost.T_ns)
    T[0, 1:] = np.nan
    T[1:, -1] = np.nan
    (rest,) = measured_tolerances(Blocks(delta, lost.injected_ns, T), [0.01])
    assert rest.estimate_ns == pytest.approx(tolerated(0.01), rel=0.01)


def test_what_changes_slowly_is_taken_out() -> None:
    """Blocks that are 6 % apart, of runs that are otherwise alike; of ΔL = 0 the slowest run has
    failed, of the others the fastest or the next."""
    delta = levels()
    steady = exact(delta)
    T = steady.T_ns * np.linspace(0.97, 1.03, 5)[:, None]
    T[4, 0] = np.nan
    for level in range(1, delta.size):
        T[level % 2, level] = np.nan
    found = measured_tolerances(Blocks(delta, steady.injected_ns, T), SHARES)
    for share, each in zip(SHARES, found, strict=True):
        assert each.estimate_ns == pytest.approx(tolerated(share), rel=0.02)


def test_what_was_injected_counts_not_what_was_asked() -> None:
    """Messages that were late by a fifth of ΔL for ranks that waited."""
    delta = levels()
    late = Blocks(delta, np.tile(1.2 * delta, (5, 1)), np.tile(truth(1.2 * delta), (5, 1)))
    for share, found in zip(SHARES, measured_tolerances(late, SHARES), strict=True):
        assert found.estimate_ns == pytest.approx(tolerated(share), rel=0.05)
    np.testing.assert_allclose(injected_ns(late), 1.2 * delta)


@pytest.mark.thorough
def test_the_runs_that_it_would_take_are_told_and_suffice() -> None:
    random = np.random.default_rng(7)
    delta = levels()
    pilot = measured_tolerances(campaign(random, delta, 6, 0.01), SHARES, 0.1)
    assert not all(each.narrow(0.1) for each in pilot)
    needed = max(each.needed or 0 for each in pilot)
    assert needed > 6
    more = measured_tolerances(campaign(random, delta, 2 * needed, 0.01), SHARES, 0.1)
    assert all(each.narrow(0.1) for each in more)


QUESTION = ValidationQuestion((0,), 5, 1, SHARES, replay=False, seed=1, precision=0.2, most=40)


def found(estimate: float | None, half: float, needed: int | None) -> MeasuredTolerance:
    middle = estimate or 0.0
    return MeasuredTolerance(estimate, middle - half, middle + half, 1.0, 2.0, needed)


@pytest.mark.parametrize(
    ("made", "each", "expected"),
    [
        (5, found(10.0, 1.0, 2), None),  # narrow
        (5, found(10.0, 4.0, 12), 12),
        (5, found(10.0, 40.0, 400), 15),  # a guess of few: three times as many at most
        (15, found(10.0, 40.0, 400), 40),
        (40, found(10.0, 4.0, 45), None),
        (5, found(10.0, math.inf, None), 15),
        (5, found(None, math.inf, None), None),  # not bracketed: more runs would not help
    ],
)
def test_repetitions_follow_from_a_pilots_spread(
    made: int, each: MeasuredTolerance, expected: int | None
) -> None:
    assert QUESTION.next_repetitions(made, [each, found(10.0, 0.1, 1)]) == expected


def test_places_are_around_the_tolerance_unless_there_are_runs_anyway() -> None:
    assert placed(10_000.0, [0]) == [5_000, 10_000, 20_000]
    assert placed(10_000.0, [0, 9_500, 21_000]) == [5_000]
    assert placed(math.inf, [0]) == []
    assert placed(0.4, [0]) == [1]


def test_places_stay_where_they_were_placed_first(tmp_path: Path) -> None:
    """Another network predicts others, and makes no run void."""
    setup = Setup(("a",), "/", intra_node=False, base_ns=0, clock="wall")
    store = ValidationStore.opened(tmp_path / "v", setup, force=False)
    assert store.places({0.01: 10_000.0}, [0]) == [5_000, 10_000, 20_000]
    again = ValidationStore.opened(tmp_path / "v", setup, force=False)
    assert again.places({0.01: 70_000.0}, [0]) == [5_000, 10_000, 20_000]
    both = again.places({0.01: 70_000.0, 0.02: 40_000.0}, [0])
    assert both == [5_000, 10_000, 20_000, 40_000, 80_000]
    assert again.places({0.02: 1.0}, [0]) == [40_000, 80_000]
    (tmp_path / "v" / "placed.json").write_text('{"0.01": "x"}')
    with pytest.raises(InputError, match="not a list of placed latencies"):
        again.places({0.01: 1.0}, [0])
