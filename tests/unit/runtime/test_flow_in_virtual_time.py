"""The flow injector under UCX in virtual time: when messages are handed over, to the ns.

Fig. 8 and §III.A of Shen et al. (SC'24).
"""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from support.virtual.injected import (
    Event,
    Integers,
    Simulated,
    build_injector,
    build_program,
    drawn,
    times,
)

O, L, DELTA = 3_000, 5_000, 20_037
"""Overhead, latency, and what is added to it, ns."""
RANKS = 3
NETWORK = {"overhead": O, "latency": L}
MS, HOUR = 1_000_000, 3_600_000_000_000
FORGOTTEN = 200 * MS
"""Time for which a transit time is remembered between clocks that drift."""


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("flow")
    build_injector(directory, RANKS)
    build_program(directory, "virtual_flow", "uct")
    return directory


@pytest.fixture
def simulated(builds: Path, tmp_path: Path) -> Simulated:
    return Simulated(builds, tmp_path)


class Flow:
    """Runs of the program with its words."""

    def __init__(self, simulated: Simulated) -> None:
        self.simulated = simulated

    def __call__(self, *ranks: str, **options: object) -> list[Event]:
        settings = {"look": 1, "delta": DELTA, **NETWORK, **options}
        return self.simulated.ranks("virtual_flow", "flow", *ranks, **settings)


@pytest.fixture
def flow(simulated: Simulated) -> Flow:
    simulated.ask(DELTA)
    return Flow(simulated)


@pytest.mark.parametrize("look_first", [0, 1])
@pytest.mark.parametrize("messages", [2, 8])
def test_messages_overlap_and_the_sender_is_not_delayed(
    flow: Flow, messages: int, look_first: int
) -> None:
    """[S] Fig. 8 D."""
    events = flow(f"send:1:8:{messages}", f"receive:{messages}", look_first=look_first)
    sends = [(i + 1) * O for i in range(messages)]
    assert times(events, "sent") == sends
    assert times(events, "received") == [sent + L + DELTA for sent in sends]


VARIANTS = {
    "A": ([DELTA + O, 2 * (DELTA + O)], [DELTA + O + L, 2 * (DELTA + O) + L]),
    "B": ([O, 2 * O], [DELTA + O + L, 2 * DELTA + O + L]),
    "C": ([O, 2 * O], [O + L + DELTA, O + L + 2 * DELTA]),
}
"""When two sends return and arrive under the injectors of [S] Fig. 8 that are not right."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_other_injectors_delay_the_sender_or_the_next_message(flow: Flow, variant: str) -> None:
    events = flow("send:1:8:2", "receive:2", injector=variant)
    sent, received = VARIANTS[variant]
    assert times(events, "sent") == sent
    assert times(events, "received") == received
    right = ([O, 2 * O], [O + L + DELTA, 2 * O + L + DELTA])
    assert (sent, received) != right


@pytest.mark.parametrize("how", ["send", "bcopy", "zcopy"])
@pytest.mark.parametrize("size", [8, 9, 1000, 100_000])
def test_every_way_to_send_is_delayed_and_its_content_is_right(
    flow: Flow, how: str, size: int
) -> None:
    stamp = 24
    events = flow(f"{how}:1:{size}", "receive:1", kilobyte=100)
    assert times(events, "sent") == [O]
    assert times(events, "received") == [O + L + (size + stamp) // 10 + DELTA]


def test_without_an_injector_nothing_is_delayed(flow: Flow) -> None:
    assert times(flow("send:1:8:2", "receive:2", injector="none"), "received") == [
        O + L,
        2 * O + L,
    ]


# Late receivers: a rank that computes finds its messages late, and a delay counts from the arrival.


@pytest.mark.parametrize(
    ("computes", "expected"),
    [
        (0, DELTA),
        (DELTA // 2, DELTA),
        (DELTA - 1, DELTA),
        (DELTA, DELTA),
        (DELTA + 1, DELTA + 1),
        (3 * DELTA, 3 * DELTA),
    ],
)
def test_a_late_receiver_counts_from_the_arrival(flow: Flow, computes: int, expected: int) -> None:
    """Not from when it looks: the delay passes while it computes. A first message was looked for,
    and told how long messages take."""
    second = 200_000
    arrival = second + O + L
    events = flow(
        f"send:1:8 until:{second} send:1:8",
        f"receive:1 until:{second} look until:{arrival + computes} receive:2",
    )
    first, late = times(events, "received")
    assert first == O + L + DELTA
    assert late == arrival + expected


def test_before_anything_is_known_a_message_counts_from_when_it_was_sent(flow: Flow) -> None:
    """The sender's time is by the clock of the same host, and its transit time could be 0."""
    assert times(flow("send:1:8", "until:1000000 receive:1"), "received") == [1_000_000]
    events = flow("send:1:8", f"until:{DELTA - 100} receive:1")
    assert times(events, "received") == [DELTA]


