"""Jobs on GPUs, drawn at random: what `latitude synthesize` makes of them."""

from random import Random

from latitude import _core
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


def random_job(rng: Random) -> _core.Graph:
    """A job of any kind."""
    return random_collective(rng).graph()
