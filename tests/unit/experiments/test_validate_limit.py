"""Which S a program is predicted with where MPI_Send and MPI_Isend have limits of their own."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from latitude.experiments.validation.measured_network import with_limit
from latitude.model.network import Network
from latitude.trace.program import Program

CALLS = ["MPI_Send", "MPI_Isend", "MPI_Allreduce"]
NETWORK = Network(S=262_143)
NONBLOCKING = 8_191


def program(*sends: tuple[str, int], ranks: int = 2) -> Program:
    """Messages, the call and bytes of each: from rank 0 to 1, or the only rank's to itself."""
    received = 1 + len(sends)
    end = received + len(sends)
    graph: Any = SimpleNamespace(
        kind=np.array([0, *(1 for _ in sends), *(2 for _ in sends)]),
        value=np.array([50_000, *(size for _, size in sends), *(size for _, size in sends)]),
        partner=np.array([0, *range(received, end), *range(1, received)], dtype=np.uint32),
        rank_begin=np.array([0, received, end] if ranks == 2 else [0, end], dtype=np.uint32),
        origin=np.array([2**32 - 1, *range(len(sends)), *range(len(sends))], dtype=np.uint32),
        call_code=np.array([CALLS.index(call) for call, _ in sends], dtype=np.uint16),
        call_name=CALLS,
    )
    return cast("Program", SimpleNamespace(graph=graph))


def test_the_limit_is_that_of_the_calls_the_program_uses() -> None:
    halo = program(("MPI_Isend", 65_536), ("MPI_Isend", 65_536), ("MPI_Send", 8))
    assert with_limit(NETWORK, halo, NONBLOCKING) == (
        replace(NETWORK, S=NONBLOCKING),
        [],
    )
    ring = program(("MPI_Send", 65_536), ("MPI_Allreduce", 65_536), ("MPI_Isend", 1 << 20))
    assert with_limit(NETWORK, ring, NONBLOCKING) == (NETWORK, [])


def test_a_program_that_uses_both_is_told() -> None:
    both = program(("MPI_Isend", 65_536), ("MPI_Isend", 8_192), ("MPI_Send", 65_536))
    network, (told,) = with_limit(NETWORK, both, NONBLOCKING)
    assert network.S == NONBLOCKING
    assert told.code == "other-eager-limit"
    assert told.message.startswith("1 of 3 messages between the eager limits")


def test_the_larger_limit_is_between_the_two_and_the_smaller_is_not() -> None:
    at_ends = program(("MPI_Isend", NETWORK.S), ("MPI_Isend", NONBLOCKING), ("MPI_Send", 8))
    assert with_limit(NETWORK, at_ends, NONBLOCKING) == (replace(NETWORK, S=NONBLOCKING), [])
    small = program(("MPI_Isend", NONBLOCKING), ("MPI_Isend", NETWORK.S + 1))
    assert with_limit(NETWORK, small, NONBLOCKING) == (NETWORK, [])


def test_messages_to_oneself_have_no_limit() -> None:
    own = program(("MPI_Isend", 65_536), ("MPI_Isend", 65_536), ranks=1)
    assert with_limit(NETWORK, own, NONBLOCKING) == (NETWORK, [])


def test_one_limit_is_that() -> None:
    assert with_limit(NETWORK, program(("MPI_Isend", 1 << 16)), NETWORK.S) == (
        NETWORK,
        [],
    )