def test_between_hosts_an_unknown_message_counts_from_when_it_was_found(flow: Flow) -> None:
    events = flow("send:1:8", "until:1000000 receive:1", ahead_of_0=HOUR)
    assert times(events, "received") == [1_000_000 + DELTA]


@pytest.mark.parametrize("ahead", [0, 1, HOUR, -500 * MS])
@pytest.mark.parametrize("fast", [0, 20_000])
def test_clocks_of_hosts_may_differ(flow: Flow, ahead: int, fast: int) -> None:
    """The offset is a part of the transit time that was seen; drift is 20 µs a second."""
    gap = 50 * MS
    arrival = gap + O + L
    events = flow(
        f"send:1:8 until:{gap} send:1:8",
        f"receive:1 until:{arrival + DELTA // 2} receive:2",
        ahead_of_0=ahead,
        fast_of_0=fast,
    )
    drifted = round(gap * fast * 1e-9)
    first, late = times(events, "received")
    assert first == O + L + DELTA
    assert late == pytest.approx(arrival + DELTA + drifted, abs=1 if fast else 0)


@pytest.mark.parametrize(("apart", "known"), [(FORGOTTEN - MS, True), (3 * FORGOTTEN, False)])
def test_what_is_known_of_a_drifting_clock_is_forgotten(
    flow: Flow, apart: int, known: bool
) -> None:
    late = 2 * DELTA
    events = flow(
        f"send:1:8 until:{apart} send:1:8",
        f"receive:1 until:{apart + O + L + late} receive:2",
        ahead_of_0=HOUR,
    )
    found = apart + O + L + late
    assert times(events, "received")[1] == (found if known else found + DELTA)


def test_a_message_that_took_longer_counts_from_when_it_came(flow: Flow) -> None:
    """A failed poll shows that a message had not come, however long an earlier one took."""
    begin, stamp, look = 400_000, 24, 1
    events = flow(f"bcopy:1:1100 until:{begin} bcopy:1:1900", "receive:2", kilobyte=100_000)
    wire = [100 * (size + stamp) for size in (1100, 1900)]
    first, second = O + L + wire[0], begin + O + L + wire[1] - look
    assert times(events, "received") == [first + DELTA, second + DELTA]


def test_senders_are_told_apart(flow: Flow) -> None:
    """Each of three hosts has its own clock; facts about one host do not apply to another."""
    far, late = 300_000, DELTA // 2
    events = flow(
        f"send:2:8 until:{far} send:2:8",
        f"pass:100000 send:2:8 until:{far} pass:50000 send:2:8",
        f"receive:2 until:{far + O + L + late} receive:3"
        f" until:{far + 50_000 + O + L + late} receive:4",
        ahead_of_0=HOUR,
        ahead_of_1=-500 * MS,
    )
    sent = {(e.rank, e.number): e.ns for e in events if e.what == "sent"}
    found = {(e.peer, e.number): e.ns for e in events if e.what == "received"}
    assert found == {which: ns + L + DELTA for which, ns in sent.items()}


