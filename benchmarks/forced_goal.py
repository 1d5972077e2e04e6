"""GOAL programs in which nothing but the model decides T: no two operations of a rank compete.

Rank 0 sends to every other rank and takes their answers in a fixed order. The others wait for it,
compute, and answer. Answers come `apart` enough that each finds its receive posted and the CPU
waiting (then ranks may first do the same with ranks of their own, as a tree), or so close that
they queue.
"""

from dataclasses import dataclass
from random import Random

FAR = 1_000_000
"""ns: longer than all messages between a rank and its children."""
LEVELS = 3


@dataclass
class _Rank:
    """A rank's operations, each after the one before it."""

    lines: list[str]

    def add(self, operation: str) -> None:
        number = len(self.lines)
        self.lines.append(f"l{number}: {operation}")

    def text(self) -> list[str]:
        after = [f"l{i} requires l{i - 1}" for i in range(1, len(self.lines))]
        return [*self.lines, *after]


def forced_program(rng: Random, *, apart: bool, largest: int) -> str:
    """GOAL text of a few rounds of messages of 1 to `largest` bytes."""
    ranks = rng.randint(3, 12)
    programs = [_Rank([]) for _ in range(ranks)]
    tag = 0

    def message(source: int, target: int) -> None:
        nonlocal tag
        tag += 1
        size = rng.randint(1, largest)
        programs[source].add(f"send {size}b to {target} tag {tag}")
        programs[target].add(f"recv {size}b from {source} tag {tag}")

    def fork(root: int, others: list[int], levels: int) -> None:
        deeper = apart and levels > 0
        children = _children(rng, others) if deeper else [[child] for child in others]
        pause = FAR * (4 * ranks) ** (levels + 1) if apart else 0  # longer than a child's own tree
        for child, *_ in children:
            message(root, child)
        for i, (child, *rest) in enumerate(children):
            programs[child].add(f"calc {FAR + i * pause + rng.randint(0, 50)}")
            if rest:
                fork(child, rest, levels - 1)
            message(child, root)
        programs[root].add(f"calc {rng.randint(0, 1000)}")

    for _ in range(rng.randint(1, 4)):
        fork(0, list(range(1, ranks)), LEVELS - 1)
    lines = [f"num_ranks {ranks}"]
    for rank, program in enumerate(programs):
        lines += [f"rank {rank} {{", *program.text(), "}"]
    return "\n".join(lines) + "\n"


def _children(rng: Random, others: list[int]) -> list[list[int]]:
    """`others` cut into runs: each one's first rank is a child, the rest are its descendants."""
    runs: list[list[int]] = []
    for rank in others:
        if runs and rng.random() < 0.5:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return runs
