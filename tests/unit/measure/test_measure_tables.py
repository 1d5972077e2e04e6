"""Output of the programs of `latitude measure`, as the commands' results and tables."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from latitude import InputError
from latitude.lab.cluster.keeping import summaries_of
from latitude.measure.congestion import load_of
from latitude.measure.neighbours import nodes_of
from latitude.measure.results import BenchResults, Series
from latitude.measure.sampling import table

HOSTS = ("a", "a", "b", "c")


def written(
    *series: tuple[str, Mapping[str, object], Sequence[float]], **texts: object
) -> BenchResults:
    """Results of a job of four ranks on three hosts."""
    places = [
        ("rank", f"{rank} node={'abc'.index(host)} core=0 host={host}")
        for rank, host in enumerate(HOSTS)
    ]
    known = {"mpi": "an MPI", "crowded": "0", "ranks": len(HOSTS)} | texts
    return BenchResults(
        "program",
        (*((name, str(value)) for name, value in known.items()), *places),
        tuple(
            Series(name, {key: str(value) for key, value in labels.items()}, np.array(values))
            for name, labels, values in series
        ),
    )


def test_a_load_is_what_its_senders_sent_and_what_arrived_at_their_partners() -> None:
    """Ranks 0 and 3 send, to 2 and 1; what arrives is counted there, over another time."""
    flows = [
        (2, 1, 5e9, 1_000, 2.0, 1e9),
        (3, 0, 5e9, 700, 2.0, 0.7e9),
        (0, 0, 5e9, 999, 2.1, 0.9e9),
        (1, 1, 2.5e9, 700, 1.4, 0.8e9),
    ]
    results = written(*(("flow", {"rank": rank}, each) for rank, each in enumerate(flows)))
    load = load_of(results, asked=0.25, message=65_536)
    assert [(each.sender, each.receiver) for each in load.pairs] == [(0, 2), (3, 1)]
    assert [each.sent_bytes_per_s for each in load.pairs] == [1e9, 0.8e9]
    assert [each.received_bytes_per_s for each in load.pairs] == [0.9e9, 0.7e9]
    assert [each.achieved for each in load.pairs] == pytest.approx([0.2, 0.32])
    assert [each.messages for each in load.pairs] == [1_000, 700]
    assert [each.seconds for each in load.pairs] == [2.0, 1.4]
    assert load.achieved == pytest.approx(1.8 / 7.5)  # of all that could go at once
    assert (load.asked, load.message_bytes, load.crowded) == (0.25, 65_536, False)


def test_of_nodes_the_medians_are_compared_pass_by_pass() -> None:
    """Rank 2's trips have a median 2 µs above the others'; the shortest of rank 3's are longest."""
    passes = 12
    rows: dict[int, list[float]] = {rank: [] for rank in range(len(HOSTS))}
    for number in range(passes):
        for a in range(len(HOSTS)):
            for b in range(a + 1, len(HOSTS)):
                player, other = (a, b) if (a + b + number) % 2 else (b, a)  # either may tell
                median = 10_000.0 + 10 * number + (2_000 if 2 in (a, b) else 0)
                least = 9_000.0 + (900 if 3 in (a, b) else 0)
                rows[player] += [number, other, median, least]
    quanta = [100.0] * 98 + [150.0, 350.0]
    results = written(
        *(("trips", {"rank": rank}, values) for rank, values in rows.items()),
        ("quanta", {"rank": 1, "passes": passes}, quanta),
    )
    found = nodes_of(results, each_rank=True, effect=0.05)
    assert found.passes == passes
    assert found.higher == ("rank 2 on b",)
    slow = found.members[0]
    assert (slow.rank, slow.latency_ns, slow.neighbours_ns) == (2, 12_055, 10_055)
    assert slow.excess == pytest.approx(2_000 / 10_055)
    (noise,) = found.noise
    assert (noise.rank, noise.name) == (1, "rank 1 on a")
    assert (noise.least_ns, noise.mean_ns, noise.max_ns) == (100, 103, 350)
    assert noise.p99_ns == pytest.approx(np.quantile(quanta, 0.99))
    assert noise.lost == pytest.approx(3 / 103)


