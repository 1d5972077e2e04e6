"""Traces of PyTorch's profiler: what becomes of real jobs, and what is refused."""

import gzip
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path, PurePath
from typing import Any

import msgspec
import numpy as np
import pytest

import latitude
from latitude import _core
from latitude.trace.jobs.called import Built
from latitude.trace.jobs.find import numbered
from latitude.trace.jobs.job import JobBuilder
from latitude.trace.jobs.kineto import clock_offsets, job_of, linked
from latitude.trace.jobs.kineto_file import Rank, read_rank

RECORDED = latitude.Network(L=0, o=0, G=0)


def contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """The Kineto files in an archive."""
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None and not member.name.endswith((".et.json", ".meta.json")):
                yield member.name, file.read()


def ranks_of(path: Path) -> list[Rank]:
    return numbered(path.name, [read_rank(name, content) for name, content in contents(path)])


def replayed(path: Path) -> tuple[float, float, Any, Built, Any]:
    """T on the recorded network, the recorded runtime, and errors of collectives' ends; ns."""
    ranks = ranks_of(path)
    made = job_of(path.name, ranks)
    graph, job = made.job.graph()
    model = _core.Model(graph, RECORDED.core(graph.ranks))
    schedule = model.schedule()
    offsets = clock_offsets(made.built, ranks)
    begin = min(rank.start + offsets[rank.number] for rank in ranks)
    ends = schedule.end_ns[job.transfer[job.member_of]]
    recorded = {
        operation: called.end + offsets[number] - begin
        for number, operation, called in made.built.members
    }
    errors = ends - np.array([recorded[operation] for operation in sorted(recorded)])
    assert made.wall_ns is not None
    return float(model.runtime()), made.wall_ns, errors, made.built, made


REAL = {
    # archive: (largest error of T, mean error of collectives' ends in µs)
    "dlrm-8-v100-kineto.tar.gz": (0.003, 100),
    "fsdp16.tar.xz": (0.003, 300),
    "tp8dp4.tar.xz": (0.003, 300),
    "moe-ep8.tar.xz": (0.003, 300),
    "ddp8.tar.xz": (0.003, 300),
    "decode-tp8.tar.xz": (0.003, 300),
    "prefill-tp8.tar.xz": (0.003, 300),
    "gloo2-colls.tar.xz": (0.04, 300),
    "gloo2-ddp.tar.xz": (0.02, 300),
    "gloo2-fsdp.tar.xz": (0.02, 300),
    "gloo2-pp.tar.xz": (0.02, 300),
    "gloo4-colls.tar.xz": (0.04, 300),
    "gloo4-ddp.tar.xz": (0.02, 300),
    "gloo4-fsdp.tar.xz": (0.02, 300),
    "gloo4-pp.tar.xz": (0.02, 1500),
}


@pytest.mark.traces
@pytest.mark.parametrize("name", REAL)
def test_the_recorded_step_comes_out(name: str, traces: Path) -> None:
    most, late = REAL[name]
    runtime, recorded, errors, built, _ = replayed(traces / "ai" / name)
    assert runtime == pytest.approx(recorded, rel=most)
    assert np.abs(errors).mean() < late * 1e3
    assert not built.early.total()


@pytest.mark.traces
@pytest.mark.parametrize(
    ("name", "collectives"), [("colls", 16), ("ddp", 4), ("fsdp", 12), ("pp", 16)]
)
def test_every_collective_of_two_nccl_ranks_finds_its_partner(
    name: str, collectives: int, traces: Path
) -> None:
    *_, errors, built, made = replayed(traces / "ai" / f"nccl2-{name}.tar.xz")
    assert errors.size == 2 * collectives
    assert made.job.lacking() == (0, "")
    assert not built.early.total()


@pytest.mark.traces
@pytest.mark.parametrize(
    ("name", "waits"), [("waits-alexnet", 20), ("waits-cuda-event-sync-multi-stream", 1)]
)
def test_the_record_of_each_stream_wait_is_found_where_the_trace_hides_it(
    name: str, waits: int, traces: Path
) -> None:
    rank = read_rank(name, gzip.decompress((traces / "ai" / f"{name}.json.gz").read_bytes()))
    truth = {}
    for correlation, sync in rank.syncs.items():
        if sync.name == "Stream Wait Event":
            truth[correlation] = sync.args.record
            sync.args = msgspec.structs.replace(sync.args, record=-1, recording_stream=-1)
    found = {
        wait.call.args.correlation: wait.record and wait.record.args.correlation
        for wait in linked(rank).found
    }
    assert len(truth) == waits
    assert found == truth