def test_late_messages_do_not_lengthen_what_is_known(flow: Flow) -> None:
    """Between hosts: how long messages take is remembered from the one that was looked for."""
    rounds, gap, late = 4, 300_000, DELTA // 2
    later = range(1, rounds)
    sends = " ".join(f"until:{i * gap} send:1:8" for i in range(rounds))
    looks = " ".join(f"until:{i * gap + O + L + late} receive:{i + 1}" for i in later)
    events = flow(sends, f"receive:1 {looks}", ahead_of_0=HOUR)
    assert times(events, "received") == [sent + L + DELTA for sent in times(events, "sent")]


def test_who_looks_often_learns_a_longer_transit_of_larger_messages(flow: Flow) -> None:
    """Times are kept by size: a long message is not taken for one that came late."""
    long = 1_000_000
    events = flow(f"send:1:{long} send:1:8", "receive:2", kilobyte=1000)
    wire = (long + 24) * 1000 // 1000
    short = 2 * O + L + 32
    assert times(events, "received") == [
        # The short one arrives first, and goes first: nothing was sent to overtake it.
        short + DELTA,
        O + L + wire + DELTA,
    ]


# Late for whom: a rank that computed when its message was due did not wait for it.

LATE = 70_000


@pytest.mark.parametrize("look_first", [0, 1])
@pytest.mark.parametrize("arrives", ["before", "meanwhile"])
@pytest.mark.parametrize(("looks", "waited"), [(1, False), (3, False), (50, True)])
def test_lateness_counts_where_the_rank_waited(
    flow: Flow, looks: int, waited: bool, arrives: str, look_first: int
) -> None:
    """One look, and then work; or looks in vain, as in MPI_Wait, and no core. The message had come
    by then, and was only not due, or comes meanwhile."""
    second = 300_000
    arrival = second + O + L
    begin = arrival + 100 if arrives == "before" else second
    events = flow(
        f"send:1:8 until:{second} send:1:8",
        f"receive:1 until:{begin} look:{looks} until:{arrival + DELTA + LATE} receive:2",
        look_first=look_first,
    )
    found = times(events, "received")[1]
    assert found >= arrival + DELTA + LATE
    report = flow.simulated.report(1)
    late = found - arrival - DELTA if waited else 0
    assert (report.late, report.late_ns) == (int(waited), late)
    # Whoever waited: what was achieved has all of it.
    assert report.achieved[:, 1].sum() == 2 * DELTA + found - arrival - DELTA


@pytest.mark.parametrize("what", ["leave:0:8 complete:1", "put:0:8 complete:1"])
def test_who_waited_for_something_else_did_not_wait_for_what_came_later(
    flow: Flow, what: str
) -> None:
    """Looks in vain until an own message has left, or an operation is over; then work."""
    second = 300_000
    arrival = second + O + L
    flow(
        f"send:1:8 until:{second} send:1:8",
        f"receive:1 {what} until:{arrival + DELTA + LATE} receive:2",
        leaving=10_000,
    )
    report = flow.simulated.report(1)
    assert (report.late, report.late_ns) == (0, 0)


def test_who_overslept_waited(flow: Flow) -> None:
    flow.simulated.environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = "100000"
    flow.simulated.ask(500_000)
    events = flow("send:1:8:3:3000000", "receive:3", oversleep=60_000)
    late = [
        now - sent - L - 500_000
        for now, sent in zip(times(events, "received"), times(events, "sent"), strict=True)
    ]
    report = flow.simulated.report(1)
    assert late[0] > 50_000
    assert (report.late, report.late_ns) == (sum(map(bool, late)), sum(late))


# Delays that are drawn.


