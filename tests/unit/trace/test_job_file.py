"""Job files: the graph they become against a simulator of their own, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude.model.cluster_file import read_cluster
from support.job_oracle import finished_at
from support.random_jobs import WAYS, job_of, latencies_of, random_job_file
from support.tiers import first_of

NETWORK = latitude.Network(L=0, o=0, G=0)


def written(folder: Path, job: dict[str, Any]) -> Path:
    path = folder / "it.job.json"
    path.write_text(json.dumps(job))
    return path


@pytest.mark.parametrize("block", first_of(range(20)))
def test_ends_are_those_of_a_simulator_at_every_latency(block: int, tmp_path: Path) -> None:
    for seed in range(100 * block, 100 * (block + 1)):
        job, operations, collectives = random_job_file(seed)
        program = latitude.load(written(tmp_path, job))
        dag = _core.Model(program.graph, NETWORK.core(program.ranks)).along("L")
        added = [0, 1, 7, *(round(1.7**i) for i in range(4, 21))]
        simulated = [max([0, *finished_at(operations, collectives, ns)]) for ns in added]
        found, left, right = dag.slopes(np.array(added, np.float64))
        assert found.tolist() == simulated, seed
        assert np.array_equal(right, np.round(right)), seed
        assert np.all(np.diff(right) >= 0), seed
        assert np.all(left <= right), seed


def test_latencies_below_the_recorded_one_take_no_less_than_no_time(tmp_path: Path) -> None:
    job, operations, collectives = random_job_file(3)
    program = latitude.load(written(tmp_path, job))
    network = latitude.Network(L=1000, o=0, G=0)
    dag = _core.Model(program.graph, network.core(program.ranks)).along("L")
    for added in (-1000, -900, -500, -1, 0, 40):
        simulated = max(finished_at(operations, collectives, added, 1000))
        assert dag.slopes(np.array([1000.0 + added]))[0][0] == simulated


@pytest.mark.parametrize("kind", WAYS)
def test_what_a_latency_and_a_byte_cost(kind: str, tmp_path: Path) -> None:
    for n in (1, 2, 3, 8) if kind != "eager_send" else (2, 3):
        part = {"group": "all", "sequence": 0, "kind": kind, "bytes": 400}
        entries = [{"rank": r, "ns": 500, "collective": part} for r in range(n)]
        entries[-1]["collective"] = {**part, "bytes": 1200}  # the largest statement holds
        job = job_of(ranks=n, groups={"all": [*range(n)]}, operations=entries)
        program = latitude.load(written(tmp_path, job))
        model = _core.Model(program.graph, NETWORK.core(n))
        L, G = (model.along(theta).slopes(np.zeros(1)) for theta in ("L", "G"))
        assert (L[0][0], L[2][0]) == (500, latencies_of(kind, n))
        assert G[2][0] == pytest.approx(1200 * WAYS[kind][1](n) * (n > 1), abs=1e-9)


@pytest.mark.parametrize(("kind", "doubles"), [("all_reduce", 2), ("all_to_all", 1), ("send", 1)])
def test_steps_around_a_ring_may_take_two_trips(kind: str, doubles: int, tmp_path: Path) -> None:
    part = {"group": "all", "sequence": 0, "kind": kind, "bytes": 1200, "trips": 2}
    entries = [{"rank": r, "ns": 500, "collective": part} for r in range(4)]
    program = latitude.load(
        written(tmp_path, job_of(ranks=4, groups={"all": [0, 1, 2, 3]}, operations=entries))
    )
    model = _core.Model(program.graph, NETWORK.core(4))
    L, G = (model.along(theta).slopes(np.zeros(1)) for theta in ("L", "G"))
    assert L[2][0] == doubles * latencies_of(kind, 4)
    assert G[2][0] == pytest.approx(1200 * WAYS[kind][1](4))


@pytest.mark.parametrize(
    ("per_node", "latencies"),
    [
        (2, 3),  # of six hops around 0→1→2→3→0 those of 1→2, and of 3→0 twice
        (3, 4),  # those of 2→3 and 3→0, each twice
    ],
)
def test_link_rules_pay_for_the_hops_between_their_ranks(
    per_node: int, latencies: int, tmp_path: Path
) -> None:
    part = {"group": "all", "sequence": 0, "kind": "all_reduce", "bytes": 800}
    entries = [{"rank": r, "ns": 50_000, "collective": part} for r in range(4)]
    job = job_of(ranks=4, groups={"all": [0, 1, 2, 3]}, operations=entries)
    program = latitude.load(written(tmp_path, job))
    cluster = tmp_path / "two.toml"
    cluster.write_text(
        '[network]\nL = "5us"\no = "0ns"\nG = "0ns"\n[placement]\n'
        f"ranks_per_node = {per_node}\n"
        '[[link]]\nwhere = "same node"\nL = "1us"\nG = "0ns"\n'
    )
    network = read_cluster(cluster).network()
    found = latitude.analyze(program, network, sections=["link_rules"])
    assert found.baseline.T_ns == 50_000
    assert found.baseline.lambda_L == latencies
    assert found.baseline.path is not None
    assert found.baseline.path.latency_ns == latencies * 5_000 + (6 - latencies) * 1_000
    assert [
        (each.rule, each.messages, each.bytes, each.lambda_L, each.latency_ns, each.lambda_o)
        for each in found.link_rules
    ] == [
        ("between nodes", latencies, latencies * 200, latencies, latencies * 5_000, 0),
        ("inside a node", *((6 - latencies) * n for n in (1, 200, 1, 1_000)), 0),
    ]
    # T grows by 1 % as so many latencies grow by their part of that each.
    assert [each.tolerance[0].delta_ns for each in found.link_rules] == pytest.approx(
        [500 / latencies, 500 / (6 - latencies)]
    )
    with pytest.raises(latitude.InputError, match="took less than their latencies"):
        latitude.analyze(program, latitude.Network(L="10us"))


def test_the_path_counts_transfers_as_network(tmp_path: Path) -> None:
    part = {"group": "all", "sequence": 0, "kind": "all_reduce"}
    entries = [
        {"rank": 0, "on": "s", "ns": 1000},
        {"rank": 0, "on": "s", "ns": 700, "collective": part},
        {"rank": 1, "on": "s", "ns": 900, "collective": part},
        {"rank": 1, "on": "s", "ns": 50},
    ]
    job = job_of(ranks=2, groups={"all": [0, 1]}, operations=entries)
    found = latitude.analyze(latitude.load(written(tmp_path, job)))
    assert found.baseline.T_ns == 1750
    assert found.baseline.L_ns == 0
    assert found.baseline.lambda_L == 2
    assert found.baseline.path is not None
    assert found.baseline.path.calc_ns == 1050
    tightest = found.tolerance[0]
    assert (tightest.value, tightest.degradation) == (8.75, 0.01)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 2}, "version"),
        ({"ranks": 0}, "1 to 131,072 ranks"),
        ({"ranks": -(10**30)}, "job.json"),
        ({"operations": [{"rank": 1, "ns": 0}]}, "operation 0: rank 1 is not one of the job's 1"),
        ({"operations": [{"rank": 0, "ns": -1}]}, "operation 0: a duration of -1 ns"),
        ({"operations": [{"rank": 0, "ns": 1 << 60}]}, "operation 0: a duration of"),
        ({"operations": [{"rank": 0, "ns": 1.5}]}, "Expected `int`"),
        ({"operations": [{"rank": 0, "ns": 1, "dur": 1}]}, "unknown field `dur`"),
        ({"operations": [{"rank": 0, "ns": 1, "after": [1]}]}, "operation 0 comes after 1"),
        ({"operations": [{"rank": 0, "ns": 1, "after": [0]}]}, "cycle"),
        (
            {
                "groups": {"a": [0]},
                "operations": [
                    {
                        "rank": 0,
                        "ns": 1,
                        "collective": {"group": "a", "sequence": 0, "kind": "barrier", "trips": 17},
                    }
                ],
            },
            "operation 0: a step of 17 trips; a step has 1 to 16",
        ),
        (
            {
                "ranks": 2,
                "groups": {"a": [0, 1]},
                "operations": [
                    {"rank": r, "ns": 1, "on": "s", "collective": c}
                    for r in (0, 1)
                    for c in [{"group": "a", "sequence": s ^ r, "kind": "barrier"} for s in (0, 1)]
                ],
            },
            "cycle, so none can ever start: ",
        ),
        ({"groups": {"a": [0, 0]}}, "group 'a' is empty, or has a rank twice"),
        ({"groups": {"a": [3]}}, "group 'a' has a rank beyond the job's 1"),
    ],
)
def test_what_is_wrong_is_one_line(
    change: dict[str, Any], why: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    assert why in refused("analyze", written(tmp_path, job_of(**change)))


def collective(**change: Any) -> dict[str, Any]:
    return {"group": "a", "sequence": 0, "kind": "barrier", **change}


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([collective(group="b"), None], "operation 0: unknown group 'b'"),
        ([collective(kind="dance"), None], "unknown collective 'dance'; use all_reduce"),
        ([collective(bytes=-1), None], "a collective of -1 bytes"),
        ([collective(algorithm="pat"), None], "unknown algorithm 'pat'; use ring, tree"),
        ([collective(algorithm="tree", trips=2), None], "only all_reduce, barrier with 1 trip"),
        ([collective(algorithm="tree", kind="all_gather"), None], "can go by a tree"),
        ([collective(group="own", kind="eager_send"), None], "an eager_send goes to another rank"),
        ([collective(), None], "rank 1 takes no part in collective 0 of group 'a'"),
        (
            [collective(), collective(kind="send")],
            "operation 1: collective 0 of group 'a' is barrier on rank 0 and send on rank 1",
        ),
    ],
)
def test_collectives_that_do_not_fit_are_one_line(
    parts: list[Any], why: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    entries = [{"rank": r, "ns": 1, "collective": part} for r, part in enumerate(parts)]
    job = job_of(ranks=2, groups={"a": [0, 1], "own": [0]}, operations=entries)
    assert why in refused("analyze", written(tmp_path, job))


def test_no_goal_is_written_of_a_job(tmp_path: Path, refused: Callable[..., str]) -> None:
    entries = [{"rank": 0, "ns": 1, "collective": collective()}]
    path = written(tmp_path, job_of(groups={"a": [0]}, operations=entries))
    assert "which GOAL cannot express" in refused("convert", path, tmp_path / "it.goal")


@pytest.mark.parametrize(
    "command",
    [
        ("forecast", "--latency", "exponential(mean=1us)"),
        ("place", "--nodes", "2", "--intra", "L=1us,G=0ns"),
        ("lp", "--solve"),
        ("analyze", "--compare", "L=1us,2us"),
        ("analyze", "--perfetto", "it.json"),
        ("analyze", "--replay"),
    ],
    ids=" ".join,
)
def test_who_asks_about_messages_refuses_a_job(
    command: tuple[str, ...], tmp_path: Path, refused: Callable[..., str]
) -> None:
    entries = [{"rank": r, "ns": 1, "collective": collective()} for r in (0, 1)]
    path = written(tmp_path, job_of(ranks=2, groups={"a": [0, 1]}, operations=entries))
    name, *options = command
    assert "a job" in refused(name, path, *options, cwd=tmp_path)
