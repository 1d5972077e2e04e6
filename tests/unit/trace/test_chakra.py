"""Chakra execution traces: what becomes of them, what is written, and what is refused."""

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude.trace.jobs.chakra import chakra_job, read_chakra_rank
from latitude.trace.jobs.chakra_file import (
    COLL,
    COLLECTIVES,
    COMP,
    METADATA,
    RECV,
    SEND,
    Node,
    Value,
    read_nodes,
    written,
)
from latitude.trace.jobs.wire import put_bytes, put_number, put_varint
from latitude.trace.llm import LlmJob
from support.job_oracle import finished_at
from support.random_jobs import random_nodes, random_step
from support.tiers import first_of

RING = 8
SIZE = 131_072
STEP_US = 7


def ring(rank: int) -> list[Node]:
    """A reduce-scatter and an all-gather of 8 ranks, step by step, as ASTRA-sim has them."""
    nodes: list[Node] = []

    def add(kind: int, ns: int = 0, **attributes: Value) -> None:
        at = len(nodes)
        nodes.append(Node(at, kind, f"node {at}", [at - 1] if at else [], ns, attributes))

    for step in range(2 * (RING - 1)):
        add(SEND, comm_size=SIZE, comm_dst=(rank + 1) % RING, comm_tag=0)
        add(RECV, comm_size=SIZE, comm_src=(rank - 1) % RING, comm_tag=0)
        if step < RING - 1:
            add(COMP, 1000 * STEP_US)
    return nodes


def folder_of(folder: Path, *ranks: list[Node]) -> Path:
    folder.mkdir(exist_ok=True)
    for rank, nodes in enumerate(ranks):
        (folder / f"job.{rank}.et").write_bytes(written(nodes))
    return folder


def checked_ring(source: Path) -> None:
    program = latitude.load(source)
    for L, G in [(0.0, 0.0), (1e3, 0.0), (0.0, 0.1), (2500.0, 0.02)]:
        found = latitude.analyze(program, latitude.Network(L=L, o=0, G=G), sections=[])
        assert found.baseline.T_ns == pytest.approx(14 * (L + 131_071 * G) + 49_000, rel=1e-12)
        assert found.baseline.lambda_L_right == 14


def test_a_ring_takes_its_closed_form(tmp_path: Path) -> None:
    checked_ring(folder_of(tmp_path / "ring", *map(ring, range(RING))))


@pytest.mark.traces
def test_the_ring_of_astra_sim_does(traces: Path) -> None:
    checked_ring(traces / "ai" / "chakra-ring-allreduce-8x1MB.tar.xz")


def test_packed_and_single_files_read_as_the_folder_does(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "plain", *map(ring, range(RING)))
    whole = latitude.load(folder).graph
    packed = tmp_path / "packed"
    packed.mkdir()
    for path in folder.iterdir():  # Chakra's own tools compress without another suffix
        (packed / path.name).write_bytes(gzip.compress(path.read_bytes()))
    archive = tmp_path / "job.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for path in sorted(folder.iterdir()):
            member = tarfile.TarInfo(f"step/{path.name}")
            member.size = path.stat().st_size
            tar.addfile(member, io.BytesIO(path.read_bytes()))
    for source in (packed, archive, folder / "job.3.et"):
        graph = latitude.load(source).graph
        for name in ("rank_begin", "kind", "value", "dep_begin", "dep_vertex", "line"):
            assert np.array_equal(getattr(graph, name), getattr(whole, name)), (source, name)


def test_a_collective_has_the_ranks_of_its_group(tmp_path: Path) -> None:
    groups = '[[{"pg_name": "3", "pg_desc": "mesh_tp", "ranks": [0, 2], "group_size": 2}]]'

    def rank(*, init: bool) -> list[Node]:
        own: dict[str, Value] = {"comm_type": 2, "comm_size": 600, "pg_name": "3"}
        first = [Node(0, METADATA, "## process_group:init ##", values=groups)] if init else []
        return [*first, Node(1, COLL, "gather", [0], 2000, own)]

    program = latitude.load(folder_of(tmp_path / "own", rank(init=True), [Node(0, COMP)],
                                      rank(init=False)))  # fmt: skip
    assert program.job is not None
    assert (program.job.kind, program.job.groups) == (("all_gather",), ((0, 2),))
    assert (program.job.bytes.tolist(), program.job.group_roles) == ([1200], ("mesh_tp",))
    plain = folder_of(tmp_path / "beside", rank(init=False), [Node(0, COMP)], rank(init=False))
    (plain / "groups.json").write_text(json.dumps({"3": [0, 2]}))
    assert latitude.load(plain).job is not None


