"""A five-point stencil on a torus of ranks, as GOAL text: the synthetic graph of the benchmarks."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.exchange import write_exchange


def write_stencil(path: Path, side: int, iterations: int) -> int:
    """Torus of side × side ranks; each sends 8 KiB four ways. Returns the number of operations."""
    neighbours = []
    for rank in range(side * side):
        row, column = divmod(rank, side)
        neighbours.append(
            [
                ((row + down) % side) * side + (column + right) % side
                for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1))
            ]
        )
    return write_exchange(path, neighbours, iterations, (20_000, 60_000))
