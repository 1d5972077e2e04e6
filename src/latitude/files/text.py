"""Results as text for other programs: JSON and CSV."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def finite(value: Any) -> Any:
    """The value with None for what JSON has no number for, wherever it lies in it."""
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_text(data: Mapping[str, Any]) -> str:
    """An object as JSON, to be read and compared line by line: one field, one row of a list each.

    ValueError when a number in it is not finite.
    """
    lines = [f"{_compact(key)}: {_rows(value)}" for key, value in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _compact(value)
    return "[\n  " + ",\n  ".join(_compact(row) for row in value) + "\n]"


def _compact(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
