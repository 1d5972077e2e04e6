"""The critical path and the paths next to it. Times are ns."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from latitude._types import Floats, Numbers
from latitude.results.declared import (
    Columns,
    FloatColumn,
    NumberColumn,
)
from latitude.results.lines import RankLines

BLOCK = 1 << 18
"""Steps of a path that are looked at together: it may have tens of millions."""


@dataclass(frozen=True, slots=True)
class FewValues:
    """A long column of few different values: NumPy takes it for the array of its values."""

    code: NDArray[np.uint16]
    """(rows,) indices into `value`."""
    value: Floats
    """Each different value once."""

    def __len__(self) -> int:
        return self.code.size

    def __getitem__(self, rows: Any) -> Floats:
        values: Floats = self.value[self.code[rows]]
        return values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.value[self.code], dtype=dtype)


class Values(Protocol):
    """The values of a long column: an array, or FewValues."""

    def __getitem__(self, rows: Any, /) -> Any: ...

    def __array__(self) -> NDArray[Any]: ...


class Steps(Columns, frozen=True, kw_only=True):
    """Steps of the critical path, vertex by vertex.

    Each step begins where the one before ends. A receive's step holds the message's way to it.
    """

    vertex: NumberColumn
    rank: NumberColumn
    line: NumberColumn
    """Index of the line among those of all ranks; the rank if each rank has one line."""
    start: FloatColumn
    end: FloatColumn
    calc: FloatColumn
    overhead: FloatColumn
    """o, and what g and O cost."""
    network: FloatColumn
    """Latency and bandwidth."""
    latency: FloatColumn
    """Part of that time that is latency."""
    latencies: FloatColumn
    """Message latencies in the step; their sum is λ_L."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePath:
    """The steps of the whole critical path, of which there may be tens of millions.

    Its columns are those of Steps.
    """

    lines: RankLines
    """Those of all ranks."""

    vertex: Numbers
    rank: Numbers
    line: Numbers
    start: Floats
    end: Floats
    calc: Values
    overhead: Values
    network: Values
    latency: Values
    latencies: Values

    def __len__(self) -> int:
        return self.vertex.size

    def blocks(self) -> Iterator[tuple[slice, Steps]]:
        """The steps in time order, so many at a time that what is computed of them stays small.

        With the place of each block; none of a path without steps.
        """
        for place in self.places():
            yield place, self.part(place)

    def places(self) -> list[slice]:
        """Where the blocks are, in time order."""
        size = len(self)
        return [slice(first, min(first + BLOCK, size)) for first in range(0, size, BLOCK)]

    def over_lines(self) -> "WholePath":
        """The same with the index of each step's line in place of its rank."""
        return replace(self, rank=self.line)

    def part(self, place: slice) -> Steps:
        """Some of the steps."""
        names = (each.name for each in fields(self) if each.name != "lines")
        return Steps(**{name: getattr(self, name)[place] for name in names})
