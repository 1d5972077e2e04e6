"""Synthesized training steps: schedules and latencies against closed forms, times by hand."""

import csv
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import least_squares

import latitude
from latitude import _core
from latitude._core import InputError
from latitude.trace import gpu_times
from latitude.trace.jobs.chakra_file import COLLECTIVES, SEND
from latitude.trace.llm import LlmJob, one_f_one_b
from support.paths import TRACES

VOCAB = 3
"""So small that products with it are told from others."""


class Even:
    """Each product takes 10 µs, backward 20, and nothing else takes time."""

    def gemm(self, m: int, n: int, k: int) -> float:
        return 0.0 if VOCAB in {m, n, k} else 10_000.0

    def attention(self, heads: int, sequence: int, dimension: int, *, backward: bool) -> float:
        del heads, sequence, dimension, backward
        return 0.0

    def memory(self, kernel: str, moved: int) -> float:
        del kernel, moved
        return 0.0


LAYER_NS = 4 * 10_000.0
"""Four products forward, twice as many backward."""


def job(**given: object) -> LlmJob:
    small = {"hidden": 16, "heads": 8, "ffn": 32, "vocab": VOCAB, "sequence": 64}
    network = {"ranks_per_node": 1, "times": Even(), "layers": 4, "microbatches": 4}
    return LlmJob(**{**small, **network, **given})  # type: ignore[arg-type]


def baseline(made: LlmJob, folder: Path, **network: str) -> tuple[float, float]:
    """T and the latencies on the critical path, where L is small."""
    path = folder / "job.bin"
    _core.graph_format("goal-binary").write(made.graph(), str(path), 0)
    given = {"L": "10ns", "o": "0ns", "G": "0ns/B", "S": "1GiB", **network}
    found = latitude.analyze(
        latitude.load(path), latitude.Network.parse(given), sections=(), critical=1
    ).baseline
    assert found.lambda_L is not None
    return found.T_ns, found.lambda_L


@pytest.mark.parametrize("microbatches", [1, 2, 3, 8])
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_a_stage_makes_each_pass_once_and_backward_after_forward(
    stages: int, microbatches: int
) -> None:
    for stage in range(stages):
        passes = list(one_f_one_b(stage, stages, microbatches))
        assert len(passes) == 2 * microbatches
        for backward in (False, True):
            found = [each.microbatch for each in passes if each.backward is backward]
            assert found == list(range(microbatches))
        held = most = 0
        for each in passes:
            held += -1 if each.backward else 1
            most = max(most, held)
            assert held >= 0
        assert most == min(microbatches, stages - stage), "what 1F1B is for"


@pytest.mark.parametrize("microbatches", [1, 2, 8])
@pytest.mark.parametrize("stages", [2, 4])
def test_a_pipeline_takes_its_bubble(tmp_path: Path, stages: int, microbatches: int) -> None:
    made = job(pp=stages, microbatches=microbatches)
    found, _ = baseline(made, tmp_path, L="0ns")
    stage = 3 * LAYER_NS * made.layers / stages
    assert found == (microbatches + stages - 1) * stage


@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize(("stages", "microbatches"), [(2, 2), (2, 6), (3, 3), (4, 8)])
def test_each_part_of_an_interleaved_stage_has_each_pass_once(
    stages: int, microbatches: int, parts: int
) -> None:
    for stage in range(stages):
        passes = list(one_f_one_b(stage, stages, microbatches, parts))
        for backward in (False, True):
            for part in range(parts):
                found = [p.microbatch for p in passes if (p.backward, p.part) == (backward, part)]
                assert found == list(range(microbatches))
        forward = [p.part for p in passes if not p.backward]
        assert forward[: stages * parts] == sorted([*range(parts)] * stages), "a part at a time"


@pytest.mark.parametrize("parts", [2, 4])
@pytest.mark.parametrize(("stages", "microbatches"), [(2, 2), (2, 8), (3, 6), (4, 4), (4, 8)])
def test_interleaving_divides_the_bubble(
    tmp_path: Path, stages: int, microbatches: int, parts: int
) -> None:
    made = job(layers=stages * parts, pp=stages, microbatches=microbatches, interleave=parts)
    found, _ = baseline(made, tmp_path, L="0ns")
    stage = 3 * LAYER_NS * parts
    assert found == microbatches * stage + (stages - 1) * stage / parts


