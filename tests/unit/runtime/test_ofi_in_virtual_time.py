"""The flow injector under libfabric in virtual time.

A provider matches messages with receives by itself, so that a message is seen when both are there;
its delay counts from its arrival all the same.
"""

from pathlib import Path

import numpy as np
import pytest

from support.virtual.injected import Event, Simulated, build_injector, build_program, drawn, times

O, L, DELTA = 3_000, 5_000, 20_037
"""Overhead, latency, and what is added to it, ns."""
MS, HOUR = 1_000_000, 3_600_000_000_000
STAMP = 32
"""A stamp counts in units of so many ns."""


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("ofi")
    build_injector(directory, 3)
    build_program(directory, "virtual_ofi", "fabric")
    return directory


class Fabric:
    """Runs of the program with its words."""

    def __init__(self, simulated: Simulated) -> None:
        self.simulated = simulated

    def __call__(self, *ranks: str, **options: object) -> list[Event]:
        settings = {"look": 1, "overhead": O, "latency": L, **options}
        return self.simulated.ranks("virtual_ofi", "flow", *ranks, **settings)


@pytest.fixture
def fabric(builds: Path, tmp_path: Path) -> Fabric:
    simulated = Simulated(builds, tmp_path)
    simulated.ask(DELTA)
    return Fabric(simulated)


@pytest.mark.parametrize("messages", [2, 8])
def test_messages_overlap_and_the_sender_is_not_delayed(fabric: Fabric, messages: int) -> None:
    """[S] Fig. 8 D, of Shen et al. (SC'24)."""
    events = fabric(f"send:1:7:{messages}", f"post:7:{messages} receive:{messages}")
    sends = [(i + 1) * O for i in range(messages)]
    assert times(events, "sent") == sends
    assert times(events, "received") == [sent + L + DELTA for sent in sends]


def test_without_an_injector_nothing_is_delayed(fabric: Fabric) -> None:
    events = fabric("send:1:7:2", "post:7:2 receive:2", injector="none")
    assert times(events, "received") == [O + L, 2 * O + L]


# A rank that computes finds its messages late. What it then knows of their arrival is the stamp and
# the least time that messages took, to 32 ns.


@pytest.mark.parametrize(("looks", "waited"), [(1, False), (3, False), (50, True)])
def test_lateness_counts_where_the_rank_waited(fabric: Fabric, looks: int, waited: bool) -> None:
    """One look, and then work; or looks in vain, as in MPI_Wait, and no core."""
    second, late = 320_000, 70_000
    arrival = second + O + L
    events = fabric(
        f"send:1:7 until:{second} send:1:7",
        f"post:7:2 receive:1 until:{second} look:{looks} until:{arrival + DELTA + late} receive:2",
    )
    found = times(events, "received")[1]
    report = fabric.simulated.report(1)
    assert report.late == int(waited)
    assert abs(report.late_ns - (found - arrival - DELTA) * waited) <= STAMP


def test_who_sleeps_at_the_queue_waits(fabric: Fabric) -> None:
    late = 70_000
    fabric("send:1:7", "post:7 sleep:-1", oversleep=late)
    report = fabric.simulated.report(1)
    found = report.achieved[:, 1].sum() - DELTA
    assert report.late_ns == max(found, 0)


