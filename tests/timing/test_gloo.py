"""Steps of a PyTorch job over gloo are predicted from one profile, under latency below IP."""

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import latitude
from support.mpi.library import openmpi
from support.mpi.outcome import Done
from support.mpi.spanning import Spanning
from support.needed import need
from support.paths import SUPPORT
from support.timing import SHARP, Machine

PYTHON = "/usr/bin/python3"
"""The distribution's Python, which has its PyTorch."""
JOB = (PYTHON, SUPPORT / "gloo_job.py", "10.77.0.1:29512")
STEPS, LAYERS = 10, 4


@pytest.fixture(autouse=True)
def _torch() -> None:
    done = subprocess.run([PYTHON, "-c", "import torch"], check=False, capture_output=True)
    need("PyTorch of the distribution", there=done.returncode == 0, script="need-torch.sh")


@pytest.mark.parametrize("ms", [1, 5, 20])
@pytest.mark.parametrize("ranks", [2, 4])
def test_a_step_is_predicted_from_a_profile(
    machine: Machine, builds: Path, tmp_path: Path, ranks: int, ms: int
) -> None:
    """Found: steps around gloo's ring that take one latency in place of two, 45 % at 20 ms."""
    hosts = Spanning(openmpi(builds), tmp_path, count=ranks, rate="")
    folder = tmp_path / "profile"
    folder.mkdir()
    launch = hosts.mpi.run(ranks, *JOB, STEPS, LAYERS)

    def median_ns(done: Done) -> float:
        return float(done.stdout.split()[-1])

    def block() -> Mapping[str, float]:
        plain = median_ns(hosts.run(*launch))
        hosts.run(*launch, folder)
        found = latitude.analyze(latitude.load(folder), cost=[f"{ms}ms"], sections=[])
        predicted = plain + (found.cost[0].T_ns - found.T_ns) / STEPS
        return {"step": median_ns(replace(hosts, delay=f"{ms}ms").run(*launch)) / predicted}

    machine.holds(block, {"step": (0.97, 1.03)}, stray=SHARP)