def test_nodes_that_have_not_all_met_are_refused() -> None:
    with pytest.raises(InputError, match="stopped before all pairs had met"):
        nodes_of(written(), each_rank=False, effect=0.05)


def test_samples_are_numbered_by_size_and_have_the_time_at_which_they_were_to_begin() -> None:
    """Two blocks of one size and one of another; times count from when the program began."""
    began_s = 1_700_000_000.25
    labels = {"warmup": 0, "window_ns": 1e6, "clock_error_ns": 35.0}
    rows = [
        [0.0, 40.0, 30.0, 2_000.0, 1.0],
        [1e6, 41.0, 31.0, 2_100.0, 0.0],
        [2_500_000.0, 42.0, 32.0, 2_200.0, 3.0],
        [4e6, 43.0, 33.0, 9_000.0, 2.0],
    ]
    results = written(
        ("iterations", labels | {"bytes": 8, "warmup": 1}, [0.0, 1.0, 1.0, 9e9, 1.0]),
        ("iterations", labels | {"bytes": 8}, [*rows[0], *rows[1]]),
        ("iterations", labels | {"bytes": 8, "clock_error_ns": 50.0}, rows[2]),
        ("iterations", labels | {"bytes": 64}, rows[3]),
        operation="bcast",
        began=began_s,
    )
    frame = table(results, warmup=False)
    since_us = [int(each.value) // 1_000 - 1_700_000_000_250_000 for each in frame["time"]]
    assert since_us == [0, 1_000, 2_500, 4_000]
    assert frame["bytes"].tolist() == [8, 8, 8, 64]
    assert frame["iteration"].tolist() == [0, 1, 2, 0]
    assert frame["late_ns"].tolist() == [40, 41, 42, 43]
    assert frame["skew_ns"].tolist() == [30, 31, 32, 33]
    assert frame["latency_ns"].tolist() == [2_000, 2_100, 2_200, 9_000]
    assert frame["slowest_rank"].tolist() == [1, 0, 3, 2]
    assert frame["clock_error_ns"].tolist() == [35, 35, 50, 35]
    assert set(frame["collective"]) == {"bcast"}
    assert (set(frame["ranks"]), set(frame["nodes"])) == ({4}, {3})
    (warm,) = table(results, warmup=True)["latency_ns"]
    assert warm == 9e9


def test_a_summary_is_of_one_size_and_ranks_are_late_beyond_a_median_and_1_us() -> None:
    """1,001 iterations of 8 bytes last 1,000, 1,001 … 2,000 ns, so the median is 1,500 ns."""
    labels = {"warmup": 0, "window_ns": 1e6}
    late = {7: 2_501.0, 8: 2_500.0, 9: 2_499.0, 10: 9_000.0}  # the first and the last are
    rows = np.array([[0, late.get(i, 1_200), 0, 1_000 + i, 0] for i in range(1_001)], np.float64)
    first, then = rows[500:].ravel().tolist(), rows[:500].ravel().tolist()
    results = written(
        ("iterations", labels | {"bytes": 8, "clock_error_ns": 60.0}, first),
        ("iterations", labels | {"bytes": 8, "clock_error_ns": 20.0}, then),
        ("iterations", labels | {"bytes": 4, "clock_error_ns": 0.0}, [0.0, 0.0, 0.0, 700.0, 1.0]),
        operation="bcast",
        began=0,
    )
    of_8, of_4 = summaries_of(table(results, warmup=False))
    assert (of_8.bytes, of_8.iterations, of_8.collective) == (8, 1_001, "bcast")
    assert (of_8.min_ns, of_8.median_ns, of_8.mean_ns, of_8.max_ns) == (1_000, 1_500, 1_500, 2_000)
    assert (of_8.p99_ns, of_8.p999_ns) == (pytest.approx(1_990), pytest.approx(1_999))
    assert of_8.sd_ns == pytest.approx(np.sqrt(1_001 * 1_002 / 12))
    assert of_8.late_share == pytest.approx(2 / 1_001)
    assert of_8.clock_error_ns == 60
    assert (of_4.bytes, of_4.iterations, of_4.median_ns, of_4.sd_ns) == (4, 1, 700, 0)