def test_interleaving_sends_between_all_parts() -> None:
    for parts in (1, 2, 4):
        made = job(layers=8, pp=2, microbatches=6, interleave=parts).chakra()
        sends = [node for rank in range(2) for node in made.nodes(rank) if node.type == SEND]
        assert len(sends) == 6 * 2 * (2 * parts - 1)


@pytest.mark.parametrize(("tokens", "microbatches"), [(1, 1), (5, 1), (5, 3), (2, 4)])
def test_a_token_goes_through_all_stages_before_the_next(
    tmp_path: Path, tokens: int, microbatches: int
) -> None:
    made = job(pp=2, decode=tokens, microbatches=microbatches)
    found, latencies = baseline(made, tmp_path)
    half = LAYER_NS * made.layers / 2
    if microbatches == 1:  # there and back for each token but the last
        assert latencies == 2 * tokens - 1
        assert found == tokens * 2 * half + latencies * 10
    else:  # several keep both stages busy
        assert found == (tokens * microbatches + 1) * half + latencies * 10
        assert latencies == 1


def test_shards_gather_the_vocabulary_for_each_token(tmp_path: Path) -> None:
    made = job(tp=2, decode=3, microbatches=1, vocab=2 * VOCAB)
    _, latencies = baseline(made, tmp_path)
    # Allreduces take two latencies: one of the words, two of each layer; and one to gather.
    assert latencies == 3 * (2 * (1 + 2 * made.layers) + 1)


@pytest.mark.traces
def test_decoding_has_the_collectives_and_the_time_of_a_recorded_job(traces: Path) -> None:
    """80 layers on 8 GPUs, 32 sequences of 4,096 tokens: the kernels of one token's pass."""
    recorded = latitude.load(traces / "ai" / "decode-tp8.tar.xz")
    made = LlmJob(
        layers=80,
        hidden=8192,
        heads=64,
        kv_heads=8,
        ffn=28672 * 3 // 2,  # three products with a gate in place of two
        vocab=128_256,
        sequence=4096,
        tp=8,
        microbatches=1,
        microbatch_size=32,
        decode=1,
    )
    assert recorded.job is not None
    nodes = made.chakra().nodes(0)
    calls = Counter(
        COLLECTIVES[int(str(n.attributes["comm_type"]))]
        for n in nodes
        if "comm_type" in n.attributes
    )
    assert calls == Counter(recorded.job.kind)
    graph = recorded.graph
    kernels = float(graph.value[recorded.job.streams].sum())
    assert sum(each.ns for each in nodes) == pytest.approx(kernels, rel=0.3)


@pytest.mark.parametrize("microbatches", [1, 2, 3, 8])
def test_two_stages_wait_for_each_other_every_other_microbatch(
    tmp_path: Path, microbatches: int
) -> None:
    # 1F1B sends nothing ahead: the first stage's backward pass waits for the second stage's, and
    # the second stage's forward pass after the next one waits for the first stage's after that.
    made = job(pp=2, microbatches=microbatches)
    found, latencies = baseline(made, tmp_path)
    assert latencies == 2 * math.ceil(microbatches / 2)
    assert found == (microbatches + 1) * 3 * LAYER_NS * 2 + latencies * 10


@pytest.mark.parametrize("microbatches", [1, 3])
def test_each_half_of_a_layer_reduces_among_shards(tmp_path: Path, microbatches: int) -> None:
    made = job(tp=2, microbatches=microbatches, vocab=2 * VOCAB)
    found, latencies = baseline(made, tmp_path)
    halves = 2 * 2 * made.layers * microbatches
    assert latencies == halves * 2
    assert found == 3 * LAYER_NS * made.layers * microbatches + latencies * 10


def test_gradients_travel_beside_the_backward_pass(tmp_path: Path) -> None:
    made = job(dp=2)
    found, latencies = baseline(made, tmp_path)
    # Only those of the first layer and of the vocabulary come after the last computation.
    assert latencies == 2 * 2
    assert found == 3 * LAYER_NS * made.layers * made.microbatches + latencies * 10
    # Where L is large they queue behind those of the last layer, which are ready first.
    slow, _ = baseline(made, tmp_path, L="1ms")
    ready = 3 * LAYER_NS * made.layers * made.microbatches - 2 * LAYER_NS * (made.layers - 1)
    assert slow == ready + (made.layers + 1) * 2 * 1e6


