"""`latitude synthesize llm`: a language model's training step, or a few decoding steps."""

from dataclasses import dataclass
from typing import Any

from latitude.cli.synthesize.graph_output import CHAKRA, graph_format, write_chakra, write_graph
from latitude.cli.synthesize.nccl import MachineOptions
from latitude.trace.llm import LlmJob
from latitude.trace.nccl import MOST_RANKS, eager_hint
from latitude.trace.nccl_costs import VERSIONS
from latitude.units.options import option, whole

_MOST = 1_000_000
_MOST_TURNS = 10_000
"""Largest number of layers, and of microbatches: Latitude visits each layer and microbatch."""


def _count(
    help: str,  # noqa: A002 - as argparse calls it
    what: str,
    default: int | None = None,
    least: int = 1,
    most: int = _MOST,
) -> Any:
    """An option whose value is a whole number of `what`."""
    stated = "" if default is None else f" (default: {default:,})"
    parse = whole(f"a number of {what}", least, most)
    return option(f"{help}{stated}", "N", parse, default=default, required=default is None)


@dataclass(kw_only=True)
class LlmOptions(MachineOptions):
    """A model, and its division among GPUs."""

    layers: int = _count("layers", "layers", most=_MOST_TURNS)
    hidden: int = _count("numbers of a token between layers", "hidden numbers")
    heads: int = _count("heads of the attention", "heads")
    kv_heads: int | None = option(
        "heads of keys and values (default: as many as --heads)",
        "N",
        whole("a number of heads", 1, _MOST),
    )
    ffn: int | None = option(
        "numbers inside the feed-forward part (default: 4 times --hidden)",
        "N",
        whole("a number of hidden numbers", 1, _MOST),
    )
    vocab: int = _count("words of the vocabulary", "words", 51_200)
    sequence: int = _count("tokens of a sequence", "tokens", 4_096)
    tp: int = _count("GPUs that share each layer: tensor parallel", "GPUs", 1)
    pp: int = _count("stages that share the layers: pipeline parallel, 1F1B", "stages", 1)
    interleave: int = _count(
        "parts of the layers that each stage holds, for the interleaved schedule", "parts", 1
    )
    dp: int = _count("replicas: data parallel", "replicas", 1)
    ep: int = _count("replicas that share experts: expert parallel", "replicas", 1)
    experts: int = _count("experts of each layer; 0 is a dense model", "experts", 0, least=0)
    active_experts: int = _count("experts that each token goes to", "experts", 2)
    microbatches: int = _count("microbatches of each replica", "microbatches", 8, most=_MOST_TURNS)
    microbatch_size: int = _count("sequences of a microbatch", "sequences", 1)
    decode: int = _count(
        "tokens that each sequence generates after its --sequence tokens; 0 is a training step",
        "tokens",
        0,
        least=0,
        most=_MOST_TURNS,
    )
    ranks_per_node: int = option(
        "GPUs of a node (default: 8)",
        "N",
        whole("a number of ranks per node", 1, MOST_RANKS),
        default=8,
    )
    nccl: str = option(
        "version of NCCL whose cost model chooses algorithms and protocols (default: 2.30)",
        choices=VERSIONS,
        default="2.30",
    )


class Llm:
    """Writes a language model's training step, or a few decoding steps."""

    name = "llm"
    summary = "a training step of a language model on GPUs, or decoding, dense or with experts"
    description = """\
Writes the execution graph of one training step of a decoder that is divided among GPUs: tensor,
pipeline (1F1B, plain or interleaved), data and expert parallel. With --decode it generates tokens
instead. Compute times come from kernels measured on an H100, and are interpolated in shape.
Collectives are NCCL's, step by step. In Chakra execution traces they are whole: -o step.et writes
step.0.et, step.1.et, …. The command prints its assumptions."""
    example = (
        "latitude synthesize llm --layers 32 --hidden 4096 --heads 32 --tp 4 --pp 2 -o llm.bin"
    )
    options = LlmOptions

    def run(self, arguments: LlmOptions) -> None:
        files = arguments.output.suffix == CHAKRA
        form = None if files else graph_format(arguments)
        job = LlmJob(
            layers=arguments.layers,
            hidden=arguments.hidden,
            heads=arguments.heads,
            kv_heads=arguments.kv_heads,
            ffn=arguments.ffn or 4 * arguments.hidden,
            vocab=arguments.vocab,
            sequence=arguments.sequence,
            tp=arguments.tp,
            pp=arguments.pp,
            interleave=arguments.interleave,
            decode=arguments.decode,
            dp=arguments.dp,
            ep=arguments.ep,
            experts=arguments.experts,
            active_experts=arguments.active_experts,
            microbatches=arguments.microbatches,
            microbatch_size=arguments.microbatch_size,
            ranks_per_node=arguments.ranks_per_node,
            channels=arguments.channels,
            nics=arguments.nics,
            nccl=arguments.nccl,
            gpu=arguments.gpu,
            cpu=arguments.cpu,
            channel_gb_per_s=1 / arguments.channel_bandwidth,
        )
        if form is None:
            write_chakra(job.chakra(), job.ranks, arguments, job.assumptions())
        else:
            graph = job.graph()
            write_graph(graph, form, arguments, [*job.assumptions(), eager_hint(graph)])
