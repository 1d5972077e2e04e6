"""Iterations: found where ranks' calls repeat, and together T and λ of the whole."""

import random
from collections.abc import Sequence
from math import log2
from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import Analysis
from latitude.files.progress import Silent
from latitude.trace.synthetic import SyntheticTrace
from support.sections import known

BYTES, COMPUTE_NS = 4096, 20_000
NETWORK = {"L": "1.7us", "o": "300ns", "G": "0.25ns/B", "S": "256KiB"}
L, O, B = 1700.0, 300.0, (BYTES - 1) * 0.25
COMM = "100,{rank},2"
WORDS = {
    "barrier": "MPI_Barrier:{begin}:{comm}:{end}",
    "allreduce": "MPI_Allreduce:{begin}:1:2:1:10,8,8:1:{comm}:{end}",
    "bcast": "MPI_Bcast:{begin}:1:1:10,8,8:0:{comm}:{end}",
    "exchange": "MPI_Sendrecv:{begin}:1:1:10,8,8:{other}:1:2:1:10,8,8:{other}:1:{comm}:3:{end}",
}
"""Lines of liballprof's text."""


def analysed(trace: Path) -> Analysis:
    program = latitude.load(trace, collectives=["allreduce=recursive-doubling"])
    found = latitude.analyze(program, latitude.Network.parse(NETWORK))
    if found.iterations is not None:
        shares = found.iterations.shares
        total = found.baseline.T_ns
        assert shares.path_ns.sum() == pytest.approx(total, rel=1e-12)
        assert shares.lambda_L.sum() == np.sum(np.asarray(known(found.path).latencies))
        parts = shares.calc_ns + shares.overhead_ns + shares.network_ns
        assert parts == pytest.approx(shares.path_ns, rel=1e-9, abs=1e-6)
        assert shares.first.tolist()[1:] == [last + 1 for last in shares.last.tolist()[:-1]]
        assert (shares.first[0], shares.last[-1]) == (0, found.iterations.count + 1)
    return found


def synthetic(folder: Path, pattern: str, ranks: int, calls_a_step: int, steps: int) -> Analysis:
    made = SyntheticTrace(pattern, ranks, calls_a_step * steps, BYTES, COMPUTE_NS)
    assert made.steps == steps
    folder.mkdir()
    made.write_folder(folder, Silent())
    return analysed(folder)


def written(folder: Path, words: Sequence[str]) -> Analysis:
    """The analysis of two ranks that make these calls, of 1 µs, 9 µs apart."""
    folder.mkdir()
    for rank in range(2):
        lines = ["# htor's PMPI Tracer 1.1 Output File", "MPI_Init:-:1:2:3"]
        comm = COMM.format(rank=rank)
        for number, word in enumerate(words):
            at = 10 * (number + 1)
            lines.append(WORDS[word].format(begin=at, end=at + 1, comm=comm, other=1 - rank))
        lines.append(f"MPI_Finalize:{10 * len(words) + 20}:{10 * len(words) + 21}")
        (folder / f"pmpi-trace-rank-{rank}.txt").write_text("\n".join(lines) + "\n")
    return analysed(folder)


@pytest.mark.parametrize("steps", [6, 50])
@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_each_step_of_a_halo_is_an_iteration(tmp_path: Path, ranks: int, steps: int) -> None:
    found = synthetic(tmp_path / "halo", "halo", ranks, 5 * ranks, steps).iterations
    assert found is not None
    assert (found.count, found.call, found.where, found.alike) == (steps, "MPI_Irecv", None, 1.0)
    a_row = found.shares.last - found.shares.first + 1
    inside = slice(1, -1)
    step = COMPUTE_NS + L + B + 3 * O
    assert found.shares.path_ns[inside] == pytest.approx(a_row[inside] * step)
    assert found.shares.lambda_L[inside].tolist() == a_row[inside].tolist()
    assert found.shares.path_ns[[0, -1]].tolist() == [0, 0]


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_each_step_of_a_cg_has_its_reductions(tmp_path: Path, ranks: int) -> None:
    found = synthetic(tmp_path / "cg", "cg", ranks, 7 * ranks, 40).iterations
    assert found is not None
    assert found.count == 40
    rounds = 2 * log2(ranks)
    step = COMPUTE_NS + L + B + 3 * O + rounds * (L + 7 * 0.25 + 2 * O)
    assert found.shares.path_ns[1:-1] == pytest.approx(np.full(40, step))
    assert found.shares.lambda_L[1:-1].tolist() == [1 + rounds] * 40


@pytest.mark.parametrize(("ranks", "edges", "way"), [(2, 1, 1), (6, 7, 3), (16, 24, 6)])
def test_ranks_of_a_wavefront_repeat_each_in_its_own_way(
    tmp_path: Path, ranks: int, edges: int, way: int
) -> None:
    found = synthetic(tmp_path / "wavefront", "wavefront", ranks, 2 * edges, 30).iterations
    assert found is not None
    assert found.count == 30
    assert found.shares.lambda_L.sum() == way


def test_many_iterations_share_rows(tmp_path: Path) -> None:
    found = synthetic(tmp_path / "halo", "halo", 2, 10, 2001).iterations
    assert found is not None
    rows = found.shares
    assert len(rows) == 1 + 1001 + 1
    assert (rows.first[1], rows.last[1], rows.first[-2], rows.last[-2]) == (1, 2, 2001, 2001)


def test_start_and_end_are_apart_and_inner_loops_may_run_any_number_of_times(
    tmp_path: Path,
) -> None:
    drawn = random.Random(1)
    words = ["bcast"] * 4 + ["allreduce", "barrier"]
    for _ in range(20):
        words += ["exchange", *["allreduce", "barrier"] * drawn.randint(1, 9), "bcast"]
    words += ["barrier"] * 3
    found = written(tmp_path / "solver", words).iterations
    assert found is not None
    assert (found.count, found.call, found.alike) == (20, "MPI_Sendrecv", 1.0)
    before, *_, after = found.shares.path_ns.tolist()
    assert before >= 5 * 9_000
    assert after >= 2 * 9_000


def test_what_is_written_now_and_then_does_not_matter(tmp_path: Path) -> None:
    words: list[str] = []
    for step in range(60):
        words += ["exchange", "allreduce", "exchange", "barrier", *["bcast"] * (step % 20 == 19)]
    found = written(tmp_path / "output", words).iterations
    assert found is not None
    assert found.count == 60
    assert 0.9 < found.alike < 1


@pytest.mark.parametrize("seed", range(20))
def test_calls_without_order_do_not_repeat(tmp_path: Path, seed: int) -> None:
    words = random.Random(seed).choices(list(WORDS), k=80)
    assert written(tmp_path / "random", words).iterations is None


def test_a_few_times_are_no_repetition(tmp_path: Path) -> None:
    words = ["barrier", "exchange", "allreduce"] * 4
    assert written(tmp_path / "few", words).iterations is None


def test_goal_files_record_no_calls(two_ranks: Path) -> None:
    assert latitude.analyze(latitude.load(two_ranks)).iterations is None


def test_a_real_program_repeats_as_often_as_it_was_told_to(lulesh: Path) -> None:
    """`lulesh2.0 -i 20`, whose set-up exchanges in the same way as a step, and is no step."""
    found = analysed(lulesh).iterations
    assert found is not None
    assert (found.count, found.call, found.alike) == (20, "MPI_Irecv", 1.0)
