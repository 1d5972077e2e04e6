"""`latitude measure pingpong`, `barrier`, `collective`: every iteration, at agreed times."""

import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from latitude.measure.sampling import COLLECTIVES
from latitude.samples import read_samples
from support.command import Run
from support.mpi.library import Library, openmpi
from support.mpi.measuring import Measuring, left_behind

Refused = Callable[..., str]


@pytest.fixture
def measuring(mpi: Library, tmp_path: Path) -> Measuring:
    return Measuring(mpi, tmp_path)


@pytest.fixture
def open_mpi_measuring(builds: Path, tmp_path: Path) -> Measuring:
    """Open MPI, for tests that do not depend on the MPI."""
    return Measuring(openmpi(builds), tmp_path)


def test_every_iteration_of_a_pingpong_is_kept(measuring: Measuring, latitude: Run) -> None:
    options = ("--size", "4B,64KiB", "--iterations", 300, "--warmup", 30, "--per-rank")
    done = measuring.run("pingpong", 2, *options)
    assert "pingpong, 64 KiB" in done.stdout
    samples = read_samples(measuring.out)
    assert samples.groupby("bytes").size().to_dict() == {4: 300, 65536: 300}
    assert set(samples["collective"]) == {"pingpong"}
    assert samples["iteration"].tolist() == [*range(300)] * 2
    assert (samples["placement"] == "same node").all()
    assert (samples["nodes"] == 1).all()
    assert (samples["clock_error_ns"] == 0).all()  # one node, one clock
    assert (samples["latency_ns"] > 20).all()
    # begun at agreed times: the interval apart, or later where something took longer
    apart = samples[samples["bytes"] == 4]["time"].diff().dt.total_seconds()
    assert apart.median() >= 0.001
    assert read_samples(measuring.out / "warm-up").groupby("bytes").size().to_list() == [30, 30]
    own = read_samples(measuring.out / "per-rank")
    assert own.groupby(["bytes", "rank"]).size().to_list() == [300] * 4
    # the first rank's own time is the whole round trip
    first = own[own["rank"] == 0]["latency_ns"].to_numpy()
    assert np.allclose(first / 2, samples["latency_ns"], atol=1)
    described = measuring.json("pingpong-*.json")
    assert described["summary"][0]["median_ns"] == samples["latency_ns"][:300].median()
    assert "measure pingpong" in described["provenance"]["command"]
    told = latitude("stats", "tail", measuring.out, "--by", "collective", "--by", "bytes")
    assert told.returncode == 0, told.stderr
    assert "65536" in told.stdout


def test_collectives_fit_as_they_are(open_mpi_measuring: Measuring, latitude: Run) -> None:
    operations = ",".join(COLLECTIVES)
    options = ("--collective", operations, "--size", "1KiB", "--iterations", 40, "--warmup", 10)
    open_mpi_measuring.run("collective", 3, *options, "--interval", "200us")
    samples = read_samples(open_mpi_measuring.out)
    assert samples.groupby("collective").size().to_dict() == dict.fromkeys(
        operations.split(","), 40
    )
    assert (samples["ranks"] == 3).all()
    assert set(samples["slowest_rank"]) <= {0, 1, 2}
    assert (samples["skew_ns"] >= 0).all()
    fitted = latitude("fit", open_mpi_measuring.out, "--budget", "50ms", "--bootstrap", 0)
    assert fitted.returncode == 0, fitted.stderr
    assert "AIC" in fitted.stdout


def test_a_clock_that_is_off_is_corrected(measuring: Measuring) -> None:
    """Rank 1's clock is 1 s ahead and gains 200 µs per second."""
    off = measuring.preloaded_in(1, "off_clock.c", "-DAHEAD_NS=1000000000")
    options = ("--iterations", 100, "--warmup", 10)
    measuring.run("barrier", 2, *options, "--each-clock", launch=off)
    corrected = read_samples(measuring.out)
    assert corrected["latency_ns"].quantile(0.1) < 0.5e9
    assert corrected["clock_error_ns"].max() > 0
    (run,) = measuring.out.glob("*.parquet")
    run.unlink()
    measuring.run("barrier", 2, *options, launch=off)  # ranks of a node are believed to share one
    assert read_samples(measuring.out)["latency_ns"].min() > 0.99e9


def test_measuring_goes_on_until_the_median_is_precise(open_mpi_measuring: Measuring) -> None:
    """Or until its ceiling: which one, the samples' own order statistics say."""
    options = ("--iterations", 20, "--warmup", 5, "--interval", "100us")
    open_mpi_measuring.run("barrier", 2, *options, "--until-ci", "30%", "--at-most", "20s")
    samples = read_samples(open_mpi_measuring.out)
    precise = samples["latency_ns"].sort_values().to_numpy()
    n = len(precise)
    assert n >= 20
    half = 0.98 * n**0.5
    low, high = precise[int(n / 2 - half)], precise[min(int(n / 2 + half) + 1, n - 1)]
    reached = (high - low) / 2 / np.median(precise) <= 0.31
    span = samples["time"].max() - samples["time"].min()
    assert reached or span.total_seconds() >= 15


def test_the_ceiling_ends_what_is_never_precise(open_mpi_measuring: Measuring) -> None:
    options = ("--iterations", 20, "--warmup", 5, "--until-ci", "0.00001%", "--at-most", "600ms")
    open_mpi_measuring.run("barrier", 2, *options)
    span = read_samples(open_mpi_measuring.out)["time"]
    assert (span.max() - span.min()).total_seconds() > 0.2


def test_what_was_measured_is_kept_when_it_is_interrupted(open_mpi_measuring: Measuring) -> None:
    done = open_mpi_measuring.interrupted(
        signal.SIGINT, b"warmup=0", "barrier", 2, "--iterations", 100_000
    )
    assert done.returncode == 0, done.stderr
    assert "Interrupted: the samples so far are kept." in done.stdout
    kept = len(read_samples(open_mpi_measuring.out))
    assert 0 < kept < 100_000
    assert open_mpi_measuring.json("barrier-*.json")["interrupted"] is True
    assert left_behind("samples", open_mpi_measuring.out) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("collective", "--collective", "gossip"), "'gossip' is not one of bcast, alltoall"),
        (("collective", "--collective", "reduce", "--size", "6B"), "6 is no multiple of that"),
        (("collective", "--size", "3GiB"), "are more than MPI counts"),
        (("pingpong", "--pair", "1:1"), "'1:1' is not a pair of ranks"),
        (
            ("barrier", "--iterations", "0"),
            "'0' is not a number of iterations; write a whole number from 1",
        ),
        (("barrier", "--with-load", "140%"), "more than the bandwidth"),
        (("barrier", "--load-launcher", "mpirun"), "needs a load; add e.g. --with-load"),
    ],
)
def test_wrong_options_are_told(
    refused: Refused, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    line = refused("measure", *options, "-o", tmp_path, "--", "mpiexec.mpich", "-n", "2")
    assert said in line


def test_a_pair_that_is_not_there_is_told(open_mpi_measuring: Measuring) -> None:
    done = open_mpi_measuring.failed("pingpong", 2, "--pair", "0:2")
    assert "ranks 0 and 2 are no pair of 2 ranks" in done.stderr
