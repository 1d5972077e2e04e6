"""The tests of times, tested: error probabilities by simulation, and busy machines."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import nan
from random import Random

import pytest

from support.timing import CannotTellError, Disturbance, Machine, Probe, Verdict, Votes
from support.timing.disturbance import MOST_LATE_NS, MOST_LOST, MOST_OTHERS, MOST_STOLEN
from support.timing.judging import MOST_PATIENCE_S
from support.timing.sequential import CLAIMS, FALSE_ALARMS, MISSED, SHARP, STRAY

BUSY = Disturbance(lost=0.5)


@dataclass
class Simulated:
    """A machine's disturbance as a test wants it."""

    busy: Callable[[], bool] = lambda: False
    looks: int = 0
    seconds: float = 0.0
    waited: list[float] = field(default_factory=list)

    def look(self) -> Disturbance:
        self.looks += 1
        return Disturbance()

    def beside(self, block: Callable[[], object]) -> Disturbance:
        block()
        self.seconds += 1
        return BUSY if self.busy() else Disturbance()

    def machine(self, patience_s: float = 10.0) -> Machine:
        return Machine(self, patience_s, clock=lambda: self.seconds, sleep=self.waited.append)


class AlwaysBusy(Simulated):
    def look(self) -> Disturbance:
        self.looks += 1
        return BUSY


def decided(random: Random, share: float, stray: float = STRAY) -> tuple[Verdict, int]:
    """Votes of which a share is beyond, until they are decided; and how many that took."""
    votes = Votes(stray)
    while votes.verdict is Verdict.OPEN:
        votes.add(beyond=random.random() < share)
    return votes.verdict, votes.within + votes.beyond


def chance(share: float, verdict: Verdict, stray: float) -> float:
    """Exactly, by the distribution of the votes' difference, vote by vote."""
    ends, at, total = {}, {0: 1.0}, 0.0
    for difference in range(-50, 51):
        votes = Votes(stray)
        for _ in range(abs(difference)):
            votes.add(beyond=difference > 0)
        ends[difference] = votes.verdict
    for _ in range(400):
        following: dict[int, float] = {}
        for difference, weight in at.items():
            for step, part in ((1, share), (-1, 1 - share)):
                end = ends[difference + step]
                if end is Verdict.OPEN:
                    now = following.get(difference + step, 0.0)
                    following[difference + step] = now + weight * part
                elif end is verdict:
                    total += weight * part
        at = following
    assert sum(at.values()) < 1e-12
    return total


@pytest.mark.parametrize("stray", [STRAY, SHARP])
def test_false_alarms_of_a_whole_suite_are_fewer_than_stated(stray: float) -> None:
    assert CLAIMS * chance(stray, Verdict.FAIL, stray) < FALSE_ALARMS
    random = Random(1)
    found = [decided(random, stray, stray)[0] for _ in range(20_000)]
    assert found.count(Verdict.FAIL) <= 2  # each has a chance of 2e-6: 3 of 20,000 one of 1e-5


@pytest.mark.parametrize("stray", [STRAY, SHARP])
def test_defects_are_found(stray: float) -> None:
    missed = chance(1 - stray, Verdict.PASS, stray)
    assert missed < MISSED
    random = Random(2)
    found = [decided(random, 1 - stray, stray)[0] for _ in range(20_000)]
    assert found.count(Verdict.PASS) / len(found) == pytest.approx(missed, abs=0.0025)


@pytest.mark.parametrize(
    ("stray", "least", "sound_mean", "defective_mean"), [(STRAY, 3, 4.5, 8.5), (SHARP, 1, 1.1, 3.2)]
)
def test_few_blocks_are_enough(
    stray: float, least: int, sound_mean: float, defective_mean: float
) -> None:
    random = Random(3)
    sound = [decided(random, stray, stray)[1] for _ in range(5_000)]
    defective = [decided(random, 1 - stray, stray)[1] for _ in range(5_000)]
    assert min(sound) == least
    assert sum(sound) / len(sound) < sound_mean
    assert sum(defective) / len(defective) < defective_mean


@pytest.mark.parametrize(
    ("gain", "spread", "verdict"),
    [(100.0, 5.0, Verdict.PASS), (200.0, 5.0, Verdict.FAIL), (50.0, 5.0, Verdict.FAIL)],
)
def test_a_delay_waited_twice_or_half_is_found(
    gain: float, spread: float, verdict: Verdict
) -> None:
    """Noise is one-sided and heavy, as that of a machine: least times of rounds, subtracted."""
    random = Random(4)
    for _ in range(500):

        def block() -> dict[str, float]:
            base = min(30 + random.paretovariate(1.5) * spread for _ in range(50))
            late = min(30 + gain + random.paretovariate(1.5) * spread for _ in range(50))
            return {"gain": late - base}

        assert Simulated().machine().judge(block, {"gain": (90, 110)}).verdict is verdict


