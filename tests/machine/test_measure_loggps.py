"""`latitude measure loggps` on this machine: what it writes, and what injected latency changes."""

import os
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import pytest

from latitude.measure.results import BenchResults, read_starts
from latitude.measure.session import BenchRequest, measure
from latitude.model.cluster_file import read_cluster
from support.command import Run
from support.mpi.injecting import OVER_TCP
from support.mpi.library import Library
from support.mpi.outcome import succeeded
from support.schemas import document

QUICK = ["--starts", "1", "--most", "4KiB", "--time", "2s", "--quantile", "3%"]


def measured(latitude: Run, mpi: Library, directory: Path, launch: list[str], *more: str) -> Any:
    """loggps.json of a run that must succeed."""
    line = ["measure", "loggps", "-o", directory, *QUICK, *more, "--", *launch]
    succeeded(latitude(*line, env={**mpi.environment, **OVER_TCP}))
    return document((directory / "loggps.json").read_text())


def test_the_files_say_the_same(latitude: Run, mpi: Library, tmp_path: Path) -> None:
    found = measured(latitude, mpi, tmp_path, mpi.run(2), "--size", "1000B")
    (each,) = found["classes"]
    network = read_cluster(tmp_path / "cluster.toml").network()
    written = [network.L, network.o, network.S]
    found_values = [each["L_ns"]["value"], each["o_ns"]["value"], each["S_bytes"]]
    assert written == pytest.approx(found_values, rel=1e-3)
    assert network.source.endswith("cluster.toml, measured inside a node")
    assert {1, 1000, 4096} <= {size["bytes"] for size in each["sizes"]}
    assert found["size_bytes"] == 1000
    assert [rank["node"] for rank in found["ranks"]] == [0, 0]
    assert {"one-node", "one-start"} <= {warning["code"] for warning in found["warnings"]}


def test_what_it_prints_can_be_typed_next(
    latitude: Run, mpi: Library, tmp_path: Path, two_ranks: Path
) -> None:
    directory = tmp_path / "a directory"
    line = ["measure", "loggps", "-o", directory, *QUICK, "--", *mpi.run(2)]
    done = latitude(*line, env=mpi.environment)
    assert done.returncode == 0, done.stderr
    assert "LogGPS inside a node, 1 pair of ranks" in done.stdout
    assert f"Next: latitude analyze TRACE --network '{directory}/cluster.toml'\n" in done.stdout
    analysed = latitude("analyze", two_ranks, "--network", directory / "cluster.toml")
    assert analysed.returncode == 0, analysed.stderr


def test_the_average_message_of_a_trace_counts(
    latitude: Run, mpi: Library, tmp_path: Path, two_ranks: Path
) -> None:
    """The example sends one message of 4 bytes."""
    found = measured(latitude, mpi, tmp_path, mpi.run(2), "--trace", str(two_ranks))
    assert found["size_bytes"] == 4


def test_more_ranks_than_cores_can_be_measured(latitude: Run, mpi: Library, tmp_path: Path) -> None:
    """Ranks that wait for their turn sleep, so they do not disturb a pair."""
    found = measured(latitude, mpi, tmp_path, mpi.run(6), "--pairs", "3")
    assert [len(found["ranks"]), found["classes"][0]["pairs"]] == [6, 3]


@pytest.mark.parametrize("cache", ["warm", "cold"])
def test_starts_are_counted_told_and_kept(
    latitude: Run, mpi: Library, tmp_path: Path, cache: str
) -> None:
    options = ["--starts", "3", "--cache", cache, "--most", "64B", "--time", "3s"]
    line = ["measure", "loggps", "-o", tmp_path, *options, "--", *mpi.run(2)]
    done = succeeded(latitude(*line, env={**mpi.environment, **OVER_TCP}))
    told = "measuring the network: 3 starts of the program, up to 1 s each, 3 s in all"
    assert done.stderr.splitlines()[0].startswith(told)
    found = document((tmp_path / "loggps.json").read_text())
    starts = read_starts(tmp_path / "loggps.bench")
    (pair,) = found["pairs"]
    assert (found["starts"], found["cache"], len(starts)) == (3, cache, 3)
    assert len(pair["half_round_trip_by_start_ns"]) == 3
    assert pair["half_round_trip_ns"] == median(pair["half_round_trip_by_start_ns"])
    assert pair["rounds"] == sum(int(next(each.named("pair")).values[1]) for each in starts)
    for each in starts:
        for rounds in each.named("rounds"):
            (values,) = (
                one.values
                for one in each.named(rounds.labels["of"])
                if one.labels["bytes"] == rounds.labels["bytes"]
            )
            assert rounds.values.sum() == values.size
    network = read_cluster(tmp_path / "cluster.toml").network()
    assert {len(values) for values in network.draws.values()} == {50}
    written = (tmp_path / "cluster.toml").read_text()
    assert "1 pair of ranks inside a node, 3 starts of the program" in written
    assert ("in memory" if cache == "cold" else "in the caches") in written
    assert "one-start" not in [warning["code"] for warning in found["warnings"]]


def test_starts_that_were_made_count(mpi: Library, tmp_path: Path) -> None:
    request = BenchRequest("loggps", mpi.run(2), {"most": 64, "seconds": 0.001})
    told: list[int] = []

    def enough(found: BenchResults) -> bool:
        told.append(found.ranks)
        return len(told) == 2

    with mock.patch.dict(os.environ, {**mpi.environment, **OVER_TCP}):
        ran = measure(request, tmp_path, 4, lambda: None, enough)
    assert told == [2, 2]
    assert not ran.interrupted
    assert len(ran.results) == len(read_starts(tmp_path / "loggps.bench")) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--starts", "0"], "'0' is not a number of starts; write a whole number from 1"),
        (["--cache", "hot"], "invalid choice: 'hot'"),
        (["--size", "2GiB"], "size: '2GiB' is not between 1B and 1GiB"),
        (
            ["--pairs", "none"],
            "'none' is not all or a number of pairs; write a whole number from 1",
        ),
        (["--quantile", "100%"], "'100%' is not below 1; write e.g. 10%"),
        (["--trace", "nothing"], "nothing: No such file or directory"),
        (["--mpicc", "cc-of-mars"], "--mpicc: cc-of-mars: no such program"),
    ],
)
def test_wrong_options_are_refused(refused: Any, words: list[str], said: str) -> None:
    assert said in refused("measure", "loggps", *words, "--", "mpirun", "-n", "2")
