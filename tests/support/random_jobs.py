"""Jobs drawn at random: those of `latitude synthesize`, job files, Chakra and Kineto traces."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from latitude import _core
from latitude.trace.jobs.chakra_file import COLL, COMP, RECV, SEND, Node, Value, written
from latitude.trace.llm import LlmJob
from latitude.trace.nccl import ALGORITHMS, PROTOCOLS, NcclCollective
from support.job_oracle import Collective, Operation

_LINE = {"ll": 8, "ll128": 150, "simple": 1_000}
"""Bytes times this are a few slots of the protocol."""


def random_collective(rng: Random) -> NcclCollective:
    """One of NCCL's collectives, of a few thousand operations at most."""
    collective = rng.choice(list(ALGORITHMS))
    algorithm = rng.choice(ALGORITHMS[collective])
    lacking = {"pairwise": {"ll128"}, "pat": {"ll", "ll128"}}.get(algorithm, set())
    protocol = rng.choice([each for each in PROTOCOLS if each not in lacking])
    ranks = 2 if collective == "send" else rng.randint(2, 8)
    return NcclCollective(
        collective=collective,
        algorithm=algorithm,
        protocol=protocol,
        ranks=ranks,
        ranks_per_node=1 if algorithm == "pat" else rng.choice([1, 2, 3, 8]),
        channels=rng.randint(1, 4),
        message_bytes=rng.choice([1, 100, 3_000, 20_000]) * _LINE[protocol],
        root=rng.randrange(ranks),
        nics=rng.randint(1, 2),
        reduce_ns_per_byte=rng.choice([0.0, 0.001]),
        launch_ns=rng.choice([0, 5_000]),
    )


