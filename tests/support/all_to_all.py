"""Traces of programs in which every rank talks to every other one, as liballprof text."""

from collections.abc import Iterator
from pathlib import Path

BYTES = 1024
"""Bytes from each rank to each other rank in the MPI_Alltoall."""
HALO_BYTES = 8192
_COMPUTE_NS = 1000

_WORLD = 94266891747968
_BUFFER = 94267529573904
_REQUEST = 94267000000000
_BYTE = "1,1,1"

_Call = tuple[str, str, int]
"""Name, arguments, and the time since the call before it, ns."""


def write_all_to_all(folder: Path, ranks: int, steps: int = 0) -> None:
    """Writes the files of all ranks.

    Args:
        folder: for them, which is made.
        ranks: of the program.
        steps: each a halo exchange with both neighbours on a ring, an MPI_Allreduce, an MPI_Bcast
            and an MPI_Barrier, eleven calls; without any the program is one MPI_Alltoall.
    """
    folder.mkdir(parents=True)
    for rank in range(ranks):
        text = "\n".join(_lines(rank, ranks, steps))
        (folder / f"trace.{rank}.txt").write_text(f"# all to all\n\n{text}\n")


def _lines(rank: int, ranks: int, steps: int) -> Iterator[str]:
    now = 0
    yield f"MPI_Init:-:{_BUFFER}:{_BUFFER}:{now}"
    for name, arguments, before in _calls(rank, ranks, steps):
        yield f"{name}:{now + before}:{arguments}:{now + before + 1}"
        now += before + 1
    yield f"MPI_Finalize:{now + 1}:-"


def _calls(rank: int, ranks: int, steps: int) -> Iterator[_Call]:
    world = f"{_WORLD},{rank},{ranks}"
    if not steps:
        block = f"{_BUFFER}:{BYTES}:{_BYTE}"
        yield "MPI_Alltoall", f"{block}:{block}:{world}", _COMPUTE_NS
    for step in range(steps):
        yield from _halo(rank, ranks, step, world)
        yield "MPI_Allreduce", f"{_BUFFER}:{_BUFFER}:8:{_BYTE}:3:{world}", 10
        yield "MPI_Bcast", f"{_BUFFER}:64:{_BYTE}:0:{world}", 10
        yield "MPI_Barrier", world, 10


def _halo(rank: int, ranks: int, step: int, world: str) -> Iterator[_Call]:
    requests = [_REQUEST + 8 * k for k in range(4)]
    neighbours = ((rank - 1) % ranks, (rank + 1) % ranks)
    posted = [(name, peer) for name in ("MPI_Irecv", "MPI_Isend") for peer in neighbours]
    for request, (name, peer) in zip(requests, posted, strict=True):
        envelope = f"{_BUFFER}:{HALO_BYTES}:{_BYTE}:{peer}:{step}:{world}"
        before = _COMPUTE_NS if request == requests[0] else 0
        yield name, f"{envelope}:{request}", before
    for request in requests:
        yield "MPI_Wait", f"{request}:{_REQUEST - 8}", 0
