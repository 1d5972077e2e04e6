"""b, `around`, `watch` and locality against a real Slurm that the test starts itself.

tools/need-slurm.sh installs what is needed; where Slurm cannot be started these tests fail.
"""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from latitude.lab.cluster.slurm import live_jobs, live_jobs_as_text, live_nodes
from latitude.lab.cluster.utilization import background
from latitude.lab.cluster.watch import read_watch
from latitude.lab.results.background import Utilization
from support.command import LATITUDE, Run, begun
from support.hanging import HANG_S
from support.slurm.cluster import Cluster

Refused = Callable[..., str]
TALKING = (("two nodes", 2, "node[001,003]"), ('three | nodes "x"', 3, "node[003-005]"))


@pytest.fixture(scope="module")
def jobs(slurm_cluster: Cluster) -> dict[str, str]:
    """Names → numbers: 2 and 3 nodes sharing node003, one node, one stopped, one pending."""
    started = {
        name: slurm_cluster.submit(name, f"-N{count}", f"-n{count}", "-w", nodes, "--oversubscribe")
        for name, count, nodes in TALKING
    }
    started["one node"] = slurm_cluster.submit(
        "one node", "-n1", "-w", "node006", "--oversubscribe"
    )
    started["stopped"] = slurm_cluster.submit(
        "stopped", "-N2", "-n2", "-w", "node[001-002]", "--oversubscribe"
    )
    slurm_cluster.wait_running(list(started.values()))
    slurm_cluster.run("scontrol", "suspend", started["stopped"])
    started["pending"] = slurm_cluster.submit("pending", "-N6", "--exclusive")
    return started


@pytest.fixture
def here(slurm_cluster: Cluster, jobs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """This process's Slurm is the cluster, and its jobs run."""
    assert jobs
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)
    for name in ("SLURM_CONF", "PATH"):
        monkeypatch.setenv(name, slurm_cluster.environment[name])
    monkeypatch.setenv("SQUEUE_STATES", "PENDING")  # must not hide what runs
    return slurm_cluster


def by_hand(found: Utilization) -> None:
    """node001, 003, 004, 005 of 6; 2 + 3 nodes talk, 2 + 3 + 1 run."""
    assert (found.N_c, found.N_t, found.N_c_repeated, found.N_a) == (4, 6, 5, 6)
    assert found.b == pytest.approx(4 / 6 * 5 / 6)
    assert found.shared == 1
    counts = found.jobs
    assert (counts.communicating, counts.one_node, counts.pending) == (2, 1, 1)
    assert (counts.other, counts.unknown) == (1, 0)
    assert found.warnings == ()


@pytest.mark.parametrize("read", [live_jobs, live_jobs_as_text])
@pytest.mark.usefixtures("here")
def test_b_of_the_live_queue_is_the_one_counted_by_hand(read: Callable[[], list[object]]) -> None:
    by_hand(background(read(), live_nodes()))  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [("--json",), ("--all", "-o", "%A|%i|%T|%D|%N")])
def test_b_of_a_saved_queue_is_the_same(
    here: Cluster, latitude: Run, tmp_path: Path, options: tuple[str, ...]
) -> None:
    queue = tmp_path / "queue"
    queue.write_text(here.run("squeue", *options))
    done = latitude("background", "now", "--queue", queue, "--nodes", "6", "--json", "-")
    assert json.loads(done.stdout)["b"] == pytest.approx(4 / 6 * 5 / 6)


@pytest.mark.usefixtures("here")
def test_the_command_and_an_excluded_job(latitude: Run, jobs: dict[str, str]) -> None:
    done = latitude("background", "now")
    assert "from the live queue" in done.stdout
    assert "b = 0.556 (55.6%)" in done.stdout
    two = jobs["two nodes"]
    done = latitude("background", "now", "--exclude", two, "--json", "-")
    assert json.loads(done.stdout)["b"] == pytest.approx(3 / 6 * 3 / 4)
    own = {**os.environ, "SLURM_JOB_ID": two}
    done = latitude("background", "now", "--exclude", "self", "--json", "-", env=own)
    assert json.loads(done.stdout)["jobs"]["excluded"] == 1


