"""Fits of L, o, g, G, S to times that follow the model exactly."""

import numpy as np
import pytest

from latitude.measure.loggps.fitting import READINGS, fit
from latitude.measure.loggps.measured import link_classes, warnings_of
from latitude.measure.loggps.pair import Pair, pairs_of
from latitude.measure.loggps.replicates import REPLICATES, quantiles
from latitude.measure.loggps.segments import segments
from latitude.measure.results import BenchResults, Series
from latitude.results.measurement import Reading

L, SEND, RECEIVE, G = 1_500.0, 300.0, 500.0, 0.08
SIZES = [1 << power for power in range(21)]
S = 1 << 13


def constant(value: float) -> np.ndarray:
    return np.full(REPLICATES + 1, value)


def pair(L: float = L, *, inside: bool = False, reading: Reading = "handshake", S: int = S) -> Pair:
    """A pair of ranks whose times are those of the model."""
    made = Pair(0, 1, inside, S, seconds=1.0, rounds=5, imprecise=0, eager_isend=S, eager_start=S)
    o = (SEND + RECEIVE) / 2
    for size in SIZES:
        (latencies, overheads), held = READINGS[reading] if size > S else ((1, 2), None)
        made.half[size] = constant(latencies * L + overheads * o + (size - 1) * G)
        if held is not None:
            made.held[size] = constant(held[0] * L + held[1] * o + (size - 1) * G)
        if size <= S:
            made.send[size] = constant(SEND + 0.1 * (size - 1))
            made.receive[size] = constant(RECEIVE)
            made.between[size] = constant(RECEIVE)
    return made


@pytest.mark.parametrize("reading", READINGS)
def test_parameters_come_back(reading: Reading) -> None:
    found = fit(pair(reading=reading), 1)
    assert found.L[0] == pytest.approx(L)
    assert found.o[0] == pytest.approx((SEND + RECEIVE) / 2)
    assert found.slope[0] == pytest.approx(G)
    assert found.O[0] == pytest.approx(0.05, rel=0.1)
    assert found.rendezvous == reading
    assert max(map(abs, found.error.values())) < 1e-9


@pytest.mark.parametrize("reading", READINGS)
def test_the_reading_is_seen_though_eager_messages_are_copied(reading: Reading) -> None:
    """Copies make the eager slope five times that of the others, and most of G."""
    made = pair(reading=reading, S=1 << 18, L=100_000.0)
    for size in made.send:
        made.half[size] = made.half[size] + 4 * (size - 1) * G
    assert fit(made, 1).rendezvous == reading


def test_no_overhead_is_below_zero_however_disturbed_the_measurement() -> None:
    """Others had the machine while messages of a byte were measured."""
    made = pair()
    made.send[1] = constant(20e6)
    found = fit(made, 1_000)
    assert (found.L.max(), found.o.max()) == (0, 0)
    assert found.rest[0] < 0


def test_overheads_are_those_of_the_size_asked_for() -> None:
    found = fit(pair(), 1_000)  # between 512 and 1,024, which were measured
    assert found.send[0] == pytest.approx(SEND + 99.9)
    assert found.o[0] == pytest.approx((SEND + RECEIVE + 99.9) / 2)
    assert found.L[0] == pytest.approx(L)


def test_a_latency_the_overheads_hide_is_zero() -> None:
    made = pair(L=-100.0)
    found = fit(made, 1)
    assert found.L[0] == 0
    assert found.rest[0] == pytest.approx(-100)
    assert 2 * found.o[0] == pytest.approx(made.half[1][0])
    codes = [each.code for each in warnings_of([made], link_classes([made], 1), 1)]
    assert "latency-hidden" in codes


def test_g_counts_only_where_it_exceeds_the_overheads() -> None:
    slow = pair()
    slow.between = {size: constant(2_000.0) for size in slow.between}
    assert not link_classes([pair()], 1)[0].gap_counts
    assert link_classes([slow], 1)[0].gap_counts
    assert link_classes([slow], 1)[0].g.value == 2_000


@pytest.mark.parametrize(
    ("send", "receive", "slope", "counts"),
    [
        (0.82, 0.20, 0.83, True),  # processors copy: TCP on one host
        (0.02, 0.00, 0.83, False),  # less than o over all bytes of the largest eager message
        (0.50, 0.50, 0.08, False),  # large messages take less than that: without the processors
    ],
)
def test_bytes_cost_processors_where_they_do_the_work(
    send: float, receive: float, slope: float, counts: bool
) -> None:
    made = pair()
    made.send = {size: constant(SEND + send * (size - 1)) for size in made.send}
    made.receive = {size: constant(RECEIVE + receive * (size - 1)) for size in made.receive}
    made.half = {size: constant(1_900 + slope * (size - 1)) for size in made.half}
    (found,) = link_classes([made], 1)
    assert found.O.value == pytest.approx((send + receive) / 2)
    assert found.bytes_count is counts
    assert found.G(None).value == pytest.approx(slope)
    assert found.G(found.replicates["O"]).value == pytest.approx(
        max(slope - (send + receive) / 2, 0)
    )


