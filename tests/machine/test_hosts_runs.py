"""Programs on several hosts: traced, delayed, predicted."""

import re
from pathlib import Path

from latitude.launch.injecting.recorded import read_counts
from latitude.trace.recorded_run import read_run
from support.mpi.lat_format import Rank, read_rank
from support.mpi.spanning import UCX_BETWEEN, Spanning
from support.paths import EXAMPLE_PROGRAMS

DRIFTING = ("--iterations", "200", "--compute", "5ms", "--bytes", "64")
HALO = ("--iterations", "40", "--compute", "4ms", "--bytes", "1024")
NETWORK = ("--L", "15us", "--o", "2us", "--G", "20ns", "--S", "8KiB")


def test_a_trace_tells_hosts_apart_and_compares_their_clocks(spanning: Spanning) -> None:
    """The hosts' clocks are 1,000 s apart, and run alike."""
    halo = spanning.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    done = spanning.latitude(
        "trace", "--clock", "wall", "-o", "run", "--", *spanning.mpi.run(2, halo, *HALO)
    )
    clocks = (
        r"; the clocks of 2 hosts are one to [\d.]+ [µm]s: none of 160 messages arrives before it"
    )
    assert re.search(clocks, done.stderr)
    in_order = {"messages": 160, "reversed": 0, "worst_ns": 0, "source": 0, "destination": 0}
    assert spanning.json("run/trace.json")["message_order"] == in_order
    files = read_run(spanning.directory / "run")
    assert [file.meta["host"] for file in files] == ["node1", "node2"]
    assert [file.meta["ranks_on_host"] for file in files] == [1, 1]
    first, other = (read_rank(file) for file in sorted(spanning.directory.glob("run/*.lat")))
    assert [point[1:] for point in first.clocks] == [(0, 0)] * 2
    (begin, *begun), (end, *ended) = other.clocks
    assert begin < end
    errors = []
    for offset, error in (begun, ended):
        assert abs(offset + 1000 * 10**9) <= error
        errors.append(error)
    _no_message_arrives_before_it_left(first, other, max(errors))
    intra = ("--intra", "L=1us,G=0.1ns")
    as_it_ran = ("--clock", "wall", "--replay")  # whatever cores the ranks had
    done = spanning.latitude("analyze", "run", *NETWORK, *intra, *as_it_ran, "--json", "a.json")
    assert "as traced, 2 nodes" in done.stdout
    found = spanning.json("a.json")
    # From the first rank's return from MPI_Init, by one clock: not 1,000 s.
    assert 0.16e9 <= found["trace"]["wall_ns"] < 900e9
    assert found["baseline"]["T_ns"] < 900e9


def test_a_clock_that_drifts_reverses_no_message(open_mpi_spanning: Spanning) -> None:
    """Node 2's is 1,000 s ahead and gains 200 µs per second; uncorrected, that is 0.2 ms here."""
    spanning = open_mpi_spanning
    halo = spanning.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    off = spanning.mpi.preloaded_in(1, spanning.directory, "off_clock.c", "-DAHEAD_NS=0")
    line = spanning.mpi.run(2, *off, halo, *DRIFTING)
    spanning.latitude("trace", "--clock", "wall", "-o", "run", "--", *line)
    order = spanning.json("run/trace.json")["message_order"]
    assert order["messages"] == 800
    assert order["reversed"] == 0
    _, other = (read_rank(file) for file in sorted(spanning.directory.glob("run/*.lat")))
    (begin, offset, error), (end, last, error_then) = other.clocks
    drift = (last - offset) / (end - begin)
    assert abs(drift + 200e-6) <= (error + error_then) / (end - begin)


def _no_message_arrives_before_it_left(first: Rank, other: Rank, error_ns: int) -> None:
    """Checks the exchanges of halo.c by rank 0's clock; each Waitall follows its operations."""
    to_first = sum(offset for _, offset, _ in other.clocks) // 2

    def times(rank: Rank, ahead: int) -> tuple[list[int], list[int]]:
        waits = [event.leave + ahead for event in rank.named("Waitall")]
        sends = [event.enter + ahead for event in rank.named("Isend")]
        return waits, sends[:: len(sends) // len(waits)]

    sides = times(first, 0), times(other, to_first)
    for (waits, _), (_, sends) in (sides, sides[::-1]):
        assert len(waits) == len(sends) >= 40
        for left, arrived in zip(sends, waits, strict=True):
            assert arrived >= left - 2 * error_ns


def test_only_messages_between_hosts_are_delayed(spanning: Spanning) -> None:
    """The program has few messages between hosts, many inside hosts, and few are delayed."""
    spanning.slots = 2
    apart = spanning.mpi.program("apart.c")
    words = ["inject", "--flow", "1s", "-o", "i", "--", *spanning.mpi.run(4, apart, 2, 400)]
    done = spanning.latitude(*words, environment=UCX_BETWEEN)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [host for _, host, _ in rows] == ["node1", "node2", "node2"]
    assert min(float(ns) for _, host, ns in rows if host != "node1") >= 1e9
    assert 8 <= spanning.json("i/inject.json")["delayed"] < 400


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
    assert late["predicted_ns"] >= 40 * (4e6 + late["injected_delta_L_ns"])
    _clocks_are_compared_outside_the_run(spanning.directory / "v")


def _clocks_are_compared_outside_the_run(validation: Path) -> None:
    """The tracer's 200 messages are delayed, too, and are none of the program's time."""
    names = {path.parent.name for path in validation.glob("*/*.lat")}
    assert len(names) >= 2
    for name in names:
        traces = [read_rank(path) for path in sorted((validation / name).glob("*.lat"))]
        counts = read_counts(validation / "runs" / name / "inject")
        assert [counted.rank for counted in counts] == [0, 1]
        for counted, trace in zip(counts, traces, strict=True):
            assert counted.started_ns
            assert counted.runtime_ns
            (begin, *_), (end, *_) = trace.clocks
            assert begin <= counted.started_ns
            assert counted.started_ns + counted.runtime_ns <= end
