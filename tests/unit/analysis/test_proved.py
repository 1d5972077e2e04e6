"""Results of the engine are what exact arithmetic proves: drawn programs, examples, real traces.

What the oracle must reject stands in `test_proved_tampered.py`.
"""

import os
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from latitude import _core
from latitude._core import InputError
from latitude.analysis.analyze import analyze
from latitude.model.network import GAPS, RENDEZVOUS, Network
from latitude.model.placement import Placement
from latitude.model.rules import Rule
from latitude.model.theta import theta_of
from latitude.model.topology import Topology
from latitude.trace.load import load
from latitude.trace.program import Program
from support.oracle.arrays import Parameters
from support.oracle.brute_force import Envelope, all_paths, lines
from support.oracle.exact import ExactGraph, RuntimePieces
from support.oracle.programs import racing_program, random_program
from support.oracle.proved import Proof, proof_of, stated
from support.oracle.threaded_programs import random_threads
from support.oracle.traced_programs import random_trace
from support.oracle.traces import ARCHIVES
from support.paths import EXAMPLES
from support.tiers import first_of

PROGRAMS = int(os.environ.get("LATITUDE_ORACLE_PROGRAMS", "60"))
CHUNKS = 6


def drawn_program(rng: Random, directory: Path) -> Program:
    """Draws, by turns, a GOAL file, one whose T has many corners, and a trace with or without
    threads.
    """
    kind = rng.randrange(4)
    if kind < 2:
        path = directory / "program.goal"
        program = random_program(rng) if kind == 0 else racing_program(rng)
        path.write_text(program.text())
        return load(path)
    trace = directory / "trace"
    trace.mkdir(exist_ok=True)
    for old in trace.iterdir():
        old.unlink()
    if kind == 3:
        random_threads(rng).write(trace)
        return load(trace)
    for rank, text in enumerate(random_trace(rng, collectives=1)):
        (trace / f"random.{rank}").write_text(text)
    return load(trace)


def drawn_network(rng: Random, reading: str, gap: str) -> tuple[Network, str]:
    """A network, and what to vary; some of its numbers are whole in binary and some are not."""
    kind = rng.randrange(3)
    places = {} if kind == 0 else {"placement": Placement.parse("block", ranks_per_node=2)}
    network = Network(
        L=rng.choice([1.0, 3.0, 0.1, 3_000.0]),
        o=rng.choice([0.0, 0.5, 0.3, 2.0]),
        G=rng.choice([0.0, 0.25, 0.018]),
        O=rng.choice([0.0, 0.0, 0.125, 0.01]),
        S=rng.choice([0, 4, 100]),
        g=0.0 if gap == "none" else rng.choice([0.0, 1.0, 0.7]),
        rendezvous=reading,
        gap=gap,
        compute_scale=rng.choice([1.0, 1.0, 0.5, 0.7]),
        rules=[]
        if kind == 0
        else [Rule("same node", rng.choice([0.5, 0.2]), rng.choice([None, 0.03]))],
        topology=None
        if kind < 2
        else Topology.parse("fat-tree:k=4,tiers=2", l_wire="2ns", d_switch="1.1ns"),
        **places,  # type: ignore[arg-type]
    )
    sweeps = [["L", "G", "o"], ["L", "L:intra", "G:intra", "o"], ["l_wire", "d_switch"]][kind]
    return network, rng.choice(sweeps)


def deadlocks(program: Program, network: Network) -> bool:
    """Whether operations wait in a cycle, by the engine, and then by the inequalities, too."""
    core = network.core(program.ranks)
    try:
        _core.Model(program.graph, core).along()
    except InputError:
        with pytest.raises(InputError, match="in a cycle"):
            ExactGraph(program.graph, core)
        return True
    return False


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_results_of_the_engine_are_accepted(chunk: int, tmp_path: Path) -> None:
    cases = list(product(RENDEZVOUS, GAPS))
    corners = accepted = 0
    for seed in range(chunk, PROGRAMS, CHUNKS):
        rng = Random(seed)
        program = drawn_program(rng, tmp_path)
        network, sweep = drawn_network(rng, *cases[seed % len(cases)])
        if deadlocks(program, network):
            continue
        found = analyze(program, network, sweep=sweep, critical=rng.choice([1, 3, 1_000, None]))
        proof = Proof(stated(found), program, network, sweep)
        accepted += 1
        assert proof.rejections == [], (seed, network, sweep)
        corners += proof.corners
    assert corners > 0
    assert accepted > PROGRAMS // CHUNKS // 2


