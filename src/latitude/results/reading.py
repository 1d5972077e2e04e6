"""Reads results from the JSON that Latitude wrote."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
from msgspec import Meta, structs

from latitude._core import InputError
from latitude._types import UNBOUNDED
from latitude.files.reading import DAMAGED, open_regular, parsing, read_bytes
from latitude.results.analysis import Analysis
from latitude.results.declared import Columns, Hidden, Part
from latitude.results.map import MapOver
from latitude.sections.waits.result import ACTIVITIES, CAUSES

_RESULT = re.compile(rb'\s*\{\s*"schema"\s*:\s*"latitude\.')
_HEAD = 64
"""Number of bytes at a file's beginning, which include the schema's name."""
_MOST = 1 << 28
"""Largest file of a result, bytes."""
_LARGEST = 1e30
"""Largest number; sums and squares of larger numbers would not be finite."""
_Number = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
_Part = TypeVar("_Part", bound=Part)


class _Other(msgspec.Struct, frozen=True):
    """A JSON object of any kind, of which only the schema is read."""

    schema: str | None = None


def is_result(path: Path) -> bool:
    """Whether an input is a result (JSON of Latitude, or its directory) rather than a trace."""
    if path.is_dir():
        return (path / "analysis.json").is_file()
    if not path.is_file():
        return False
    with open_regular(path) as file:
        return _RESULT.match(file.read(_HEAD)) is not None


def read_analysis(path: Path) -> Analysis:
    """Reads a result of `latitude analyze`: analysis.json, or the directory of -o.

    InputError: it is not an analysis, or has a version with another meaning.
    """
    file = path / "analysis.json" if path.is_dir() else path
    content = read_bytes(file, _MOST)
    other = (
        f"not a result of latitude analyze ({Analysis.SCHEMA}); give a trace, a GOAL file, or what "
        "latitude analyze --json wrote"
    )
    with parsing(str(file), other):
        schema = msgspec.json.decode(content, type=_Other).schema
    if schema != Analysis.SCHEMA:
        raise InputError(f"{file}: {other}")
    with parsing(
        str(file), "not a result of latitude analyze as this version writes it; write it again"
    ):
        data = msgspec.json.decode(content)
        del data["schema"]
        found = decoded(Analysis, data)
        _check_lines(found)
    _check_ranks(found, file)
    return found


def read_called_by_file(path: Path) -> Analysis:
    """Reads a result, and names the file as its input in place of the trace, for messages."""
    found = read_analysis(path)
    return structs.replace(found, provenance=replace(found.provenance, input=str(path)))


def _check_lines(found: Analysis) -> None:
    """Raises ValueError if arrays of points do not fit each other."""
    curve = found.curve
    sizes = {each.size for each in (curve.value, curve.T_ns, curve.slope, curve.share)}
    if len(sizes) > 1 or not curve.value.size:
        raise ValueError("its curve has no values, or not as many as runtimes")
    if found.sliders is not None:
        _check_planes(found.sliders)


def _check_planes(over: MapOver) -> None:
    """Raises ValueError if planes have other parameters, or simplices have unknown planes."""
    axes = len(over.axes)
    for each in over.alternatives:
        planes, corners = each.planes, each.simplices.corners
        shapes = {each.base.shape, each.slope.shape, planes.point.shape[1:], planes.slope.shape[1:]}
        if shapes != {(axes,)} or corners.shape[1:] != (axes + 1,):
            raise ValueError(f"its planes are not of {axes} parameters")
        if corners.max() >= len(planes):
            raise ValueError("a simplex has a corner without a plane")


def _check_ranks(found: Analysis, file: Path) -> None:
    """Raises InputError if rows have unknown ranks."""
    ranks = found.trace.ranks
    rows = None if found.by_rank is None else found.by_rank.rank
    if rows is not None and (rows.size != ranks or (rows != np.arange(rows.size)).any()):
        raise InputError(f"{file}: by_rank has not one row for each rank; {DAMAGED}")
    if found.waits is None:
        return
    times = found.waits.times
    known = ACTIVITIES.keys() | CAUSES.keys()
    if (times.rank < 0).any() or (times.rank >= ranks).any() or not known.issuperset(times.what):
        raise InputError(f"{file}: times of no rank or of no known kind; {DAMAGED}")


def decoded(kind: type[_Part], data: Any) -> _Part:
    """A result, or a part of it, from plain data as in JSON; null is infinite.

    ValueError: the data have another form.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{kind.__name__} is not an object")  # noqa: TRY004 - of data
    fields = _fields(kind)
    if other := data.keys() ^ fields.keys():
        said = "an unknown key" if min(other) in data else "no"
        raise ValueError(f"{kind.__name__} has {said} {min(other)}")
    return kind(**{name: _value(hint, data[key]) for key, (name, hint) in fields.items()})


