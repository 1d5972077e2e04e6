"""Whole programs of runtime/bench in virtual time, over a network whose parameters are known.

What they find is what the network is, to the ns: overheads, latency, gaps, protocols, the share of
load, latencies between hosts whose clocks differ.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from latitude.measure.loggps.measured import MeasuredLinks, link_classes
from latitude.measure.loggps.pair import Pair, pairs_of
from latitude.measure.results import BenchResults, read
from support.compiling import STRICT, built
from support.paths import RUNTIME
from support.tiers import first_of
from support.virtual import building

BENCH = RUNTIME / "bench"
VIRTUAL = BENCH / "tests" / "virtual"
PROGRAMS = ("load", "loggps", "nodes", "samples")
RANKS = 4
LOOK, MEET = 20, 1_000
"""Time of a look at the clock, and of a collective after the last arrival, ns."""
NETWORK = {"L": 2_000, "send": 300, "receive": 400, "g": 700, "clock": LOOK, "meet": MEET}
HALF = 300 + 2_000 + 400
"""Half a round trip of one byte."""
MS, HOUR = 1_000_000, 3_600_000_000_000


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The MPI of virtual time, and each program as libraries, one for each rank."""
    directory = tmp_path_factory.mktemp("bench")
    mpi = (VIRTUAL / "virtual_mpi.c", building.CLOCK)
    shutil.copy(built("virtual_mpi", *STRICT, "-O1", "-g", "-rdynamic", *mpi, "-ldl"), directory)
    flags = [*STRICT, *building.flags("bench"), "-shared", f"-I{VIRTUAL}"]
    for name in PROGRAMS:
        library = built(name, *flags, *building.sources("bench/common", f"bench/{name}"), "-lm")
        for copy in (name, *(f"{name}.{rank}" for rank in range(RANKS))):
            shutil.copy(library, directory / copy)
    return directory


class Ran:
    """A program's results, and what the network told."""

    def __init__(self, builds: Path, directory: Path) -> None:
        self.builds, self.directory = builds, directory
        self.told: list[tuple[int, ...]] = []

    def __call__(self, program: str, ranks: int, *words: str, **network: object) -> BenchResults:
        settings = {**NETWORK, **network}
        options = [f"{name.replace('_of_', '.')}={value}" for name, value in settings.items()]
        lines = building.ran(
            self.builds / "virtual_mpi", self.builds / program, ranks, *options,
            "--", f"out={self.directory}", *words,
        )  # fmt: skip
        self.told = [tuple(map(int, line.split())) for line in lines]
        return read(self.directory / f"{program}.bench")


@pytest.fixture
def bench(builds: Path, tmp_path: Path) -> Ran:
    return Ran(builds, tmp_path)


# LogGPS.


def measured(bench: Ran, *words: str, **network: object) -> tuple[Pair, MeasuredLinks]:
    results = bench("loggps", 2, "pin=0", "pairs=1", "most=16384", *words, **network)
    pairs = pairs_of([results], 0.5, 1)
    (found,) = link_classes(pairs, 1)
    return pairs[0], found


@pytest.mark.parametrize(("look", "cold"), [(1, 0), (LOOK, 0), (250, 0), (LOOK, 1)])
def test_the_parameters_of_a_network_are_found(bench: Ran, look: int, cold: int) -> None:
    """Whatever a look at the clock takes: it is subtracted; and wherever messages lie."""
    pair, found = measured(
        bench, f"cold={cold}", S=4096, Sisend=1024, Sstart=512, G=200, clock=look
    )
    assert found.L.value == found.L.low == found.L.high == NETWORK["L"]
    assert (found.o_send.value, found.o_receive.value) == (300, 400)
    assert found.o.value == 350
    assert found.g.value == NETWORK["g"]
    assert (found.S, found.S_isend, found.S_start) == (4096, 1024, 512)
    assert found.slope.value == pytest.approx(0.2, rel=1e-3)  # the wire counts in whole ns
    assert found.rendezvous == "handshake"
    assert pair.imprecise == 0
    assert found.o_delayed is not None
    assert found.o_delayed.value == 300


@pytest.mark.parametrize(("get", "reading"), [(0, "handshake"), (1, "get")])
def test_who_moves_the_data_is_seen_at_the_end_of_the_send(
    bench: Ran, get: int, reading: str
) -> None:
    pair, found = measured(bench, S=1024, G=200, L=100_000, get=get)
    assert (found.rendezvous, found.reading_told) == (reading, True)
    latencies = {"handshake": 2, "get": 4}[reading]
    for size, took in pair.held.items():
        assert size > 1024
        assert took[0] // 100_000 == latencies


