"""The verbs injector on a fake device in this process: delays, counts, distribution."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[1] / "runtime" / "inject" / "tests"
CC = os.environ.get("CC", "cc")


@dataclass
class Posting:
    """What posting.c printed, and what was counted."""

    post_ns: int
    start_ns: int
    posted: int
    started: int
    said: str
    result: dict[str, Any]


@pytest.fixture(scope="module")
def posting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, linked to the fake device."""
    built = tmp_path_factory.mktemp("verbs")
    fake = built / "libibverbs.so.1"
    soname = f"-Wl,-soname,{fake.name}"
    for words in (
        ["-shared", "-fPIC", soname, TESTS / "fake_verbs.c", "-o", fake],
        [TESTS / "posting.c", fake, f"-Wl,-rpath,{built}", "-o", built / "posting"],
    ):
        subprocess.run([CC, "-O2", "-Wall", "-Werror", *map(str, words)], check=True)
    return built / "posting"


def plain(program: Path, posts: int, requests: int) -> list[int]:
    done = subprocess.run(
        [program, str(posts), str(requests)], capture_output=True, check=True, encoding="utf-8"
    )
    return [int(word) for word in done.stdout.split()]


def run(program: Path, directory: Path, *options: str, posts: int, requests: int = 1) -> Posting:
    latitude = [sys.executable, "-m", "latitude", "inject", *options, "-o", "run", "--force", "--"]
    done = subprocess.run(
        [*latitude, program, str(posts), str(requests)],
        capture_output=True,
        check=False,
        encoding="utf-8",
        cwd=directory,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((directory / "run" / "inject.json").read_text())
    return Posting(*map(int, done.stdout.split()), done.stderr, result)


def test_both_interfaces_wait_before_each_post(posting: Path, tmp_path: Path) -> None:
    without = plain(posting, 500, 1)
    with_delay = run(posting, tmp_path, "--verbs", "20us", posts=500)
    assert with_delay.post_ns == pytest.approx(without[0] + 20_000, abs=300)
    assert with_delay.start_ns == pytest.approx(without[1] + 20_000, abs=300)
    assert [with_delay.posted, with_delay.started] == [500, 500]
    assert with_delay.result["delayed"] == 1000
    assert "1,000 posts delayed (post_send, wr_start)" in with_delay.said


@pytest.mark.parametrize(("option", "expected"), [([], 10_000), (["--per-wr"], 40_000)])
def test_a_list_is_one_post_or_many_requests(
    posting: Path, tmp_path: Path, option: list[str], expected: int
) -> None:
    found = run(posting, tmp_path, "--verbs", "10us", *option, posts=300, requests=4)
    assert found.post_ns == pytest.approx(expected, abs=600)
    assert found.posted == 1200


def test_a_delay_of_nothing_costs_next_to_nothing(posting: Path, tmp_path: Path) -> None:
    """A draw, two readings of the counter, and the counting."""
    found = run(posting, tmp_path, "--verbs", "0", posts=5000)
    assert found.post_ns - plain(posting, 5000, 1)[0] < 100
    assert found.start_ns - plain(posting, 5000, 1)[1] < 100


def test_the_distribution_that_goes_in_comes_out(posting: Path, tmp_path: Path) -> None:
    """Kolmogorov at 0.1 % of 1e5 delays asked; of those achieved the machine may delay a few more.

    They are compared at the sketch's cell boundaries, where both are exact.
    """
    words = "lognormal(p50=20us,p99=80us)"
    found = run(posting, tmp_path, "--verbs", words, "--seed", "3", posts=50_000)
    histogram = found.result["histogram"]
    lines = (tmp_path / "run" / "table.dist").read_text().splitlines()
    table = np.array([int(w) for line in lines if line[0] != "#" for w in line.split()])
    of_table = np.searchsorted(table, np.array(histogram["to_ns"])) / table.size
    for name, most in (("asked", 1.95 / 100_000**0.5), ("achieved", 0.03)):
        counts = np.array(histogram[name])
        assert counts.sum() == 100_000
        assert np.abs(np.cumsum(counts) / 100_000 - of_table).max() < most


def test_runs_repeat(posting: Path, tmp_path: Path) -> None:
    means = [
        run(posting, tmp_path, "--verbs", "uniform(loc=1us,scale=9us)", "--seed", seed, posts=200)
        .result["asked"]["mean_ns"]
        for seed in ("7", "7", "8")
    ]  # fmt: skip
    assert means[0] == means[1] != means[2]