def test_the_median_pair_speaks_for_its_class() -> None:
    pairs = [pair(L=1_000), pair(L=1_200), pair(L=5_000), pair(L=200, inside=True)]
    between, inside = link_classes(pairs, 1)
    assert between.L.value == pytest.approx(1_200)
    assert (between.least_L, between.most_L) == (pytest.approx(1_000), pytest.approx(5_000))
    assert inside.L.value == pytest.approx(200)
    assert (between.pairs, inside.pairs) == (3, 1)


def test_protocols_without_an_end_are_told() -> None:
    made = pair(S=1 << 20)
    (found,) = link_classes([made], 1)
    assert found.rendezvous is None
    codes = [each.code for each in warnings_of([made], [found], 1)]
    assert "no-rendezvous" in codes


def test_three_eager_limits_are_found() -> None:
    made = pair(S=1 << 18)
    made.eager_isend, made.eager_start = 1 << 13, 1 << 12
    (found,) = link_classes([made], 1)
    assert (found.S, found.S_isend, found.S_start) == (1 << 18, 1 << 13, 1 << 12)


def test_every_send_may_wait() -> None:
    (found,) = link_classes([pair(S=0)], 1)
    assert (found.S, found.o.value) == (0, 0)


def test_a_change_of_slope_is_found() -> None:
    sizes = np.array([1 << power for power in range(1, 21)], dtype=float)
    times = np.where(sizes <= 2048, 1_000 + 0.5 * sizes, 3_000 + 0.05 * sizes)
    bounds = [(int(sizes[a]), int(sizes[b - 1])) for a, b in segments(sizes, times)]
    assert bounds == [(2, 2048), (4096, 1 << 20)]


def test_a_line_is_one_piece() -> None:
    sizes = np.array(SIZES, dtype=float)
    noise = np.random.default_rng(5).normal(1, 0.005, sizes.size)
    assert segments(sizes, (1_000 + 0.1 * sizes) * noise) == [(0, sizes.size)]


@pytest.mark.parametrize("quantile", [0.1, 0.5])
def test_intervals_cover_the_truth(quantile: float) -> None:
    """The 95 % interval of a quantile of an exponential distribution, 400 times."""
    random = np.random.default_rng(11)
    truth, hits = -np.log(1 - quantile), 0
    for _ in range(400):
        values = random.exponential(size=300)
        found = quantiles(values, np.ones(300, np.int64), quantile, random)
        low, high = np.quantile(found[1:], [0.025, 0.975])
        hits += low <= truth <= high
    assert 365 <= hits <= 394  # binomial: 380 ± 3.4 sd


def test_what_a_program_wrote_becomes_pairs() -> None:
    def series(name: str, bytes_: int, values: list[float], messages: int = 1) -> Series:
        labels = {"a": "0", "b": "1", "bytes": str(bytes_), "messages": str(messages)}
        return Series(name, {**labels, "inside": "0"}, np.array(values))

    def rounds(of: str, counts: list[float]) -> Series:
        labels = {"a": "0", "b": "1", "bytes": "1", "of": of}
        return Series("rounds", labels, np.array(counts))

    results = BenchResults(
        "loggps",
        (),
        (
            series("pair", 0, [1.5, 6, 2, 64, 32, 16]),
            series("stream", 1, [4_000.0] * 9, 16),
            series("sends", 1, [100.0, 100.0, 2_400.0] * 9, 3),
            series("recvs", 1, [200.0] * 9),
            series("ping", 1, [1_000.0] * 9),
            rounds("stream", [4, 5]),
            rounds("sends", [12, 15]),
            rounds("recvs", [4, 5]),
            rounds("ping", [9]),
        ),
    )
    (found,) = pairs_of([results], 0.5, 1)
    assert (found.eager, found.rounds, found.imprecise, found.inside) == (64, 6, 2, False)
    assert (found.eager_isend, found.eager_start) == (32, 16)
    assert found.send[1][0] == 100
    assert found.delayed[1][0] == pytest.approx((2_400 - 2_000) / 2)
    assert found.between[1][0] == pytest.approx((4_000 - 2_000) / 15)
