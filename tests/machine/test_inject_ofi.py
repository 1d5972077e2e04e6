"""The flow injector over libfabric: content and order, and what differs from UCX.

That nothing is early is tested for all stacks in test_inject_never_early.py.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.mpi.injecting import Injecting
from support.mpi.library import Library, intel, mpich_ofi, openmpi_ofi
from support.mpi.ofi_program import ANY_TIME, ofi_program


def over(mpi: Library, directory: Path) -> Injecting:
    return Injecting(mpi.needed(), directory)


@pytest.mark.parametrize("library", [openmpi_ofi, mpich_ofi])
@pytest.mark.parametrize(
    ("pattern", "ranks", "messages"),
    [("rendezvous", 4, 3), ("collectives", 2, 3), ("probes", 2, 100), ("window", 2, 20_000)],
)
def test_a_layered_provider_is_delayed_once(
    library: Callable[[Path, str], Library],
    pattern: str,
    ranks: int,
    messages: int,
    builds: Path,
    tmp_path: Path,
) -> None:
    """libfabric calls itself there: what is below must not be delayed again."""
    injecting = over(library(builds, "tcp;ofi_rxm"), tmp_path)
    program = injecting.mpi.program("traffic.c", "-pthread")
    done = injecting.flow("300us", ranks, program, pattern, messages)
    assert "right" in done.stdout.splitlines()
    for process in injecting.result()["processes"]:
        assert process["delayed_transports"] == ["ofi:tcp;ofi_rxm"]
        assert process["other_transports"] == []


def test_nothing_hooked_is_told_with_the_remedy(builds: Path, tmp_path: Path) -> None:
    injecting = over(mpich_ofi(builds), tmp_path)
    program = injecting.mpi.program("traffic.c", "-pthread")
    words = injecting.words("--flow", "10us")
    done = injecting.start([*words, *injecting.mpi.run(2, program, "any_source", 10)])
    assert done.returncode == 2, done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("latitude: error: no message was delayed: libfabric opened tcp, but")
    assert "--intra-node" in line


def test_intel_mpi_that_is_kept_to_shared_memory_is_told_what_to_set(
    builds: Path, tmp_path: Path
) -> None:
    injecting = over(intel(builds), tmp_path)
    assert injecting.mpi.settings["I_MPI_FABRICS"] == "shm"
    program = injecting.mpi.program("traffic.c", "-pthread")
    words = injecting.words("--flow", "10us", "--intra-node")
    done = injecting.start([*words, *injecting.mpi.run(2, program, "any_source", 10)])
    assert done.returncode == 2, done.stderr
    assert "set I_MPI_FABRICS=ofi" in done.stderr.splitlines()[-1]


def test_runs_repeat(builds: Path, tmp_path: Path) -> None:
    injecting = over(mpich_ofi(builds), tmp_path)
    program = injecting.mpi.program("traffic.c", "-pthread")
    asked = []
    for seed in (5, 5, 6):
        latency = ("--flow", "uniform(loc=10us,scale=90us)", "--seed", seed)
        words = injecting.words(*latency, "--intra-node", "--force", "-o", "run")
        done = injecting.start([*words, *injecting.mpi.run(2, program, "any_source", 300)])
        assert done.returncode == 0, done.stderr
        receiver = injecting.result()["processes"][0]
        asked.append((receiver["delayed"], receiver["asked_mean_ns"]))
    assert asked[0] == asked[1]
    assert asked[0] != asked[2]


def test_waiting_and_asking_in_libfabrics_other_ways(builds: Path, tmp_path: Path) -> None:
    """Sleeping at queues and their files, FI_PEEK, one buffer for many messages; nothing early."""
    injecting = over(openmpi_ofi(builds, "tcp;ofi_rxm"), tmp_path)
    ended = injecting.start(ofi_program(injecting, ANY_TIME))
    assert ended.returncode == 0, ended.stdout + ended.stderr