def test_a_recorded_collective_costs_what_it_took(tmp_path: Path) -> None:
    own: dict[str, Value] = {"comm_type": 0, "comm_size": 100, "involved_dim": [1, 1]}
    ranks = [[Node(0, COMP, ns=1000 * r), Node(1, COLL, "sum", [0], 5000, own)] for r in (0, 4)]
    program = latitude.load(folder_of(tmp_path / "two", *ranks))
    found = latitude.analyze(program, latency="0us:1us")
    assert (found.baseline.T_ns, found.baseline.lambda_L_right) == (9000, 2)
    assert found.baseline.L_ns == 0


def test_parents_of_pytorch_s_nodes_are_not_waited_for(tmp_path: Path) -> None:
    cpu: dict[str, Value] = {"is_cpu_op": True, "tid": 1}
    gpu: dict[str, Value] = {"is_cpu_op": False, "tid": 7}
    inner = Node(1, COMP, "mul", [], 3000, cpu)
    inner.control = [2]  # its kernel's number, as a converter has written it
    nodes = [inner, Node(2, COMP, "kernel", [1], 9000, gpu), Node(3, COMP, "add", [], 1000, cpu)]
    program = latitude.load(folder_of(tmp_path / "one", nodes))
    assert latitude.analyze(program, sections=[]).baseline.T_ns == 12_000


@pytest.mark.parametrize("block", first_of(range(10)))
def test_ends_are_those_of_a_simulator(block: int) -> None:
    for seed in range(100 * block, 100 * (block + 1)):
        nodes, operations, collectives = random_nodes(Random(seed))
        files = [written(own) for own in nodes]
        ranks = [read_chakra_rank(f"x.{r}.et", held) for r, held in enumerate(files)]
        assert [[replace(node, at=0) for node in own.nodes] for own in ranks] == nodes
        graph, _ = chakra_job("x", ranks, {}).job.graph()
        dag = _core.Model(graph, latitude.Network(L=700, o=0, G=0).core(graph.ranks)).along("L")
        for added in (0, 1, 60, 12_345):
            simulated = max([0, *finished_at(operations, collectives, added, 700)])
            assert dag.slopes(np.array([700.0 + added]))[0][0] == simulated, seed


@pytest.mark.parametrize("seed", first_of(range(12), 3))
def test_a_synthesized_step_is_read_back(seed: int, tmp_path: Path) -> None:
    job = random_step(Random(seed))
    made = job.chakra()
    nodes = [made.nodes(rank) for rank in range(job.ranks)]
    for rank, own in enumerate(nodes):
        found = read_nodes(made.file(rank))
        assert [replace(node, at=0) for node in found] == own
    program = latitude.load(folder_of(tmp_path / "step", *nodes))
    assert program.ranks == job.ranks
    assert program.warnings == []
    assert latitude.analyze(program, sections=[]).baseline.T_ns > 0


def test_a_pipeline_and_its_replicas_have_groups_with_roles(
    tmp_path: Path, latitude: Callable[..., object]
) -> None:
    job = LlmJob(layers=2, hidden=256, heads=4, ffn=512, vocab=1024, sequence=64, tp=2, pp=2, dp=2,
                 microbatches=2)  # fmt: skip
    roles = set()
    for rank in range(job.ranks):
        init = job.chakra().nodes(rank)[0].values
        roles |= {group["pg_desc"] for group in json.loads(init)}
    assert roles == {"tensor", "data"}
    words = ("--layers", 2, "--hidden", 256, "--heads", 4, "--tp", 2, "--pp", 2)
    latitude("synthesize", "llm", *words, "-o", tmp_path / "a.et")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"a.{rank}.et" for rank in range(4)]


def rank_file(*nodes: Node) -> bytes:
    return written(nodes)


def node_bytes(*parts: bytes) -> bytes:
    message = b"".join(parts)
    return put_varint(0) + put_varint(len(message)) + message


