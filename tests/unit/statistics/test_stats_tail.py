"""Percentiles, tail index, long tail, streams."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from latitude._core import InputError
from latitude.lab.results.stats import SampleTail
from latitude.lab.samples.described import describe_sample
from latitude.lab.statistics.tail_index import MOST_TAIL, TailIndex, tail_size
from latitude.statistics.intervals import share_interval
from latitude.statistics.percentiles import Percentile, needed, ranks
from latitude.statistics.sample import autocorrelation, sample_of
from latitude.statistics.stream import TOP, Stream, stream


def tail_of(values: ArrayLike, threshold_ns: float | None = None) -> SampleTail:
    return describe_sample(sample_of(values, threshold_ns))


def ends(percentile: Percentile) -> tuple[float, float]:
    assert percentile.low_ns is not None
    assert percentile.high_ns is not None
    return percentile.low_ns, percentile.high_ns


def nist_numacc(middle: float, step: float, pairs: int) -> NDArray[np.float64]:
    """NIST StRD, univariate, NumAcc3 and 4: the mean, then mean − step, mean + step, repeated."""
    return np.array([middle, *[middle - step, middle + step] * pairs])


@pytest.mark.parametrize(
    ("values", "mean", "sd", "related", "digits"),
    [
        (np.array([10000001.0, 10000003, 10000002]), 10000002, 1, -0.5, 12),  # NumAcc1
        (nist_numacc(1.2, 0.1, 500), 1.2, 0.1, -0.999, 12),  # NumAcc2
        (nist_numacc(1000000.2, 0.1, 500), 1000000.2, 0.1, -0.999, 8),  # NumAcc3
        (nist_numacc(10000000.2, 0.1, 500), 10000000.2, 0.1, -0.999, 7),  # NumAcc4
    ],
)
def test_nist_univariate(
    values: NDArray[np.float64], mean: float, sd: float, related: float, digits: int
) -> None:
    assert autocorrelation(values) == pytest.approx(related, rel=10**-digits)
    repeated = np.concatenate([values, values[:1]]) if values.size < 4 else values
    if repeated is values:
        found = tail_of(values)
        assert found.mean_ns == pytest.approx(mean, rel=1e-14)
        assert found.sd_ns == pytest.approx(sd, rel=10**-digits)
    streamed = Stream()
    for value in values:
        streamed.add([value])
    assert streamed.moments.mean == pytest.approx(mean, rel=1e-13)
    assert streamed.moments.sd == pytest.approx(sd, rel=10**-digits)


def test_intervals_of_percentiles_are_the_textbooks() -> None:
    """Le Boudec, Performance Evaluation, Table A.1: medians at 95 %, ranks for n = 6 … 30."""
    for n, expected in ((6, (1, 6)), (12, (3, 10)), (13, (3, 11)), (20, (6, 15)), (30, (10, 21))):
        assert ranks(0.5, n) == expected
    assert ranks(0.5, 5)[0] == 0
    assert needed(0.5) == 6
    assert needed(0.9999) == 36_887
    assert math.isclose(0.9999**36_887, 0.025, rel_tol=1e-3)


@pytest.mark.thorough
def test_intervals_of_percentiles_hold_what_they_promise() -> None:
    random = np.random.default_rng(2)
    truth = {share: float(stats.lognorm.ppf(share, 1, scale=5000)) for share in (0.5, 0.9, 0.99)}
    hits = dict.fromkeys(truth, 0)
    for _ in range(300):
        found = tail_of(random.lognormal(math.log(5000), 1, 600))
        for share, value in truth.items():
            percentile = found.at(share)
            assert percentile.low_ns is not None
            assert percentile.high_ns is not None
            hits[share] += percentile.low_ns <= value <= percentile.high_ns
    assert all(0.93 * 300 <= count <= 0.99 * 300 for count in hits.values())


def test_percentiles_lie_between_the_two_ranks_around_them() -> None:
    values = np.random.default_rng(1).permutation(np.arange(11) * 100.0)
    found = tail_of(values)
    for share in (0.5, 0.75, 0.9, 0.95, 0.999):
        assert math.isclose(found.at(share).value_ns, float(np.quantile(values, share)))


def test_it_says_when_n_is_too_small() -> None:
    found = tail_of(np.random.default_rng(0).lognormal(8, 0.5, 1000))
    assert found.at(0.99).high_ns is not None
    assert found.at(0.999).high_ns is None
    assert found.at(0.999).low_ns is not None
    (notice,) = [n for n in found.warnings if n.code == "few-samples"]
    assert "p99.9, p99.99" in notice.message
    assert "3,688" in notice.hint
    assert "36,887" in notice.hint


@pytest.mark.parametrize("alpha", [1.5, 3.0])
def test_the_tail_index_is_recovered(alpha: float) -> None:
    random = np.random.default_rng(4)
    inside = 0
    for _ in range(200):
        index = TailIndex.of(sample_of(1000 * (1 + random.pareto(alpha, 3000))))
        assert index is not None
        inside += index.low <= alpha <= index.high
        # For many samples α̂ is normal around α, with a standard deviation of α/√k.
        assert index.high - index.low == pytest.approx(
            2 * 1.96 * index.alpha / index.k**0.5, rel=0.02
        )
        assert index.k == int(3000 ** (2 / 3) / math.log(math.log(3000)))
    assert inside >= 0.91 * 200


def test_a_stream_keeps_enough_for_the_tail_of_any_n() -> None:
    assert 2 * MOST_TAIL < TOP
    assert [tail_size(n) for n in (39, 1000, 10**8)] == [0, 51, MOST_TAIL]


def test_a_tail_that_is_no_power_law_is_not_settled() -> None:
    random = np.random.default_rng(1)
    light = TailIndex.of(sample_of(random.standard_exponential(200_000)))
    assert light is not None
    assert not light.settled
    heavy = TailIndex.of(sample_of(1 + random.pareto(2, 200_000)))
    assert heavy is not None
    assert heavy.settled


def test_the_long_tail_is_15_percent_of_any_sample_but_not_of_its_time() -> None:
    random = np.random.default_rng(8)
    flat, heavy = (tail_of(x) for x in (random.random(2000), 1 + random.pareto(1.5, 2000)))
    assert flat.long_tail.share == heavy.long_tail.share == 0.15
    assert flat.long_tail.time_share < 0.3
    assert heavy.long_tail.time_share > 0.4
    limit = flat.at(0.85).value_ns
    against = tail_of(2 * random.random(2000), limit).long_tail
    assert not against.own
    assert against.low < 1 - limit / 2 < against.high


def test_clopper_and_pearsons_interval_as_published() -> None:
    """Le Boudec, Example 2.4: none of 10, p ≤ 30.8 %; 32 of 145, 15.6 % – 29.7 %."""
    assert share_interval(0, 10) == (0.0, pytest.approx(0.308, abs=5e-4))
    assert share_interval(32, 145) == pytest.approx((0.156, 0.297), abs=5e-4)


def test_mean_and_median_part_in_a_tail() -> None:
    found = tail_of(np.random.default_rng(0).lognormal(8, 1, 5000))
    assert found.gap_ns == pytest.approx(found.mean_ns - found.median_ns)
    assert found.gap_ns > 1000


def test_edge_samples() -> None:
    constant = tail_of([7.0] * 50)
    assert (constant.sd_ns, constant.gap_ns, constant.tail_index) == (0.0, 0.0, None)
    assert constant.warnings[0].code == "constant"
    assert tail_of([0.0] * 49 + [1.0]).tail_index is None
    with pytest.raises(InputError, match="only 3 values"):
        tail_of([1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="1 of 4 values are not finite"):
        tail_of([1.0, 2.0, 3.0, math.nan])
    with pytest.raises(InputError, match="1 latencies are negative"):
        tail_of([1.0, 2.0, 3.0, -1.0])


def test_a_stream_says_the_same_as_the_whole() -> None:
    values = 1000 * (1 + np.random.default_rng(6).pareto(2, 300_000))
    exact, streamed = tail_of(values), describe_sample(stream(np.array_split(values, 7)).sample())
    assert streamed.n == exact.n
    assert streamed.mean_ns == pytest.approx(exact.mean_ns, rel=1e-12)
    assert streamed.sd_ns == pytest.approx(exact.sd_ns, rel=1e-10)
    for ours, theirs in zip(streamed.percentiles, exact.percentiles, strict=True):
        assert ours.value_ns == pytest.approx(theirs.value_ns, rel=1e-3)
        assert ours.low_ns == pytest.approx(theirs.low_ns, rel=1e-3)
        assert ours.high_ns == pytest.approx(theirs.high_ns, rel=1e-3)
    assert (
        streamed.tail_index == exact.tail_index
    )  # from the largest values, which are kept exactly
    assert streamed.long_tail.share == pytest.approx(0.15, abs=1e-3)
    assert streamed.long_tail.time_share == pytest.approx(exact.long_tail.time_share, abs=1e-3)


@given(st.lists(st.lists(st.floats(0, 1e9), min_size=1, max_size=50), min_size=3, max_size=3))
@settings(max_examples=50, deadline=None)
def test_streams_merge_in_any_order(parts: list[list[float]]) -> None:
    def part(index: int) -> Stream:
        return stream([np.array(parts[index])], seed=index)

    left, right, back = part(0), part(1), part(2)
    left.merge(part(1))
    left.merge(part(2))
    right.merge(part(2))
    first = part(0)
    first.merge(right)
    back.merge(part(1))
    back.merge(part(0))
    everything = np.sort(np.concatenate([np.array(p) for p in parts]))
    for one, other in pairwise((left, first, back)):
        assert one.n == other.n == everything.size
        assert one.sketch.cells()[1].tolist() == other.sketch.cells()[1].tolist()
        assert one.top.tolist() == other.top.tolist()
        assert np.sort(one.chosen).tolist() == np.sort(other.chosen).tolist()
        assert one.moments.mean == pytest.approx(other.moments.mean, rel=1e-9)
    for rank in (1, everything.size // 2 + 1, everything.size):
        assert left.at_rank(rank) == everything[rank - 1]


def test_quantiles_of_a_long_stream_keep_their_promise() -> None:
    random = np.random.default_rng(9)
    values = random.lognormal(9, 2, 50_000)
    whole = stream(np.array_split(values, 11), size=500, most=100)
    ordered = np.sort(values)
    for rank in (1, 500, 25_000, 49_000, 49_950, 50_000):
        assert whole.at_rank(rank) == pytest.approx(ordered[rank - 1], rel=1.1e-3)
    assert whole.top.tolist() == ordered[-100:].tolist()
    sample = whole.chosen
    assert sample.size == 500
    assert stats.kstest(sample, ordered).pvalue > 0.001


def test_intervals_from_a_sketch_cover_those_of_all_samples() -> None:
    """So many samples that the exact intervals are narrower than a cell of the sketch."""
    values = np.random.default_rng(39).lognormal(math.log(5000), 0.05, 500_000)
    limit = float(np.quantile(values, 0.7))
    exact = tail_of(values, limit)
    kept = describe_sample(stream(np.array_split(values, 5), most=1000).sample(limit))
    for ours, theirs in zip(kept.percentiles, exact.percentiles, strict=True):
        low, high = ends(ours)
        exact_low, exact_high = ends(theirs)
        assert low <= exact_low < exact_high <= high
        assert high / low <= exact_high / exact_low * 1.0021
    assert kept.long_tail.low <= exact.long_tail.low
    assert exact.long_tail.high <= kept.long_tail.high
    assert kept.long_tail.high - kept.long_tail.low < 0.01


@pytest.mark.thorough
@given(st.lists(st.floats(0, 1e16), min_size=1, max_size=300))
@settings(max_examples=200, deadline=None)
def test_every_latency_lies_within_the_bounds_of_its_rank(values: list[float]) -> None:
    whole = stream([np.array(values)], most=1)
    for rank, value in enumerate(np.sort(values), 1):
        low, high = whole.bounds(rank)
        assert low <= value <= high