@cache
def _fields(kind: type[Part]) -> dict[str, tuple[str, Any]]:
    """JSON key → name and type of each field that is not hidden."""
    hints = get_type_hints(kind, include_extras=True)
    names = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
    return {key: (name, hints[name]) for key, name in names if Hidden not in get_args(hints[name])}


def _value(hint: Any, data: Any) -> Any:
    """The value of a field with this type."""
    kind, metas = _bare(hint)
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        (one,) = (each for each in get_args(kind) if each is not NoneType)
        return None if data is None else _value(one, data)
    if isinstance(kind, type) and issubclass(kind, Part):
        return _rows(kind, data) if issubclass(kind, Columns) else decoded(kind, data)
    if origin is np.ndarray:
        return _column(hint, data)
    if origin is list:
        return [_value(get_args(kind)[0], each) for each in msgspec.convert(data, list[Any])]
    return _number(hint, metas, data) if kind is float else msgspec.convert(data, hint)


def _number(hint: Any, metas: tuple[Meta, ...], data: Any) -> float:
    if data is None and any(UNBOUNDED in (meta.extra_json_schema or {}) for meta in metas):
        return math.inf
    value: float = msgspec.convert(data, hint)
    if abs(value) > _LARGEST:
        raise ValueError(f"{value:g} is more than any number of a result")
    return value


def _rows(kind: type[Columns], data: Any) -> Columns:
    rows = msgspec.convert(data, list[dict[str, Any]])
    fields = _fields(kind)
    if any(row.keys() != fields.keys() for row in rows):
        raise ValueError(f"a row of {kind.__name__} has other keys than {', '.join(fields)}")
    return kind(
        **{name: _column(hint, [row[key] for row in rows]) for key, (name, hint) in fields.items()}
    )


def _column(hint: Any, data: Any) -> Any:
    """An array, or a tuple, with the values of a column."""
    kind, metas = _bare(hint)
    if get_origin(kind) is tuple:
        return msgspec.convert(data, kind)
    dtype = np.dtype(get_args(get_args(kind)[1])[0])
    items = _items(metas)
    if items.get("type") == "array":  # a row of numbers in each
        number: Any = _Number if dtype.kind == "f" else int
        values = np.array(msgspec.convert(data, list[list[number]]), dtype)
        items = items["items"]
    elif dtype.kind == "f":
        may_be_null = "null" in items.get("type", ())
        of = list[_Number | None] if may_be_null else list[_Number]
        numbers: list[float | None] = msgspec.convert(data, of)
        values = np.array([np.inf if each is None else each for each in numbers], dtype)
    else:
        values = np.array(msgspec.convert(data, list[int]), dtype)
    if values.size and values.min() < items.get("minimum", -np.inf):
        raise ValueError(f"a number of a column is below {items['minimum']}")
    return values


def _items(metas: tuple[Meta, ...]) -> dict[str, Any]:
    """The part of the schema for a column's values."""
    for meta in metas:
        schema: dict[str, Any] = meta.extra_json_schema or {}
        if "items" in schema:
            return dict(schema["items"])
    return {}


def _bare(hint: Any) -> tuple[Any, tuple[Meta, ...]]:
    """A type without its annotations, and the annotations."""
    if get_origin(hint) is not Annotated:
        return hint, ()
    kind, *metas = get_args(hint)
    return kind, tuple(meta for meta in metas if isinstance(meta, Meta))