@pytest.mark.thorough
@pytest.mark.parametrize("listed", [1, 2, 5])
def test_short_lists_are_accepted(listed: int, tmp_path: Path) -> None:
    """And what bounds T beyond them; the racers overlap."""
    network, short = Network(L=0.1, o=0.3, G=0.018, S=100), 0
    for seed in range(20):
        (tmp_path / "program.goal").write_text(racing_program(Random(seed)).text())
        program = load(tmp_path / "program.goal", cpu_order="none")
        found = analyze(program, network, critical=listed)
        assert Proof(stated(found), program, network).rejections == [], seed
        short += not found.critical.complete
    assert short > 3


@pytest.mark.parametrize("seed", range(20))
def test_corners_are_those_of_all_paths(seed: int, tmp_path: Path) -> None:
    """The exact T(L), its slopes and its corners, against all paths by brute force."""
    rng = Random(seed)
    (tmp_path / "program.goal").write_text(racing_program(rng).text())
    program = load(tmp_path / "program.goal")
    reading = rng.choice(RENDEZVOUS)
    costs = Parameters(L=0.1, o=0.3, G=0.018, S=rng.choice([0, 100]), rendezvous=reading)
    network = Network(L=0.1, o=0.3, G=0.018, S=costs.S, rendezvous=reading)
    links = network.links(program.ranks)
    runtime = ExactGraph(program.graph, network.core_of(links)).along(theta_of("L", network, links))
    exact = Envelope.of(lines(all_paths(program.graph, costs), costs.prices()))
    low, high = Fraction(1, 10), Fraction(1_000)
    pieces = RuntimePieces.of(runtime, low, high)
    expected = exact.breakpoints(low, high)
    assert list(pieces.corners) == [corner for corner, _, _ in expected]
    for corner, left, right in expected:
        assert runtime.slopes(corner) == (left, right)
        assert runtime.at(corner) == exact.value(corner)
    for share in (Fraction(1, 100), Fraction(1, 2), Fraction(20)):
        limit = runtime.at(low) * (1 + share)
        found = runtime.last_within(limit, low)
        assert (float("inf") if found is None else found) == exact.tolerance(limit)


@pytest.mark.parametrize(
    "options",
    first_of(
        [
            "",
            "--L 1.3us --o 0.7us --G 0.1ns/B --S 0 --rendezvous put",
            "--gap both --g 0.3us --O 0.03ns/B --compute-scale 0.3",
            "--ranks-per-node 2 --intra L=0.4us,G=0.05ns --sweep L:intra",
            "--topology fat-tree:k=4,tiers=2 --l-wire 274ns --d-switch 108ns",
            "--sweep G=0.01ns:1ns --collective allreduce=ring",
            "--sweep o --tolerance 3%,10% --limit 1s",
            "--latency 1us:9us --what-if balanced",
        ],
        3,
    ),
)
def test_an_example_is_proved(options: str) -> None:
    proof = proof_of(EXAMPLES / "lulesh-8-i20-s8.tar.xz", *options.split())
    assert proof.rejections == []
    assert proof.corners > 0


def test_the_smallest_example_is_proved() -> None:
    assert proof_of(EXAMPLES / "two-ranks.goal", "--limit", "20us").rejections == []


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("name", ARCHIVES)
def test_real_traces_are_proved(name: str) -> None:
    assert proof_of(ARCHIVES[name]).rejections == []
