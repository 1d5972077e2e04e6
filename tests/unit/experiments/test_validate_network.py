"""A validation's measurement of its network: place of messages, and earlier notices."""

from pathlib import Path

import pytest

from latitude import load
from latitude.experiments.validation.measured_network import computes_between
from latitude.measure.loggps import Wishes, announced
from latitude.trace.program import Program

RANKS, STEPS = 3, 5
US = 1_000


def ring(directory: Path, compute_ns: int, others: int) -> Program:
    """Each step every rank computes, and sends a message to so many others in one go."""
    lines = [f"num_ranks {RANKS}"]
    for rank in range(RANKS):
        lines.append(f"rank {rank} {{")
        before = ""
        for step in range(STEPS):
            lines.append(f"c{step}: calc {compute_ns}")
            if before:
                lines.append(f"c{step} requires {before}")
            before = f"c{step}"
            for kind, way in (("send", 1), ("recv", -1)):
                for other in range(1, others + 1):
                    name = f"{kind[0]}{step}x{other}"
                    peer = (rank + way * other) % RANKS
                    at = "to" if kind == "send" else "from"
                    lines.append(f"{name}: {kind} 800b {at} {peer} tag {step}")
                    lines.append(f"{name} requires {before}")
                    before = name
        lines.append("}")
    path = directory / "ring.goal"
    path.write_text("\n".join(lines) + "\n")
    return load(path)


@pytest.mark.parametrize(
    ("compute_ns", "others", "forgets"),
    [
        (2_000 * US, 1, True),
        (1_100 * US, 2, True),  # in one go: each other one gets its next after a step
        (900 * US, 1, False),
        (10 * US, 2, False),
    ],
)
def test_messages_lie_in_memory_where_a_program_computes_between_them(
    tmp_path: Path, compute_ns: int, others: int, *, forgets: bool
) -> None:
    assert computes_between(ring(tmp_path, compute_ns, others)) is forgets


def test_a_program_without_messages_forgets_nothing(tmp_path: Path) -> None:
    path = tmp_path / "alone.goal"
    path.write_text("num_ranks 1\nrank 0 {\nc: calc 9000000\n}\n")
    assert not computes_between(load(path))


def test_how_long_it_takes_is_said() -> None:
    assert announced(Wishes()) == (
        "measuring the network: 5 starts of the program, up to 6 s each, 30 s in all, and their "
        "starting"
    )
    assert announced(Wishes(starts=1, time_ns=5e8)) == (
        "measuring the network: 1 start of the program, up to 500 ms and its starting"
    )
