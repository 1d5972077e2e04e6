"""Efficiencies: by hand, by PyPOP's and Dimemas' figures of a real program, and as products."""

import csv
import math
from pathlib import Path
from random import Random

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude.analysis.replay import replayed
from latitude.sections.efficiency.result import OF_THETA, Fractions
from support.native_trace import MESSAGES, RANKS, rank_file, write
from support.oracle.programs import random_cluster, random_program
from support.oracle.traced_programs import random_trace
from support.oracle.traces import graph_of_texts
from support.paths import ROOT
from support.sections import known

EPOCH = ROOT / "build" / "epoch-traces"
"""Traces that tools/need-epoch-traces.sh downloads."""
NETWORK = latitude.Network(L=3000, o=500, G=0, S="1KiB")
TWO = """num_ranks 2
rank 0 {
a: calc 10000
b: send 1b to 1 tag 7
b requires a
}
rank 1 {
a: calc 4000
b: recv 1b from 0 tag 7
c: calc 5000
b requires a
c requires b
}
"""
CHUNKS, GRAPHS = 4, 1000


def _goal(tmp_path: Path, text: str = TWO) -> latitude.Program:
    path = tmp_path / "two.goal"
    path.write_text(text)
    return latitude.load(path)


def test_two_ranks_by_hand(tmp_path: Path) -> None:
    """T = 10 + 0.5 + 3 + 0.5 + 5 µs; without a network 15 µs; they compute 10 and 9 µs."""
    found = known(latitude.analyze(_goal(tmp_path), NETWORK, latency=(0, 8000)).efficiency)
    of = found.predicted
    assert found.processors == 2
    assert (of.T_ns, of.T_ideal_ns, of.useful_mean_ns, of.useful_max_ns) == (
        19000, 15000, 9500, 10000,
    )  # fmt: skip
    assert of.parallel == pytest.approx(9.5 / 19)
    assert of.load_balance == pytest.approx(0.95)
    assert of.communication == pytest.approx(10 / 19)
    assert of.serialisation == pytest.approx(10 / 15)
    assert of.transfer == pytest.approx(15 / 19)
    assert found.traced is None
    # T(L) = 16 µs + L, of which 15 µs are 80 % at L = 2.75 µs, and 95 % nowhere.
    at = {(t.efficiency, t.least): t for t in found.thresholds}
    transfer = at["transfer", 0.8]
    assert (transfer.reached, transfer.value, transfer.delta) == (False, 2750, -250)
    assert math.isnan(at["transfer", 0.95].value)
    assert not at["transfer", 0.95].reached
    assert found.curve.transfer == pytest.approx(15000 / (16000 + found.curve.value))
    assert found.curve.parallel == pytest.approx(9500 / (16000 + found.curve.value))


def test_twice_the_computation_is_twice_the_ideal(tmp_path: Path) -> None:
    slower = latitude.Network(L=3000, o=500, G=0, S="1KiB", compute_scale=2)
    of = known(latitude.analyze(_goal(tmp_path), slower).efficiency).predicted
    assert (of.T_ns, of.T_ideal_ns, of.useful_mean_ns) == (34000, 30000, 19000)


def test_a_program_without_messages_or_computation_loses_nothing(tmp_path: Path) -> None:
    alone = _goal(tmp_path, "num_ranks 1\nrank 0 {\na: calc 5\n}\n")
    of = known(latitude.analyze(alone, NETWORK).efficiency)
    assert of.predicted.parallel == of.predicted.transfer == 1
    assert all(t.reached and math.isinf(t.value) for t in of.thresholds)
    nothing = Fractions.of(0, 0, 0, 0)
    assert nothing.parallel == nothing.load_balance == nothing.serialisation == 1
    waits = Fractions.of(0, 0, 10, 0)
    assert (waits.parallel, waits.load_balance, waits.transfer) == (0, 1, 0)


@pytest.mark.thorough
def test_each_threshold_is_where_the_efficiency_is_so_much(lulesh: Path) -> None:
    analysis = latitude.analyze(latitude.load(lulesh), latitude.Network(o=100))
    found = known(analysis.efficiency)
    checked = 0
    for threshold in found.thresholds:
        if math.isfinite(threshold.value):
            at = known(
                latitude.analyze(
                    latitude.load(lulesh), latitude.Network(L=threshold.value, o=100)
                ).efficiency
            ).predicted
            assert getattr(at, threshold.efficiency) == pytest.approx(threshold.least, rel=1e-9)
            assert threshold.reached == (threshold.delta >= 0)
            checked += 1
    assert checked > 3
    for name in OF_THETA:
        assert getattr(found.curve, name)[0] == getattr(found.predicted, name)