def test_the_series_that_are_fitted_are_exact(bench: Ran) -> None:
    """PRTT(1, 0, s), PRTT(n, 0, s) and PRTT(n, d, s) of Hoefler et al. (2009), size by size."""
    S = 4096
    pair, _ = measured(bench, S=S, G=200)

    def wire(size: int) -> int:
        return (size - 1) * 200 // 1000

    for size, half in pair.half.items():
        late = 2 * NETWORK["L"] + 300 + 400 if size > S else 0
        assert half.min() == half.max() == HALF + late + wire(size)
    for size in pair.send:
        assert (pair.send[size] == 300).all()
        assert (pair.delayed[size] == 300).all()
        assert (pair.receive[size] == 400).all()
        assert (pair.between[size] == max(NETWORK["g"], wire(size))).all()
    assert set(pair.send) == {1, 4, 16, 64, 256, 1024, 4096}
    assert {1, 3, 4096, 4097, 16384} <= set(pair.half)


@pytest.mark.parametrize("S", first_of([0, 1024, 16383, 1, 2, 1023, 8191], 3))
@pytest.mark.parametrize("nonblocking", [7, 16384])
def test_the_protocol_is_detected_to_the_byte(bench: Ran, S: int, nonblocking: int) -> None:
    pair, _ = measured(bench, S=S, Sisend=nonblocking, Sstart=max(nonblocking - 5, 0))
    expected = min(nonblocking - 5, 16384)
    assert (pair.eager, pair.eager_isend, pair.eager_start) == (S, nonblocking, expected)


def test_where_no_send_waits_the_largest_is_eager(bench: Ran) -> None:
    pair, found = measured(bench)
    assert (pair.eager, pair.eager_isend, pair.eager_start) == (16384, 16384, 16384)
    assert (found.waits, found.rendezvous) == (False, None)


def test_a_copy_that_takes_long_is_no_waiting(bench: Ran) -> None:
    """Large eager messages cost their sender a time that grows with them: 20 ns a byte here."""
    pair, _ = measured(bench, S=12_000, copy=20_000)
    assert pair.eager == 12_000


def test_the_longest_time_is_kept(bench: Ran) -> None:
    """A pair may take so long, in virtual seconds; here one block of tests is beyond it."""
    results = bench("loggps", 2, "pin=0", "pairs=1", "most=64", "seconds=0.001", "precision=0")
    (pair,) = pairs_of([results], 0.5, 1)
    assert pair.rounds == 1
    assert pair.imprecise > 0


# Load: a leaky bucket of time.


def delays(seed: int, mean: float, count: int) -> np.ndarray:
    """Exponential, of the Mersenne Twister ([U] §5.1), by numpy's."""
    uniform = np.random.RandomState(seed).random_sample(count)
    return -mean * np.log1p(-uniform)


PEAK, BYTES = 5e9, 65_536


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_message_goes_when_the_bucket_holds_its_delay(bench: Ran, share: float) -> None:
    """[U] Algorithm 3: what time has filled in, each message takes out, and nothing is lost."""
    span = 20 * MS
    words = [
        "pin=0",
        f"share={share}",
        f"bytes={BYTES}",
        f"peak={PEAK}",
        f"for_ns={span}",
        "seed=3",
    ]
    data, last, look = 81, 82, 1
    results = bench("load", 2, *words, tell=1, clock=look, g=0)
    sent = np.array([ns for ns, *_, tag in bench.told if tag == data])
    (flow, received) = [series.values for series in results.named("flow")]
    mean = BYTES / (share * PEAK) * 1e9
    due = np.ceil(np.cumsum(delays(3, mean, sent.size)))
    (end,) = [ns for ns, *_, tag in bench.told if tag == last]
    begun, free = end - look - round(flow[4] * 1e9), 0
    expected = []
    for moment in due:
        expected.append(max(begun + int(moment), free))
        free = expected[-1] + NETWORK["send"] + look
    # The program adds up what time brings, and rounds at another place: a ns, now and then.
    assert np.abs(sent - np.array(expected)).max() <= look
    assert flow[3] == sent.size
    assert flow[5] == pytest.approx(sent.size * BYTES / flow[4])
    assert received[3] == sent.size - 1  # counted from the first
    assert flow[5] / PEAK == pytest.approx(share, abs=4 * share / sent.size**0.5)


