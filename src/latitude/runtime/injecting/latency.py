"""What is injected, from how people write it: a time, a table's file, or a distribution."""

from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.distributions.cells import constant_table
from latitude.distributions.specification import parse_table
from latitude.distributions.table import Table, read_table, seed_path
from latitude.units import parse_time

_SEED = 1
"""Where random numbers start when nobody says."""


@dataclass(frozen=True, slots=True, eq=False)
class Latency:
    """Latencies, and the seed that came with them."""

    table: Table
    seed: int = _SEED


def parse_latency(text: str, unit: str | None = None) -> Latency:
    """`20us`, `table.dist` (its .seed beside it) or `lognormal(p50=5us,p99=40us)`.

    `unit` is that of a table or distribution that has none. InputError when it is none of these.
    """
    path = Path(text)
    if path.is_file():
        return Latency(read_table(path, unit), _seed_beside(path))
    if path.suffix == ".dist":
        raise InputError(f"{path}: no such file; write one with `latitude fit`, or give a time")
    if text[:1].isdigit() or text[:1] == ".":
        return Latency(constant_table(parse_time(text, "latency", "20us"), text))
    return Latency(parse_table(text, unit))


def parse_seed(text: str, what: str = "seed") -> int:
    """An integer of 64 bits."""
    if not text.strip().isdecimal() or int(text) >= 1 << 64:
        raise InputError(f"{what}: '{text.strip()}' is no integer from 0 to 2^64 - 1")
    return int(text)


def _seed_beside(path: Path) -> int:
    beside = seed_path(path) if path.suffix != ".seed" else path
    if not beside.is_file():
        return _SEED
    return parse_seed(beside.read_text(encoding="utf-8"), str(beside))
