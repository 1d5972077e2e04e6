"""A wavefront over a grid of processes, as in the LU of NPB: prints it as GOAL text.

    python benchmarks/wavefront.py 8x8 > wavefront-8x8.goal

In each sweep a rank waits for its northern and its western neighbour at every plane, computes, and
sends on to the south and east; the next sweep comes back.
docs/explanation/mean-or-variation.md uses it.
"""

import argparse
from collections.abc import Iterator

BYTES = 160
"""Four cells of five doubles."""


def rank(place: tuple[int, int], grid: tuple[int, int], arguments: argparse.Namespace) -> list[str]:
    """What one rank does, in order."""
    return [
        operation
        for sweep in range(2 * arguments.iterations)
        for plane in range(arguments.planes)
        for operation in step(place, grid, 1 - 2 * (sweep % 2), plane, arguments.compute)
    ]


def step(
    place: tuple[int, int], grid: tuple[int, int], ahead: int, plane: int, compute: int
) -> Iterator[str]:
    """One plane of a sweep in direction `ahead`: 1 to the south-east, −1 back."""
    row, column = place
    for name, way, move in (("recv", "from", -ahead), ("send", "to", ahead)):
        if name == "send":
            yield f"calc {compute}"
        if 0 <= row + move < grid[0]:
            yield f"{name} {BYTES}b {way} {(row + move) * grid[1] + column} tag {plane}"
        if 0 <= column + move < grid[1]:
            yield f"{name} {BYTES}b {way} {row * grid[1] + column + move} tag {plane}"


def main() -> None:
    """Prints the file."""
    parser = argparse.ArgumentParser(description="A wavefront over a grid of processes as GOAL")
    parser.add_argument("grid", help="rows x columns, e.g. 8x8")
    parser.add_argument("--planes", type=int, default=60, help="planes a sweep (default: 60)")
    parser.add_argument("--iterations", type=int, default=6, help="pairs of sweeps (default: 6)")
    parser.add_argument(
        "--compute", type=int, default=20_000, help="ns of computation a plane (default: 20000)"
    )
    arguments = parser.parse_args()
    rows, columns = map(int, arguments.grid.split("x"))
    print(f"num_ranks {rows * columns}")
    for index in range(rows * columns):
        operations = rank(divmod(index, columns), (rows, columns), arguments)
        print(f"rank {index} {{")
        for number, operation in enumerate(operations):
            print(f"l{number}: {operation}")
            if number:
                print(f"l{number} requires l{number - 1}")
        print("}")


if __name__ == "__main__":
    main()
