"""Injected latency from text: a time, a table's file, or a distribution."""

from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.distributions.specification import parse_table
from latitude.distributions.table import TABLE_SUFFIX, QuantileTable, seed_path
from latitude.files.reading import read_text
from latitude.units.quantities import parse_whole

DEFAULT_SEED = 1
"""Default seed of random numbers."""
_MOST_SEED_BYTES = 1024
MOST_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True, eq=False)
class InjectedLatency:
    """Latencies, and their seed."""

    table: QuantileTable
    seed: int = DEFAULT_SEED


def parse_latency(text: str, unit: str | None = None) -> InjectedLatency:
    """Parses as `parse_table` does. The seed of table.dist is in table.seed next to the table.

    `unit` is the unit of a table or distribution that states none. InputError: the text is not a
    latency.
    """
    return InjectedLatency(parse_table(text, unit), _seed_beside(Path(text)))


def _seed_beside(path: Path) -> int:
    if path.suffix != TABLE_SUFFIX or not (beside := seed_path(path)).is_file():
        return DEFAULT_SEED
    try:
        return parse_whole(read_text(beside, _MOST_SEED_BYTES).strip(), "a seed", most=MOST_SEED)
    except InputError as error:
        raise InputError(f"{beside}: {error}") from error