def test_disturbed_blocks_do_not_count() -> None:
    """Half of the blocks are disturbed, and then anything may come out."""
    random = Random(5)
    disturbed = False

    def block() -> dict[str, float]:
        nonlocal disturbed
        disturbed = random.random() < 0.5
        return {"time": 1e9 if disturbed else 1.0}

    for _ in range(300):
        watch = Simulated(busy=lambda: disturbed)
        found = watch.machine(patience_s=1000).judge(block, {"time": (0, 2)}, most_s=1000)
        assert found.verdict is Verdict.PASS
        assert found.values["time"] == [1.0] * 3


def test_one_claim_that_fails_fails_all() -> None:
    limits = {"a": (0.0, 1.0), "b": (0.0, 1.0)}
    with pytest.raises(AssertionError, match="b: fail, 6 of 6 blocks beyond 0 to 1: 2, 2"):
        Simulated().machine().holds(lambda: {"a": 0.5, "b": 2.0}, limits)


def test_what_is_not_a_number_is_beyond() -> None:
    found = Simulated().machine().judge(lambda: {"a": nan}, {"a": (0, 1)})
    assert found.verdict is Verdict.FAIL


def test_a_counter_example_must_be_found() -> None:
    Simulated().machine().refutes(lambda: {"a": 2.0}, {"a": (0, 1)})
    with pytest.raises(AssertionError, match="a: pass"):
        Simulated().machine().refutes(lambda: {"a": 0.5}, {"a": (0, 1)})


def test_on_a_busy_machine_nothing_is_told_and_little_time_spent() -> None:
    watch = AlwaysBusy()
    machine = watch.machine(patience_s=5)
    blocks: list[int] = []

    def block() -> dict[str, float]:
        blocks.append(1)
        return {"a": 5.0}

    for _ in range(3):
        with pytest.raises(CannotTellError, match="50% of a processor's time was lost"):
            machine.holds(block, {"a": (0, 1)})
    assert blocks == []
    assert sum(watch.waited) == 5  # patience is the whole suite's


def test_disturbed_blocks_end_patience() -> None:
    """Each test begins all the same; of later ones the first disturbed block is the last."""
    machine = Simulated(busy=lambda: True).machine(patience_s=5)
    for blocks in (5, 1, 1):
        with pytest.raises(CannotTellError, match=f"{blocks} times of {blocks} the machine"):
            machine.holds(lambda: {"a": 0}, {"a": (0, 1)})


def test_no_test_uses_up_the_patience_of_all() -> None:
    machine = Simulated(busy=lambda: True).machine(patience_s=2 * MOST_PATIENCE_S + 5)
    most = int(MOST_PATIENCE_S)
    for blocks in (most, most, 5, 1):
        with pytest.raises(CannotTellError, match=f"{blocks} times of {blocks} the machine"):
            machine.holds(lambda: {"a": 0}, {"a": (0, 1)})


def test_blocks_that_disagree_are_told() -> None:
    turn = iter(range(1000))
    with pytest.raises(CannotTellError, match="24 undisturbed blocks disagree: a: open, 12 of 24"):
        Simulated().machine().holds(lambda: {"a": next(turn) % 2 * 5}, {"a": (0, 1)})


def test_time_ends() -> None:
    with pytest.raises(CannotTellError, match="7 times of 7 the machine was disturbed"):
        Simulated(busy=lambda: True).machine().holds(lambda: {"a": 0}, {"a": (0, 1)}, most_s=7)


def test_a_suite_has_no_more_claims_than_its_errors_are_stated_for() -> None:
    machine = Simulated().machine()
    machine.claims = CLAIMS
    with pytest.raises(AssertionError, match="more claims"):
        machine.holds(lambda: {"a": 0}, {"a": (0, 1)})


@pytest.mark.parametrize(
    "seen",
    [
        Disturbance(lost=2 * MOST_LOST),
        Disturbance(late_ns=2 * MOST_LATE_NS),
        Disturbance(others=2 * MOST_OTHERS),
        Disturbance(stolen=2 * MOST_STOLEN),
    ],
)
def test_each_disturbance_is_named(seen: Disturbance) -> None:
    assert seen.why()
    assert not Disturbance().why()


def test_the_probe_sees_what_takes_processors() -> None:
    """Never counts our own work as others', at any load, and gives shares from 0 to 1."""
    probe = Probe()
    seen = probe.look()
    assert 0 <= seen.lost <= 1
    assert seen.late_ns > 0
    ran: list[int] = []
    beside = probe.beside(lambda: ran.append(sum(range(3_000_000))))
    assert ran
    assert 0 <= beside.others <= 1.2
    assert 0 <= beside.stolen <= 1.2
