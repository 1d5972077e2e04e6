"""Steps of a PyTorch job over gloo are predicted from one profile, under latency below IP."""

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import latitude
from support.mpi.library import openmpi
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


@pytest.mark.parametrize(("ms", "off"), [(5, 0.08), (20, 0.03)])
@pytest.mark.parametrize("ranks", [2, 4])
def test_a_step_is_predicted_from_a_profile(
    machine: Machine, builds: Path, tmp_path: Path, ranks: int, ms: int, off: float
) -> None:
    """Found: steps around gloo's ring that take one latency in place of two, 45 % at 20 ms.

    The prediction is for the latency that was added, as the job measures it: the delayed packets
    are also late by the wake-ups of the process that delays them. At 5 ms the plain step varies by
    4 to 6 % of the delayed one, where two or four ranks share two cores; at 1 ms by 20 %, so
    nothing is claimed there.
    """
    hosts = Spanning(openmpi(builds), tmp_path, count=ranks, rate="")
    folder = tmp_path / "profile"
    folder.mkdir()
    launch = hosts.mpi.run(ranks, *JOB, STEPS, LAYERS)

    def timed(hosts: Spanning) -> tuple[float, float]:
        step, latency = hosts.run(*launch).stdout.split()
        return float(step), float(latency)

    def block() -> Mapping[str, float]:
        plain, latency = timed(hosts)
        hosts.run(*launch, folder)
        step, slow = timed(replace(hosts, delay=f"{ms}ms"))
        found = latitude.analyze(latitude.load(folder), cost=[f"{slow - latency}ns"], sections=[])
        predicted = plain + (found.cost[0].T_ns - found.T_ns) / STEPS
        return {"step": step / predicted}

    machine.holds(block, {"step": (1 - off, 1 + off)}, stray=SHARP)
