"""Programs that compute and exchange with their neighbours, over and over, as GOAL text."""

from collections.abc import Sequence
from pathlib import Path
from random import Random


def write_exchange(
    path: Path,
    neighbours: Sequence[Sequence[int]],
    steps: int,
    computed_ns: tuple[int, int],
    seed: int = 7,
) -> int:
    """Writes a program of which each rank sends 8 KiB to each neighbour and receives as much.

    Args:
        path: path of the GOAL file.
        neighbours: neighbours of each rank, by direction; a direction is followed by its opposite.
        steps: of each rank.
        computed_ns: least and most computation of a rank before it exchanges.
        seed: seed of the random computations between these limits.

    Returns:
        The number of operations.
    """
    rng = Random(seed)
    operations = 0
    with path.open("w") as out:
        out.write(f"num_ranks {len(neighbours)}\n")
        for rank, peers in enumerate(neighbours):
            out.write(f"rank {rank} {{\n")
            last = None
            for _ in range(steps):
                for operation in _step(peers, rng.randint(*computed_ns)):
                    number = 0 if last is None else last + 1
                    out.write(f"l{number}: {operation}\n")
                    if last is not None:
                        out.write(f"l{number} requires l{last}\n")
                    last = number
                    operations += 1
            out.write("}\n")
    return operations


def write_halo(path: Path, steps: int) -> int:
    """Two ranks on a ring: each sixth step or so adds a critical latency."""
    return write_exchange(path, [[1, 1], [0, 0]], steps, (20_000, 120_000))


def _step(peers: Sequence[int], work_ns: int) -> list[str]:
    # What goes one way comes from the other: the tag names the direction as its sender sees it.
    return [
        f"calc {work_ns}",
        *(f"send 8192b to {peer} tag {k}" for k, peer in enumerate(peers)),
        *(f"recv 8192b from {peer} tag {k ^ 1}" for k, peer in enumerate(peers)),
    ]
