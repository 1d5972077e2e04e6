"""Cores and memory within the limits of control groups, from files as the kernel writes them."""

import os
import resource
from collections.abc import Mapping
from pathlib import Path

import pytest

from latitude.files.machine import free_memory, usable_cores

GIB = 2**30
MEMINFO = {"proc/meminfo": "MemTotal: 268435456 kB\nMemAvailable: 209715200 kB\n"}
SLURM = "/system.slice/slurmstepd.scope/job_7/step_0/user"
JOB = "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7"


def machine(root: Path, files: Mapping[str, object]) -> Path:
    """A root with the given files, and no others."""
    for name, text in {**MEMINFO, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    return root


def test_a_machine_without_groups_has_its_free_memory(tmp_path: Path) -> None:
    assert free_memory(machine(tmp_path, {})) == 200 * GIB
    assert usable_cores(tmp_path) == len(os.sched_getaffinity(0))


def test_a_system_that_tells_nothing_has_no_number(tmp_path: Path) -> None:
    assert free_memory(tmp_path) is None


def test_a_job_has_what_its_group_allows(tmp_path: Path) -> None:
    """The limit stands at the job, above the step's own group. A file cache is given back."""
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": f"0::{SLURM}",
            f"sys/fs/cgroup{SLURM}/memory.max": "max",
            f"sys/fs/cgroup{SLURM}/memory.current": GIB,
            f"{JOB}/memory.max": 8 * GIB,
            f"{JOB}/memory.current": 5 * GIB,
            f"{JOB}/memory.stat": f"anon {GIB}\ninactive_file {2 * GIB}\nactive_file 0",
            "sys/fs/cgroup/system.slice/memory.max": 64 * GIB,
            "sys/fs/cgroup/system.slice/memory.current": 5 * GIB,
        },
    )
    assert free_memory(root) == 5 * GIB


def test_a_group_beyond_its_limit_has_nothing_left(tmp_path: Path) -> None:
    group = {f"{JOB}/memory.max": GIB, f"{JOB}/memory.current": 2 * GIB}
    assert free_memory(machine(tmp_path, {"proc/self/cgroup": f"0::{SLURM}", **group})) == 0


@pytest.mark.parametrize("path", ["/docker/8a1f", "/"])
def test_a_container_of_version_1_has_its_limit(tmp_path: Path, path: str) -> None:
    """A container sees its own group as the top, and the host's path to it."""
    memory = {
        "proc/self/cgroup": f"9:name=systemd:/\n4:memory,hugetlb:{path}\n0::/",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": 4 * GIB,
        "sys/fs/cgroup/memory/memory.usage_in_bytes": GIB,
        "sys/fs/cgroup/memory/memory.stat": f"inactive_file 7\ntotal_inactive_file {GIB}",
        "sys/fs/cgroup/unified/cgroup.controllers": "",
    }
    assert free_memory(machine(tmp_path, memory)) == 4 * GIB


@pytest.mark.parametrize("text", ["", "max", "-1", "much", "1 2"])
def test_a_limit_that_is_no_number_limits_nothing(tmp_path: Path, text: str) -> None:
    group = {f"{JOB}/memory.max": text, f"{JOB}/memory.current": GIB, f"{JOB}/cpu.max": text}
    root = machine(tmp_path, {"proc/self/cgroup": f"0::{SLURM}\nnonsense\n:", **group})
    assert free_memory(root) == 200 * GIB


@pytest.mark.parametrize(
    ("quota", "cores"), [("max 100000", 64), ("250000 100000", 3), ("1000 100000", 1), ("5 0", 64)]
)
def test_a_quota_limits_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, cores: int
) -> None:
    monkeypatch.setattr("latitude.files.machine.sched_getaffinity", lambda _: set(range(64)))
    group = {"proc/self/cgroup": f"0::{SLURM}", f"{JOB}/cpu.max": quota}
    assert usable_cores(machine(tmp_path, group)) == cores


def test_an_address_space_limits_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4 * GIB, resource.RLIM_INFINITY))
    pages = GIB // resource.getpagesize()
    assert free_memory(machine(tmp_path, {"proc/self/statm": f"{pages} 5 3 1 0 9 0"})) == 3 * GIB
