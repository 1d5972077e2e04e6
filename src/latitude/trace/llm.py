"""Synthetic steps of language models, training or decoding, as execution graphs."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from latitude import _core
from latitude._core import InputError
from latitude.trace import gpu_times
from latitude.trace.jobs.chakra_made import ChakraJob
from latitude.trace.nccl import ALGORITHMS, MOST_RANKS
from latitude.trace.nccl_costs import COLLECTIVES, published
from latitude.units.quantities import counted, format_size, format_time

BYTES = 2
"""Bytes per number in bf16."""
MOST_OPERATIONS = 30_000_000
MOST_NODES = 1_000_000
"""Largest number of nodes in Chakra traces."""
MOST_BYTES = 1 << 40
"""Largest number of bytes that a microbatch sends at once."""
TOKEN_BYTES = 4
"""Bytes per token number."""
COMPUTE, DATA = 0, 7
"""Numbers of streams. The streams between these two belong to the pipeline, three in each
direction. One is for links with an even number, one for links with an odd number, and one for the
link between the last stage and the first.
"""
STREAMS = 8


class KernelTimes(Protocol):
    """Times of kernels in ns."""

    def gemm(self, m: int, n: int, k: int) -> float:
        """Time of the product of an m × k and a k × n matrix, ns."""

    def attention(self, heads: int, sequence: int, dimension: int, *, backward: bool) -> float:
        """Time of causal attention with `heads` over all sequences, ns."""

    def memory(self, kernel: str, moved: int) -> float:
        """Time of a kernel that moves this number of bytes, ns."""


class MeasuredTimes:
    """The times of `gpu_times`, measured on one H100."""

    def gemm(self, m: int, n: int, k: int) -> float:
        """Time of the product of an m × k and a k × n matrix, ns."""
        return gpu_times.gemm_ns(m, n, k)

    def attention(self, heads: int, sequence: int, dimension: int, *, backward: bool) -> float:
        """Time of causal attention with `heads` over all sequences, ns."""
        return gpu_times.attention_ns(heads, sequence, dimension, backward=backward)

    def memory(self, kernel: str, moved: int) -> float:
        """Time of a kernel that moves this number of bytes, ns."""
        return gpu_times.memory_ns(kernel, moved)


@dataclass(frozen=True, kw_only=True)
class LlmJob:
    """One training step of a decoder, or a few decoding steps, with one rank per GPU.

    Raises InputError if the model cannot be divided among the ranks in this way.

    Ranks are numbered by tensor-parallel shard first, then by replica, then by pipeline stage.
    """

    layers: int
    hidden: int
    heads: int
    ffn: int
    vocab: int
    sequence: int
    tp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    experts: int = 0
    """Number of experts per layer; 0 means a dense model."""
    active_experts: int = 2
    """Number of experts that each token visits."""
    microbatches: int
    """Microbatches per replica."""
    microbatch_size: int = 1
    """Sequences per microbatch."""
    kv_heads: int | None = None
    """Number of heads of keys and values; None means `heads`."""
    interleave: int = 1
    """Parts of the layers per stage; above 1 the schedule is interleaved."""
    decode: int = 0
    """Tokens that each sequence generates after its `sequence` tokens; 0 means a training step."""
    ranks_per_node: int = 8
    channels: int = 1
    nics: int = 1
    nccl: str = "2.30"
    """Version in `nccl_costs` whose model chooses algorithms and protocols."""
    gpu: str = "hopper"
    cpu: str = "intel"
    channel_gb_per_s: float = 20.0
    times: KernelTimes = field(default_factory=MeasuredTimes)

    def __post_init__(self) -> None:
        for whole, part, what, by in (
            (self.layers, self.pp, "layers", "--pp"),
            (self.layers, self.pp * self.interleave, "layers", "--pp times --interleave"),
            (self.microbatches, self._in_turn, "microbatches", "--pp, as --interleave asks,"),
            (self.hidden, self.heads, "hidden numbers", "--heads"),
            (self.heads, self.tp, "heads", "--tp"),
            (self.heads, self.held_kv_heads, "heads", "--kv-heads"),
            (self.held_kv_heads, self.tp, "heads of keys and values", "--tp"),
            (self.ffn, self.tp, "numbers of the feed-forward part", "--tp"),
            (self.vocab, self.tp, "words of the vocabulary", "--tp"),
            (self.dp, self.ep, "replicas (--dp)", "--ep"),
            (self.experts, self.ep, "experts", "--ep"),
        ):
            if whole % part:
                raise InputError(
                    f"{whole:,} {what} cannot be divided evenly by {by} {part}; "
                    "choose numbers of which one divides the other"
                )
        if self.interleave > 1 and (self.decode or self.pp == 1):
            raise InputError("--interleave is for training steps in a pipeline of --pp 2 or more")
        if self.ep > 1 and not self.experts:
            raise InputError("--ep divides experts, and a dense model has none; add --experts N")
        if self.experts and self.active_experts > self.experts:
            raise InputError(
                f"a token cannot go to {self.active_experts} of {counted(self.experts, 'expert')}; "
                "give fewer --active-experts"
            )
        if self.activations * max(1, self.active_experts) > MOST_BYTES:
            raise InputError(
                f"a microbatch has {format_size(self.activations)} of activations; take fewer "
                "--sequence, --microbatch-size or --hidden"
            )
        if not 1 < self.ranks <= MOST_RANKS:
            raise InputError(
                f"--tp × --pp × --dp is {counted(self.ranks, 'GPU')}; it has to be from 2 to "
                f"{MOST_RANKS:,}"
            )

    @property
    def ranks(self) -> int:
        """Number of GPUs."""
        return self.tp * self.pp * self.dp

    @property
    def tokens(self) -> int:
        """Tokens per microbatch in one pass."""
        return self.microbatch_size * (1 if self.decode else self.sequence)

    @property
    def held_kv_heads(self) -> int:
        """Number of heads of keys and values."""
        return self.kv_heads or self.heads

    @property
    def _in_turn(self) -> int:
        """Microbatches that a stage processes with one part before it turns to the next part."""
        return self.pp if self.interleave > 1 else 1

    def rank(self, stage: int, replica: int, shard: int) -> int:
        """Number of a GPU."""
        return (stage * self.dp + replica) * self.tp + shard

    @cached_property
    def activations(self) -> int:
        """Bytes that one layer passes to the next."""
        return self.tokens * self.hidden * BYTES

    @cached_property
    def routed(self) -> int:
        """Bytes that a rank sends to experts."""
        return self.activations * self.active_experts

    @property
    def dense_parameters(self) -> int:
        """Parameters per layer and shard, without experts."""
        attention = 2 * self.hidden * (self.hidden + self.hidden * self.held_kv_heads // self.heads)
        return (attention + (0 if self.experts else 2 * self.hidden * self.ffn)) // self.tp

    @property
    def expert_parameters(self) -> int:
        """Parameters of a layer's experts on one rank."""
        return self.experts // self.ep * 2 * self.hidden * self.ffn // self.tp

    @property
    def vocabulary_parameters(self) -> int:
        """Parameters of one shard of the vocabulary."""
        return self.vocab * self.hidden // self.tp

    def attention_ns(self, *, backward: bool) -> float:
        """Time of the first half of a layer (norm, projections, attention, residual), ns."""
        tokens, hidden, shard = self.tokens, self.hidden, self.hidden // self.tp
        dimension = hidden // self.heads
        read = self.held_kv_heads // self.tp * dimension
        own = self._product(tokens, shard + 2 * read, hidden, backward=backward)
        own += self._product(tokens, hidden, shard, backward=backward)
        heads = self.heads // self.tp * self.microbatch_size
        if self.decode:
            cached = 2 * self.microbatch_size * self.sequence * read * BYTES
            own += self.times.memory("attention decode", cached)
        else:
            own += self.times.attention(heads, self.sequence, dimension, backward=backward)
        return own + self._norm(backward=backward)

    def feed_forward_ns(self, *, backward: bool) -> float:
        """Time of the second half of a dense layer, ns."""
        return self._norm(backward=backward) + self._two_products(self.tokens, backward=backward)

    def experts_ns(self, *, backward: bool) -> float:
        """Computation of a rank's experts with evenly distributed tokens, ns."""
        each = max(1, self.tokens * self.active_experts // (self.experts // self.ep))
        return self.experts // self.ep * self._two_products(each, backward=backward)

    def router_ns(self, *, backward: bool) -> float:
        """Time of the norm and the choice of experts for each token, ns."""
        router = self._product(self.tokens, self.experts, self.hidden, backward=backward)
        return self._norm(backward=backward) + router

    def head_ns(self, *, backward: bool) -> float:
        """Time of the product with the vocabulary, and in training of the loss, ns."""
        shard = self.vocab // self.tp
        own = self._product(self.tokens, shard, self.hidden, backward=backward)
        if backward or self.decode:
            return own
        return own + self.times.memory("loss", self.tokens * shard * BYTES)

    def embedding_ns(self) -> float:
        """Time of looking up the words, in one direction, ns."""
        return self.times.memory("embedding", 2 * self.activations)

    def optimizer_ns(self, stage: int) -> float:
        """Time of Adam in fp32 on the parameters of a rank (28 bytes per parameter), ns."""
        layer = self.dense_parameters + self.expert_parameters
        own = self.layers // self.pp * layer
        own += self.vocabulary_parameters * (stage in {0, self.pp - 1})
        return self.times.memory("optimizer", 28 * own)

    def _product(self, m: int, n: int, k: int, *, backward: bool) -> float:
        """Time of a product, or, backward, of the gradients of its data and weights, ns."""
        if backward:
            return self.times.gemm(m, k, n) + self.times.gemm(k, n, m)
        return self.times.gemm(m, n, k)

    def _two_products(self, tokens: int, *, backward: bool) -> float:
        shard = self.ffn // self.tp
        own = self._product(tokens, shard, self.hidden, backward=backward)
        own += self._product(tokens, self.hidden, shard, backward=backward)
        return own + self.times.memory("activation", 2 * tokens * shard * BYTES)

    def _norm(self, *, backward: bool) -> float:
        """Time of a norm and a residual, ns."""
        moved = self.activations
        kernel = "norm backward" if backward else "norm"
        return self.times.memory(kernel, (3 if backward else 2) * moved) + self.times.memory(
            "residual", 3 * moved
        )

    def graph(self) -> _core.Graph:
        """The execution graph, with NCCL's steps."""
        layer = _NcclSteps(self)
        _Built(self, layer).one_layer()
        self._refuse_more(layer.core.operations, MOST_OPERATIONS)
        steps = _NcclSteps(self)
        _Built(self, steps).play()
        return steps.core.finish()

    def chakra(self) -> ChakraJob:
        """The job as Chakra traces, with whole collectives."""
        layer = ChakraJob(self.ranks)
        _Built(self, layer).one_layer()
        self._refuse_more(layer.operations, MOST_NODES)
        made = ChakraJob(self.ranks)
        _Built(self, made).play()
        return made

    def _refuse_more(self, layer: int, most: int) -> None:
        """Raises InputError if the job has too many operations, estimated from a stage's layer."""
        if layer * (self.decode or 2) * self.layers * self.microbatches > most:
            raise InputError(
                f"the job has more than {most:,} operations; take fewer layers, "
                "microbatches, GPUs, channels or tokens of --decode"
            )

    def assumptions(self) -> list[str]:
        """The job's content, and its differences from real jobs, in sentences."""
        model = f"{counted(self.layers, 'layer')} of {self.hidden:,}"
        kind = (
            f"{self.experts} experts a layer, {self.active_experts} a token, tokens shared evenly"
            if self.experts
            else "dense"
        )
        forward = format_time(self.attention_ns(backward=False))
        compute = (
            "Compute times are interpolated in shape from kernels that one H100 ran in bf16: the "
            f"attention part of a layer takes {forward} forward"
        )
        pipeline = "1F1B" if self.interleave == 1 else f"interleaved 1F1B, {self.interleave} parts"
        divided = (
            f"tensor parallel {self.tp}, pipeline {self.pp}"
            f"{'' if self.decode else f' ({pipeline})'}, data {self.dp}, expert {self.ep}; "
            f"microbatches per replica: {self.microbatches:,}, of "
            f"{counted(self.microbatch_size, 'sequence')}."
        )
        ways = (
            f"Collectives are NCCL {self.nccl}'s with {counted(self.channels, 'channel')}: an "
            "allreduce after each half of a layer and direction among tensor-parallel ranks, "
            f"alltoalls around experts, sends of {format_size(self.activations)} between stages"
        )
        alike = "The CPU never holds the GPU up, and all ranks compute alike."
        if self.decode:
            return [
                (
                    f"Decoding by {model} ({kind}): each sequence has {self.sequence:,} tokens and "
                    f"generates {self.decode:,} more, one in each pass: {divided}"
                ),
                f"{compute}, and reads keys and values of {self.sequence:,} tokens. {alike}",
                (
                    f"{ways}. The last stage gathers the results of the vocabulary's shards and "
                    "sends the new tokens' numbers to the first one."
                ),
            ]
        return [
            (
                f"One training step of {model} ({kind}), {self.sequence:,} tokens a sequence: "
                f"{divided}"
            ),
            f"{compute} and {format_time(self.attention_ns(backward=True))} backward. {alike}",
            (
                f"{ways}, and one allreduce of bf16 gradients per layer among replicas, beside the "
                "last backward pass. Nothing is recomputed, and no optimizer state is sharded."
            ),
        ]


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass of a microbatch through some layers of a stage."""

    backward: bool
    microbatch: int
    """Number of the microbatch; in decoding, the numbers continue with each token."""
    part: int = 0
    """Index among the stage's parts of the layers."""


def one_f_one_b(stage: int, stages: int, microbatches: int, parts: int = 1) -> Iterator[_Pass]:
    """The passes of a stage: some forward, then both directions in turn, then the rest backward.

    With several parts, a stage processes one microbatch per stage with one part before it turns to
    the next part ([Narayanan21]).
    """
    total, ahead = microbatches * parts, stages - stage - 1
    warm = min(total, ahead if parts == 1 else 2 * ahead + (parts - 1) * stages)

    def turn(number: int, *, backward: bool) -> _Pass:
        group, within = divmod(number, stages * parts)
        part, member = divmod(within, stages)
        return _Pass(backward, group * stages + member, parts - 1 - part if backward else part)

    for number in range(warm):
        yield turn(number, backward=False)
    for number in range(warm, total):
        yield turn(number, backward=False)
        yield turn(number - warm, backward=True)
    for number in range(total - warm, total):
        yield turn(number, backward=True)


class JobSink(Protocol):
    """Takes the operations of GPU streams in an executable order."""

    def compute(self, rank: int, stream: int, ns: int) -> None:
        """Adds a computation to a stream."""

    def record(self, rank: int, stream: int) -> int:
        """Adds an event that occurs when all present operations of the stream are done."""

    def wait(self, rank: int, stream: int, event: int) -> None:
        """Lets later operations of the stream wait for an event of the same rank."""

    def collective(self, role: str, name: str, members: list[int], stream: int, size: int) -> None:
        """Adds one of NCCL's collectives on its members' streams with this number."""


class _NcclSteps:
    """Expands collectives into the steps of NCCL's algorithms."""

    def __init__(self, job: LlmJob) -> None:
        self._job = job
        self.core = _core.Job(job.ranks, STREAMS, job.nics, 0.0)
        self.compute, self.record, self.wait = self.core.compute, self.core.record, self.core.wait
        self._choices: dict[tuple[str, int, int, int], tuple[str, str]] = {}

    def collective(
        self,
        role: str,  # noqa: ARG002 - the steps are the same
        name: str,
        members: list[int],
        stream: int,
        size: int,
    ) -> None:
        """Adds the steps of one collective."""
        job = self._job
        node = members[0] // job.ranks_per_node
        together = sum(rank // job.ranks_per_node == node for rank in members)
        algorithm, protocol = self._chosen(name, len(members), together, size)
        self.core.collective(
            members=members,
            stream=stream,
            operation=name,
            algorithm=algorithm,
            protocol=protocol,
            channels=job.channels,
            size=size,
            root=0,
            ranks_per_node=together,
            launch_ns=0,
        )

    def _chosen(self, name: str, ranks: int, together: int, size: int) -> tuple[str, str]:
        """Algorithm and protocol of a collective."""
        if name not in COLLECTIVES:
            return ALGORITHMS[name][0], "simple"
        key = name, ranks, together, size
        if key not in self._choices:
            job = self._job
            costs = published(
                job.nccl,
                job.gpu,
                nodes=-(-ranks // together),
                channels=job.channels,
                channel_gb_per_s=job.channel_gb_per_s,
                cpu=job.cpu,
            )
            found = costs.choice(name, ranks, size, ALGORITHMS[name])
            self._choices[key] = found.algorithm, found.protocol
        return self._choices[key]


class _Built:
    """Passes the operations of a job to a sink, in an executable order."""

    def __init__(self, job: LlmJob, sink: JobSink) -> None:
        self._job, self._sink = job, sink
        self._arrived: dict[tuple[int, _Pass], list[int]] = {}
        """(stage, pass) → events on the stage's ranks."""

    def play(self) -> None:
        """Passes all operations to the sink."""
        job = self._job
        left = [deque(self._passes(stage)) for stage in range(job.pp)]
        # One pass of each stage in turn, the last stage first: about the order of the run, so a NIC
        # also sends in about this order.
        while any(left):
            for stage in reversed(range(job.pp)):
                if left[stage] and self._ready(stage, left[stage][0]):
                    self._play(stage, left[stage].popleft())
        for stage in range(0 if job.decode else job.pp):
            spent = round(job.optimizer_ns(stage))
            for rank in self._ranks(stage):
                self._follow(rank, COMPUTE, DATA)
                self._sink.compute(rank, COMPUTE, spent)

    def one_layer(self) -> None:
        """Passes one layer of the first stage, forward, to the sink."""
        self._first_half(0, backward=False)
        self._second_half(0, backward=False)

    def _passes(self, stage: int) -> Iterator[_Pass]:
        """The passes of a stage, in order."""
        job = self._job
        if job.decode:
            every = range(job.decode * job.microbatches)
            return (_Pass(backward=False, microbatch=number) for number in every)
        return one_f_one_b(stage, job.pp, job.microbatches, job.interleave)

    def _place(self, stage: int, turn: _Pass) -> int:
        """Index, among all parts of the layers, of the part that a stage's pass uses."""
        return turn.part * self._job.pp + stage

    @property
    def _last_place(self) -> int:
        return self._job.pp * self._job.interleave - 1

    def _ready(self, stage: int, turn: _Pass) -> bool:
        begins = self._place(stage, turn) == (self._last_place if turn.backward else 0)
        begins &= turn.microbatch < self._job.microbatches  # later ones decode the next token
        return begins or (stage, turn) in self._arrived

    def _next(self, stage: int, turn: _Pass) -> tuple[int, _Pass] | None:
        """The stage and the pass that wait for this pass, if any."""
        job = self._job
        after = self._place(stage, turn) + (-1 if turn.backward else 1)
        if 0 <= after <= self._last_place:
            part, stage = divmod(after, job.pp)
            return stage, replace(turn, part=part)
        later = turn.microbatch + job.microbatches
        if job.decode and later < job.decode * job.microbatches:
            return 0, _Pass(turn.backward, later)
        return None

    def _follow(self, rank: int, stream: int, other: int) -> None:
        """Lets the next operation of a stream wait for the last operation of another stream."""
        self._sink.wait(rank, stream, self._sink.record(rank, other))

    def _ranks(self, stage: int) -> range:
        width = self._job.dp * self._job.tp
        return range(stage * width, (stage + 1) * width)

    def _play(self, stage: int, turn: _Pass) -> None:
        job, backward, place = self._job, turn.backward, self._place(stage, turn)
        last = backward and turn.microbatch == job.microbatches - 1
        ends = ((0, self._words), (self._last_place, self._head))
        (first, begin), (final, finish) = reversed(ends) if backward else ends
        self._enter(stage, turn)
        if place == first:
            begin(stage, backward=backward)
        for _ in range(job.layers // (job.pp * job.interleave)):
            halves = [self._first_half, self._second_half]
            for half in reversed(halves) if backward else halves:
                half(stage, backward=backward)
            if last:
                self._share_gradients(stage, job.dense_parameters, job.dp)
                self._share_gradients(stage, job.expert_parameters, job.dp // job.ep)
        if place == final:
            finish(stage, backward=backward)
        if last and place in {first, final}:
            self._share_gradients(stage, job.vocabulary_parameters, job.dp)
        self._leave(stage, turn)

    def _words(self, stage: int, *, backward: bool) -> None:  # noqa: ARG002 - both are alike
        """Looks up the words; in decoding, shards share this work."""
        self._compute(stage, self._job.embedding_ns())
        if self._job.decode:
            self._tensor_parallel(stage)

    def _head(self, stage: int, *, backward: bool) -> None:
        """Multiplies by the vocabulary's matrix; in decoding, also gathers the result."""
        job = self._job
        self._compute(stage, job.head_ns(backward=backward))
        if job.decode:
            self._tensor_parallel(stage, "allgather", job.tokens * job.vocab * BYTES)

    def _compute(self, stage: int, ns: float) -> None:
        for rank in self._ranks(stage):
            self._sink.compute(rank, COMPUTE, round(ns))

    def _first_half(self, stage: int, *, backward: bool) -> None:
        self._compute(stage, self._job.attention_ns(backward=backward))
        self._tensor_parallel(stage)

    def _second_half(self, stage: int, *, backward: bool) -> None:
        job = self._job
        if not job.experts:
            self._compute(stage, job.feed_forward_ns(backward=backward))
        else:
            around = (job.router_ns(backward=backward), 0.0)
            before, after = reversed(around) if backward else around
            self._compute(stage, before)
            self._among_experts(stage)
            self._compute(stage, job.experts_ns(backward=backward))
            self._among_experts(stage)
            self._compute(stage, after)
        self._tensor_parallel(stage)

    def _tensor_parallel(self, stage: int, name: str = "allreduce", size: int = 0) -> None:
        """A collective among the shards of each replica; `size` 0 means the size of activations."""
        job = self._job
        for replica in range(job.dp):
            members = [job.rank(stage, replica, shard) for shard in range(job.tp)]
            self._collective("tensor", name, members, COMPUTE, size or job.activations)

    def _among_experts(self, stage: int) -> None:
        job = self._job
        for first in range(0, job.dp, job.ep):
            for shard in range(job.tp):
                members = [
                    job.rank(stage, replica, shard) for replica in range(first, first + job.ep)
                ]
                self._collective("expert", "alltoall", members, COMPUTE, job.routed)

    def _share_gradients(self, stage: int, parameters: int, replicas: int) -> None:
        """One allreduce among the replicas of the same parameters, concurrent with computation."""
        job = self._job
        apart = job.dp // replicas
        for first in range(apart):
            for shard in range(job.tp):
                members = [
                    job.rank(stage, replica, shard) for replica in range(first, job.dp, apart)
                ]
                if parameters and len(members) > 1:
                    for rank in members:
                        self._follow(rank, DATA, COMPUTE)
                    self._collective("data", "allreduce", members, DATA, parameters * BYTES)

    def _enter(self, stage: int, turn: _Pass) -> None:
        """Lets the computation wait for data from the neighbour in the pipeline."""
        events = self._arrived.pop((stage, turn), [])
        for rank, event in zip(self._ranks(stage), events, strict=False):
            self._sink.wait(rank, COMPUTE, event)

    def _leave(self, stage: int, turn: _Pass) -> None:
        """Sends the results of a pass to the next stage."""
        job = self._job
        following = self._next(stage, turn)
        if following is None:
            return
        arrived = self._arrived[following] = []
        after, then = following
        if after == stage:
            return
        same = then.microbatch == turn.microbatch
        link = min(stage, after) % 2 if same and then.part == turn.part else 2
        stream = 1 + link + (3 if turn.backward else 0)
        size = job.activations if same else job.tokens * TOKEN_BYTES
        for rank, receiver in zip(self._ranks(stage), self._ranks(after), strict=True):
            self._follow(rank, stream, COMPUTE)
            self._collective("pipeline", "send", [rank, receiver], stream, size)
            arrived.append(self._sink.record(receiver, stream))

    def _collective(self, role: str, name: str, members: list[int], stream: int, size: int) -> None:
        if len(members) > 1:
            self._sink.collective(role, name, members, stream, size)
