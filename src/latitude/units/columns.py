"""Columns: title, unit and format of a field, declared in the field's own type.

    latency_ns: Annotated[Nanoseconds, column("median", time(3))]

JSON Schemas, tables on the page and on the terminal, and axes of charts take title, unit and format
from this declaration. A property is a column, too, if the type of its value has such a declaration.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, get_args, get_type_hints

from msgspec import Meta

from latitude.units.quantities import (
    format_change,
    format_count,
    format_log10_p,
    format_p,
    format_per_byte,
    format_rate,
    format_share,
    format_size,
    format_time,
)

_COLUMN = "column"


@dataclass(frozen=True, slots=True)
class Form:
    """The display of values of one quantity."""

    text: Callable[[Any], str]
    """Function that formats a finite number, or a text."""
    unit: str = ""
    """Unit of the values themselves, as in JSON; empty without a unit."""
    style: Literal["plain", "strong", "code", "bar"] = "plain"
    """Style of the text: `code` for names in a program, `bar` for shares that are drawn as bars."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """Title and form of a field."""

    title: str
    form: Form

    def text(self, value: Any, none: str = "–") -> str:
        """A value as text; `none` for None and NaN."""
        missing = value is None or (isinstance(value, float) and math.isnan(value))
        return none if missing else self.form.text(value)


def time(significant: int = 4) -> Form:
    """Durations in ns, shown with this many significant digits."""
    return Form(partial(format_time, significant=significant), "ns")


def number(format_spec: str) -> Form:
    """Numbers without a unit, by Python's format: `number(".3f")`."""
    return Form(lambda value: format(value, format_spec))


TEXT = Form(str)
STRONG = Form(str, style="strong")
CODE = Form(str, style="code")
TIME = time()
COUNT = number(",")
AMOUNT = Form(format_count)
"""Counts that may have a fraction."""
SHARE = Form(format_share)
BAR = Form(format_share, style="bar")
CHANGE = Form(format_change)
SIZE = Form(format_size, "B")
RATE = Form(format_rate, "B/s")
PER_BYTE = Form(format_per_byte, "ns/B")
P_VALUE = Form(format_p)
SIMULATED_P = Form(partial(format_p, simulated=True))
LOG10_P = Form(format_log10_p)
"""p-values, given as logarithms."""


def column(title: str, form: Form = TEXT) -> Meta:
    """Declares a field as a column, inside `Annotated`.

    Args:
        title: the head of the column.
        form: display of the values.
    """
    unit = {"unit": form.unit} if form.unit else None
    return Meta(
        title=title or None, extra_json_schema=unit, extra={_COLUMN: TableColumn(title, form)}
    )


@cache
def of(kind: type) -> Mapping[str, TableColumn]:
    """The columns of a class by the names of their fields and properties, fields first."""
    found = {name: _column(hint) for name, hint in _hints(kind).items()}
    return {name: each for name, each in found.items() if each is not None}


@cache
def at(kind: type, path: str) -> TableColumn:
    """The column at a path from a class, e.g. `p`, or `normality.p` for a field of a part.

    KeyError: the field at the end is not a column.
    """
    *parts, last = path.split(".")
    for name in parts:
        hint = _hints(kind)[name]
        kind = next(each for each in (hint, *get_args(hint)) if isinstance(each, type))
    return of(kind)[last]


def value(row: Any, path: str) -> Any:
    """The value at a path from a row; None if a part on the path is None."""
    for name in path.split("."):
        row = None if row is None else getattr(row, name)
    return row


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    """The types of fields and of properties."""
    hints = get_type_hints(kind, include_extras=True)
    for each in reversed(kind.__mro__):
        for name, found in vars(each).items():
            if isinstance(found, property) and found.fget is not None:
                hints[name] = found.fget.__annotations__.get("return")
    return hints


def _column(hint: Any) -> TableColumn | None:
    extras = (each.extra or {} for each in get_args(hint) if isinstance(each, Meta))
    return next((extra[_COLUMN] for extra in extras if _COLUMN in extra), None)
