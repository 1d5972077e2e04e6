"""Compares one campaign here, in Slurm job arrays and on Dask: equal runs, none lost or doubled.

Slurm is a real one that the fixture starts, and the local Dask cluster is real, too.
"""

import os
import re
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from latitude.files.writing import whole_files
from latitude.lab.campaign import read_run
from support.campaigns.campaign import Campaign, until
from support.hanging import HANG_S
from support.mpi.library import openmpi
from support.paths import EXAMPLES
from support.slurm.cluster import Cluster

SLURM = 'how = "slurm"\nat_once = 3\npartition = "all"'
DASK = 'how = "dask"\nworkers = 2'


@pytest.fixture
def on_slurm(tmp_path: Path, slurm: dict[str, str]) -> Campaign:
    return Campaign(tmp_path, slurm)


def array(campaign: Campaign) -> str:
    """The job array that was submitted last."""
    folder = campaign.directory / "slurm"
    until(lambda: bool(whole_files(folder, "*.job")), "a submission")
    return whole_files(folder, "*.job")[-1].read_text().strip()


def complete(campaign: Campaign, runs: int) -> None:
    found = campaign.runs()
    assert set(found["run_id"]) == campaign.planned()
    assert len(found) == runs
    assert (found["status"] == "ok").all()
    assert (found["attempt"] == 1).all()


def test_a_job_array_makes_every_run_once(on_slurm: Campaign) -> None:
    on_slurm.write("true", ["a", "b"], repetitions=3, execute=f"{SLURM}\nruns_per_task = 2")
    done = on_slurm.run()
    assert done.returncode == 0, done.stderr
    complete(on_slurm, 6)
    assert on_slurm.log() == {"begin": 6, "end": 6}
    assert re.search(r"submitted job array \d+: 6 runs", done.stderr)
    path = on_slurm.directory / "runs"
    jobs = [read_run(each)[1]["slurm_job"] for each in path.iterdir()]
    assert len(set(jobs)) == 3, "three tasks of two runs"
    assert on_slurm.runs()["nodes"].notna().all()


@pytest.mark.parametrize("how", ["scancel", "kill -9"])
def test_a_job_array_killed_in_the_middle_loses_and_doubles_nothing(
    on_slurm: Campaign, slurm_cluster: Cluster, how: str
) -> None:
    on_slurm.write("sleep 1", ["a", "b", "c"], repetitions=3, execute=SLURM)
    with on_slurm.started() as runner:
        job = array(on_slurm)
        until(lambda: on_slurm.recorded() >= 2, "two runs")
        until(lambda: on_slurm.log()["begin"] > on_slurm.log()["end"], "runs that go on")
        if how == "scancel":
            slurm_cluster.run("scancel", job)
        else:  # the node dies under its tasks
            slurm_cluster.run("scancel", "--state=PENDING", job)
            for claim in on_slurm.claims():
                with suppress(ProcessLookupError):
                    os.kill(claim["pid"], signal.SIGKILL)
        _, said = runner.communicate(timeout=HANG_S)
    assert runner.returncode == 1
    made = on_slurm.recorded()
    assert 2 <= made < 9
    assert f"{9 - made} runs were not made" in said
    killed = on_slurm.log()
    done = on_slurm.run()
    assert done.returncode == 0, done.stderr
    complete(on_slurm, 9)
    after = on_slurm.log()
    # Whatever was recorded before was not run again.
    assert after["begin"] - killed["begin"] == 9 - made
    assert after["end"] - killed["end"] == 9 - made


def test_a_runner_that_comes_back_follows_its_array(on_slurm: Campaign) -> None:
    on_slurm.write("sleep 1", ["a", "b"], repetitions=2, execute=SLURM)
    left = on_slurm.run("--detach")
    assert "run again to follow it" in left.stderr
    job = array(on_slurm)
    done = on_slurm.run()
    assert done.returncode == 0, done.stderr
    assert array(on_slurm) == job, "none was submitted again"
    complete(on_slurm, 4)
    assert on_slurm.log() == {"begin": 4, "end": 4}


