"""Durations of the injector's parts: busy waits, a draw."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from support.compiling import unit_tests
from support.timing import Machine

WAITS = (1_000, 10_000, 100_000, 1_000_000)


def test_waits_end_on_time_and_a_draw_takes_next_to_nothing(
    machine: Machine, tmp_path: Path
) -> None:
    """Found: waits that are 1 µs late, a draw that takes 10 ns."""
    words = unit_tests(tmp_path)

    def block() -> Mapping[str, float]:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", check=True)
        waits = {int(a): float(b) for a, b in re.findall(r"wait of (\d+): (\d+) ns", done.stdout)}
        (draw,) = re.findall(r"draw and lookup: ([\d.]+) ns", done.stdout)
        return {"draw": float(draw), **{f"wait of {ns} ns": waits[ns] - ns for ns in WAITS}}

    limits = {f"wait of {ns} ns": (-100.0, ns / 1000 + 300) for ns in WAITS}
    machine.holds(block, {"draw": (0, 5), **limits})
