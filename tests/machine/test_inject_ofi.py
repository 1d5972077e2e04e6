"""The flow injector over libfabric: the same tests as over UCX, and what differs."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

# The fixture below makes them run over libfabric.
from test_inject_flow import (  # noqa: F401
    test_a_late_receiver_finds_its_messages_delayed_from_their_arrival,
    test_eager_sends_overlap_and_return_at_once,
    test_ping_pong_gains_what_was_asked,
)
from test_inject_traffic import test_content_and_order_are_right  # noqa: F401

from support.compiling import CC, TESTS, WARNINGS
from support.mpi.injecting import Injecting
from support.mpi.library import Library, mpich_ofi, openmpi_ofi

pytestmark = pytest.mark.machine


@pytest.fixture(params=[openmpi_ofi, mpich_ofi], ids=["openmpi-net", "mpich-tcp"])
def injecting(request: pytest.FixtureRequest, builds: Path, tmp_path: Path) -> Injecting:
    """`latitude inject` with each of two MPIs over libfabric."""
    return over(request.param(builds), tmp_path)


def over(mpi: Library, directory: Path) -> Injecting:
    assert not mpi.missing(), f"missing: {mpi.missing()}; run tools/need-mpi.sh, tools/need-ofi.sh"
    return Injecting(mpi, directory)


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


@pytest.mark.measures
def test_waiting_and_asking_in_libfabrics_other_ways(builds: Path, tmp_path: Path) -> None:
    """Sleeping at queues and their files, FI_PEEK, one buffer for many messages."""
    program = tmp_path / "ofi_program"
    subprocess.run(
        [CC, "-std=gnu11", *WARNINGS, "-O1", TESTS / "ofi_program.c", "-o", program, "-lfabric"],
        check=True,
    )
    injecting = over(openmpi_ofi(builds, "tcp;ofi_rxm"), tmp_path)
    words = injecting.words("--flow", "5ms", "--intra-node", "--force")
    faults = ""
    for _ in range(3):  # it measures time, and the machine may be busy
        done = injecting.start([*words, program, "tcp;ofi_rxm", 5_000_000])
        if done.returncode == 0:
            return
        faults = done.stdout + done.stderr
    pytest.fail(faults)


@pytest.mark.measures
def test_the_window_of_a_layered_provider_overlaps(builds: Path, tmp_path: Path) -> None:
    injecting = over(mpich_ofi(builds, "tcp;ofi_rxm"), tmp_path)
    test_eager_sends_overlap_and_return_at_once(injecting, 8)