@pytest.mark.parametrize("ahead", [0, 500 * MS, HOUR + 17])
@pytest.mark.parametrize(
    ("computes", "expected"),
    [(DELTA // 2, DELTA), (DELTA + 100, DELTA + 100), (3 * DELTA, 3 * DELTA)],
)
@pytest.mark.parametrize("posted", ["before", "after"])
def test_a_late_receiver_counts_from_the_arrival(
    fabric: Fabric, computes: int, expected: int, posted: str, ahead: int
) -> None:
    """Whether its receive was posted before or after, and whatever the sender's clock shows."""
    second = 320_000
    arrival = second + O + L
    wait = f"until:{arrival + computes - 1}"
    late = f"post:7 look {wait}" if posted == "before" else f"{wait} post:7"
    events = fabric(
        f"send:1:7 until:{second} send:1:7",
        f"post:7 receive:1 until:{second} {late} receive:2",
        ahead_of_0=ahead,
    )
    first, found = times(events, "received")
    assert first == O + L + DELTA
    assert abs(found - (arrival + expected)) <= STAMP


def test_of_one_clock_an_unknown_message_counts_from_when_it_was_sent(fabric: Fabric) -> None:
    found = times(fabric("send:1:7", "until:1000000 post:7 receive:1"), "received")
    assert found == [1_000_001]


def test_between_hosts_an_unknown_message_counts_from_when_it_was_found(fabric: Fabric) -> None:
    events = fabric("send:1:7", "until:1000000 post:7 receive:1", ahead_of_0=HOUR)
    assert times(events, "received") == [1_000_001 + DELTA]


def test_a_stamp_that_wraps_is_understood(fabric: Fabric) -> None:
    """31 bits of 32 ns are 68.7 s: a message before, and one after, which is found late."""
    booted, late = 1_000 * MS, DELTA // 2
    wraps = STAMP * 2**31 - booted
    first, second = wraps - 3 * MS, wraps + 2 * MS
    events = fabric(
        f"until:{first} send:1:7 until:{second} send:1:7",
        f"post:7:2 until:{first} receive:1 until:{second + O + L + late} receive:2",
    )
    received = times(events, "received")
    assert received[0] == first + O + L + DELTA
    assert abs(received[1] - (second + O + L + DELTA)) <= STAMP


# Sleeping at the queue, and asking.


@pytest.mark.parametrize("delta", [20_037, 5 * MS + 1])
def test_who_sleeps_at_the_queue_is_woken_in_time(fabric: Fabric, delta: int) -> None:
    fabric.simulated.ask(delta)
    events = fabric("pass:1000000 send:1:7", "post:7 sleep:-1", look=100)
    assert times(events, "received") == [times(events, "sent")[0] + L + delta]


def test_a_sleep_ends_after_its_time(fabric: Fabric) -> None:
    events = fabric("pass:5000000 send:1:7", "post:7 sleep:3 sleep:20", look=100)
    (nothing,) = times(events, "nothing")
    assert 3 * MS <= nothing <= 3 * MS + 500
    assert times(events, "received") == [5 * MS + O + L + DELTA]


def test_a_sleep_ends_after_its_time_though_a_message_waits(fabric: Fabric) -> None:
    fabric.simulated.ask(10 * MS)
    events = fabric("pass:1000000 send:1:7", "post:7 sleep:3 sleep:-1", look=100)
    (nothing,) = times(events, "nothing")
    assert 3 * MS <= nothing <= 4 * MS
    assert times(events, "received") == [MS + O + L + 10 * MS]


def test_a_message_is_not_there_before_it_is_due(fabric: Fabric) -> None:
    """A first message tells how long they take."""
    begin, look = 99_000, 1_000
    questions = " ".join(["ask:8"] * 40)
    events = fabric(
        f"send:1:7 until:{begin} send:1:8",
        f"post:7 receive:1 until:{begin} {questions} post:8 receive:2",
        look=look,
    )
    due = begin + O + L + DELTA
    absent, there = times(events, "absent"), times(events, "there")
    assert absent == list(range(begin + look, due, look))
    assert there[0] == absent[-1] + look
    assert len(absent) + len(there) == 40
    assert times(events, "received")[1] == there[-1] + look


# Delays that are drawn: a series of its own for each sender.


def mix(x: int) -> int:
    """SplitMix64's finaliser: how a sender's address becomes the number of its series."""
    mask = 2**64 - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


def test_drawn_delays_are_kept(fabric: Fabric) -> None:
    """Requested delays, sender by sender, equal released and reported delays."""
    messages, gap = 30, 60_000
    table = np.random.default_rng(5).permutation(4096) * 7  # one is over when the next arrives
    fabric.simulated.ask(table)
    sends = f"send:2:{{}}:{messages}:{gap - O}"
    events = fabric(
        sends.format(0),
        f"pass:{gap // 2} " + sends.format(1),
        f"post:0:{messages} post:1:{messages} receive:{2 * messages}",
    )
    for sender in (0, 1):
        arrived = np.array([e.ns for e in events if e.what == "sent" and e.rank == sender]) + L
        received = [e.ns for e in events if e.what == "received" and e.peer == sender]
        asked = drawn(table, messages, fabric.simulated.seed, 2, mix(sender))
        np.testing.assert_array_equal(np.array(received) - arrived, asked)
    report = fabric.simulated.report(2)
    assert report.delayed == 2 * messages
    np.testing.assert_array_equal(report.asked, report.achieved)


def test_a_question_draws_nothing(fabric: Fabric) -> None:
    """However often it is asked: the delay of the receive is the next of the series."""
    table = np.random.default_rng(5).permutation(4096) * 7
    fabric.simulated.ask(table)
    questions = "ask:8 " * 60
    events = fabric(
        "send:1:7 until:99000 send:1:8",
        f"post:7 receive:1 until:99000 {questions} post:8 receive:2",
        look=1_000,
    )
    taken = drawn(table, 2, fabric.simulated.seed, 1, mix(0))
    due = 99_000 + O + L + taken[1]
    assert max(times(events, "absent")) < due <= min(times(events, "there"))


def test_a_short_delay_does_not_overtake_a_long_one(fabric: Fabric) -> None:
    table = np.arange(4096) * 100
    fabric.simulated.ask(table)
    events = fabric("send:1:7:50", "post:7:50 receive:50")
    delays = drawn(table, 50, fabric.simulated.seed, 1, mix(0))
    due = np.array(times(events, "sent")) + L + delays
    handed, look = 0, 1
    for moment, received in zip(due, times(events, "received"), strict=True):
        handed = max(int(moment), handed + look)
        assert received == handed