def test_failures_of_an_array_are_tried_again(on_slurm: Campaign) -> None:
    on_slurm.write("exit 3", ["a"], repetitions=1, execute=f"{SLURM}\nretries = 1")
    done = on_slurm.run()
    assert done.returncode == 1
    assert on_slurm.log() == {"begin": 2}
    assert list(on_slurm.runs()["attempt"]) == [2]
    assert done.stderr.count("submitted job array") == 2


def test_what_slurm_refuses_is_told(on_slurm: Campaign) -> None:
    on_slurm.write("true", ["a"], execute=SLURM.replace("all", "none"))
    done = on_slurm.run()
    assert done.returncode == 2
    assert "sbatch refused" in done.stderr
    assert "partition" in done.stderr


def test_dask_makes_every_run_once_and_goes_on_after_a_crash(campaign: Campaign) -> None:
    campaign.write("sleep 0.3", ["a", "b"], repetitions=4, execute=DASK)
    with campaign.started() as runner:
        until(lambda: campaign.recorded() >= 2, "two runs")
        runner.kill()
        runner.communicate()
    done = campaign.run()
    assert done.returncode == 0, done.stderr
    complete(campaign, 8)


def test_all_ways_give_the_same_runs(builds: Path, tmp_path: Path, slurm: dict[str, str]) -> None:
    library = openmpi(builds)
    program = library.program(EXAMPLES / "programs" / "halo.c", "-lm")
    environment = {**library.settings, **slurm}
    found: list[tuple[pd.DataFrame, dict[str, Any]]] = []
    for how in ('how = "local"', SLURM, DASK):
        folder = tmp_path / how.split('"')[1]
        folder.mkdir()
        shutil.copy(program, folder / "halo")
        made = Campaign(folder, environment)
        made.file.write_text(
            '[campaign]\nrepetitions = 1\n[[programs]]\nname = "halo"\n'
            f'launch = "{library.launcher} -n 4 ./halo --iterations 10 --compute 1ms"\n'
            'timeout = "600s"\n[[levels]]\nlatency = "none"\n'
            '[[levels]]\nlatency = "lognorm(s=1.0,loc=6us,scale=50us)"\nintra_node = true\n'
            f"[execute]\n{how}\n"
        )
        done = made.run()
        assert done.returncode == 0, done.stdout + done.stderr
        runs = made.runs().sort_values("run_id")
        paths = [made.directory / "runs" / f"{each}.parquet" for each in runs["run_id"]]
        asked = {path.stem: read_run(path)[1]["inject"]["asked"] for path in paths}
        found.append((runs, asked))
    same = ["run_id", "level", "kind", "asked_mean_ns", "asked_sd_ns", "seed", "ranks", "messages"]
    first, drawn = found[0]
    assert (first["ranks"] == 4).all()
    assert (first["runtime_ns"] > 10e6).all()
    for runs, asked in found[1:]:
        assert runs[same].to_dict("list") == first[same].to_dict("list")
        assert asked == drawn, "the very same delays were drawn"


def test_congestion_flows_beside_the_program(builds: Path, tmp_path: Path) -> None:
    library = openmpi(builds)
    made = Campaign(tmp_path, library.settings)
    made.file.write_text(
        "[campaign]\nrepetitions = 1\n[[programs]]\nname = 'sleep'\nlaunch = 'sleep 1'\n"
        "runtime = 'wall'\n[[levels]]\nload = '30%'\n"
        f"generator = '{library.launcher} -n 2'\n"
    )
    done = made.run()
    assert done.returncode == 0, done.stdout + done.stderr
    run, provenance = read_run(next((made.directory / "runs").iterdir()))
    assert (run.kind, run.load) == ("load", 0.3)
    assert provenance["load"]["achieved"] > 0
    assert run.runtime_ns is not None
    assert run.runtime_ns >= 1e9
