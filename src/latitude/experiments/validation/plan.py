"""Which runs a validation makes, and in which order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from latitude._core import InputError
from latitude.units.quantities import format_time, parse_time

TRACE = "trace"
_EXAMPLE = "0:2ms:9 or 0,100us,1ms"


@dataclass(frozen=True, slots=True)
class Planned:
    """A run of the program."""

    delta_ns: int
    """Latency that is added to each message."""
    repetition: int
    """From 1."""
    traced: bool = False
    """What T is predicted from, at ΔL = 0."""

    @property
    def name(self) -> str:
        """Of its directory."""
        what = TRACE if self.traced else f"{self.delta_ns}ns"
        return f"{what}-{self.repetition}"

    @property
    def title(self) -> str:
        """For people."""
        if self.traced:
            return f"trace {self.repetition}"
        return f"ΔL = {format_time(float(self.delta_ns), 4)} #{self.repetition}"


def parse_deltas(text: str) -> tuple[int, ...]:
    """`0:2ms:9` (both ends and what lies evenly between) or `0,100us,1ms`; ns, rising, with 0."""
    if ":" in text:
        parts = text.split(":")
        count = parts[-1].strip()
        if len(parts) != 3 or not count.isdecimal() or int(count) < 2:  # noqa: PLR2004
            raise InputError(f"'{text}' is no range of latencies; write e.g. {_EXAMPLE}")
        low, high = (parse_time(part, "delta", "2ms") for part in parts[:2])
        if not low < high:
            raise InputError(f"'{text}' is empty: its second end must be larger than its first")
        steps = int(count) - 1
        values = [low + (high - low) * step / steps for step in range(steps + 1)]
    else:
        values = [parse_time(part, "delta", "100us") for part in text.split(",")]
    return tuple(sorted({0, *(round(value) for value in values)}))


def shuffled(deltas: Sequence[int], repetitions: int, traces: int, seed: int) -> list[Planned]:
    """All runs in random order, repetition by repetition; the first is a traced one.

    Each repetition of all ΔL comes before the next, and the other traced runs among them, so that
    what changes slowly on the machine changes all alike, and an interrupted validation has measured
    all of them.
    """
    order = random.Random(seed)  # noqa: S311 - no secret
    runs = [Planned(0, 1, traced=True)]
    for repetition in range(1, repetitions + 1):
        level = [Planned(delta, repetition) for delta in deltas]
        of_this = range(repetition + 1, traces + 1, repetitions)
        level += [Planned(0, number, traced=True) for number in of_this]
        order.shuffle(level)
        runs += level
    return runs