HOSTILE = {
    "empty": (b"", "is empty"),
    "no nodes": (written([]), "without nodes"),
    "cut": (written(ring(0))[:-3], "cut off after"),
    "a long number": (b"\xff" * 20, "byte 0"),
    "huge metadata": (put_varint(1 << 40) + b"\x0a", "would have"),
    "a huge field": (node_bytes(put_varint(2 << 3 | 2), put_varint(1 << 50)), "byte 2"),
    "a group of fields": (node_bytes(put_varint(2 << 3 | 3)), "no field begins with"),
    "two nodes": (rank_file(Node(1, COMP), Node(1, COMP)), "two nodes 1"),
    "no type": (rank_file(Node(1, 0, "odd")), "node 1 (odd) is of type 0"),
    "unknown type": (rank_file(Node(1, 8)), "is of type 8"),
    "a long time": (node_bytes(put_number(3, COMP), put_number(7, 1 << 60)), "2^53"),
    "a negative size": (
        rank_file(Node(0, COLL, attributes={"comm_type": 0, "comm_size": -1})), "sizes are 0",
    ),
    "a size beyond": (
        rank_file(Node(0, COLL, attributes={"comm_type": 0, "comm_size": 1 << 60})), "sizes are 0",
    ),
    "unknown collective": (rank_file(Node(0, COLL, attributes={"comm_type": 99})), "comm_type 99"),
    "unknown group": (
        rank_file(Node(0, COLL, "sum", attributes={"comm_type": 0, "pg_name": "7"})),
        "which ranks its group '7' has",
    ),
    "some dimensions": (
        rank_file(Node(0, COLL, attributes={"comm_type": 0, "involved_dim": [1, 0]})), "dimensions",
    ),
    "itself": (rank_file(Node(0, SEND, attributes={"comm_dst": 0})), "its own rank"),
    "a far peer": (rank_file(Node(0, SEND, attributes={"comm_dst": 1 << 30})), "at most 131,072"),
    "a cycle": (rank_file(Node(0, COMP, "", [1]), Node(1, COMP, "", [0])), "waits for itself"),
    "no text": (node_bytes(put_number(3, COMP), put_bytes(2, b"\xff\xfe")), ""),
}  # fmt: skip


@pytest.mark.parametrize("what", [each for each in HOSTILE if each != "no text"])
def test_what_is_wrong_is_one_line(what: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    content, why = HOSTILE[what]
    path = tmp_path / "it.0.et"
    path.write_bytes(content)
    said = refused("analyze", path)
    assert why in said
    assert "it.0.et" in said or what == "a far peer"


def test_ranks_that_do_not_fit_are_one_line(tmp_path: Path, refused: Callable[..., str]) -> None:
    one = [Node(0, COLL, attributes={"comm_type": 0})]
    other = [Node(0, COLL, attributes={"comm_type": 5})]
    path = folder_of(tmp_path / "kinds", one, other)
    assert "is all_reduce on rank 0 and broadcast on rank 1" in refused("analyze", path)
    path = folder_of(tmp_path / "counts", one, [Node(0, COMP)])
    assert "rank 1 takes no part" in refused("analyze", path)
    path = folder_of(tmp_path / "alone", [Node(0, SEND, attributes={"comm_dst": 1})], [Node(0, 4)])
    assert "rank 1 takes no part" in refused("analyze", path)
    (path / "other.1.et").write_bytes(written(one))
    assert "both of rank 1" in refused("analyze", path)


def test_what_files_lack_is_a_warning_with_a_count(tmp_path: Path) -> None:
    nodes = [
        Node(0, COMP, "", [77], attributes={"num_ops": 5}),
        Node(1, SEND, "", [0], 4000, attributes={"comm_size": 3}),
        Node(2, COLL, "", [1], attributes={"comm_type": 0}),
    ]
    program = latitude.load(folder_of(tmp_path / "one", nodes))
    codes = [each.code for each in program.warnings]
    assert codes == ["job-lacks-ranks", "job-without-time", "job-without-peer", "job-dangling"]
    ranks = folder_of(tmp_path / "two", [Node(0, SEND, attributes={"comm_dst": 1})])
    assert [each.code for each in latitude.load(ranks).warnings] == ["job-lacks-ranks"]


def test_any_damage_is_one_line_or_read() -> None:
    whole = written(ring(0))
    draw = np.random.default_rng(7)
    read = 0
    for _ in range(600):
        damaged = bytearray(whole)
        for at in draw.integers(0, len(damaged), draw.integers(1, 4)):
            damaged[at] = draw.integers(0, 256)
        with suppress(latitude.InputError):
            chakra_job("it", [read_chakra_rank("it.0.et", bytes(damaged))], {}).job.graph()
            read += 1
    assert read > 30


def test_kinds_are_those_of_jobs() -> None:
    assert {*COLLECTIVES} <= {*_core.collective_kinds()}