@pytest.mark.traces
def test_a_rank_alone_is_analysed_with_a_warning(traces: Path) -> None:
    program = latitude.load(traces / "ai" / "ddp-rank0of2-nccl2.17.json.gz")
    assert program.ranks == 2
    assert {each.code for each in program.warnings} == {"job-lacks-ranks", "job-open-waits"}
    found = latitude.analyze(program, sections=[])
    assert found.baseline.T_ns == pytest.approx(program.trace.wall_ns, rel=0.003)


@pytest.mark.traces
@pytest.mark.parametrize(
    "name", ["vllm-tp8-b200-rank0.json.xz", "ddp-8-mi300x-rank0.json.xz", "pp4.tar.xz"]
)
def test_jobs_of_other_makers_are_read(name: str, traces: Path) -> None:
    program = latitude.load(traces / "ai" / name)
    assert program.job is not None
    assert program.job.kind
    assert program.trace.wall_ns is not None
    assert latitude.analyze(program, sections=[]).baseline.T_ns > 0.9 * program.trace.wall_ns


# --- written here ---------------------------------------------------------------------------------


def event(cat: str, name: str, ts: float, dur: float, tid: int = 1, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": tid, "ts": ts, "dur": dur,
            "args": args}  # fmt: skip


def rank_file(
    rank: int | None, starts: float, *, world: int = 2, kind: str = "allreduce", count: int = 1
) -> dict[str, Any]:
    """Two kernels and a collective of 30 µs or more on another stream; then the CPU waits."""
    ends = max(starts, 130.0) + 30
    events = [
        event("cuda_runtime", "cudaLaunchKernel", 10, 5, correlation=1),
        event("kernel", "gemm", 20, starts - 20, 7, correlation=1, stream=7, device=0),
    ]
    for number in range(count):
        meta = {
            "Collective name": kind, "In msg nelems": 256, "Out msg nelems": 256,
            "dtype": "Float", "Group size": world, "Process Group Name": "0",
            "Process Group Ranks": str([*range(world)]),
        }  # fmt: skip
        events += [
            event("cuda_runtime", "cudaEventRecord", 21, 1, correlation=20 + number),
            event("cuda_runtime", "cudaStreamWaitEvent", 23, 1, correlation=30 + number),
            event("cuda_runtime", "cudaLaunchKernelExC", 25, 5, correlation=40 + number),
            event(
                "kernel", "ncclDevKernel_AllReduce", starts, ends - starts, 16,
                correlation=40 + number, stream=16, device=0, **meta,
            ),
        ]  # fmt: skip
    events.append(event("cuda_runtime", "cudaDeviceSynchronize", 40, ends - 40 + 4, correlation=90))
    info: dict[str, Any] = {"world_size": world}
    if rank is not None:
        info["rank"] = rank
    return {"schemaVersion": 1, "distributedInfo": info, "traceEvents": events}


def folder_of(folder: Path, *files: dict[str, Any]) -> Path:
    for number, file in enumerate(files):
        (folder / f"rank{number}.json").write_text(json.dumps(file))
    return folder


def test_the_one_that_comes_late_makes_the_other_wait(tmp_path: Path) -> None:
    program = latitude.load(folder_of(tmp_path, rank_file(0, 80.0), rank_file(1, 130.0)))
    assert program.warnings == []
    assert program.trace.wall_ns == 154_000
    assert program.job is not None
    counted = {"launch": 4, "stream wait, restored": 2, "synchronise": 4}
    assert program.job.edges == counted
    found = latitude.analyze(program)
    assert found.baseline.T_ns == 154_000
    assert found.baseline.lambda_L == 2
    assert found.baseline.path is not None
    assert found.baseline.path.bandwidth_ns == 30_000


