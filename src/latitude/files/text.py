"""Results as text for other programs: JSON and CSV."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def finite(value: Any) -> Any:
    """The value with None for every number that JSON cannot represent, at any depth."""
    if isinstance(value, float):  # the most frequent type first
        return value if math.isfinite(value) else None
    if isinstance(value, (int, str)):
        return value
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, (list, tuple)) else value


def json_text(fields: Iterable[tuple[str, Any]]) -> str:
    """An object as JSON that can be compared by lines: one line per field, and per row of a list.

    Args:
        fields: its keys and values; each value is requested after the text of the previous one.

    ValueError: a number is not finite.
    """
    lines = [f"{_compact(key)}: {_rows(value)}" for key, value in fields]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _compact(value)
    return "[\n  " + ",\n  ".join(_compact(row) for row in value) + "\n]"


def _compact(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV; None is an empty cell.

    Text that a spreadsheet would read as a formula gets an apostrophe before it, because names in a
    trace may contain anything.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_inert(cell) for cell in header])
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue()


def is_text(text: str) -> bool:
    """Whether UTF-8 can represent the text; file names and arguments may be any bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_text(text: str) -> str:
    r"""The text, in which bytes that are not UTF-8 become visible: `\udcff` for the byte FF."""
    return text.encode(errors="backslashreplace").decode()


_FORMULAS = ("=", "+", "-", "@", "\t", "\n")


def _inert(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r", "\\r")  # it would end the row, because the cell is not quoted
    if not cell.startswith(_FORMULAS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