def random_step(rng: Random) -> LlmJob:
    """A training step of a small model, or decoding, on up to 8 GPUs."""
    tp, pp, dp = rng.choice([(2, 1, 1), (1, 2, 2), (2, 2, 2), (1, 4, 1), (1, 1, 4), (4, 2, 1)])
    experts = rng.choice([0, 4])
    decode = rng.choice([0, 0, 1, 3])
    interleave = 1 if decode or pp == 1 else rng.choice([1, 2])
    turns = pp if interleave > 1 else 1
    return LlmJob(
        layers=pp * interleave * rng.randint(1, 2),
        hidden=256,
        heads=4,
        kv_heads=4 if tp == 4 else rng.choice([2, 4]),
        interleave=interleave,
        decode=decode,
        ffn=512,
        vocab=1024,
        sequence=rng.choice([16, 512]),
        tp=tp,
        pp=pp,
        dp=dp,
        ep=rng.choice([1, dp]) if experts else 1,
        experts=experts,
        microbatches=turns * rng.randint(1, 4 // turns),
        microbatch_size=rng.randint(1, 2),
        ranks_per_node=rng.choice([1, 2, 8]),
        channels=rng.randint(1, 2),
        nics=rng.randint(1, 2),
    )


def random_job(rng: Random) -> _core.Graph:
    """A job of any kind."""
    job = random_collective(rng) if rng.random() < 0.5 else random_step(rng)
    return job.graph()


WAYS: dict[str, tuple[tuple[int, int], Callable[[int], float]]] = {
    "all_reduce": ((2, -2), lambda n: 2 * (n - 1) / n),
    "all_gather": ((1, -1), lambda n: (n - 1) / n),
    "reduce_scatter": ((1, -1), lambda n: (n - 1) / n),
    "broadcast": ((1, -1), lambda n: n / n),
    "reduce": ((1, -1), lambda n: n / n),
    "all_to_all": ((0, 1), lambda n: (n - 1) / n),
    "gather": ((0, 1), lambda n: (n - 1) / n),
    "scatter": ((0, 1), lambda n: (n - 1) / n),
    "send": ((0, 1), lambda n: n / n),
    "barrier": ((2, -2), lambda n: 2 * (n - 1) / n),
    "eager_send": ((0, 1), lambda n: n / n - 1 / 1200),
}
"""Latencies on a chunk's way among n ≥ 2 ranks, as a·n + b, and bytes in shares of the buffer."""
IN_RINGS = ("all_reduce", "all_gather", "reduce_scatter", "barrier")
"""Kinds whose steps around a ring may take several trips."""


def latencies_of(kind: str, n: int) -> int:
    (a, b), _ = WAYS[kind]
    return a * n + b if n > 1 else 0


def latencies_of_tree(n: int) -> int:
    """Up a binary tree over n nodes and down again."""
    return 2 * (n - 1).bit_length()


def job_of(**parts: Any) -> dict[str, Any]:
    return {"format": "latitude job", "version": 1, "ranks": 1, "operations": [], **parts}


def random_job_file(seed: int) -> tuple[dict[str, Any], list[Operation], list[Collective]]:
    """Streams, events between them, and collectives, all in an order that can run."""
    draw = Random(seed)
    ranks = draw.randint(1, 6)
    lines = ["cpu", "stream 7", "stream 20"][: draw.randint(1, 3)]
    groups = {
        f"group {i}": draw.sample(range(ranks), draw.randint(1, ranks))
        for i in range(draw.randint(1, 3))
    }
    entries: list[dict[str, Any]] = []
    operations: list[Operation] = []
    collectives: list[Collective] = []
    of_rank: list[list[int]] = [[] for _ in range(ranks)]

    def add(rank: int, ns: int, part: int | None = None, **more: Any) -> None:
        on = draw.choice([*lines, None])
        after = draw.sample(of_rank[rank], draw.randint(0, min(2, len(of_rank[rank]))))
        of_rank[rank].append(len(entries))
        entries.append({"rank": rank, "on": on, "ns": ns, "after": after, **more})
        operations.append(Operation(rank, on, ns, after, part))

    for sequence in range(draw.randint(0, 30)):
        if draw.random() < 0.6:
            add(draw.randrange(ranks), draw.randint(0, 5_000))
            continue
        name, members = draw.choice([*groups.items()])
        n = len(members)
        kind = draw.choice([kind for kind in WAYS if n > 1 or kind != "eager_send"])
        own = [draw.choice([0, draw.randint(0, 9_000)]) for _ in members]
        sender = members[0] if kind == "eager_send" else None
        trips = draw.choice([1, 1, 2])
        latencies = latencies_of(kind, n) * (trips if kind in IN_RINGS else 1)
        called = {"group": name, "sequence": sequence, "kind": kind, "bytes": draw.randint(0, 99),
                  "trips": trips}  # fmt: skip
        if kind in ("all_reduce", "barrier") and trips == 1 and draw.random() < 0.5:
            called["algorithm"] = "tree"
            latencies = latencies_of_tree(n)
        collectives.append(Collective(n, min(own), latencies, sender))
        for rank, ns in sorted(zip(members, own, strict=True), key=lambda _: draw.random()):
            add(rank, ns, len(collectives) - 1, collective=called)
    return job_of(ranks=ranks, groups=groups, operations=entries), operations, collectives


def random_nodes(draw: Random) -> tuple[list[list[Node]], list[Operation], list[Collective]]:
    """A job on 1 to 4 ranks, in an order that can run, and the same for the simulator."""
    ranks = draw.randint(1, 4)
    nodes: list[list[Node]] = [[] for _ in range(ranks)]
    numbers: list[list[int]] = [[] for _ in range(ranks)]
    operations: list[Operation] = []
    collectives: list[Collective] = []

    def add(
        rank: int,
        kind: int,
        on: str | None,
        ns: int,
        own: dict[str, Value],
        part: int | None = None,
    ) -> None:
        known = len(nodes[rank])
        after = draw.sample(range(known), draw.randint(0, min(2, known)))
        nodes[rank].append(Node(known, kind, "", after, ns, own))
        before = [numbers[rank][each] for each in after]
        numbers[rank].append(len(operations))
        operations.append(Operation(rank, on, ns, before, part))

    for _ in range(draw.randint(0, 30)):
        what = draw.random()
        if what < 0.5 or ranks == 1:
            own: dict[str, Value] = {"is_cpu_op": False, "stream": draw.randint(0, 2)}
            add(draw.randrange(ranks), COMP, f"{own['stream']}", 1000 * draw.randint(0, 5), own)
        elif what < 0.75:
            source, target = draw.sample(range(ranks), 2)
            collectives.append(Collective(2, 0, 1, source))
            part = len(collectives) - 1
            size: dict[str, Value] = {"comm_size": 9, "comm_tag": 0}
            add(source, SEND, None, 0, {**size, "comm_dst": target}, part)
            add(target, RECV, None, 0, {**size, "comm_src": source}, part)
        else:
            ns = draw.choice([0, 1500])
            collectives.append(Collective(ranks, ns, 2 * (ranks - 1)))
            for rank in range(ranks):
                own = {"comm_type": 0, "comm_size": 8}
                add(rank, COLL, "communication", ns, own, len(collectives) - 1)
    for own_nodes in nodes:
        own_nodes.append(Node(len(own_nodes), COMP, "", [*range(len(own_nodes))]))
    return nodes, operations, collectives


def _event(cat: str, name: str, ts: float, dur: float, tid: int, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": tid, "ts": ts, "dur": dur,
            "args": args}  # fmt: skip


def random_kineto(draw: Random) -> list[dict[str, Any]]:
    """A trace of each rank, with steps of a kernel, an event, an all-reduce, and modules."""
    ranks, steps = draw.randint(1, 3), draw.randint(1, 6)
    files: list[list[dict[str, Any]]] = [[] for _ in range(ranks)]
    free = [[0.0, 0.0] for _ in range(ranks)]
    cpu = [float(draw.randint(1, 40)) for _ in range(ranks)]
    meta = {
        "Collective name": "allreduce", "In msg nelems": 256, "Out msg nelems": 256,
        "dtype": "Float", "Group size": ranks, "Process Group Name": "0",
        "Process Group Ranks": str([*range(ranks)]),
    }  # fmt: skip
    for step in range(steps):
        starts = []
        for rank, events in enumerate(files):
            at, first = cpu[rank], 10 * step
            begin = max(at + 2, free[rank][0])
            free[rank][0] = begin + draw.randint(1, 90)
            starts.append(max(at + 8, free[rank][0], free[rank][1]))
            events += [
                _event("user_annotation", f"layers.{step % 2}", at - 0.5, 9, 1),
                _event("cuda_runtime", "cudaLaunchKernel", at, 1, 1, correlation=first + 1),
                _event("kernel", "gemm", begin, free[rank][0] - begin, 7, correlation=first + 1,
                       stream=7, device=0),
                _event("cuda_runtime", "cudaEventRecord", at + 2, 1, 1, correlation=first + 2),
                _event("cuda_runtime", "cudaStreamWaitEvent", at + 4, 1, 1, correlation=first + 3),
                _event("cuda_runtime", "cudaLaunchKernelExC", at + 6, 1, 1, correlation=first + 4),
            ]  # fmt: skip
            cpu[rank] += 9 + draw.randint(0, 30)
        end = max(starts) + draw.randint(1, 50)
        for rank, events in enumerate(files):
            free[rank][1] = end
            events.append(
                _event("kernel", "ncclDevKernel_AllReduce", starts[rank], end - starts[rank], 16,
                       correlation=10 * step + 4, stream=16, device=0, **meta)
            )  # fmt: skip
    return [
        {
            "schemaVersion": 1,
            "distributedInfo": {"rank": rank, "world_size": ranks},
            "traceEvents": events,
        }
        for rank, events in enumerate(files)
    ]


def write_recorded(draw: Random, folder: Path) -> Path:
    """A job with whole collectives, in one of the forms that people have."""

    def job_file() -> Path:
        path = folder / "it.job.json"
        path.write_text(json.dumps(random_job_file(draw.randrange(1 << 30))[0]))
        return path

    def chakra() -> Path:
        for rank, nodes in enumerate(random_nodes(draw)[0]):
            (folder / f"it.{rank}.et").write_bytes(written(nodes))
        return folder

    def kineto() -> Path:
        for rank, file in enumerate(random_kineto(draw)):
            (folder / f"rank{rank}.json").write_text(json.dumps(file))
        return folder

    forms: list[Callable[[], Path]] = [job_file, chakra, kineto]
    return draw.choice(forms)()
