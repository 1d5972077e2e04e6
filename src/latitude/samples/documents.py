"""JSON: a list of numbers or of records, an object of columns, or JSON lines.

A document is read whole; JSON lines are read in pieces.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from latitude._core import InputError
from latitude.files.reading import json_value, lines_of, parsing, read_text
from latitude.samples.checks import Where, as_latencies
from latitude.samples.columns import LABELS, LATENCY, Latency, label_names, latency_column, one_unit

_UNIT = "unit"
_MOST_BYTES = 16 << 20
"""Largest document, bytes; JSON lines have no limit."""


def read_json(path: Path, unit: str | None, rows: int) -> Iterator[pd.DataFrame]:
    """Data frames of at most `rows` samples for JSON lines, otherwise one data frame."""
    if _has_lines(path):
        yield from _lines(path, unit, rows)
        return
    yield _document(path, json_value(read_text(path, _MOST_BYTES), str(path)), unit)


def _has_lines(path: Path) -> bool:
    """Whether the first line holds an object, and the second is not empty."""
    try:
        first, second = islice(lines_of(path), 2)
        return bool(second.strip()) and isinstance(json_value(first, str(path)), dict)
    except (ValueError, InputError):  # a single line, or a line that is not JSON or too long
        return False


def _document(path: Path, document: Any, unit: str | None) -> pd.DataFrame:
    outside: dict[str, Any] = {}
    if isinstance(document, dict):
        outside = {key: value for key, value in document.items() if not isinstance(value, list)}
        lists = {key: value for key, value in document.items() if isinstance(value, list)}
        records = next((v for v in lists.values() if v and isinstance(v[0], dict)), None)
        document = lists if records is None else records
        if not document:
            document = [outside]
            outside = {}
    with parsing(str(path), "no table: columns of unequal length, or records of other things"):
        frame = _rows(document)
    if frame.empty:
        raise InputError(f"{path}: no samples in it")
    return _converted(path, frame, outside, unit, lambda index: f"sample {index + 1}")


def _rows(document: Any) -> pd.DataFrame:
    if isinstance(document, list) and not (document and isinstance(document[0], dict)):
        return pd.DataFrame({"latency": pd.Series(document, dtype=object)})
    return pd.DataFrame(document)


def _lines(path: Path, unit: str | None, rows: int) -> Iterator[pd.DataFrame]:
    stated: str | None = None
    numbered = ((number, line) for number, line in enumerate(lines_of(path), 1) if line.strip())
    while piece := list(islice(numbered, rows)):
        records = [_record(path, number, line) for number, line in piece]
        with parsing(str(path), "no table: records of other things"):
            frame = pd.DataFrame(records)
        column = stated_units(frame)
        stated = stated or (column[0] if column else None)
        places = [f"line {number}" for number, _ in piece]
        yield _converted(path, frame, {_UNIT: stated}, unit, places.__getitem__)


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    record = json_value(line, f"{path}: line {number}")
    if not isinstance(record, dict):
        raise InputError(f"{path}: line {number}: not a JSON object")
    return record


def stated_units(frame: pd.DataFrame) -> list[str]:
    """The units that a unit column states."""
    return list(dict.fromkeys(map(str, frame[_UNIT]))) if _UNIT in frame else []


def _converted(
    path: Path, frame: pd.DataFrame, outside: dict[str, Any], unit: str | None, where: Where
) -> pd.DataFrame:
    names = [str(name) for name in frame.columns]
    frame.columns = pd.Index(names)
    latency: Latency = latency_column(path, [name for name in names if name != _UNIT])
    stated = [
        ("--unit", unit),
        (f"'{latency.column}'", latency.unit),
        ("the document", outside.get(_UNIT)),
        *(("a sample", each) for each in stated_units(frame)),
    ]
    scale = one_unit(path, stated)
    values = as_latencies(path, frame[latency.column], scale, where)
    labels = frame.drop(columns=[latency.column, _UNIT], errors="ignore")
    result = labels.rename(columns=label_names(labels.columns)).reset_index(drop=True)
    result.insert(0, LATENCY, values)
    for key, value in outside.items():
        label = label_names([key]).get(key, key)
        if label in LABELS and label not in result:
            result[label] = value
    return result
