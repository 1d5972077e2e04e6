"""JSON: a list of numbers or of records, an object of columns; and JSON lines.

A document is read whole; JSON lines are read in pieces.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from latitude._core import InputError
from latitude.samples.checks import Where, as_latencies
from latitude.samples.columns import LABELS, LATENCY, Latency, label_names, latency_column, one_unit

_UNIT = "unit"


def read_json(path: Path, unit: str | None, rows: int) -> Iterator[pd.DataFrame]:
    """Data frames of at most `rows` samples from JSON lines, else one."""
    with path.open(encoding="utf-8-sig") as file:
        try:
            first = json.loads(file.readline())
        except ValueError:
            first = None
        if isinstance(first, dict) and file.readline().strip():
            yield from _lines(path, unit, rows)
            return
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    yield _document(path, document, unit)


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
    try:
        frame = _rows(document)
    except ValueError as error:
        raise InputError(f"{path}: columns of unequal length") from error
    if frame.empty:
        raise InputError(f"{path}: no samples in it")
    return _converted(path, frame, outside, unit, lambda index: f"sample {index + 1}")


def _rows(document: Any) -> pd.DataFrame:
    if isinstance(document, list) and not (document and isinstance(document[0], dict)):
        return pd.DataFrame({"latency": pd.Series(document, dtype=object)})
    return pd.DataFrame(document)


def _lines(path: Path, unit: str | None, rows: int) -> Iterator[pd.DataFrame]:
    stated: str | None = None
    with path.open(encoding="utf-8-sig") as file:
        numbered = ((number, line) for number, line in enumerate(file, 1) if line.strip())
        while piece := list(islice(numbered, rows)):
            frame = pd.DataFrame([_record(path, number, line) for number, line in piece])
            column = stated_units(frame)
            stated = stated or (column[0] if column else None)
            places = [f"line {number}" for number, _ in piece]
            yield _converted(path, frame, {_UNIT: stated}, unit, places.__getitem__)


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise InputError(f"{path}: line {number}: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"{path}: line {number}: not a JSON object")
    return record


def stated_units(frame: pd.DataFrame) -> list[str]:
    """The units a unit column states."""
    return [str(each) for each in frame[_UNIT].unique()] if _UNIT in frame else []


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
