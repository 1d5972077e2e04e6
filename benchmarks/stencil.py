"""A five-point stencil on a torus of ranks, as GOAL text: the synthetic graph of the benchmarks."""

from pathlib import Path
from random import Random

OPERATIONS = 9
"""Of one rank in one iteration: a calc, four sends and four receives, one after the other."""


def write_stencil(path: Path, side: int, iterations: int, seed: int = 7) -> int:
    """Torus of side × side ranks; each sends 8 KiB four ways. Returns the number of operations."""
    rng = Random(seed)
    ranks = side * side
    with path.open("w") as out:
        out.write(f"num_ranks {ranks}\n")
        for rank in range(ranks):
            row, column = divmod(rank, side)
            neighbours = [
                ((row + down) % side) * side + (column + right) % side
                for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1))
            ]
            out.write(f"rank {rank} {{\n")
            for i in range(iterations):
                out.write(_iteration(i, neighbours, rng.randint(20_000, 60_000)))
            out.write("}\n")
    return ranks * iterations * OPERATIONS


def _iteration(i: int, neighbours: list[int], work: int) -> str:
    operations = [f"calc {work}"]
    operations += [f"send 8192b to {peer} tag {k}" for k, peer in enumerate(neighbours)]
    # What goes down comes from above: the tag names the direction as its sender sees it.
    operations += [f"recv 8192b from {peer} tag {k ^ 1}" for k, peer in enumerate(neighbours)]
    first = i * OPERATIONS
    lines = []
    for n, operation in enumerate(operations, start=first):
        lines.append(f"l{n}: {operation}")
        if n:
            lines.append(f"l{n} requires l{n - 1}")
    return "\n".join(lines) + "\n"