@pytest.mark.usefixtures("here")
def test_locality_from_the_live_switches(
    latitude: Run, refused: Refused, jobs: dict[str, str]
) -> None:
    for nodes, level in (
        ("node[001-002]", "same group"),
        (jobs["two nodes"], "same island"),
        (jobs['three | nodes "x"'], "different islands"),
    ):
        assert f"\n{level}: " in latitude("background", "locality", nodes).stdout
    assert "has no nodes yet" in refused("background", "locality", jobs["pending"])
    assert "not in the queue" in refused("background", "locality", "999999")


@pytest.mark.usefixtures("here")
def test_around_a_command_that_changes_nothing(latitude: Run, tmp_path: Path) -> None:
    inside = {**os.environ, "SLURM_JOB_NODELIST": "node[001,003]"}
    done = latitude(
        "background", "around", "-o", tmp_path / "past", "--json", tmp_path / "record.json",
        "--", "sh", "-c", "echo done", env=inside,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "done\n")
    record = json.loads((tmp_path / "record.json").read_text())
    assert (record["kept"], record["b"]) == (True, pytest.approx(5 / 9))
    past = latitude("background", "correlate", tmp_path / "past", "--json", "-")
    assert json.loads(past.stdout)["placement"] == "same island"


@pytest.mark.usefixtures("here")
def test_watch_until_interrupted_and_again(latitude: Run, tmp_path: Path) -> None:
    options = ("background", "watch", "--interval", "1s", "-o", str(tmp_path))
    running = begun([*LATITUDE, *options], os.environ)
    end = time.monotonic() + HANG_S
    while not list(tmp_path.glob("b-*.parquet")) and time.monotonic() < end:
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=HANG_S)
    assert running.returncode == 0, said
    assert "samples of b" in said
    first = len(read_watch(tmp_path))
    assert first >= 1
    done = latitude(*options, "--count", "2")
    assert done.returncode == 0, done.stderr
    table = read_watch(tmp_path)
    assert len(table) == first + 2
    assert table["b"].to_numpy() == pytest.approx(5 / 9)
    assert table["time"].is_monotonic_increasing
    assert len(list(tmp_path.iterdir())) == 2


def test_a_heterogeneous_job_of_single_nodes_communicates(here: Cluster) -> None:
    before = background(live_jobs(), 6)
    share = ("--oversubscribe", "-n1")
    number = here.submit("coupled", "-N1", "-w", "node002", *share, ":", "-w", "node006", *share)
    here.wait_running([number, str(int(number) + 1)])
    for read in (live_jobs, live_jobs_as_text):
        found = background(read(), 6)
        assert found.N_c == before.N_c + 2
        assert found.jobs.communicating == 3
    here.run("scancel", number)
    here.wait_gone(number)


@pytest.mark.usefixtures("here")
def test_around_a_command_that_changes_the_queue(latitude: Run, jobs: dict[str, str]) -> None:
    two = jobs["two nodes"]
    command = f"scancel {two}; while squeue -h -j {two} -o %A | grep -q .; do sleep 0.1; done"
    done = latitude("background", "around", "--", "env", "-u", "SQUEUE_STATES", "sh", "-c", command)
    assert done.returncode == 0, done.stderr
    # 4/6 · 5/6 before; node003, 004, 005 of 6, 3 of 4 running nodes after.
    assert "b = 55.6% before, 37.5% after, 18.1 percentage points apart: not kept" in done.stderr


def test_an_empty_queue_has_b_0(here: Cluster, latitude: Run) -> None:
    here.clear()
    assert "b = 0.000 (0%)" in latitude("background", "now").stdout
