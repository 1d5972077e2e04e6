"""The cluster around `latitude measure`: b of the queue, and distances of nodes."""

from pathlib import Path

import pytest

from latitude.lab.cluster.surroundings import QueueAround, placement, utilization

QUEUE = """#!/bin/sh
[ "$2" = --json ] && { echo "unrecognized option '--json'" >&2; exit 1; }
echo 'JOBID|JOBID|STATE|NODES|NODELIST'
echo '11|11|RUNNING|2|node[001-002]'
echo '12|12|RUNNING|1|node003'
echo '13|13|RUNNING|2|node[004-005]'
"""
TOPOLOGY = """
SwitchName=leaf1 Nodes=node[001-002]
SwitchName=leaf2 Nodes=node[003-004]
SwitchName=top Switches=leaf[1-2]
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that answer as Slurm's do."""
    for name, script in (("squeue", QUEUE), ("sinfo", "#!/bin/sh\necho 'node[001-010]'\n")):
        path = tmp_path / name
        path.write_text(script)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


@pytest.mark.usefixtures("slurm")
def test_b_is_that_of_the_live_queue() -> None:
    assert utilization() == pytest.approx(4 / 10 * 4 / 5)


@pytest.mark.usefixtures("slurm")
def test_ones_own_job_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "13")
    assert utilization() == pytest.approx(2 / 10 * 2 / 3)


def test_without_slurm_there_is_no_b(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert utilization() is None


def test_b_stands_for_a_run_only_if_it_held() -> None:
    assert QueueAround(0.30, 0.34).b == pytest.approx(0.32)
    assert QueueAround(0.30, 0.36).b is None
    assert QueueAround(0.36, 0.30).b is None
    (notice,) = QueueAround(0.30, 0.36).notices()
    assert "0.300 to 0.360" in notice.message
    assert QueueAround(None, None).notices() == []


@pytest.mark.parametrize(
    ("hosts", "level"),
    [
        (["node001"] * 2, "same node"),
        (["node001", "node002.cluster.org"], "same group"),
        (["node001", "node003"], "same island"),
    ],
)
def test_placement_is_told_by_the_switches(tmp_path: Path, hosts: list[str], level: str) -> None:
    topology = tmp_path / "topology.conf"
    topology.write_text(TOPOLOGY)
    assert placement(hosts, topology) == level