@pytest.mark.parametrize(
    ("name", "latencies"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_TREE_LL(ncclDevKernelArgsStorage<4096ul>)", 4),
        ("ncclKernel_AllReduce_TREE_LL_Sum_float(ncclDevComm*, unsigned long)", 4),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 6),
        ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", 6),
    ],
)
def test_a_kernel_for_trees_has_the_latencies_of_a_tree(
    name: str, latencies: int, tmp_path: Path
) -> None:
    files = [rank_file(rank, 80.0, world=4) for rank in range(4)]
    for file in files:
        for each in file["traceEvents"]:
            each["name"] = name if each["name"] == "ncclDevKernel_AllReduce" else each["name"]
    found = latitude.analyze(latitude.load(folder_of(tmp_path, *files)))
    assert found.baseline.lambda_L == latencies


def test_packed_and_single_files_read_as_the_folder_does(tmp_path: Path) -> None:
    files = [rank_file(0, 80.0), rank_file(1, 130.0)]
    folder = tmp_path / "plain"
    folder.mkdir()
    whole = latitude.load(folder_of(folder, *files)).graph
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "a.json.gz").write_bytes(gzip.compress(json.dumps(files[0]).encode()))
    (packed / "b.json.xz").write_bytes(lzma.compress(json.dumps(files[1]).encode()))
    (packed / "a.et.json").write_text('{"schema": "1.1.1-chakra.0.0.4", "nodes": []}')
    archive = tmp_path / "job.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for path in sorted(packed.iterdir()):
            member = tarfile.TarInfo(f"step/{path.name}")
            member.size = path.stat().st_size
            tar.addfile(member, io.BytesIO(path.read_bytes()))
    for source in (packed, archive):
        graph = latitude.load(source).graph
        for name in ("rank_begin", "kind", "value", "dep_begin", "dep_vertex", "line"):
            assert np.array_equal(getattr(graph, name), getattr(whole, name)), (source, name)


def test_clocks_of_two_hosts_are_aligned_by_collectives(tmp_path: Path) -> None:
    late = rank_file(1, 130.0)
    for each in late["traceEvents"]:
        each["ts"] += 5_000_000
    program = latitude.load(folder_of(tmp_path, rank_file(0, 80.0), late))
    assert [each.code for each in program.warnings] == ["job-clocks"]
    assert program.trace.wall_ns == 154_000


def test_a_group_is_its_ranks_whatever_each_of_them_calls_it(tmp_path: Path) -> None:
    other = json.loads(json.dumps(rank_file(1, 130.0)).replace('Name": "0"', 'Name": "0x7f"'))
    program = latitude.load(folder_of(tmp_path, rank_file(0, 80.0), other))
    assert program.warnings == []
    assert program.job is not None
    assert program.job.member.size == 2 * len(program.job.kind) == 2


def test_ranks_come_by_name_where_no_file_says_its_own(tmp_path: Path) -> None:
    folder_of(tmp_path, rank_file(None, 80.0), rank_file(None, 130.0))
    assert latitude.load(tmp_path).graph.rank_begin.size == 3
    content = json.dumps(rank_file(None, 80.0)).encode()
    ranks = numbered("it", [read_rank(name, content) for name in ("a/2.json", "b/1.json")])
    assert [(each.number, each.name) for each in ranks] == [(0, "b/1.json"), (1, "a/2.json")]


def rank_of(*events: dict[str, Any], rank: int = 0, world: int = 1) -> dict[str, Any]:
    info = {"rank": rank, "world_size": world}
    return {"schemaVersion": 1, "distributedInfo": info, "traceEvents": list(events)}


def read(file: dict[str, Any]) -> Rank:
    return read_rank("it", json.dumps(file).encode())


def test_times_have_fractions_of_microseconds() -> None:
    (call,) = read(rank_of(event("cuda_runtime", "cudaMalloc", 10.5, 0.25))).calls
    assert (call.start, call.end) == (10_500, 10_750)


