"""`latitude measure nodes`: who is slower than the others."""

from pathlib import Path

import pytest

from support.mpi.library import Library
from support.mpi.measuring import Measuring

OPTIONS = ("--by", "rank", "--passes", 8, "--trips", 60, "--quanta", 5, "--quantum", "200us")


@pytest.fixture
def measuring(mpi: Library, tmp_path: Path) -> Measuring:
    return Measuring(mpi, tmp_path)


def test_ranks_are_compared(measuring: Measuring) -> None:
    measuring.run("nodes", 4, *OPTIONS)
    found = measuring.json("nodes.json")
    assert found["passes"] == 8
    assert len(found["members"]) == len(found["noise"]) == 4
    for noise in found["noise"]:
        assert 0 < noise["least_ns"] <= noise["mean_ns"] <= noise["max_ns"]
        assert 0 <= noise["lost"] < 1


def test_two_are_too_few(measuring: Measuring) -> None:
    done = measuring.failed("nodes", 2, "--by", "rank")
    assert "latitude: error: 2 to compare; three or more are needed" in done.stderr
    assert not list(measuring.out.iterdir())