@pytest.mark.parametrize(("expert_parallel", "of_experts"), [(2, 2), (4, 0)])
def test_tokens_go_to_experts_and_back(
    tmp_path: Path, expert_parallel: int, of_experts: int
) -> None:
    made = job(dp=4, ep=expert_parallel, experts=4, microbatches=1, layers=3)
    _, latencies = baseline(made, tmp_path)
    # There and back in each direction; then gradients: a tree of four replicas takes 4 latencies,
    # and two replicas hold the same experts where two share them.
    assert latencies == 4 * made.layers + 4 + of_experts + 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"pp": 2, "interleave": 3},
            "4 layers cannot be divided evenly by --pp times --interleave",
        ),
        ({"pp": 4, "interleave": 1, "decode": 1, "dp": 2, "ep": 2}, "add --experts N"),
        ({"pp": 2, "interleave": 2, "microbatches": 3}, "3 microbatches cannot be divided evenly"),
        ({"pp": 2, "interleave": 2, "decode": 1}, "--interleave is for training steps"),
        ({"tp": 2, "kv_heads": 1}, "1 heads of keys and values cannot be divided evenly by --tp 2"),
        ({"tp": 2, "decode": 10_000, "microbatches": 10_000, "vocab": 4}, "tokens of --decode"),
        ({"pp": 3}, "4 layers cannot be divided evenly by --pp 3"),
        ({"tp": 16}, "8 heads cannot be divided evenly by --tp 16"),
        ({"ep": 2}, "replicas (--dp) cannot be divided evenly by --ep 2"),
        ({"dp": 2, "ep": 2}, "add --experts N"),
        ({"dp": 2, "experts": 4, "active_experts": 5}, "fewer --active-experts"),
        ({}, "1 GPU; it has to be from 2 to 4,096"),
        ({"dp": 8192}, "8,192 GPUs; it has to be"),
        ({"dp": 2, "microbatch_size": 1 << 40}, "take fewer --sequence"),
        ({"tp": 2, "vocab": 8, "microbatches": 1_000_000}, "take fewer layers, microbatches"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, int], said: str) -> None:
    with pytest.raises(InputError) as raised:
        job(**given).graph()
    assert said in str(raised.value)


def test_measured_shapes_come_back_and_others_lie_between() -> None:
    shapes, times = gpu_times._measured()["gemm"]  # noqa: SLF001 - what is interpolated
    for shape, time in list(zip(np.exp(shapes).round().astype(int), times, strict=True))[::50]:
        m, n, k = map(int, shape)
        assert gpu_times.gemm_ns(m, n, k) == pytest.approx(time, rel=1e-3)
    larger = [gpu_times.gemm_ns(size, size, size) for size in (1000, 3000, 6000, 20_000)]
    assert larger == sorted(larger)
    # Far beyond the table the GPU is as fast as at its largest product: 550 to 800 Tflop/s.
    assert 2 * 20_000**3 / larger[-1] / 1000 == pytest.approx(675, rel=0.2)
    assert gpu_times.memory_ns("norm", 1 << 40) == pytest.approx((1 << 40) / 1800, rel=0.2)
    assert gpu_times.memory_ns("norm", 1) < 10_000


def test_interpolated_products_are_near_what_was_measured() -> None:
    shapes, times = gpu_times._measured()["gemm"]  # noqa: SLF001 - each is left out in turn
    sizes = np.exp(shapes)
    ideal = gpu_times._ideal_gemm(sizes[:, 0], sizes[:, 1], sizes[:, 2])  # noqa: SLF001
    errors = []
    for i in range(0, len(times), 7):
        distance = np.sqrt(((shapes - shapes[i]) ** 2).sum(axis=1))
        distance[i] = math.inf
        nearest = np.argsort(distance)[:8]
        weights = 1 / distance[nearest] ** 2
        excess = np.log(times[nearest] / ideal[nearest])
        found = ideal[i] * np.exp((weights * excess).sum() / weights.sum())
        errors.append(abs(found / times[i] - 1))
    assert np.median(errors) < 0.08


