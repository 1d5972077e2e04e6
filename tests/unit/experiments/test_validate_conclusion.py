"""Conclusions of validations, from simulated runs with a known truth."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from latitude._types import Floats
from latitude.experiments.others import Others
from latitude.experiments.validation.conclusion import LIMIT, concluded, disturbances
from latitude.experiments.validation.own_errors import (
    OwnRun,
    at_ends,
    own_errors,
    without_own_computing,
)
from latitude.experiments.validation.spread import Chance, RunSpread, chance
from latitude.experiments.validation.tolerance import Blocks
from latitude.results.validation import AtDelta, AtEnd, Conclusion, TolerancePair
from latitude.units.quantities import format_share

MS, US = 1e6, 1e3
DELTAS = np.array([0.0, 50 * US, 100 * US, 200 * US])
T_TRUE = 300 * MS + 500 * DELTAS


def runs(random: np.random.Generator, count: int, spread: float) -> list[Floats]:
    """Runs at each ΔL; some are held up far longer than the others differ."""
    found = []
    for T in T_TRUE:
        factor = np.exp(random.normal(0, spread, count))
        held_up = random.random(count) < 0.1
        found.append(T * factor * np.where(held_up, 1 + random.exponential(spread, count), 1))
    return found


def level(delta: float, late: float = 0.0) -> AtDelta:
    nothing = dict.fromkeys(
        ("predicted_ns", "predicted_low_ns", "predicted_high_ns", "predicted_least_ns"), 1.0
    )
    more = dict.fromkeys(("predicted_most_ns", "lambda_L", "lambda_L_low", "lambda_L_high"), 1.0)
    return AtDelta(
        delta_L_ns=round(delta),
        placed=False,
        injected_delta_L_ns=delta + late,
        **nothing,
        **more,
        measured_ns=[1],
        median_ns=1.0,
        error=0.0,
        spread=0.0,
        inside=True,
    )


LEVELS = [level(delta) for delta in DELTAS]


def traced(error: float, scatter: float, count: int, random: np.random.Generator) -> list[AtEnd]:
    """The ends of a campaign in which the model errs by so much on each run."""
    made = [
        OwnRun(round(delta), number, 100 * MS, 100 * MS * (1 + error + e), 90 * MS, 150 * MS)
        for delta in DELTAS[[0, -1]]
        for number, e in enumerate(random.normal(0, scatter, count), 1)
    ]
    return list(at_ends(own_errors(made)))


def told(ends: Sequence[AtEnd], limit: float = LIMIT, *disturbed: str) -> Conclusion:
    return concluded(LEVELS, ends, 0.01, None, limit, disturbed)


def test_own_errors_conclude_however_much_runs_differ() -> None:
    random = np.random.default_rng(1)
    right = told(traced(0.01, 0.004, 3, random))
    assert (right.verdict, right.by) == ("right", "own errors")
    assert 0.01 < right.share < 0.03
    assert right.words == f"right within {format_share(right.share)}"
    wrong = told(traced(-0.11, 0.004, 3, random))
    assert (wrong.verdict, round(wrong.share, 2)) == ("wrong", 0.11)
    unknown = told(traced(0.045, 0.02, 3, random))
    assert unknown.verdict == "unknown"
    assert "trace more runs" in unknown.words


def test_a_disturbed_machine_is_never_right() -> None:
    ends = traced(0.001, 0.001, 5, np.random.default_rng(2))
    (why,) = disturbances([Others(cores, 8) for cores in (3.0, 2.9, 3.1)], cores=8)
    assert why == "other programs used 3.0 cores beside 8 ranks on the 8 cores of this host"
    found = told(ends, LIMIT, why)
    assert (found.verdict, math.isnan(found.share)) == ("unknown", True)
    assert found.words.startswith("cannot tell, because other programs used 3.0 cores")
    assert not list(disturbances([Others(3.0, 8)], cores=16)), "there are cores for them, too"
    assert not list(disturbances([Others(0.1, 2)], cores=2))
    assert not list(disturbances([Others(2.0, 0)], cores=2)), "all ranks are on other hosts"
    assert not list(disturbances([], cores=2))


def test_other_latencies_than_asked_for_are_never_right() -> None:
    ends = traced(0.001, 0.001, 5, np.random.default_rng(3))
    late = [*LEVELS[:-1], level(DELTAS[-1], 30 * US)]
    found = concluded(late, ends, 0.001, None, LIMIT, [])
    assert found.words == (
        "cannot tell, because messages were 30 µs later than the ΔL = 200 µs asked for"
    )


def test_tolerances_whose_interval_reaches_zero_agree_with_nothing() -> None:
    pair = TolerancePair(
        degradation=0.01,
        predicted_delta_L_ns=5.0,
        predicted_low_ns=4.0,
        predicted_high_ns=6.0,
        measured_delta_L_ns=5.0,
        measured_low_ns=0.0,
        measured_high_ns=20.0,
        below_ns=1.0,
        above_ns=9.0,
        repetitions_needed=None,
    )
    assert pair.agrees is None


@pytest.mark.parametrize(
    ("count", "spread"), [(3, 0.1), pytest.param(31, 0.1, marks=pytest.mark.thorough), (5, 0.02)]
)
def test_what_a_perfect_model_shows_is_what_it_shows(count: int, spread: float) -> None:
    """Shows at most the stated error in nine of ten campaigns with a perfect model."""
    random = np.random.default_rng(count)
    below, campaigns = 0, 300
    for _ in range(campaigns):
        measured = runs(random, count, spread)
        shift = np.median(runs(random, count, spread)[0]) - T_TRUE[0]
        medians = np.array([np.median(T) for T in measured])
        shown = math.sqrt(np.mean(((T_TRUE + shift) / medians - 1) ** 2))
        found = chance(measured, count, LIMIT)
        assert found is not None
        below += shown <= found.likely
    assert 0.82 <= below / campaigns <= 0.97


def test_few_runs_that_differ_conclude_nothing_and_it_is_told_how_many_would() -> None:
    measured = runs(np.random.default_rng(4), 3, 0.12)
    found = chance(measured, 3, LIMIT)
    assert found is not None
    assert found.needed is not None
    assert found.needed > 10
    said = concluded(LEVELS, [], 0.02, found, LIMIT, [])
    assert said.verdict == "unknown"
    assert f"make {found.needed} runs and traces, or judge by own errors" in said.words
    assert concluded(LEVELS, [], 0.9, found, LIMIT, []).verdict == "wrong"
    assert chance([T[:1] for T in measured], 3, LIMIT) is None
    assert concluded(LEVELS, [], 0.0, None, LIMIT, []).verdict == "unknown"
    sure = Chance(0.01, 0.02, None)
    assert concluded(LEVELS, [], 0.03, sure, LIMIT, []).words == "right within 3%"
    assert concluded(LEVELS, [], 0.06, sure, LIMIT, []).verdict == "unknown"


@pytest.mark.thorough
def test_intervals_hold_medians_of_runs_as_often_as_they_say() -> None:
    """Computing varies once per run, with long tails; 360 campaigns."""
    random = np.random.default_rng(6)
    inside, all_of_them = 0, 0
    for count in (3, 5, 15):
        for spread in (0.02, 0.08, 0.15):
            for _ in range(40):
                measured = runs(random, count, spread)
                traces = runs(random, count, spread)[0]
                known = RunSpread.of(measured)
                shift = np.median(traces) - T_TRUE[0]
                error = known.half(count) * float(np.median(measured[0]))
                for T, samples in zip(T_TRUE, measured, strict=True):
                    predicted = T + shift
                    half = math.hypot(error, known.half(count) * predicted)
                    inside += abs(np.median(samples) - predicted) <= half
                    all_of_them += 1
    assert 0.85 <= inside / all_of_them <= 0.95


def test_own_computing_is_taken_out_of_runs() -> None:
    """Runs differ by 10 %, and what is left of them by nothing."""
    random = np.random.default_rng(7)
    computing = 300 * MS * np.exp(random.normal(0, 0.1, (5, DELTAS.size)))
    T = computing + 500 * DELTAS
    blocks = Blocks(DELTAS, np.broadcast_to(DELTAS, T.shape), T)
    own = [
        OwnRun(round(DELTAS[at]), row + 1, T[row, at], T[row, at], computing[row, at], 0.0)
        for row in range(5)
        for at in range(DELTAS.size)
    ]
    left = without_own_computing(blocks, own)
    assert left is not None
    assert left.T_ns - left.T_ns[:, :1] == pytest.approx(
        np.broadcast_to(500 * DELTAS, T.shape), abs=1e-3
    )
    assert without_own_computing(blocks, own[1:]) is None, "one run was not traced"
