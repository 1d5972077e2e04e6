"""Congestion beside the programs of a campaign."""

from collections.abc import Mapping
from pathlib import Path

from latitude.lab.campaign import read_run
from support.campaigns.campaign import Campaign
from support.mpi.library import openmpi
from support.timing import SHARP, Machine


def test_congestion_flows_beside_the_program(
    machine: Machine, builds: Path, tmp_path: Path
) -> None:
    """Found: a load half or twice as high, and a runtime with the generator's own time."""
    library = openmpi(builds)
    count = 0

    def block() -> Mapping[str, float]:
        nonlocal count
        count += 1
        folder = tmp_path / str(count)
        folder.mkdir()
        made = Campaign(folder, library.settings)
        made.file.write_text(
            "[campaign]\nrepetitions = 1\n[[programs]]\nname = 'sleep'\nlaunch = 'sleep 1'\n"
            "runtime = 'wall'\n[[levels]]\nload = '30%'\n"
            f"generator = '{library.launcher} -n 2'\n"
        )
        done = made.run()
        assert done.returncode == 0, done.stdout + done.stderr
        run, provenance = read_run(next((made.directory / "runs").iterdir()))
        assert run.runtime_ns is not None
        return {"achieved": provenance["load"]["achieved"], "seconds": run.runtime_ns / 1e9}

    machine.holds(block, {"achieved": (0.15, 0.45), "seconds": (1, 1.5)}, stray=SHARP)
