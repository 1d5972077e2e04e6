"""Rank placement: no worse than block and round-robin, and as good as a fresh analysis says."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from latitude import InputError, _core, load
from latitude.analysis.place.find import BLOCK, FOUND, PRESENT, ROUND_ROBIN, place
from latitude.analysis.place.launchers import host_names, launches
from latitude.analysis.place.machine import Machine
from latitude.analysis.place.search import Effort, PlacementSearch
from latitude.analysis.place.traffic import sensitivity
from latitude.model.network import Network
from latitude.model.placement import Placement
from latitude.model.places import PlaceSizes
from latitude.model.rules import Rule
from latitude.trace.program import Program
from support.command import Run
from support.oracle.programs import random_program
from support.schemas import document
from support.tiers import first_of

QUICK = Effort(seconds=20, kicks=10)
PLACED = ("--intra", "L=0.4us,G=0.01ns", "--o", "0.5us")


def random_network(rng: Random, gap: str = "none", limits: Sequence[int | None] = ()) -> Network:
    """`limits`: rules draw their own eager limits from these, and groups of nodes have one, too."""
    rules = [Rule("same node", float(rng.choice([0, 5])), 0.25)]
    if limits:
        rules = [
            Rule("same node", float(rng.choice([0, 5])), 0.25, rng.choice(limits)),
            Rule("different group", float(rng.choice([60, 90])), None, rng.choice(limits)),
        ]
    return Network(
        gap=gap,
        L=float(rng.choice([10, 40])),
        o=float(rng.choice([0, 1])),
        G=rng.choice([0.5, 2.0]),
        S=8,
        rendezvous=rng.choice(["handshake", "put", "get", "llamp", "sync"]),
        rules=rules,
        places=PlaceSizes({"group": rng.choice([1, 2])} if limits else {}),
    )


def program_in(directory: Path, rng: Random, *, in_order: bool = False) -> Program:
    """`in_order`: as a gap needs it, which keeps the order of the file."""
    path = directory / "program.goal"
    path.write_text(random_program(rng, steps=40).text(None if in_order else rng))
    return load(path, cpu_order="none")


def placed(network: Network, node_of_rank: np.ndarray) -> Network:
    return replace(network, placement=Placement.explicit(node_of_rank.tolist()))


def every_placement(ranks: int, nodes: int, cores: int) -> np.ndarray:
    return np.array(
        [
            placement
            for placement in product(range(nodes), repeat=ranks)
            if max(placement.count(node) for node in range(nodes)) <= cores
        ],
        np.uint32,
    )


def runtime(program: Program, network: Network) -> float:
    core = network.core(program.ranks)
    return float(_core.Model(program.graph, core).along("L").runtime(np.array([core.L]))[0])


@pytest.mark.parametrize("seed", range(40))
def test_no_worse_than_the_rules_and_as_a_fresh_analysis_says(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    program, network = program_in(tmp_path, rng), random_network(rng)
    nodes = rng.randint(1, 3)
    cores = -(-program.ranks // nodes) + rng.randint(0, 1)
    result = place(program, network, nodes, cores, effort=QUICK, seed=seed)
    found = result.best
    assert [j.name for j in result.placements] == [BLOCK, ROUND_ROBIN, FOUND]
    assert found.T_ns <= min(j.T_ns for j in result.placements)
    assert np.bincount(found.node_of_rank, minlength=nodes).max() <= cores
    for judged in result.placements:
        assert judged.T_ns == runtime(program, placed(network, judged.node_of_rank))


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_all_placements_is_found(seed: int, tmp_path: Path) -> None:
    rng = Random(100 + seed)
    program, network = program_in(tmp_path, rng), random_network(rng)
    nodes, cores = 2, -(-program.ranks // 2)
    machine = Machine.of(network, nodes, cores, program.ranks)
    everything = every_placement(program.ranks, nodes, cores)
    least = _core.Placements(program.graph, machine.core).runtimes(everything).min()
    result = place(program, network, nodes, cores, effort=QUICK, seed=seed)
    assert result.search.finished
    assert result.best.T_ns == pytest.approx(least, rel=1e-12)


def fresh(program: Program, network: Network) -> float:
    """Infinite where operations wait in a cycle."""
    try:
        return runtime(program, network)
    except InputError as error:
        if "in a cycle" not in str(error):
            raise
        return np.inf


@pytest.mark.parametrize("gap", first_of(["none", "send", "both"]))
def test_rules_with_eager_limits_of_their_own(gap: str, tmp_path: Path) -> None:
    """The protocol of a message follows from the placement: T of every placement is that of a fresh
    analysis, and the best of all is found."""
    varied = circles = 0
    for seed in range(30):
        rng = Random(f"{seed} {gap}")
        program = program_in(tmp_path, rng, in_order=True)
        limits = (None, 8, 12, 16) if seed % 3 else (0, 4, 16)
        network = random_network(rng, gap, limits)
        nodes = rng.choice([2, 3])
        cores = -(-program.ranks // nodes) + rng.randint(0, 1)
        machine = Machine.of(network, nodes, cores, program.ranks)
        everything = every_placement(program.ranks, nodes, cores)
        expected = [fresh(program, placed(network, at)) for at in everything]
        dag = _core.Placements(program.graph, machine.core)
        assert dag.runtimes(everything) == pytest.approx(expected, rel=1e-12)
        varied += not dag.one_protocol
        circles += np.inf in expected
        given = [machine.block(program.ranks), machine.round_robin(program.ranks)]
        if np.inf in [fresh(program, placed(network, at)) for at in given]:
            with pytest.raises(InputError, match=r"placement (block|round-robin): operations wait"):
                place(program, network, nodes, cores, effort=QUICK, seed=seed)
            continue
        result = place(program, network, nodes, cores, effort=QUICK, seed=seed)
        assert result.search.finished
        assert result.best.T_ns == pytest.approx(min(expected), rel=1e-12)
    assert varied > 15
    assert circles > 1


@pytest.mark.parametrize("gap", ["none", "send", "both"])
@pytest.mark.parametrize("seed", range(10))
def test_a_swap_that_the_critical_path_does_not_want_never_helps(
    seed: int, gap: str, tmp_path: Path
) -> None:
    """T is convex in the prices: the search may leave such swaps out."""
    rng = Random(200 + seed)
    program, network = program_in(tmp_path, rng, in_order=True), random_network(rng, gap)
    ranks = program.ranks
    machine = Machine.of(network, 2, ranks, ranks)
    dag = _core.Placements(program.graph, machine.core)
    placement = np.array([rng.randrange(2) for _ in range(ranks)], np.uint32)
    change = sensitivity(dag, placement, ranks, 0.0).swaps(machine, placement)
    now = dag.runtimes(placement[None, :])[0]
    for a, b in product(range(ranks), repeat=2):
        swapped = placement.copy()
        swapped[[a, b]] = swapped[[b, a]]
        assert dag.runtimes(swapped[None, :])[0] >= now + change[a, b] - 1e-9


def test_an_interrupted_search_keeps_the_best(lulesh: Path) -> None:
    program = load(lulesh)
    machine = Machine.of(Network(rules=[Rule("same node", 400.0)]), 4, 2, program.ranks)
    given = {ROUND_ROBIN: machine.round_robin(program.ranks)}

    def interrupt(_least: float, evaluations: int) -> None:
        if evaluations > 100:
            raise KeyboardInterrupt

    found = PlacementSearch(program.graph, machine).run(Effort(), given, interrupt)
    assert not found.finished
    assert found.evaluations > 100
    dag = _core.Placements(program.graph, machine.core)
    both = dag.runtimes(np.stack([found.placement, given[ROUND_ROBIN]]))
    assert both[0] <= both[1]


def test_without_time_block_and_round_robin_are_still_compared(lulesh: Path) -> None:
    result = place(
        load(lulesh), Network(rules=[Rule("same node", 400.0)]), 4, effort=Effort(seconds=0)
    )
    assert not result.search.finished
    assert result.best.T_ns == min(j.T_ns for j in result.placements[:-1])


def test_a_topology_and_the_present_placement(lulesh: Path, latitude: Run) -> None:
    done = latitude(
        *("place", lulesh, "--nodes", "4", "--topology", "torus:4x1x1", *PLACED),
        *("--placement", "random:3", "--json", "-", "--time", "5s"),
    )
    assert done.returncode == 0, done.stderr
    found = document(done.stdout)
    names = [p["name"] for p in found["placements"]]
    assert names == [BLOCK, ROUND_ROBIN, PRESENT, FOUND]
    assert found["gain"].keys() == {BLOCK, ROUND_ROBIN, PRESENT}
    assert all(gain >= 0 for gain in found["gain"].values())
    assert any("switch" in link["link"] for link in found["placements"][-1]["links"])


def test_files_and_the_fresh_analysis_of_one_of_them(
    tmp_path: Path, lulesh: Path, latitude: Run
) -> None:
    options = ("--nodes", "4", *PLACED)
    directory = tmp_path / "placed"
    done = latitude("place", lulesh, *options, "--L", "5us", "-o", directory, "--time", "5s")
    assert done.returncode == 0, done.stderr
    assert "The placement found runs" in done.stdout
    assert f"mpirun -np 8 --rankfile {directory / 'openmpi.rankfile'} ./app" in done.stdout
    found = json.loads((directory / "place.json").read_text())["placements"][-1]
    analysed = latitude(
        *("analyze", lulesh, *PLACED, "--L", "5us", "--json", "-"),
        *("--placement", f"file:{directory / 'slurm.hosts'}"),
    )
    assert analysed.returncode == 0, analysed.stderr
    assert json.loads(analysed.stdout)["baseline"]["T_ns"] == found["T_ns"]
    assert "--force" in latitude("place", lulesh, *options, "-o", directory).stderr


def test_launchers_files() -> None:
    openmpi, mpich, slurm = launches(np.array([1, 0, 1], np.uint32), ["a", "b"])
    assert openmpi.content == "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=b slot=1\n"
    assert mpich.content == "b:1\na:1\nb:1\n"
    assert slurm.content == "b\na\nb\n"


def test_names_of_hosts() -> None:
    assert host_names(None, 2) == ["node001", "node002"]
    assert host_names("z[09-10],a", 3) == ["z09", "z10", "a"]
    with pytest.raises(InputError, match="names 1 host, but --nodes asks for 2"):
        host_names("a", 2)


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (PLACED, "--nodes is missing"),
        (("--nodes", "3"), "give the cost of a message inside a node"),
        (("--nodes", "3", "--cores", "2", *PLACED), "8 ranks do not fit on 3 nodes with 2 cores"),
        (("--nodes", "3", "--cores", "no"), "'no' is not a number of cores"),
        (("--nodes", "4", "--hosts", "a[", *PLACED), "is not a host list"),
        (("--nodes", "4", "--hosts", "a[1-99999999]", *PLACED), "over 1,000,000 nodes"),
    ],
)
def test_wrong_options(
    options: tuple[str, ...], advice: str, lulesh: Path, refused: Callable[..., str]
) -> None:
    assert advice in refused("place", lulesh, *options)
