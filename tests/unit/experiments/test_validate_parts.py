"""A validation's plan and figures, without a program."""

import math
from pathlib import Path

import numpy as np
import pytest

from latitude._core import InputError
from latitude.analysis.prediction import Answers, Prediction
from latitude.experiments.planned import Planned
from latitude.experiments.validation.comparison import at_delta, tracing_disturbed
from latitude.experiments.validation.plan import (
    Setup,
    is_traced,
    is_traced_there,
    parse_deltas,
    planned,
    title,
)
from latitude.experiments.validation.runs import ValidationStore
from latitude.results.runs import Runs
from latitude.results.validation import TracedThere
from latitude.statistics.accuracy import rrmse

SETUP = Setup(("a",), "/", intra_node=False, base_ns=0, clock="wall")


def shuffled(
    deltas: list[int], repetitions: int, traces: int, seed: int, there: int = 0
) -> list[Planned]:
    return planned(SETUP, SETUP.subject("a", None), deltas, repetitions, traces, there, seed)


def test_ranges_and_lists_of_latencies_begin_with_none() -> None:
    assert parse_deltas("0:2ms:5") == (0, 500_000, 1_000_000, 1_500_000, 2_000_000)
    assert parse_deltas("1ms, 100us,1ms") == (0, 100_000, 1_000_000)


@pytest.mark.parametrize("text", ["0:2ms", "2ms:1ms:3", "0:1ms:1", "1", "a,b"])
def test_what_is_no_latencies_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_deltas(text)


def test_each_repetition_has_every_latency_once_in_random_order() -> None:
    deltas = list(range(9))
    runs = shuffled(deltas, 4, 1, seed=1)
    parts = [[run.level.mean_ns for run in runs[i : i + 9]] for i in range(1, 37, 9)]
    assert all(sorted(part) == deltas for part in parts)
    assert len({tuple(part) for part in parts}) == 4
    ids = [run.id for run in runs]
    assert ids == [run.id for run in shuffled(deltas, 4, 1, seed=1)]
    assert ids != [run.id for run in shuffled(deltas, 4, 1, seed=2)]


@pytest.mark.parametrize(
    ("traces", "parts"), [(1, [2, 2, 2]), (2, [3, 2, 2]), (5, [4, 3, 3]), (8, [5, 4, 4])]
)
def test_traced_runs_are_spread_over_the_repetitions(traces: int, parts: list[int]) -> None:
    first, *runs = shuffled([0, 1000], 3, traces, seed=1)
    assert first.id == "trace-1"  # without it nothing can be predicted
    for repetition, size in enumerate(parts, 1):
        part, runs = runs[:size], runs[size:]
        plain = sorted(run.id for run in part if not is_traced(run))
        assert plain == [f"0ns-{repetition}", f"1000ns-{repetition}"]
        numbers = sorted(run.repetition for run in part if is_traced(run))
        assert numbers == list(range(repetition + 1, traces + 1, 3))
    assert runs == []


def test_as_many_are_traced_at_the_largest_latency() -> None:
    runs = shuffled([0, 1000], 3, 4, seed=1, there=1000)
    there = [run for run in runs if is_traced_there(run)]
    assert sorted(run.id for run in there) == [f"trace-1000ns-{i}" for i in (1, 2, 3, 4)]
    assert all(is_traced(run) and run.level.mean_ns == 1000 for run in there)
    assert [run.repetition for run in runs if is_traced(run) and run not in there] == [1, 2, 3, 4]
    assert runs[0].id == "trace-1"
    assert title(there[0].level.name, 1000.0, 2) == "trace 2 at ΔL = 1 µs"


def there(T: float, at_zero: float, spread: float = 1.0) -> TracedThere:
    return TracedThere(
        delta_L_ns=1000,
        traces=3,
        predicted_ns=T,
        predicted_least_ns=T - spread,
        predicted_most_ns=T + spread,
        lambda_L=1.0,
        error=0.0,
        at_zero_predicted_ns=at_zero,
        at_zero_least_ns=at_zero - spread,
        at_zero_most_ns=at_zero + spread,
        at_zero_lambda_L=2.0,
        at_zero_error=0.0,
    )


