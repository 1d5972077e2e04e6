"""Distribution tables: 4,096 equally likely latencies, as in §3.1 of Underwood et al. 2018.

    # latitude distribution table 1
    # unit: ns
    # source: lognormal(p50=5us,p99=40us)
    # mean: 7463.21 ns, of the source 7463.21 ns
    # sd: 8218.9 ns, of the source 8227.4 ns
    # p99.9: 79523 ns, of the source 79512.3 ns
    203 251 277 …                                     512 lines of 8 integers

Next to the table is a seed file: one integer, with which the injector starts its random numbers.
"""

import math
import re
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.files.reading import read_text
from latitude.files.writing import refuse_existing, write_new
from latitude.notices.notice import Notice
from latitude.samples.columns import one_unit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TABLE_SUFFIX = ".dist"
LINES, COLUMNS = 512, 8
SIZE = LINES * COLUMNS
TAIL = 0.999
"""The quantile that represents the tail in headers and reports."""
ENDS_AT = 1 - 1 / SIZE
"""The quantile at which a table ends; the last entry is the mean of all latencies beyond."""
LARGEST = 2**53
"""Largest latency, ns (104 days); larger integers lose digits as doubles."""

_ALIKE = 0.01
"""Relative error of the sd up to which no warning is needed (or 1 ns)."""
_MAGIC = "# latitude distribution table 1"
_FIELD = re.compile(r"#\s*([\w.]+):\s*(.*?)\s*")
_FIGURE = re.compile(r"\S+ ns, of the source (\S+) ns")


@dataclass(frozen=True, slots=True)
class Figures:
    """Mean, standard deviation and p99.9, ns; infinite or NaN if they do not exist."""

    mean: float
    sd: float
    p999: float


@dataclass(frozen=True, slots=True, eq=False)
class QuantileTable:
    """4,096 equally likely latencies."""

    values: Integers
    """Latencies, ns, in rising order."""
    source: str
    """Source of the table, in words."""
    before: Figures | None = None
    """Figures of the source, if the table knows its source."""
    notices: list[Notice] = field(default_factory=list)

    @property
    def after(self) -> Figures:
        """Figures of the table itself, which apply to programs under this latency."""
        values = self.values
        return Figures(float(values.mean()), float(values.std()), float(self.quantile(TAIL)))

    @property
    def loses_tail(self) -> bool:
        """Whether the source varies more than the table, because of its longest latencies."""
        before = self.before
        if before is None:
            return False
        kept = abs(self.after.sd - before.sd) <= max(_ALIKE * before.sd, 1.0)
        return not (math.isfinite(before.sd) and kept)

    def quantile(self, probability: float) -> float:
        """The entry at this share of the table."""
        return float(self.values[min(SIZE - 1, int(probability * SIZE))])


def read_table(path: str | PathLike[str], unit: str | None = None) -> QuantileTable:
    """Reads a table; a table without Latitude's header needs a unit (ns, us, ms, s).

    Raises:
        InputError: the file lacks 512 lines of 8 integers, or a unit, or has negative entries (a
            netem table).
    """
    source = Path(path)
    lines = lines_of(source)
    found = [match for line in lines if (match := _FIELD.fullmatch(line))]
    fields: dict[str, str] = {match[1]: match[2] for match in found}
    scale = one_unit(source, [("--unit", unit), ("its header", fields.get("unit"))])
    values = np.array(entries(source, lines), dtype=np.float64) * scale
    if values.min() < 0:
        raise InputError(
            f"{source}: negative entries; a netem table is read with its mean and sd: "
            f"netem:{source}(mean=5us,sd=1us)"
        )
    if values.max() > LARGEST:
        raise InputError(f"{source}: an entry is above {LARGEST} ns; is the unit right?")
    return QuantileTable(
        np.sort(values.astype(np.int64)), fields.get("source", str(source)), _before(fields)
    )


_MOST_BYTES = 1 << 20
"""Largest file of a table, bytes: 4,096 numbers and a header."""


def lines_of(path: Path) -> list[str]:
    """The lines of a table. InputError: the file is not a table."""
    return read_text(path, _MOST_BYTES).splitlines()


def entries(path: Path, lines: list[str]) -> list[int]:
    """The 4,096 integers of a table's lines."""
    found: list[int] = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split()
        try:
            found += [int(cell) for cell in cells]
        except ValueError as error:
            raise InputError(f"{path}: line {number}: '{line.strip()}' has no integers") from error
        if len(cells) != COLUMNS:
            raise InputError(f"{path}: line {number}: {len(cells)} integers instead of {COLUMNS}")
    if len(found) != SIZE:
        raise InputError(
            f"{path}: {len(found):,} integers; a table has {SIZE:,} ({LINES} lines of {COLUMNS})"
        )
    return found


def _before(fields: dict[str, str]) -> Figures | None:
    found = [_FIGURE.fullmatch(fields.get(name, "")) for name in ("mean", "sd", "p99.9")]
    try:
        mean, sd, p999 = (float(match[1]) if match else math.nan for match in found)
    except ValueError:
        return None
    return Figures(mean, sd, p999) if all(found) else None


def write_table(
    table: QuantileTable, path: str | PathLike[str], *, seed: int = 1, force: bool = False
) -> tuple[Path, Path]:
    """Writes the table and its seed file; returns both paths."""
    target = Path(path)
    beside = seed_path(target)
    refuse_existing([target, beside], force=force)
    write_new(target, table_text(table), force=force)
    write_new(beside, f"{seed}\n", force=force)
    return target, beside


def seed_path(path: Path) -> Path:
    """The path of a table's seed file: `out.dist` → `out.seed`."""
    beside = path.with_suffix(".seed")
    if beside == path:
        raise InputError(f"{path}: this would be the seed file's name; name the table .dist")
    return beside


def table_text(table: QuantileTable) -> str:
    """The content of the table's file."""
    head = [_MAGIC, "# unit: ns", f"# source: {' '.join(table.source.split())}"]
    after, before = table.after, table.before
    for name, now, was in (
        ("mean", after.mean, before and before.mean),
        ("sd", after.sd, before and before.sd),
        ("p99.9", after.p999, before and before.p999),
    ):
        of_source = "" if was is None else f", of the source {was:.10g} ns"
        head.append(f"# {name}: {now:.10g} ns{of_source}")
    body = [" ".join(map(str, row)) for row in table.values.reshape(LINES, COLUMNS).tolist()]
    return "\n".join([*head, *body, ""])