@pytest.fixture(scope="session")
def lognormal() -> Integers:
    """4,096 equiprobable delays around 10 µs, in no order: an index off by one is seen."""
    quantiles = (np.arange(4096) + 0.5) / 4096
    delays = np.round(stats.lognorm(0.6, scale=10_000).ppf(quantiles)).astype(np.int64)
    return np.random.default_rng(5).permutation(delays)


def kolmogorov(sample: Integers, table: Integers) -> float:
    """Kolmogorov and Smirnov's statistic times the root of the sample's size."""
    ordered = np.sort(table)
    values = np.sort(sample)
    up_to = np.searchsorted(ordered, values, "right") / ordered.size
    below = np.searchsorted(ordered, values, "left") / ordered.size
    order = np.arange(1, values.size + 1) / values.size
    return (
        float(max((order - up_to).max(), (below - order + 1 / values.size).max()))
        * values.size**0.5
    )


CRITICAL = 1.63
"""Kolmogorov's distribution, at 1 %."""


@pytest.mark.parametrize(("sleeps", "messages"), [(True, 4_000), (False, 100)])
def test_drawn_delays_are_asked_for_and_kept(
    simulated: Simulated, lognormal: Integers, sleeps: bool, messages: int
) -> None:
    """Every message of two senders: the draw that its seed gives, released at that ns.

    Both samples follow the table, the one that was asked for, and the one of when messages were
    released; the report's cells hold the very same numbers.
    """
    gap = 100_000
    simulated.ask(lognormal)
    if sleeps:
        simulated.environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = "100000"
    sends = f"send:2:8:{messages}:{gap - O}"
    events = Flow(simulated)(sends, f"pass:{gap // 2} {sends}", f"receive:{2 * messages}")
    asked, released = [], []
    for sender in (0, 1):
        arrived = [e.ns + L for e in events if e.what == "sent" and e.rank == sender]
        received = [e.ns for e in events if e.what == "received" and e.peer == sender]
        asked.append(drawn(lognormal, messages, simulated.seed, sender))
        released.append(np.array(received) - np.array(arrived))
        np.testing.assert_array_equal(released[-1], asked[-1])
    assert kolmogorov(np.concatenate(asked), lognormal) < CRITICAL
    assert kolmogorov(np.concatenate(released), lognormal) < CRITICAL
    report = simulated.report(2)
    assert (report.delayed, report.passed) == (2 * messages, 0)
    assert report.asked[:, 1].sum() == np.sum(asked)
    np.testing.assert_array_equal(report.asked, report.achieved)


@pytest.mark.parametrize("how", ["send", "bcopy", "zcopy"])
def test_a_send_that_had_no_room_keeps_its_delay(
    simulated: Simulated, lognormal: Integers, how: str
) -> None:
    """The send is tried again, and its drawn delay is not lost to the next send."""
    simulated.ask(lognormal)
    events = Flow(simulated)(f"{how}:1:8:20:100000", "receive:20", full=1)
    taken = np.array(times(events, "received")) - np.array(times(events, "sent")) - L
    np.testing.assert_array_equal(taken, drawn(lognormal, 20, simulated.seed, 0))


def test_an_operation_that_had_no_room_keeps_its_delays(
    simulated: Simulated, lognormal: Integers
) -> None:
    simulated.ask(lognormal)
    events = Flow(simulated)("put:1:8 complete:1 put:1:8 complete:2", "", full=1)
    there, back, there_again, back_again = drawn(lognormal, 4, simulated.seed, 0)
    again, look = 50, 1
    first = again + O + 2 * L + there + back
    second = first + look + again + O + 2 * L + there_again + back_again
    assert times(events, "done") == [first, second]


def test_connections_are_made_without_delay(simulated: Simulated, lognormal: Integers) -> None:
    """Nor do they draw one."""
    simulated.ask(lognormal)
    events = Flow(simulated)("wireup:1:8:2 send:1:8", "receive:3")
    delay = drawn(lognormal, 1, simulated.seed, 0)[0]
    assert times(events, "received") == [O + L, 2 * O + L, 3 * O + L + delay]


