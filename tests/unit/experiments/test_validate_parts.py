"""A validation's plan and figures, without a program."""

import math
from pathlib import Path

import numpy as np
import pytest

from latitude._core import InputError
from latitude.experiments.validation.plan import parse_deltas, shuffled
from latitude.experiments.validation.predict import Prediction
from latitude.experiments.validation.result import Level, levels_of
from latitude.experiments.validation.store import Run, Store, Subject


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
    parts = [[run.delta_ns for run in runs[i : i + 9]] for i in range(1, 37, 9)]
    assert all(sorted(part) == deltas for part in parts)
    assert len({tuple(part) for part in parts}) == 4
    assert runs == shuffled(deltas, 4, 1, seed=1)
    assert runs != shuffled(deltas, 4, 1, seed=2)


@pytest.mark.parametrize(
    ("traces", "parts"), [(1, [2, 2, 2]), (2, [3, 2, 2]), (5, [4, 3, 3]), (8, [5, 4, 4])]
)
def test_traced_runs_are_spread_over_the_repetitions(traces: int, parts: list[int]) -> None:
    first, *runs = shuffled([0, 1000], 3, traces, seed=1)
    assert first.name == "trace-1"  # without it nothing can be predicted
    for repetition, size in enumerate(parts, 1):
        part, runs = runs[:size], runs[size:]
        plain = sorted(run.name for run in part if not run.traced)
        assert plain == [f"0ns-{repetition}", f"1000ns-{repetition}"]
        numbers = sorted(run.repetition for run in part if run.traced)
        assert numbers == list(range(repetition + 1, traces + 1, 3))
    assert runs == []


def test_a_directory_is_another_validations_once_something_was_run(tmp_path: Path) -> None:
    path = tmp_path / "v"
    one, other = (
        Subject((name,), "/", intra_node=False, base_ns=0, clock="wall") for name in ("a", "b")
    )
    Store.opened(path, one, force=False)
    store = Store.opened(path, other, force=False)  # nothing was run for the first
    store.run_directory("0ns-1").mkdir(parents=True)
    with pytest.raises(InputError, match="holds the validation of another command"):
        Store.opened(path, one, force=False)
    Store.opened(path, one, force=True)
    assert not store.run_directory("0ns-1").exists()


def test_errors_are_against_the_median_of_the_runs_that_succeeded() -> None:
    prediction = Prediction(
        delta_ns=np.array([0.0, 10.0]),
        T_ns=np.array([102.0, 90.0]),
        lambda_L=np.array([1.0, 1.0]),
        curve_delta_ns=np.array([0.0, 10.0]),
        curve_T_ns=np.array([102.0, 90.0]),
        tolerance=((0.01, math.inf),),
        least_T_ns=np.array([102.0, 90.0]),
        most_T_ns=np.array([102.0, 90.0]),
    )
    runs = [Run(0, i, T, None, 0, 1.0, "", "") for i, T in enumerate((100, 90, 300))]
    runs.append(Run(10, 1, None, "exit status 1", 1, 1.0, "", ""))
    first, second = levels_of(prediction, (0, 10), runs)
    assert first.median_ns == 100
    assert first.error == pytest.approx(0.02)
    assert first.inside
    assert second.measured_ns == ()
    assert math.isnan(second.error)
    assert math.isnan(Level(0, 1.0, 1.0, (1,)).spread)
