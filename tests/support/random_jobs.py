"""Jobs on GPUs, drawn at random: what `latitude synthesize` makes of them."""

from random import Random

from latitude import _core
from latitude.trace.llm import LlmJob
from latitude.trace.nccl import ALGORITHMS, PROTOCOLS, NcclCollective

_LINE = {"ll": 8, "ll128": 150, "simple": 1_000}
"""Bytes times this are a few slots of the protocol."""


def random_collective(rng: Random) -> NcclCollective:
    """One of NCCL's collectives, of a few thousand operations at most."""
    collective = rng.choice(list(ALGORITHMS))
    algorithm = rng.choice(ALGORITHMS[collective])
    protocol = rng.choice(
        [each for each in PROTOCOLS if algorithm != "pairwise" or each != "ll128"]
    )
    ranks = 2 if collective == "send" else rng.randint(2, 8)
    return NcclCollective(
        collective=collective,
        algorithm=algorithm,
        protocol=protocol,
        ranks=ranks,
        ranks_per_node=rng.choice([1, 2, 3, 8]),
        channels=rng.randint(1, 4),
        message_bytes=rng.choice([1, 100, 3_000, 20_000]) * _LINE[protocol],
        root=rng.randrange(ranks),
        nics=rng.randint(1, 2),
        reduce_ns_per_byte=rng.choice([0.0, 0.001]),
        launch_ns=rng.choice([0, 5_000]),
    )


def random_step(rng: Random) -> LlmJob:
    """A training step of a small model on up to 8 GPUs."""
    tp, pp, dp = rng.choice([(2, 1, 1), (1, 2, 2), (2, 2, 2), (1, 4, 1), (1, 1, 4), (4, 2, 1)])
    experts = rng.choice([0, 4])
    return LlmJob(
        layers=pp * rng.randint(1, 2),
        hidden=256,
        heads=4,
        ffn=512,
        vocab=1024,
        sequence=rng.choice([16, 512]),
        tp=tp,
        pp=pp,
        dp=dp,
        ep=rng.choice([1, dp]) if experts else 1,
        experts=experts,
        microbatches=rng.randint(1, 4),
        microbatch_size=rng.randint(1, 2),
        ranks_per_node=rng.choice([1, 2, 8]),
        channels=rng.randint(1, 2),
        nics=rng.randint(1, 2),
    )


def random_job(rng: Random) -> _core.Graph:
    """A job of any kind."""
    job = random_collective(rng) if rng.random() < 0.5 else random_step(rng)
    return job.graph()