def test_a_run_goes_otherwise_where_its_traces_are_further_apart_than_traces_are() -> None:
    assert there(104.0, 100.0).alike
    assert not there(106.0, 100.0).alike
    assert not there(50.0, 100.0).alike
    assert there(50.0, 100.0, spread=25.0).alike


def test_a_directory_is_another_validations_once_something_was_run(tmp_path: Path) -> None:
    path = tmp_path / "v"
    one, other = (
        Setup((name,), "/", intra_node=False, base_ns=0, clock="wall") for name in ("a", "b")
    )
    ValidationStore.opened(path, one, force=False)
    store = ValidationStore.opened(path, other, force=False)  # nothing was run for the first
    folder = store.folder(shuffled([0], 1, 1, seed=1)[1])
    folder.mkdir(parents=True)
    with pytest.raises(InputError, match="holds the validation of another command"):
        ValidationStore.opened(path, one, force=False)
    ValidationStore.opened(path, one, force=True)
    assert not folder.exists()


def test_the_same_validation_is_gone_on_with(tmp_path: Path) -> None:
    setup = Setup(("a",), "/", intra_node=False, base_ns=0, clock="wall")
    store = ValidationStore.opened(tmp_path / "v", setup, force=False)
    folder = store.folder(shuffled([0], 1, 1, seed=1)[1])
    folder.mkdir(parents=True)
    ValidationStore.opened(tmp_path / "v", setup, force=False)
    assert folder.exists()


def prediction(*T: float) -> Prediction:
    """The prediction from one trace, without intervals."""
    runtimes = np.array(T)
    said = Answers(runtimes, np.ones_like(runtimes), np.empty(0), np.empty(0))
    nothing = said.parted(np.full(said.joined().size, np.nan))
    return Prediction(said, nothing, nothing, (runtimes - 1, runtimes + 1))


def test_errors_are_against_the_median_of_the_runs_that_succeeded() -> None:
    said = prediction(102.0, 90.0, 1.0)
    first = at_delta(Runs(SETUP.level(0), np.array([100.0, 90.0, 300.0])), said, 0, 0.0)
    second = at_delta(Runs(SETUP.level(10), np.array([])), said, 1, 11.0)
    assert (first.delta_L_ns, second.delta_L_ns) == (0, 10)
    assert (first.injected_delta_L_ns, second.injected_delta_L_ns) == (0, 11)
    assert first.median_ns == 100
    assert first.error == pytest.approx(0.02)
    assert (first.predicted_least_ns, first.predicted_most_ns) == (101, 103)
    assert first.inside
    assert second.measured_ns == []
    assert math.isnan(second.error)
    assert math.isnan(at_delta(Runs(SETUP.level(0), np.array([1.0])), said, 2, 0.0).spread)


@pytest.mark.parametrize(
    ("traced", "plain", "share"),
    [
        ([112.0, 114.0, 113.0], [100.0, 103.0, 97.0], "13%"),
        ([90.0], [100.0, 103.0, 97.0], "10%"),
        ([102.0, 104.0, None], [100.0, 103.0, 97.0], None),  # as far apart as runs differ
        ([102.0, 130.0, 100.0], [100.0, 100.0, 100.0], None),  # traced runs differ themselves
        ([1343.0, 652.0, 536.0], [432.0, 472.0, 444.0, 483.0, 362.0], "46.8%"),  # one held up
        ([120.0], [100.0], None),  # how runs differ is not known
        ([], [100.0, 101.0], None),
        ([120.0, 121.0], [math.nan, math.nan], None),
    ],
)
def test_traced_runs_stand_for_others_unless_tracing_changed_them(
    traced: list[float | None], plain: list[float], share: str | None
) -> None:
    said = tracing_disturbed(traced, np.array(plain))
    assert (said is None) == (share is None)
    if said is not None and share is not None:
        how = "shorter" if traced[0] == 90.0 else "longer"
        assert said.startswith(f"traced runs took {share} {how} than the others at ΔL = 0")


def test_rrmse_weighs_relative_errors_alike() -> None:
    """A level a hundred times as long counts no more than the others."""
    assert rrmse([110.0, 9_000.0], [100.0, 10_000.0]) == pytest.approx(0.1)
    assert rrmse([103.0, 96.0], [100.0, 100.0]) == pytest.approx(math.sqrt((9 + 16) / 2) / 100)
    assert math.isnan(rrmse([], []))
