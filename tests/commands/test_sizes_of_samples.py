"""Samples of several message sizes are grouped, or one size is asked for; never pooled."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.command import Run

SIZES = {4: 1.5, 1024: 3.0, 1 << 20: 9000.0}
"""Mean of the latency, µs, by bytes."""
COUNT = 200


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    random = np.random.default_rng(1)
    rows = [
        f"{mean * random.gamma(100, 0.01)!r},{size}"
        for size, mean in SIZES.items()
        for _ in range(COUNT)
    ]
    path = tmp_path / "pingpong.csv"
    path.write_text("latency_us,bytes\n" + "\n".join(rows) + "\n", encoding="ascii")
    return path


def test_tails_are_told_by_size(latitude: Run, samples: Path) -> None:
    done = latitude("stats", "tail", samples, "--json", "-")
    groups = json.loads(done.stdout)["groups"]
    assert [group["name"] for group in groups] == [f"bytes {size}" for size in SIZES]
    for group, mean in zip(groups, SIZES.values(), strict=True):
        assert group["n"] == COUNT
        assert group["mean_ns"] == pytest.approx(1e3 * mean, rel=0.05)


def test_groups_by_a_label_are_split_by_size(latitude: Run, samples: Path, tmp_path: Path) -> None:
    lines = samples.read_text(encoding="ascii").splitlines()
    labelled = tmp_path / "labelled.csv"
    rows = [f"{line},{'ab'[number % 2]}" for number, line in enumerate(lines[1:])]
    labelled.write_text("\n".join([f"{lines[0]},source", *rows]) + "\n", encoding="ascii")
    done = latitude("stats", "tail", labelled, "--by", "source", "--json", "-")
    names = [group["name"] for group in json.loads(done.stdout)["groups"]]
    assert names == [f"source {which}, bytes {size}" for which in "ab" for size in SIZES]


def test_a_distribution_is_of_one_size(
    latitude: Run, refused: Callable[..., str], samples: Path, two_ranks: Path
) -> None:
    asked = "samples of several message sizes (4 B and 1,024 B among them)"
    for words in (("fit", samples), ("forecast", two_ranks, "--latency", samples)):
        said = refused(*words)
        assert asked in said
        assert "choose a size: --size 4B" in said
    assert "no samples of messages of 5 B" in refused("fit", samples, "--size", "5B")
    assert "--size: '5us' is not a file" in refused(
        "forecast", two_ranks, "--latency", "5us", "--size", "4B"
    )
    network = ("--L", "0us", "--o", "0us", "--latency-is", "total", "--samples", "200")
    means = []
    for size in ("4B", "1KiB"):
        of_one = ("--latency", samples, "--size", size, *network, "--json", "-")
        done = latitude("forecast", two_ranks, *of_one)
        means.append(json.loads(done.stdout)["random"]["latency"]["mean_ns"])
    assert means[1] - means[0] == pytest.approx(1500, rel=0.1)
