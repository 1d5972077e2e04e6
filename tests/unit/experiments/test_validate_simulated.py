"""Whole validations of simulated runs: a program, a network and costs of calls that are known."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from latitude import InputError, Network, read
from latitude.analysis.recorded_costs import recorded_costs
from latitude.experiments.launch import Outcome
from latitude.experiments.planned import Planned
from latitude.experiments.record import run_file, write_run
from latitude.experiments.validation.plan import Setup, ValidationQuestion, is_traced
from latitude.experiments.validation.runs import ValidationStore
from latitude.experiments.validation.validate import validate
from latitude.files.clock import now
from latitude.model.links import AddedLatency
from latitude.notices.notice import Notice
from latitude.results.runs import OK
from latitude.results.validation import Validation
from latitude.trace.costs import RecordedCosts
from support.called import CalledRank, written

L, SEND, RECEIVE, STEPS = 5_000, 700, 900, 60
COMPUTED = 40_000
MEASURED = Network(L=float(L), o=400.0, G=0.0, S=4096, given=frozenset({"L", "o", "G", "S"}))
"""The measured network, which has a smaller o than calls really cost."""
US = 1_000


def simulated(directory: Path, later: int, computing: float) -> int:
    """Messages one way, which are there when they are received, and then a ping-pong.

    It computes in between, and waits for all of its messages, which are so much later. Returns how
    long that takes.
    """
    first, other = CalledRank(0), CalledRank(1)
    at, waits = 0, {0: 0, 1: 0}
    for number in range(STEPS):
        sent = 1_000 + number * 10_000
        received = sent + SEND + L + later + 2_000
        first.send(sent, SEND, 1, 8)
        other.receive(received, RECEIVE, 0, 8)
        at, waits[1] = sent + SEND, received + RECEIVE
    for step in range(2 * STEPS):
        sender, receiver = (first, other) if step % 2 == 0 else (other, first)
        at = max(at, waits[sender.rank]) + round(COMPUTED * computing)
        sender.send(at, SEND, receiver.rank, 8)
        waits[sender.rank] = at + SEND
        end = at + SEND + L + later + RECEIVE
        begun = waits[receiver.rank]
        receiver.receive(begun, end - begun, sender.rank, 8)
        at = end
    written(directory, first, other)
    return at + 1_000 - 100  # from the end of Init to the beginning of Finalize, 1,000 later


class Machine:
    """Makes runs by simulating them; a performer for `validate`."""

    def __init__(self, directory: Path, base: int, spread: float, others: float = 0.0) -> None:
        self.setup = Setup(("pingpong",), "/", intra_node=True, base_ns=base, clock="wall")
        self.store = ValidationStore.opened(directory, self.setup, force=False)
        self.show = SimpleNamespace(begin=lambda *_: None)
        self.spread, self.others = spread, others

    def program(self) -> str:
        return "pingpong"

    def make(self, planned: Iterable[Planned], *, traced: bool = False) -> None:
        for run in planned:
            if self.store.of(run).next_attempt(run.id) is None:
                continue
            random = np.random.default_rng(list(run.id.encode()))
            computing = float(np.exp(random.normal(0, self.spread)))
            kept = traced or is_traced(run)
            folder = self.store.trace(run) if kept else self.store.path / f"untraced-{run.id}"
            later = round(run.level.mean_ns) + self.setup.base_ns
            took = simulated(folder, later, computing)
            outcome = Outcome(OK, 0, float(took), 1e9, None, 2, None, 99, None, None, 0.0, {})
            path = run_file(self.store.of(run).path, run.id)
            path.parent.mkdir(parents=True, exist_ok=True)
            made = outcome.recorded(run, "validation", 1, now())
            write_run(path, made, {"others_cores": self.others})


Costs = Callable[[Path, Network, AddedLatency], RecordedCosts | None]


def of_calls(path: Path, network: Network, added: AddedLatency) -> RecordedCosts | None:
    """Costs as with --costs recorded."""
    return recorded_costs(read(path, clock="wall"), network, added=added)


def of_model(path: Path, network: Network, added: AddedLatency) -> None:
    """Costs as with --costs loggps."""
    del path, network, added


def validated(machine: Machine, costs: Costs = of_model, **more: object) -> Validation:
    asked = {"repetitions": 3, "traces": None, "tolerance": None, "replay": False, "seed": 1}
    question = ValidationQuestion((0, 50 * US, 100 * US), **{**asked, "places": False, **more})  # type: ignore[arg-type]
    loading = {"clock": "wall", "collectives": []}

    def network_of(run: object) -> tuple[Network, str, list[Notice]]:
        del run
        return MEASURED, "as given", []

    return validate(machine, question, network_of, loading, costs)  # type: ignore[arg-type]


@pytest.mark.parametrize("base", [0, 200 * US])
def test_calls_cost_what_they_took_at_both_ends(tmp_path: Path, base: int) -> None:
    """The measured o is 300 and 500 ns too short for the ends of 120 messages."""
    machine = partial(Machine, base=base, spread=0.1)
    by_model = validated(machine(tmp_path / "a"), of_model)
    by_calls = validated(machine(tmp_path / "b"), of_calls)
    missing = 2 * STEPS * (SEND + RECEIVE - 800)
    for run in by_model.own:
        assert run.predicted_ns < run.recorded_ns - missing + 200
    for run in by_calls.own:
        assert run.predicted_ns == pytest.approx(run.recorded_ns, abs=200)
    assert by_calls.conclusion.verdict == "right"
    assert by_calls.conclusion.share < 1e-3
    assert by_calls.conclusion.by == "own errors"


def test_every_run_is_traced_and_tells_its_own_error(tmp_path: Path) -> None:
    result = validated(Machine(tmp_path, 0, 0.15), of_calls)
    assert len(result.own) == 1 + 3 * 3, "the first, and three of each ΔL"
    assert [end.delta_L_ns for end in result.ends] == [0, 50 * US, 100 * US]
    assert [end.runs for end in result.ends] == [4, 3, 3]
    growth = 2 * STEPS * 100 * US
    assert all(each.growth_ns == pytest.approx(growth, rel=0.02) for each in result.own)
    assert result.spread > 0.05
    assert result.rrmse > 0.02, "medians of three runs that differ by 15 %"
    assert result.perfect is not None
    assert result.perfect.rrmse_p90 > 0.05
    assert result.tolerance[0].degradation == 0.01, "each run's own computing is taken out"


def test_few_traces_of_runs_that_differ_conclude_nothing(tmp_path: Path) -> None:
    result = validated(Machine(tmp_path, 0, 0.15), of_calls, traces=1)
    assert [end.runs for end in result.ends] == [1, 1]
    assert result.conclusion.verdict == "unknown"
    assert "a perfect model would show up to" in result.conclusion.words
    assert [each.degradation for each in result.tolerance] == [0.1, 0.2]


def test_others_on_the_machine_leave_nothing_to_conclude(tmp_path: Path) -> None:
    result = validated(Machine(tmp_path, 0, 0.01, others=64.0), of_calls)
    assert result.conclusion.words.startswith(
        "cannot tell, because other programs used 64.0 cores beside 2 ranks"
    )


def test_a_plan_for_some_minutes_is_kept_to(tmp_path: Path) -> None:
    """Each run takes a second and what it computes: three of each ΔL fit into 10 s."""
    result = validated(Machine(tmp_path, 0, 0.01), of_calls, minutes=1 / 6)
    zero, quarter, double = (level.delta_L_ns for level in result.levels)
    T = [level.predicted_ns for level in result.levels]
    assert (zero, T[1] / T[0], T[2] / T[0]) == (
        0,
        pytest.approx(1.25, rel=0.02),
        pytest.approx(2, rel=0.02),
    )
    assert 0 < quarter < double
    assert [len(level.measured_ns) for level in result.levels] == [3, 3, 3]
    again = validated(Machine(tmp_path, 0, 0.01), of_calls, minutes=5)
    assert [level.delta_L_ns for level in again.levels] == [zero, quarter, double]
    assert [len(level.measured_ns) for level in again.levels] == [3, 3, 3]
    with pytest.raises(InputError, match=r"one run of each ΔL takes .* give --minutes 1 or more"):
        validated(Machine(tmp_path / "short", 0, 0.01), of_calls, minutes=0.001)


def test_the_largest_traces_are_few() -> None:
    question = ValidationQuestion((0,), 3, None, None, replay=False, seed=1, few_if_large=True)
    assert question.decided(1 << 10).traces is None
    assert question.decided(1 << 30).traces == 3
    stated = ValidationQuestion((0,), 3, None, None, replay=False, seed=1)
    assert stated.decided(1 << 30).traces is None
