"""GOAL programs whose file leaves open in which order a CPU takes operations."""

from random import Random

_MOST_FIRST = 16
"""Operations of a rank that depend on nothing: LogGOPSim's order of more is its library's."""


def unordered_program(rng: Random) -> str:
    """A few ranks of one CPU: receives depend on nothing, so they are posted before their messages
    come; calcs and sends depend on some of what stands before them in the file, or on nothing."""
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