def test_the_size_of_an_all_gather_is_of_all_parts(tmp_path: Path) -> None:
    files = [rank_file(rank, 80.0, kind="allgather") for rank in range(2)]
    for each in (each["args"] for file in files for each in file["traceEvents"]):
        if each.get("Collective name"):
            each |= {"Out msg nelems": 512, "dtype": "Float8_e4m3fn"}
    job = latitude.load(folder_of(tmp_path, *files)).job
    assert job is not None
    assert (job.kind, job.bytes.tolist()) == (("all_gather",), [512])


def test_clocks_that_differ_by_little_may_be_one(tmp_path: Path) -> None:
    late = rank_file(1, 130.0)
    for each in late["traceEvents"]:
        each["ts"] += 50
    program = latitude.load(folder_of(tmp_path, rank_file(0, 80.0), late))
    assert program.warnings == []


def test_a_busy_stream_takes_its_gap_and_an_idle_one_its_launch(tmp_path: Path) -> None:
    """Three tasks that follow each other by 2 µs, the first one 10 µs after its launch."""
    events = [
        each
        for number, begin in enumerate((20, 62, 104))
        for each in (
            event("cuda_runtime", "cudaLaunchKernel", 10 + number, 1, correlation=number + 1),
            event("kernel", "gemm", begin, 40, 7, correlation=number + 1, stream=7, device=0),
        )
    ]
    wait = event("cuda_runtime", "cudaDeviceSynchronize", 14, 134, correlation=9)
    (tmp_path / "rank0.json").write_text(json.dumps(rank_of(*events, wait)))
    program = latitude.load(tmp_path)
    assert program.trace.wall_ns == 138_000
    assert latitude.analyze(program, sections=[]).T_ns == 138_000


def launched(name: str, ts: float, stream: int, correlation: int) -> list[dict[str, Any]]:
    """A kernel of 5 µs that starts 2 µs after its launch."""
    return [
        event("cuda_runtime", "cudaLaunchKernel", ts, 1, correlation=correlation),
        event("kernel", name, ts + 2, 5, stream, correlation=correlation, stream=stream, device=0),
    ]


def test_a_wait_is_about_the_event_recorded_last() -> None:
    rank = read(
        rank_of(
            *launched("first", 10, 7, 1),
            event("cuda_runtime", "cudaEventRecord", 20, 1, correlation=2),
            *launched("second", 30, 7, 3),
            event("cuda_runtime", "cudaEventRecord", 40, 1, correlation=4),
            *launched("other", 50, 20, 5),
            event("cuda_runtime", "cudaStreamWaitEvent", 60, 1, correlation=6),
            *launched("waiting", 70, 16, 7),
        )
    )
    (wait,) = linked(rank).found
    assert (wait.task.name, wait.before.name, wait.known) == ("waiting", "second", False)


def test_a_collective_waits_for_the_stream_that_its_caller_computes_on() -> None:
    """NCCL's stream is the one that was launched on last, but not the one that is recorded."""
    rank = read(
        rank_of(
            *launched("gemm", 10, 7, 1),
            *launched("before", 20, 16, 2),
            event("cpu_op", "c10d::allreduce_", 29, 50),
            event("cuda_runtime", "cudaEventRecord", 30, 1, correlation=3),
            event("cuda_runtime", "cudaStreamWaitEvent", 40, 1, correlation=4),
            *launched("collective", 50, 16, 5),
        )
    )
    (wait,) = linked(rank).found
    assert (wait.task.name, wait.before.name) == ("collective", "gemm")


def gloo_rank(rank: int, *operators: dict[str, Any]) -> dict[str, Any]:
    """A rank without a GPU; its caller is thread 1."""
    return rank_of(*operators, rank=rank, world=2)


@pytest.mark.parametrize(
    "runs",
    [
        [(20, 40, 2), (21, 41, 3), (45, 60, 3), (61, 80, 3)],
        [(20, 90, 2), (21, 30, 3), (31, 50, 3), (51, 70, 3)],  # the first thread is busy
    ],
)
def test_two_threads_of_gloo_take_turns(runs: list[tuple[int, int, int]], tmp_path: Path) -> None:
    """Two all-reduces follow each other on each thread, of four latencies each."""
    files = [
        gloo_rank(
            rank,
            *(event("cpu_op", "c10d::allreduce_", 4 * number, 2) for number in range(4)),
            *(event("cpu_op", "gloo:all_reduce", b, e - b, tid=tid) for b, e, tid in runs),
            event("cpu_op", "aten::mm", 100, 30),
        )
        for rank in range(2)
    ]
    program = latitude.load(folder_of(tmp_path, *files))
    found = latitude.analyze(program, cost=["1s"], sections=[])
    assert found.T_ns == 130_000
    assert found.cost[0].T_ns == pytest.approx(8e9, abs=200_000)


