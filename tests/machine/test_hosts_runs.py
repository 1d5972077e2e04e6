"""Programs on several hosts: traced, delayed, predicted."""

from latitude.trace.recorded_run import read_run
from support.mpi.spanning import UCX_BETWEEN, Spanning
from support.paths import EXAMPLE_PROGRAMS

HALO = ("--iterations", "40", "--compute", "4ms", "--bytes", "1024")
NETWORK = ("--L", "15us", "--o", "2us", "--G", "20ns", "--S", "8KiB")


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
    assert spanning.json("a.json")["baseline"]["T_ns"] >= 0.16e9


def test_only_messages_between_hosts_are_delayed(spanning: Spanning) -> None:
    """Half a round trip inside a host is shorter than one latency; between hosts never."""
    spanning.slots = 2
    apart = spanning.mpi.program("apart.c")
    words = ["inject", "--flow", "1s", "-o", "i", "--", *spanning.mpi.run(4, apart, 2)]
    done = spanning.latitude(*words, environment=UCX_BETWEEN)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [host for _, host, _ in rows] == ["node1", "node2", "node2"]
    near, *far = (float(ns) for _, _, ns in rows)
    assert near < 1e9
    assert min(far) >= 1e9


def test_a_validation_spans_hosts(spanning: Spanning) -> None:
    halo = spanning.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    options = (*NETWORK, "-o", "v", "--delta", "0,8ms", "--repetitions", "1", "--traces", "1")
    command = spanning.mpi.run(2, halo, *HALO)
    spanning.latitude("validate", "--only-delta", *options, "--", *command, environment=UCX_BETWEEN)
    found = spanning.json("v/validation.json")
    assert [level["delta_L_ns"] for level in found["levels"]] == [0, 8_000_000]
    late = found["levels"][1]
    assert late["lambda_L"] > 0
    # One latency in each of 40 iterations, and one of computing: never less.
    assert min(late["measured_ns"]) >= 40 * (4e6 + 8e6)
    assert late["predicted_ns"] >= 40 * (4e6 + 8e6)
