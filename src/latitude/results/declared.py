"""Base classes for declared results, from which JSON, JSON Schema, rows and data frames follow.

A result is a `Result`, a `msgspec.Struct` whose fields are numbers, texts, arrays, other `Part`s,
and lists of such values. A `Columns` is a part that holds one array per column and becomes a list
of rows. A field that is `Hidden` is for charts and callers, and is not in the JSON. The docstring
under a field is its description in the schema.

Latitude uses msgspec, not pydantic or attrs. It takes 25 ms to import (pydantic about 90), makes
JSON Schema on its own, and its structs are as light as slotted classes.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_args, get_type_hints

import msgspec
import numpy as np
from msgspec import Meta

from latitude._types import (
    Amount,
    Count,
    Floats,
    Instant,
    Integers,
    Nanoseconds,
    Numbers,
    Share,
    Unbounded,
)
from latitude.files.text import csv_text, finite, json_text

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd

__all__ = [
    "Amount",
    "AmountColumn",
    "Columns",
    "Count",
    "CountColumn",
    "FloatColumn",
    "Hidden",
    "Instant",
    "IntegerColumn",
    "Nanoseconds",
    "NumberColumn",
    "Part",
    "Result",
    "Share",
    "Unbounded",
    "UnboundedColumn",
    "parts_csv",
    "plain",
]

_PIECE = 1 << 14
"""Number of rows in a piece."""
HIDDEN = "hidden"

FloatColumn = Annotated[
    Floats, Meta(extra_json_schema={"type": "array", "items": {"type": "number"}})
]
UnboundedColumn = Annotated[
    Floats, Meta(extra_json_schema={"type": "array", "items": {"type": ["number", "null"]}})
]
AmountColumn = Annotated[
    Floats, Meta(extra_json_schema={"type": "array", "items": {"type": "number", "minimum": 0}})
]
IntegerColumn = Annotated[
    Integers, Meta(extra_json_schema={"type": "array", "items": {"type": "integer"}})
]
NumberColumn = Annotated[
    Numbers, Meta(extra_json_schema={"type": "array", "items": {"type": "integer"}})
]
"""A column of numbers of vertices or ranks, in the core's integer type."""
CountColumn = Annotated[
    Integers, Meta(extra_json_schema={"type": "array", "items": {"type": "integer", "minimum": 0}})
]

Hidden = Meta(extra_json_schema={HIDDEN: True})
"""Marks a field that the JSON leaves out: `curves: Annotated[Curves, Hidden]`."""


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a result."""

    def plain(self) -> Any:
        """The part as plain data: an object."""
        return dict(self.fields())

    def fields(self) -> Iterator[tuple[str, Any]]:
        """The fields of the object one by one: key, and value as plain data."""
        for name, key in _shown(type(self)):
            yield key, plain(getattr(self, name))


class Columns(Part, frozen=True, kw_only=True):
    """Arrays of equal length, one per column; JSON has one object per row."""

    def __len__(self) -> int:
        return len(getattr(self, self.__struct_fields__[0]))

    def at(self, rows: Integers) -> "Self":
        """The selected rows."""
        return type(self)(**{n: np.asarray(getattr(self, n))[rows] for n in self.__struct_fields__})

    def columns(self) -> dict[str, list[Any]]:
        """Values of each column, by its name in JSON and CSV."""
        shown = _shown(type(self))
        return {key: np.asarray(getattr(self, name)).tolist() for name, key in shown}

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One tuple per row, made in pieces: Python's numbers take more memory than arrays."""
        shown = _shown(type(self))
        columns = [np.asarray(getattr(self, name)) for name, _ in shown]
        for first in range(0, len(self), _PIECE):
            yield from zip(
                *(each[first : first + _PIECE].tolist() for each in columns), strict=True
            )

    def records(self) -> Iterator[Any]:
        """One object per row with all fields, for tables."""
        names = self.__struct_fields__
        columns = (np.asarray(getattr(self, name)).tolist() for name in names)
        for row in zip(*columns, strict=True):
            yield SimpleNamespace(**dict(zip(names, row, strict=True)))

    def plain(self) -> Any:
        """One object per row."""
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def to_csv(self) -> str:
        """The rows as CSV text with a header."""
        return csv_text(tuple(self.columns()), self.rows())

    def to_dataframe(self) -> "pd.DataFrame":
        """The rows as a pandas data frame."""
        import pandas as pd  # noqa: PLC0415 - pandas takes half a second to import

        return pd.DataFrame(self.columns())


class Result(Part, frozen=True, kw_only=True):
    """The result of a command."""

    SCHEMA: ClassVar[str]
    """Name of the schema, e.g. `latitude.analysis/1`; the first key of the JSON."""

    def to_dict(self) -> dict[str, Any]:
        """The result in the form of its schema; infinite numbers are None."""
        return dict(self._finite())

    def to_json(self) -> str:
        """The result as JSON text, one line per field and one per row of each list."""
        return json_text(self._finite())

    def _finite(self) -> Iterator[tuple[str, Any]]:
        yield "schema", self.SCHEMA
        for key, value in self.fields():
            yield key, finite(value)


def plain(value: Any) -> Any:
    """Any value of a result as plain data."""
    if isinstance(value, Part):
        return value.plain()
    if dataclasses.is_dataclass(value):  # from lower modules: Provenance, Notice
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def parts_csv(parts: Iterable[Part], kind: type[Part]) -> str:
    """Parts of one kind, with fields of numbers and texts, as CSV, one row each."""
    keys = [key for _, key in _shown(kind)]
    return csv_text(keys, ([part.plain()[key] for key in keys] for part in parts))


@cache
def _shown(kind: type[Part]) -> tuple[tuple[str, str], ...]:
    """Name and JSON key of each field that is not hidden."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        (name, key)
        for name, key in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
        if Hidden not in get_args(hints[name])
    )
