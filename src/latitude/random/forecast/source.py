"""Sources of latency and noise: 4,096 equally likely values."""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.distributions import QuantileTable, parse_table
from latitude.notices.notice import Notice
from latitude.units.quantities import parse_fraction

if TYPE_CHECKING:
    from typing import Self

_SHARE = re.compile(r"\s*[\d.]+\s*%\s*")
_ONE = 10**9
"""The integer that represents a factor of 1 in a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A table and its request, for a `LatencySource` or a `NoiseSource`."""

    text: str
    values: Floats
    """(4096,) values in rising order."""
    notices: list[Notice] = field(default_factory=list)
    loses_tail: bool = False
    """Whether the table's original distribution is known to vary more than the table."""

    @classmethod
    def of(cls, text: str, table: QuantileTable) -> "Self":
        """A source with the values of a table."""
        values = table.values.astype(np.float64)
        return cls(text, values, list(table.notices), table.loses_tail)

    @property
    def varies(self) -> bool:
        """Whether the values differ."""
        return bool(self.values[0] < self.values[-1])

    @property
    def mean(self) -> float:
        """Mean of the table."""
        return float(self.values.mean())

    @property
    def sd(self) -> float:
        """Sd of the table."""
        return float(self.values.std())

    def quantile(self, probability: float) -> float:
        """The entry at this share of the table."""
        return float(self.values[min(self.values.size - 1, int(probability * self.values.size))])


@dataclass(frozen=True, slots=True, eq=False)
class LatencySource(Source):
    """Latencies in ns."""


@dataclass(frozen=True, slots=True, eq=False)
class NoiseSource(Source):
    """Factors on computation, with mean 1."""


def parse_latency(text: str, unit: str | None = None, size: int | None = None) -> LatencySource:
    """Parses a latency (docs/reference/tables.md): a time, a distribution, a table, or samples."""
    return LatencySource.of(text, parse_table(text, unit, size))


def parse_noise(text: str, unit: str | None = None) -> NoiseSource:
    """Parses factors on computation with mean 1; `5%` means lognormal factors with an sd of 5 %.

    Only the shape of a distribution counts, because its values are divided by their mean.
    """
    if _SHARE.fullmatch(text):
        sd = parse_fraction(text, "noise", "5%")
        table = parse_table(f"lognormal(mean={_ONE}ns,sd={sd * _ONE!r}ns)")
    else:
        table = parse_table(text, unit)
    found = NoiseSource.of(text, table)
    if not found.mean > 0:
        raise InputError(f"noise: '{text}' is always 0; give a distribution with a positive mean")
    return replace(found, values=found.values / found.mean)