def test_a_collective_whose_end_one_rank_has_not_told_has_its_partner_s_time(
    tmp_path: Path,
) -> None:
    files = [
        gloo_rank(
            rank,
            event("cpu_op", "c10d::allreduce_", 0, 2),
            event("cpu_op", "c10d::allreduce_", 4, 2),
            event("cpu_op", "gloo:all_reduce", 10, 20, tid=2),
            *([event("cpu_op", "gloo:all_reduce", 30, 50, tid=2)] if rank == 0 else []),
            event("cpu_op", "aten::mm", 85, 15),
        )
        for rank in range(2)
    ]
    program = latitude.load(folder_of(tmp_path, *files))
    assert program.job is not None
    assert len(program.job.kind) == 2
    assert program.graph.value[program.job.transfer].tolist() == [20_000, 50_000]


def test_a_gloo_caller_waits_for_what_ended_just_before_it_goes_on(tmp_path: Path) -> None:
    """The first all-reduce ends before the caller goes on, the second after that."""
    files = [
        gloo_rank(
            rank,
            event("cpu_op", "aten::mm", 0, 10),
            event("cpu_op", "c10d::allreduce_", 10, 5),
            event("cpu_op", "c10d::allreduce_", 15, 5),
            event("cpu_op", "gloo:all_reduce", 20, 40, tid=2),
            event("cpu_op", "gloo:all_reduce", 60, 900, tid=2),
            event("cpu_op", "aten::mm", 70, 800),
            event("cpu_op", "aten::mm", 970, 30),
        )
        for rank in range(2)
    ]
    program = latitude.load(folder_of(tmp_path, *files))
    assert program.warnings == []
    assert program.trace.wall_ns == 1_000_000
    assert latitude.analyze(program, sections=[]).T_ns == 1_000_000
    assert program.job is not None
    assert program.job.edges["wait of the caller"] == 4


Spans = list[tuple[int, int]]


def gloo_program(iterations: list[Spans], operators: Spans, folder: Path) -> latitude.Analysis:
    """Analyses iterations of 300 µs with these runs, whose launches follow the first operators.

    Times are µs from the begin of the iteration.
    """
    files = []
    for rank in range(2):
        events, threads = [], cycle((2, 3))
        for number, runs in enumerate(iterations):
            for at, (begin, end) in enumerate(operators):
                start = 300 * number + begin
                events.append(event("cpu_op", f"aten::{at}", start, end - begin))
                if at < len(runs):
                    events.append(event("cpu_op", "c10d::allreduce_", start + 2, 1))
            for begin, end in runs:
                start = 300 * number + begin
                run = event("cpu_op", "gloo:all_reduce", start, end - begin, tid=next(threads))
                events.append(run)
        files.append(gloo_rank(rank, *events))
    return latitude.analyze(latitude.load(folder_of(folder, *files)), cost=["1s"], sections=[])


@pytest.mark.parametrize(
    ("second", "latencies"),
    [
        ((20, 180), 12),
        ((20, 50), 12),  # the run ended before the caller came
        ((20, 250), 12),  # the run's end was told after the caller went on
        ((230, 250), 8),  # the run began after the caller went on: no wait, two threads
    ],
)
def test_a_gloo_caller_waits_each_time_where_it_was_seen_idle(
    second: tuple[int, int], latencies: int, tmp_path: Path
) -> None:
    """The caller is idle from 100 to 200 µs."""
    iterations = [[(20, 180)], [second], [(20, 180)]]
    found = gloo_program(iterations, [(0, 100), (200, 300)], tmp_path)
    assert found.T_ns == 900_000
    assert found.cost[0].T_ns == pytest.approx(latencies * 1e9, abs=1e7)


