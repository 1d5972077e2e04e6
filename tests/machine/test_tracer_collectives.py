"""The tracer's events for blocking and nonblocking collectives, under both MPIs."""

from typing import Any

import pytest

from support.mpi.lat_format import Event, Rank
from support.mpi.traced import Mpi, Traced

P = 4
INT = 4
NO_ROOT = -2
USER, IN_PLACE = 1, 2
ROOT = 1


@pytest.fixture(scope="module")
def collectives(tracer: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    traced = tracer.trace(tmp_path_factory.mktemp("collectives"), P, "collectives.c")
    assert traced.done.returncode == 0, traced.done.stderr
    return traced


@pytest.fixture(scope="module")
def neighbours(tracer: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    traced = tracer.trace(tmp_path_factory.mktemp("neighbours"), P, "neighbours.c")
    assert traced.done.returncode == 0, traced.done.stderr
    return traced


def _expected(me: int) -> list[tuple[Any, ...]]:
    """(call, root, bytes, element, flags[, list]) of collectives.c, on its rank `me`."""
    vector, block, at_root = 3 * INT, 3 * INT, me == ROOT
    counts = [P, *(INT * (i + 1) for i in range(P))]
    mine = INT * (me + 1)
    to = [INT * (me + i) for i in range(P)]
    own = IN_PLACE if at_root else 0
    return [
        ("Bcast", 2, vector, INT, 0),
        ("Reduce", ROOT, vector, INT, 0),
        ("Reduce", ROOT, vector, INT, USER | own),
        ("Allreduce", NO_ROOT, vector, INT, 0),
        ("Allreduce", NO_ROOT, vector, INT, USER | IN_PLACE),
        ("Scan", NO_ROOT, vector, INT, 0),
        ("Exscan", NO_ROOT, vector, INT, 0),
        ("Reduce_scatter_block", NO_ROOT, block, INT, 0),
        ("Reduce_scatter", NO_ROOT, mine, INT, 0, counts),
        ("Gather", ROOT, block, INT, 0),
        ("Gather", ROOT, block, INT, own),
        ("Scatter", ROOT, block, INT, 0),
        ("Scatter", ROOT, block, INT, own),
        ("Gatherv", ROOT, mine, INT, 0, counts if at_root else []),
        ("Gatherv", ROOT, mine, INT, own, counts if at_root else []),
        ("Scatterv", ROOT, mine, INT, 0, counts if at_root else []),
        ("Allgather", NO_ROOT, block, INT, 0),
        ("Allgather", NO_ROOT, block, INT, IN_PLACE),
        ("Allgatherv", NO_ROOT, mine, INT, 0, counts),
        ("Alltoall", NO_ROOT, block, INT, 0),
        ("Alltoallv", NO_ROOT, sum(to), INT, 0, [P, *to, *to]),
        ("Alltoallv", NO_ROOT, sum(to), INT, IN_PLACE, [P, *to, *to]),
        ("Alltoallw", NO_ROOT, sum(to), 0, 0, [P, *to, *to]),
    ]


def _said(event: Event) -> tuple[Any, ...]:
    values = [value for letter, value in event.fields if letter not in "cq"]
    return (event.call.removeprefix("MPI_"), *values)


def _between(rank: Rank) -> list[Event]:
    """The collectives, without those that make and free the communicator."""
    outside = {"MPI_Init", "MPI_Comm_split", "MPI_Comm_free", "MPI_Finalize"}
    return [event for event in rank.mpi if event.call not in outside]


def test_every_collective_says_what_it_moves(collectives: Traced) -> None:
    for world_rank, rank in enumerate(collectives.ranks):
        blocking = [e for e in _between(rank)[3:] if e.call != "MPI_Wait" and not e.all("q")]
        assert [_said(event) for event in blocking] == _expected(P - 1 - world_rank)
        reversed_world = rank.named("Comm_split")[0]["N"]
        assert all(event["c"] == reversed_world for event in blocking)


def test_a_nonblocking_collective_says_the_same_and_is_completed(collectives: Traced) -> None:
    for world_rank, rank in enumerate(collectives.ranks):
        posted = [e for e in _between(rank) if e.all("q")]
        expected = [("Barrier",), *_expected(P - 1 - world_rank)]
        assert [_said(event) for event in posted] == [
            (f"I{name.lower()}", *values) for name, *values in expected
        ]
        completed = [number for e in rank.named("Wait") for number, _ in e["Q"]]
        assert completed == [event["q"] for event in posted]


def _grid(me: int) -> list[int]:
    """2 × 2, open in the first dimension, a ring in the second: below, above, for each."""
    row, column = divmod(me, 2)
    beside = 2 * row + 1 - column
    return [me - 2 if row else NO_ROOT, NO_ROOT if row else me + 2, beside, beside]


def test_neighbours_stand_in_the_order_mpi_gives_them(neighbours: Traced) -> None:
    for me, rank in enumerate(neighbours.ranks):
        grid, pair = _grid(me), [me ^ 1]
        ring = [(me + 1) % P, (me + P - 1) % P]
        eight = [2 * INT] * 4
        assert [_said(e) for e in rank.mpi if "eighbor" in e.call] == [
            ("Neighbor_allgather", NO_ROOT, 8, INT, 0, [4, 4, *grid, *grid]),
            ("Neighbor_alltoallv", NO_ROOT, 32, INT, 0, [4, 4, *grid, *grid, *eight, *eight]),
            ("Neighbor_alltoall", NO_ROOT, 12, INT, 0, [1, 1, *pair, *pair]),
            ("Neighbor_allgatherv", NO_ROOT, 8, INT, 0, [1, 1, *ring, 8, 8]),
            ("Ineighbor_alltoallv", NO_ROOT, 8, INT, 0, [1, 1, *ring, 8, 8]),
            ("Neighbor_alltoallw", NO_ROOT, 8, 0, 0, [1, 1, *ring, 8, 8]),
        ]
