"""Real programs whose threads call MPI under MPI_THREAD_MULTIPLE, traced and analysed."""

import json

import numpy as np
import pytest

import latitude as lat
from latitude import _core
from latitude.analysis.perfetto import PerfettoRun
from support.command import Run
from support.mpi.tracing import Tracing

ROUNDS, NAP_US = 10, 3000


@pytest.mark.parametrize(("threads", "told_by"), [(2, "tags"), (3, "communicators"), (4, "tags")])
def test_threads_are_lines_of_their_ranks(
    tracing: Tracing, latitude: Run, threads: int, told_by: str
) -> None:
    """Each thread talks to its namesake, which its tag or communicator says; sizes tell, too."""
    tracing.options += ["--clock", "wall"]
    program = tracing.mpi.program("threads.c", "-pthread")
    done = tracing.left(2, program, threads, ROUNDS, NAP_US, told_by)
    assert done.returncode == 0, done.stderr
    assert [file.meta["thread_level"] for file in tracing.files()] == ["multiple"] * 2

    # A thread may lose its core while it goes to sleep: then its nap is a wait, too, and no time.
    loaded = lat.load(tracing.run, clock="wall")
    graph = loaded.graph
    assert loaded.trace.calls["MPI_Send"] == loaded.trace.calls["MPI_Recv"] == 2 * threads * ROUNDS
    assert np.bincount(graph.lines()[0]).tolist() == [threads] * 2
    sent = np.flatnonzero(graph.kind == _core.Kind.send)
    talk = sent[graph.tag[sent] >= 0][graph.value[sent] > 0]
    of_threads = {
        size: sent[(graph.value[sent] == size) & (graph.call_code[graph.origin[sent]] == code)]
        for code in [graph.call_name.index("MPI_Send")]
        for size in range(4, 4 * threads + 1, 4)
    }
    assert sum(each.size for each in of_threads.values()) == 2 * threads * ROUNDS <= talk.size
    for size, sends in of_threads.items():
        received = graph.partner[sends]
        assert (graph.value[received] == size).all()
        assert (graph.tag[received] == graph.tag[sends]).all()
        ranks = (sends >= graph.rank_begin[1]).astype(int)
        for rank in (0, 1):  # one line to one line
            own = sends[ranks == rank]
            assert own.size == ROUNDS
            assert (
                np.unique(graph.line[own]).size
                == np.unique(graph.line[graph.partner[own]]).size
                == 1
            )

    free = lat.Network(L=0, o=0, G=0)
    # A thread begins where the first one had got to: that may have been within a nap of its own.
    nap = (threads * ROUNDS - 1) * NAP_US * 1e3
    runtime = _core.Model(graph, free.core(2)).runtime()
    assert runtime >= nap  # a nap never ends early
    assert loaded.run is not None
    assert runtime <= loaded.run.runtime_ns * (1 + 1e-6)

    names = {e["args"]["name"] for e in PerfettoRun(loaded, free).events() if e["ph"] == "M"}
    assert {f"thread {number}" for number in range(threads)} <= names
    analysed = latitude("analyze", "run", "--clock", "wall", "--json", "-", cwd=tracing.directory)
    assert analysed.returncode == 0, analysed.stderr
    result = json.loads(analysed.stdout)
    codes = {warning["code"]: warning["message"] for warning in result["warnings"]}
    assert f"{2 * (threads - 1)} threads of 2 ranks call MPI" in codes["thread-waits-unseen"]
    assert [each["what"] for each in result["left_out"]] == ["iterations"]
    assert result["iterations"] is None
    rows = result["waits"]["by_rank"]
    assert [(row["rank"], row["thread"]) for row in rows] == [
        (rank, thread) for rank in (0, 1) for thread in range(threads)
    ]
    assert result["efficiency"]["processors"] == 2 * threads
    for row in rows:  # thread i naps at least i + 1 times as long as the first
        assert row["computation_ns"] >= ROUNDS * NAP_US * 1e3


def test_a_trace_of_threads_is_not_streamed(tracing: Tracing, latitude: Run) -> None:
    program = tracing.mpi.program("threads.c", "-pthread")
    assert tracing.left(2, program, 2, 3, 100, "tags").returncode == 0
    done = latitude("analyze", "run", "--stream", cwd=tracing.directory)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "several threads call MPI" in line