def test_a_gloo_run_that_once_ends_between_two_operators_is_not_awaited(tmp_path: Path) -> None:
    """Two runs per iteration at the same time; the first once ends in the gap before the second."""
    ends = [102, 140, 150, 160, 170]
    iterations = [[(20, end), (120, 180)] for end in ends]
    found = gloo_program(iterations, [(0, 100), (105, 115), (200, 300)], tmp_path)
    assert found.T_ns == 1_500_000
    assert found.cost[0].T_ns == pytest.approx(20e9, abs=1e7)


def test_a_gloo_message_lasts_while_both_ends_are_there_on_one_clock(tmp_path: Path) -> None:
    """The last of three messages ends 10 µs earlier for its sender than for its receiver."""
    apart = 5_000_000

    def end(called: str, peer: int, begins: list[int], ends: list[int], late: int) -> Any:
        for begin, over in zip(begins, ends, strict=True):
            at = begin + late
            named: Any = {"Concrete Inputs": [str(peer)]}
            yield event("cpu_op", f"c10d::{called}", at - 6, 5, **named)
            yield event("cpu_op", f"gloo:{called.rstrip('_')}", at, over - begin, tid=2)

    ends = [100, 200, 300]
    files = [
        gloo_rank(0, *end("send", 1, [60, 160, 240], [100, 200, 290], apart)),
        gloo_rank(1, *end("recv_", 0, [50, 150, 260], ends, 0)),
    ]
    program = latitude.load(folder_of(tmp_path, *files))
    assert [each.code for each in program.warnings] == ["job-clocks"]
    job = program.job
    assert job is not None
    assert job.kind == ("send",) * 3
    assert program.graph.value[job.transfer].tolist() == [40_000, 40_000, 30_000]


def test_calls_belong_to_the_innermost_annotation_or_that_of_their_forward_operator(
    tmp_path: Path,
) -> None:
    file = rank_file(0, 80.0, world=1)
    file["traceEvents"] += [
        event("user_annotation", "ProfilerStep#1", 0, 300),
        event("user_annotation", "layers.0", 9, 8),
        event("cpu_op", "aten::mm", 9.5, 6, **{"Sequence number": 5, "Fwd thread id": 0}),
        event("python_function", "nn.Module: Linear_3", 20, 4),
        event("user_annotation", "nccl:all_reduce", 20.5, 3),
        event("cpu_op", "MmBackward0", 24.5, 9, 1, **{"Sequence number": 5, "Fwd thread id": 1}),
    ]
    program = latitude.load(folder_of(tmp_path, file))
    assert program.job is not None
    assert program.job.modules == ("", "layers.0", "layers.0 (backward)")


def test_tasks_of_a_cuda_graph_wait_by_time_with_a_warning(tmp_path: Path) -> None:
    file = rank_file(0, 80.0, world=1)
    file["traceEvents"] += [
        event("cuda_runtime", "cudaGraphLaunch", 41, 5, correlation=500),
        event("kernel", "a", 170, 10, 7, correlation=500, stream=7, device=0),
        event("kernel", "b", 180, 20, 9, correlation=500, stream=9, device=0),
        event("kernel", "c", 201, 10, 7, correlation=500, stream=7, device=0),
        event("cuda_runtime", "cudaDeviceSynchronize", 170, 50, correlation=501),
    ]
    program = latitude.load(folder_of(tmp_path, file))
    assert [each.code for each in program.warnings] == ["job-graphs"]
    assert "3 tasks" in program.warnings[0].message
    assert program.job is not None
    assert program.job.edges["CUDA graph, restored"] == 2


def test_tasks_without_any_launch_are_one_line(tmp_path: Path, refused: Callable[..., str]) -> None:
    file = rank_file(0, 80.0, world=1)
    file["traceEvents"] = [each for each in file["traceEvents"] if "Launch" not in each["name"]]
    said = refused("analyze", folder_of(tmp_path, file))
    assert "none of its 2 GPU tasks has its launch; profile with ProfilerActivity.CPU" in said


