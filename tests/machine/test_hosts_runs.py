"""Programs on several hosts: traced, delayed, predicted."""

import pytest

from latitude.trace.recorded_run import read_run
from support.mpi.spanning import Spanning
from support.paths import EXAMPLE_PROGRAMS

HALO = ("--iterations", "40", "--compute", "4ms", "--bytes", "1024")
NETWORK = ("--L", "15us", "--o", "2us", "--G", "20ns", "--S", "8KiB")
# On a network of TCP, Open MPI takes UCX only when told to.
UCX = {
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def test_a_trace_tells_hosts_apart_and_needs_no_common_clock(spanning: Spanning) -> None:
    """The hosts' clocks are 1,000 s apart."""
    halo = spanning.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    spanning.latitude("trace", "-o", "run", "--", *spanning.mpi.run(2, halo, *HALO))
    files = read_run(spanning.directory / "run")
    assert [file.meta["host"] for file in files] == ["node1", "node2"]
    assert [file.meta["ranks_on_host"] for file in files] == [1, 1]
    intra = ("--intra", "L=1us,G=0.1ns")
    done = spanning.latitude("analyze", "run", *NETWORK, *intra, "--json", "a.json")
    assert "as traced, 2 nodes" in done.stdout
    assert 0.16e9 < spanning.json("a.json")["baseline"]["T_ns"] < 1e9


@pytest.mark.measures
def test_only_messages_between_hosts_are_delayed(spanning: Spanning) -> None:
    spanning.slots = 2
    apart = spanning.mpi.program("apart.c")
    words = ["inject", "--flow", "20ms", "-o", "i", "--", *spanning.mpi.run(4, apart, 20)]
    done = spanning.latitude(*words, environment=UCX)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [host for _, host, _ in rows] == ["node1", "node2", "node2"]
    near, *far = (float(ns) for _, _, ns in rows)
    assert near < 10e6
    assert far == pytest.approx([20e6, 20e6], rel=0.1)


@pytest.mark.measures
def test_predictions_meet_measurements_over_a_link(spanning: Spanning) -> None:
    halo = spanning.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    options = (*NETWORK, "-o", "v", "--delta", "0,8ms", "--repetitions", "2")
    command = spanning.mpi.run(2, halo, *HALO)
    spanning.latitude("validate", *options, "--", *command, environment=UCX)
    found = spanning.json("v/validation.json")
    assert [level["delta_L_ns"] for level in found["levels"]] == [0, 8_000_000]
    assert found["rrmse"] < max(0.1, 2 * found["spread"])
    assert found["levels"][1]["lambda_L"] > 35
