"""`latitude measure load`, and load beside another measurement."""

import signal
from pathlib import Path

import pytest

from latitude.samples import read_samples
from support.mpi.library import Library, openmpi
from support.mpi.measuring import Measuring, left_behind


@pytest.fixture
def measuring(mpi: Library, tmp_path: Path) -> Measuring:
    return Measuring(mpi, tmp_path)


@pytest.fixture
def open_mpi_measuring(builds: Path, tmp_path: Path) -> Measuring:
    """Open MPI, for tests that do not depend on the MPI."""
    return Measuring(openmpi(builds), tmp_path)


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_a_share_of_what_was_measured_flows(measuring: Measuring, share: float) -> None:
    """The amount in half a second depends on the machine; a test in virtual time counts it."""
    options = ("--share", f"{share:.0%}", "--for", "500ms", "--message", "64KiB")
    done = measuring.run("load", 2, *options)
    assert f"Load: {share:.0%} asked" in done.stdout
    (pair,) = measuring.json("load.json")["pairs"]
    assert (pair["sender"], pair["receiver"]) == (0, 1)
    assert pair["peak_bytes_per_s"] > 0
    assert pair["seconds"] > 0
    sent = pair["messages"] * (64 << 10) / pair["seconds"]
    assert pair["achieved"] == pytest.approx(sent / pair["peak_bytes_per_s"], rel=1e-6)


def test_load_runs_until_it_is_stopped(open_mpi_measuring: Measuring) -> None:
    done = open_mpi_measuring.interrupted(signal.SIGTERM, b"flowing", "load", 2, "--share", "30%")
    assert done.returncode == 0, done.stderr
    found = open_mpi_measuring.json("load.json")
    assert found["asked"] == 0.3
    assert found["pairs"][0]["seconds"] > 0.5
    assert left_behind("load", open_mpi_measuring.out) == []


def test_a_known_peak_is_not_measured(open_mpi_measuring: Measuring) -> None:
    open_mpi_measuring.run("load", 2, "--share", "50%", "--for", "500ms", "--peak", "100MB/s")
    (pair,) = open_mpi_measuring.json("load.json")["pairs"]
    assert pair["peak_bytes_per_s"] == pytest.approx(1e8)
    assert pair["achieved"] > 0


def test_load_beside_a_measurement_flows_and_ends(measuring: Measuring) -> None:
    options = ("--iterations", 50, "--warmup", 5, "--with-load", "40%")
    done = measuring.run("barrier", 2, *options)
    assert "Load during the measurement: 40% asked" in done.stdout
    assert (read_samples(measuring.out)["load"] == 0.4).all()
    load = measuring.json("barrier-*.json")["load"]
    assert load["pairs"][0]["messages"] > 0
    assert load["crowded"] is True  # four ranks on the two cores of this machine, or few more
    assert left_behind("load", measuring.out) == []