def execution_trace(*called: tuple[int, str, int], group: str = "7") -> dict[str, Any]:
    """Functions, kinds and numbers of collectives of two ranks, 400 B each."""
    tensor = [1, 2, 0, 100, 4, "cuda:0"]
    nodes = [
        {"id": 9 + at, "name": "record_param_comms",
         "inputs": {"values": [[tensor], [number, False], [group, "mesh_dp"], 0, kind]},
         "attrs": [{"name": "rf_id", "value": function}]}
        for at, (function, kind, number) in enumerate(called)
    ]  # fmt: skip
    ranks = json.dumps([{"pg_name": group, "pg_desc": "mesh_dp", "ranks": [0, 1]}])
    init = {"id": 2, "name": "## process_group:init ##", "inputs": {"values": [ranks]}}
    return {"schema": "1.1.1-chakra.0.0.4", "nodes": [init, *nodes]}


def without_metadata(rank: int, starts: float, function: int) -> dict[str, Any]:
    """A rank whose collective's kernel says nothing about itself."""
    file = rank_file(rank, starts)
    kernel = next(e for e in file["traceEvents"] if e["name"] == "ncclDevKernel_AllReduce")
    kernel["args"] = {key: kernel["args"][key] for key in ("correlation", "stream", "device")}
    call = event("cpu_op", "record_param_comms", 24.5, 9, **{"Record function id": function})
    file["traceEvents"].append(call)
    return file


def test_execution_traces_say_what_collectives_are(tmp_path: Path) -> None:
    for rank, starts in ((0, 80.0), (1, 130.0)):
        file, function = without_metadata(rank, starts, 60 + rank), 60 + rank
        (tmp_path / f"step.{rank}.kineto.json").write_text(json.dumps(file))
        trace = execution_trace((function, "broadcast", 41))
        (tmp_path / f"step.{rank}.et.json").write_text(json.dumps(trace))
    program = latitude.load(tmp_path)
    assert program.warnings == []
    job = program.job
    assert job is not None
    assert (job.kind, job.bytes.tolist()) == (("broadcast",), [400])
    assert (job.groups, job.group_names, job.group_roles) == (((0, 1),), ("7",), ("mesh_dp",))
    strange = execution_trace((1, "broadcast", 41))
    (tmp_path / "other.et.json").write_text(json.dumps(strange))
    assert [each.code for each in latitude.load(tmp_path).warnings] == ["job-strange-trace"]