def test_the_share_is_of_the_peak_that_was_measured(bench: Ran) -> None:
    per_message = (BYTES - 1) * 200 // 1000
    words = ["pin=0", "share=0.5", f"bytes={BYTES}", "peak_ns=2e7", "for_ns=2e8"]
    results = bench("load", 2, *words, G=200)
    flow, received = (series.values for series in results.named("flow"))
    assert flow[2] == pytest.approx(BYTES / per_message * 1e9, rel=1e-3)
    messages = flow[3]
    assert flow[5] / flow[2] == pytest.approx(0.5, abs=4 * 0.5 / messages**0.5)
    assert received[3] == messages - 1


def test_who_shares_a_core_naps_and_loses_nothing(bench: Ran) -> None:
    """Naps of 20 µs make messages late, not fewer: the bucket fills meanwhile."""
    words = ["pin=0", "share=0.5", f"bytes={BYTES}", f"peak={PEAK}", "for_ns=2e8"]
    results = bench("load", 2, *words, hosts=1, cores=1)
    assert results.text("crowded") == "1"
    flow = next(iter(results.named("flow"))).values
    assert flow[5] / PEAK == pytest.approx(0.5, abs=4 * 0.5 / flow[3] ** 0.5)


# Samples: iterations begun at agreed times.

OFFSETS = {"ahead_of_1": HOUR, "ahead_of_2": -500 * MS}


def iterations(results: BenchResults) -> np.ndarray:
    """Due, late, skew, latency and slowest rank of the iterations that count."""
    rows = [
        s.values.reshape(-1, 5) for s in results.named("iterations") if s.labels["warmup"] == "0"
    ]
    return np.concatenate(rows)


@pytest.mark.parametrize("clocks", [{}, OFFSETS], ids=["equal", "apart"])
def test_ranks_begin_together_whatever_their_clocks_show(
    bench: Ran, clocks: dict[str, int]
) -> None:
    rows = iterations(
        bench("samples", 4, "pin=0", "operation=barrier", "iterations=300", "warmup=5", **clocks)
    )
    assert rows.shape == (300, 5)
    assert (rows[:, 1] == LOOK).all()  # the look that ends the wait
    assert (rows[:, 2] == 0).all()
    assert (rows[:, 3] == MEET + LOOK).all()


def test_a_clock_that_runs_fast_is_followed(bench: Ran) -> None:
    """20 µs a second, for as long as half of a message's time is: the line through the offsets."""
    results = bench(
        "samples", 4, "pin=0", "operation=barrier", "iterations=600", "warmup=5",
        fast_of_2=20_000, **OFFSETS,
    )  # fmt: skip
    rows = iterations(results)
    bound = max(float(s.labels["clock_error_ns"]) for s in results.named("iterations"))
    unfollowed = 600 * MS * 20e-6
    assert rows[:, 2].max() <= min(bound, unfollowed / 10)
    assert np.abs(rows[:, 3] - MEET - LOOK).max() <= unfollowed / 10


def test_a_ping_pong_is_half_a_round_trip(bench: Ran) -> None:
    """The time includes one look at the clock, at the beginning."""
    words = ["pin=0", "operation=pingpong", "sizes=8,1000", "iterations=50", "warmup=5", "second=3"]
    rows = iterations(bench("samples", 4, *words, G=1000, **OFFSETS))
    assert (rows[:, 1] == LOOK).all()
    assert (rows[:, 2] == 0).all()
    halves = [HALF + (size - 1) + LOOK / 2 for size in (8, 1000)]
    np.testing.assert_array_equal(rows[:50, 3], halves[0])
    np.testing.assert_array_equal(rows[50:, 3], halves[1])


# Nodes.


def test_every_pair_of_nodes_is_timed(bench: Ran) -> None:
    results = bench("nodes", 4, "pin=0", "quanta=0", "passes=3", "trips=5")
    pairs = []
    for rank, series in enumerate(results.named("trips")):
        rows = series.values.reshape(-1, 4)
        pairs += [(int(n), rank, int(partner)) for n, partner, *_ in rows]
        np.testing.assert_array_equal(rows[:, 2:], HALF + LOOK / 2)
    every = [(n, a, b) for n in range(3) for a in range(4) for b in range(a + 1, 4)]
    assert sorted(pairs) == every
