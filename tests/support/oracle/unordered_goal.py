"""GOAL programs whose file leaves open in which order a CPU takes operations."""

from collections.abc import Sequence
from random import Random

_MOST_FIRST = 16
"""Operations of a rank that depend on nothing: LogGOPSim's order of more is its library's."""


def unordered_program(rng: Random) -> str:
    """A few ranks of one CPU. Receives depend on nothing, so they are posted before their messages
    come. Calcs and sends depend on some earlier operations of the file, or on nothing.
    """
    ranks = rng.randint(2, 5)
    operations: list[list[str]] = [[] for _ in range(ranks)]
    for tag in range(rng.randint(10, 40)):
        rank = rng.randrange(ranks)
        if rng.random() < 0.5:
            operations[rank].append(f"calc {rng.randint(0, 20_000)}")
            continue
        to = rng.choice([other for other in range(ranks) if other != rank])
        size = rng.randint(1, 400)
        operations[rank].append(f"send {size}b to {to} tag {tag}")
        operations[to].append(f"recv {size}b from {rank} tag {tag}")
    lines = [f"num_ranks {ranks}"]
    for rank, listed in enumerate(operations):
        lines.append(f"rank {rank} {{")
        first = 0
        for i, text in enumerate(listed):
            lines.append(f"l{i}: {text}")
            needs = set() if text.startswith("recv") or i == 0 else set(rng.choices(range(i), k=2))
            if rng.random() < 0.3 and first < _MOST_FIRST // 2:
                needs = set()
            first += not needs
            for other in sorted(needs):
                starts = rng.random() < 0.2 and not listed[other].startswith("recv")
                lines.append(f"l{i} {'irequires' if starts else 'requires'} l{other}")
        lines.append("}")
    return "\n".join(lines) + "\n"


def independent_program(  # noqa: C901 - it draws
    rng: Random, operations: int = 30, resources: Sequence[int] = (1, 1, 2, 3)
) -> str:
    """GOAL in which anything may be independent: messages of all sizes, also of a rank to itself,
    tags that are used again, and dependencies on starts and ends. A rank has one of the numbers of
    CPUs in `resources`, and one or two NICs.

    It can run in the order in which it is drawn, so it has no cycle.
    """
    ranks = rng.randint(2, 5)
    cpus, nics = rng.choice(resources), rng.choice([1, 1, 2])
    tags = rng.choice([1, 3, operations])
    listed: list[list[str]] = [[] for _ in range(ranks)]
    ended: list[list[int]] = [[] for _ in range(ranks)]
    pending: list[tuple[int, int, int, int]] = []

    def add(rank: int, text: str, *, nic: bool) -> int:
        number = len(listed[rank])
        place = f" cpu {rng.randrange(cpus)}" + (f" nic {rng.randrange(nics)}" if nic else "")
        lines = [f"l{number}: {text}{place}"]
        if ended[rank] and rng.random() < 0.6:
            lines.append(f"l{number} requires l{rng.choice(ended[rank])}")
        if number and rng.random() < 0.3:
            lines.append(f"l{number} irequires l{rng.randrange(number)}")
        listed[rank].append("\n".join(lines))
        return number

    def receive() -> None:
        source, rank, size, tag = pending.pop(0)
        # Its sender may need the end of a rendezvous, which comes after this receive is posted.
        ended[rank].append(add(rank, f"recv {size}b from {source} tag {tag}", nic=True))

    for _ in range(operations):
        rank, action = rng.randrange(ranks), rng.random()
        if action < 0.3:
            ended[rank].append(add(rank, f"calc {rng.choice([0, 1, 40, 900])}", nic=False))
        elif action < 0.7 or not pending:
            to, tag = rng.randrange(ranks), rng.randrange(tags)
            size = rng.choice([0, 1, 4, 8, 9, 16, 400])
            number = add(rank, f"send {size}b to {to} tag {tag}", nic=True)
            if size <= 4:  # eager on every network
                ended[rank].append(number)
            pending.append((rank, to, size, tag))
        else:
            receive()
    while pending:
        receive()
    lines = [f"num_ranks {ranks}"]
    for rank, own in enumerate(listed):
        lines += [f"rank {rank} {{", *own, "}"]
    return "\n".join(lines) + "\n"