def test_execution_traces_without_functions_are_matched_by_order(tmp_path: Path) -> None:
    for rank, starts in ((0, 80.0), (1, 130.0)):
        file = without_metadata(rank, starts, 0)
        (tmp_path / f"worker{rank}.9.json").write_text(json.dumps(file))
        old = {
            "id": 4,
            "rf_id": 7,
            "name": "record_param_comms",
            "inputs": [[[1, 2, 0, 50, 4, "cuda:0"]], 152, 94594, 0, "allreduce", [], []],
        }
        trace = {"schema": "1.0.1", "nodes": [old]}
        (tmp_path / f"trace_{rank}.json").write_text(json.dumps(trace))
    job = latitude.load(tmp_path).job
    assert job is not None
    assert (job.kind, job.bytes.tolist()) == (("all_reduce",), [200])


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": "1", "nodes": 3}',
        '{"schema": "1"',
        '{"schema": "1", "nodes": [{"name": "record_param_comms", "inputs": 5}]}',
    ],
)
def test_a_damaged_execution_trace_is_one_line(
    text: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    folder_of(tmp_path, rank_file(0, 80.0, world=1))
    (tmp_path / "rank0.et.json").write_text(text)
    assert "rank0.et.json: not a whole execution trace" in refused("analyze", tmp_path)


@pytest.mark.traces
def test_dlrm_s_execution_traces_tell_its_sizes(traces: Path, tmp_path: Path) -> None:
    for name in ("kineto", "et"):
        with tarfile.open(traces / "ai" / f"dlrm-8-v100-{name}.tar.gz") as archive:
            for member in archive.getmembers():
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None:
                    (tmp_path / PurePath(member.name).name).write_bytes(file.read())
    program = latitude.load(tmp_path)
    assert [each.code for each in program.warnings] == ["job-without-launch"]
    assert program.job is not None
    assert sorted(zip(program.job.kind, program.job.bytes, strict=True))[:3] == [
        ("all_reduce", 448), ("all_reduce", 907_840), ("all_reduce", 1_576_964),
    ]  # fmt: skip


def test_subgroups_that_a_trace_does_not_name_are_said(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    files = [without_metadata(0, 80.0, 0), without_metadata(1, 130.0, 0)]
    files[1]["traceEvents"] += [
        event("cuda_runtime", "cudaLaunchKernelExC", 31, 5, correlation=77),
        event("kernel", "ncclDevKernel_AllReduce", 161, 2, 16, correlation=77, stream=16, device=0),
    ]
    said = refused("analyze", folder_of(tmp_path, *files))
    assert (
        "rank 0 calls 1 collective, rank 1 calls 2, and the traces name no process groups" in said
    )


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ([rank_file(0, 80), rank_file(0, 130)], "rank0.json and rank1.json are both of rank 0"),
        ([rank_file(0, 80), rank_file(None, 130)], "distributedInfo.rank is missing"),
        (
            [rank_file(0, 80), rank_file(1, 130, count=2)],
            "rank 0 has 1 collectives in group '0', rank 1 has 2",
        ),
        (
            [rank_file(0, 80), rank_file(1, 130, kind="broadcast")],
            "collective 0 of group '0' is all_reduce on rank 0 and broadcast on rank 1",
        ),
    ],
)
def test_ranks_that_do_not_fit_are_one_line(
    files: list[dict[str, Any]], why: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    assert why in refused("analyze", folder_of(tmp_path, *files))


HOSTILE = {
    "cut": json.dumps(rank_file(0, 80.0))[:-40],
    "NaN": json.dumps(rank_file(0, 80.0)).replace('"ts": 10', '"ts": NaN'),
    "text for a time": json.dumps(rank_file(0, 80.0)).replace('"ts": 10', '"ts": "10"'),
    "a negative time": json.dumps(rank_file(0, 80.0)).replace('"ts": 10', '"ts": -10'),
    "a huge time": json.dumps(rank_file(0, 80.0)).replace('"ts": 10', '"ts": 1e300'),
    "a long time": json.dumps(rank_file(0, 80.0)).replace('"ts": 10', '"ts": ' + "9" * 16),
    "a list for arguments": '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "args": []}]}',
    "no events": json.dumps({"schemaVersion": 1, "traceEvents": []}),
    "an object of events": json.dumps({"schemaVersion": 1, "traceEvents": {}}),
    "a huge rank": json.dumps(rank_file(1 << 40, 80.0)),
    "a huge world": json.dumps(rank_file(0, 80.0)).replace('"world_size": 2', '"world_size": 1e9'),
    "deep": '{"schemaVersion": 1, "traceEvents": ' + "[" * 100_000,
    "a negative group": json.dumps(rank_file(0, 80.0)).replace('"[0, 1]"', '"[0, -1]"'),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_one_line(what: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "it.json"
    path.write_text(HOSTILE[what])
    assert PurePath(path).name in refused("analyze", path)


def test_any_damage_is_one_line_or_read() -> None:
    whole = json.dumps(rank_file(0, 80.0))
    draw = np.random.default_rng(7)
    said = []
    for _ in range(400):
        damaged = bytearray(whole.encode())
        for at in draw.integers(0, len(damaged), draw.integers(1, 4)):
            damaged[at] = draw.choice(list(b'0123456789-.,:"{}[]eE \0\xff'))
        with suppress(latitude.InputError):
            job_of("it", numbered("it", [read_rank("it", bytes(damaged))])).job.graph()
            said.append(True)
    assert len(said) > 40


def test_without_its_operations_a_builder_is_empty() -> None:
    graph, job = JobBuilder(3).graph()
    assert (graph.ranks, graph.vertices, job.kind) == (3, 0, ())


def test_a_trace_without_kineto_says_what_to_profile_with(tmp_path: Path) -> None:
    operator = {**event("cpu_op", "aten::mm", 0, 10), "pid": "CPU functions", "args": {}}
    (tmp_path / "rank0.json").write_text(json.dumps([operator]))
    for source in (tmp_path, tmp_path / "rank0.json"):
        with pytest.raises(latitude.InputError, match="kineto_available"):
            latitude.load(source)