def test_the_recorded_run_is_of_its_own_time(lulesh: Path) -> None:
    program = latitude.load(lulesh)
    assert program.run is not None
    analysis = latitude.analyze(program)
    of = known(analysis.efficiency).traced
    assert of is not None
    assert of.T_ns == program.run.runtime_ns
    assert of.T_ns >= (analysis.trace.wall_ns or 0)
    assert of.useful_mean_ns == pytest.approx(known(analysis.by_rank).calc_ns.mean())
    assert of.T_ideal_ns == known(analysis.efficiency).predicted.T_ideal_ns
    assert of.parallel == pytest.approx(of.load_balance * of.serialisation * of.transfer)


def test_where_one_clock_gave_all_times_the_run_ends_with_its_last_rank(tmp_path: Path) -> None:
    """Each rank of the ring begins 1 µs after the one before, and is as fast."""
    ring = write(tmp_path / "ring", {rank: rank_file(rank) for rank in range(RANKS)})
    program = latitude.load(ring, traced_times=True)
    of = known(latitude.analyze(program, NETWORK).efficiency).traced
    assert of is not None
    # The run lasts while all ranks are there; T of the efficiencies until the last has computed.
    wall = program.trace.wall
    assert wall is not None
    took = (program.trace.wall_ns or 0) - wall.tracer_ns  # between chunks
    assert of.T_ns == took + 2 * (RANKS - 1) * 1000
    assert wall.computing_ns == of.useful_mean_ns
    assert of.useful_mean_ns == of.useful_max_ns == MESSAGES * 1010 + 200
    # Computation that a replay adds is not the program's.
    assert known(latitude.analyze(replayed(program, NETWORK), NETWORK).efficiency).traced is None


def test_what_collectives_combine_is_not_computation(lulesh: Path) -> None:
    plain = known(latitude.analyze(latitude.load(lulesh)).efficiency).predicted
    combining = latitude.analyze(latitude.load(lulesh, reduce_ns_per_byte=100.0))
    assert known(combining.efficiency).predicted.useful_mean_ns == plain.useful_mean_ns
    assert known(combining.by_rank).calc_ns.mean() > plain.useful_mean_ns


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_parallel_efficiency_is_the_product_of_its_factors(chunk: int, tmp_path: Path) -> None:
    """And the ideal runtime is that of the engine, which compiles the graph to get there."""
    for seed in range(chunk, GRAPHS, CHUNKS):
        rng = Random(seed)
        if seed % 2:
            graph = graph_of_texts(random_trace(rng, collectives=rng.randint(0, 2)))
        else:
            path = tmp_path / "random.goal"
            path.write_text(random_program(rng).text())
            graph = _core.graph_format("goal").read(str(path))
        network = _core.Network(**random_cluster(rng, graph.ranks).keywords())
        model = _core.Model(graph, network)
        free = _core.Network(
            L=0, o=0, G=0, S=network.S, S_isend=network.S_isend, rendezvous=network.rendezvous
        )
        ideal = model.ideal_runtime()
        assert ideal == _core.Model(graph, free).along().runtime(np.zeros(1))[0]
        useful = model.work().useful_ns
        computes = (graph.kind == _core.Kind.calc) & (graph.origin == _core.NO_ORIGIN)
        assert useful.sum() == graph.value[computes].sum()
        runtime = model.critical_path().T_ns
        scale = network.compute_scale
        of = Fractions.of(scale * useful.mean(), scale * useful.max(), runtime, scale * ideal)
        if of.useful_max_ns > 0:
            product = of.load_balance * of.serialisation * of.transfer
            assert of.parallel == pytest.approx(product, rel=1e-12)
            assert of.communication == pytest.approx(of.serialisation * of.transfer, rel=1e-12)
        assert of.transfer <= 1 + 1e-12


@pytest.mark.parametrize("ranks", [1, 2, 4, 8, 16])
def test_pop_figures_of_a_real_program(ranks: int) -> None:
    """Within 0.05 percentage points of what PyPOP and Dimemas found."""
    if not EPOCH.is_dir():
        pytest.fail("EPOCH's traces are missing; tools/need-epoch-traces.sh brings them")
    rows = list(csv.reader((EPOCH / "modelfactors.csv").read_text().splitlines(), delimiter=";"))
    figures = {row[0]: row[1:] for row in rows if row}
    column = figures["Number of processes"].index(str(ranks))
    program = latitude.load(
        EPOCH / f"epoch_{ranks}proc.prv.gz", collectives=["dimemas"], computation="outside-mpi"
    )
    of = known(
        latitude.analyze(program, latitude.Network(L=0, o=0, G=0, S="32KiB")).efficiency
    ).traced
    assert of is not None
    for name, found in (
        ("Parallel", of.parallel),
        ("Load balance", of.load_balance),
        ("Communication", of.communication),
        ("Serialization", of.serialisation),
        ("Transfer", of.transfer),
    ):
        row = name if name == "Load balance" else f"{name} efficiency"
        assert 100 * found == pytest.approx(float(figures[row][column]), abs=0.05), name