def test_another_seed_draws_other_delays(simulated: Simulated, lognormal: Integers) -> None:
    found = []
    for seed in (1, 2):
        simulated.seed = seed
        simulated.ask(lognormal)
        events = Flow(simulated)("send:1:8:20:100000", "receive:20")
        taken = np.array(times(events, "received")) - np.array(times(events, "sent")) - L
        np.testing.assert_array_equal(taken, drawn(lognormal, 20, seed, 0))
        found.append(taken)
    assert (found[0] != found[1]).all()


def test_a_short_delay_does_not_overtake_a_long_one(simulated: Simulated) -> None:
    """MPI's messages of one sender keep their order; an early one goes with the one before."""
    table = np.arange(4096) * 100
    simulated.ask(table)
    events = Flow(simulated)("send:1:8:50", "receive:50")
    due = np.array(times(events, "sent")) + L + drawn(table, 50, simulated.seed, 0)
    assert times(events, "received") == np.maximum.accumulate(due).tolist()
    assert [e.number for e in events if e.what == "received"] == list(range(50))


# Memory of another process: both ways are delayed, and word of the end is later by both.


@pytest.mark.parametrize("what", ["put", "get"])
def test_word_of_an_end_is_later_by_both_ways(flow: Flow, what: str) -> None:
    size, each_way = 10_000, 10_000 * 100 // 1000
    events = flow(f"{what}:1:{size} {what}:1:{size} complete:2", "", kilobyte=100)
    first = O + 2 * L + each_way
    second = first + 2 * L + each_way
    assert times(events, "done") == [first + 2 * DELTA, second + 2 * DELTA]


def test_a_flush_ends_after_what_it_flushes(flow: Flow) -> None:
    events = flow("put:1:8 flush:1 complete:2", "")
    assert times(events, "done") == [O + 2 * L + 2 * DELTA] * 2
    assert [e.number for e in events if e.what == "done"] == [0, 1]


def test_messages_to_oneself_are_not_delayed(flow: Flow) -> None:
    events = flow("put:0:8 complete:1", "")
    assert times(events, "done") == [O + 2 * L]


# Waiting without a core, where ranks are more than cores.


@pytest.fixture
def crowded(flow: Flow) -> Flow:
    flow.simulated.environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = "100000"
    return flow


@pytest.mark.parametrize("delta", [100, 4_000, 20_037, 500_000, 5 * MS])
def test_who_sleeps_releases_in_time(crowded: Flow, delta: int) -> None:
    crowded.simulated.ask(delta)
    events = crowded("send:1:8:3:1000000", "receive:3", look=100)
    assert times(events, "received") == [sent + L + delta for sent in times(events, "sent")]


def test_sleeps_that_last_too_long_end_earlier_the_next_time(crowded: Flow) -> None:
    """Sleeps end 4 µs earlier, plus the learnt time: each time half of the missing time."""
    oversleep, kept, look, learnt, delta = 60_000, 4_000, 1, 0, 500_000
    crowded.simulated.ask(delta)
    events = crowded("send:1:8:6:3000000", "receive:6", oversleep=oversleep)
    for sent, received in zip(times(events, "sent"), times(events, "received"), strict=True):
        late = oversleep - kept - learnt
        assert received == sent + L + delta + (late + look if late > 0 else 0)
        learnt = (oversleep + learnt) // 2
    lateness = sum(
        now - sent - L - delta
        for now, sent in zip(times(events, "received"), times(events, "sent"), strict=True)
    )
    report = crowded.simulated.report(1)
    assert report.asked[:, 1].sum() == 6 * delta
    assert report.achieved[:, 1].sum() == 6 * delta + lateness  # what was, not what should be