class Rates:
    """An A100 by a few parameters: what they are is fitted."""

    def __init__(self, parameters: NDArray[np.float64]) -> None:
        self._flop, self._half, self._attention, self._byte, self._least = parameters

    def gemm(self, m: int, n: int, k: int) -> float:
        """A product is slower where a side is short."""
        efficiency = math.prod(side / (side + self._half) for side in (m, n, k))
        return float(2 * m * n * k / (self._flop * efficiency) + self._least)

    def attention(self, heads: int, sequence: int, dimension: int, *, backward: bool) -> float:
        passes = 5 if backward else 2
        return float(passes * 2 * heads * sequence**2 * dimension / self._attention + self._least)

    def memory(self, kernel: str, moved: int) -> float:
        del kernel
        return float(moved * self._byte + self._least)


def step_ns(made: LlmJob, latency: float, per_byte: float) -> float:
    """The closed form of a step whose stages are alike but for the last one's vocabulary."""

    def reduced(size: float, ranks: int) -> float:
        return 2 * (ranks - 1) * (latency + size / ranks * per_byte)

    halves = (made.attention_ns, made.feed_forward_ns)
    layer = sum(half(backward=back) for half in halves for back in (False, True))
    layer += 4 * reduced(made.activations, made.tp)
    stage = layer * made.layers / made.pp
    last = stage + sum(made.head_ns(backward=back) for back in (False, True))
    own = made.layers // made.pp * made.dense_parameters + made.vocabulary_parameters
    between = 2 * (made.pp - 1) * (latency + made.activations * per_byte)
    shared = reduced(2 * own, made.dp)
    return (
        (made.microbatches - 1) * last
        + (made.pp - 1) * stage
        + last
        + between
        + shared
        + made.optimizer_ns(0)
    )


def measured_steps() -> tuple[list[LlmJob], NDArray[np.float64]]:
    """Jobs of 2 to 8 A100, and what a step of each took, in ns."""
    jobs, times = [], []
    with (TRACES / "ai" / "vtrain-single-node-half.csv").open() as lines:
        for row in list(csv.reader(lines))[1:]:
            _, batch, micro, hidden, heads, layers, sequence, tp, dp, pp = map(int, row[:10])
            jobs.append(
                LlmJob(
                    layers=layers,
                    hidden=hidden,
                    heads=heads,
                    ffn=4 * hidden,
                    vocab=51_200,
                    sequence=sequence,
                    tp=tp,
                    pp=pp,
                    dp=dp,
                    microbatches=batch // micro // dp,
                    microbatch_size=micro,
                    gpu="ampere",
                )
            )
            times.append(float(row[10]) * 1e6)
    return jobs, np.array(times)


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
def test_measured_steps_of_a100(tmp_path: Path) -> None:
    jobs, times = measured_steps()

    def predicted(chosen: list[LlmJob], logs: NDArray[np.float64]) -> NDArray[np.float64]:
        parameters = np.exp(logs)
        rates = Rates(parameters[:5])
        latency, per_byte, constant = parameters[5:].tolist()
        steps = [step_ns(replace(each, times=rates), latency, per_byte) for each in chosen]
        return np.array(steps) + constant

    def excess(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.log(predicted(jobs[::2], logs) / times[::2]))

    start = np.log([200e3, 50, 100e3, 1 / 1500, 5e3, 2e4, 1 / 50, 5e6])
    fitted = least_squares(excess, start, loss="soft_l1", f_scale=0.1).x
    error = np.abs(predicted(jobs[1::2], fitted) / times[1::2] - 1)
    assert error.mean() <= 0.10

    # On a network that takes no time the graph has the time of the closed form.
    rates = Rates(np.exp(fitted[:5]))
    small = [each for each in jobs if each.microbatches <= 4][:40:5]
    assert {each.pp for each in small} == {1, 2, 4}
    for each in small:
        made = replace(each, times=rates)
        found, _ = baseline(made, tmp_path, L="0ns")
        assert found == pytest.approx(step_ns(made, 0.0, 0.0), rel=0.01)
