"""The critical path and near-critical paths. Times are ns."""

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
"""Steps of a path that are processed together, because a path may have tens of millions."""


@dataclass(frozen=True, slots=True)
class FewValues:
    """A long column with few different values; NumPy treats it as the array of its values."""

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
    """A long column's values: an array, or FewValues."""

    def __getitem__(self, rows: Any, /) -> Any: ...

    def __array__(self) -> NDArray[Any]: ...


class Steps(Columns, frozen=True, kw_only=True):
    """Steps of the critical path, vertex by vertex.

    Each step begins where its predecessor ends. A receive's step includes the transfer of its
    message.
    """

    vertex: NumberColumn
    rank: NumberColumn
    line: NumberColumn
    """Index of the line among those of all ranks; the rank if each rank has one line."""
    start: FloatColumn
    end: FloatColumn
    calc: FloatColumn
    overhead: FloatColumn
    """Time that o, g and O take."""
    network: FloatColumn
    """Time that latency and bandwidth take."""
    latency: FloatColumn
    """The part of the network's time that is latency."""
    latencies: FloatColumn
    """Number of message latencies in the step; the sum over steps is λ_L."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePath:
    """All steps of the critical path, perhaps tens of millions.

    The columns are those of Steps.
    """

    lines: RankLines
    """The lines of all ranks."""

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
        """The steps in time order, in blocks small enough for further computation.

        Each block comes with its place; a path without steps has no blocks.
        """
        for place in self.places():
            yield place, self.part(place)

    def places(self) -> list[slice]:
        """Places of the blocks, in time order."""
        size = len(self)
        return [slice(first, min(first + BLOCK, size)) for first in range(0, size, BLOCK)]

    def over_lines(self) -> "WholePath":
        """The path with the index of each step's line in place of its rank."""
        return replace(self, rank=self.line)

    def part(self, place: slice) -> Steps:
        """The steps at this place."""
        names = (each.name for each in fields(self) if each.name != "lines")
        return Steps(**{name: getattr(self, name)[place] for name in names})
