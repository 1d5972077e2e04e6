"""CSV with a header, and plain text with one number per line, read in pieces of bounded size."""

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from latitude._core import InputError
from latitude.samples.checks import as_latencies
from latitude.samples.columns import (
    LABELS,
    LATENCY,
    Latency,
    is_latency_name,
    label_names,
    latency_column,
    one_unit,
)
from latitude.samples.csv_pieces import csv_pieces, line_of

_COMMENT = re.compile(r"#\s*([\w.-]+)\s*[:=](.+)")
_UNIT_COLUMNS = ("unit", "units")


@dataclass(frozen=True, slots=True)
class Layout:
    """The separator of a file, the names in its header, and its comments."""

    separator: str
    columns: list[str]
    """Names in the header; empty without a header."""
    comments: dict[str, str] = field(default_factory=dict)
    """Comments `# key: value` above the data."""


def layout(path: Path, head: str) -> Layout:
    """Reads the comments and the header."""
    comments: dict[str, str] = {}
    for line in head.splitlines():
        if line.startswith("#"):
            if match := _COMMENT.fullmatch(line):
                comments[match[1].lower()] = match[2].strip()
        elif line.strip():
            return _columns(path, line, comments)
    raise InputError(f"{path}: no samples in it")


def _columns(path: Path, line: str, comments: dict[str, str]) -> Layout:
    plain = re.sub('"[^"]*"', "", line)
    separator = next((mark for mark in ",;\t" if mark in plain), r"\s+")
    if is_latency_name(line.strip()):  # such as `Latency (us)`
        separator = ","
    mark = " " if separator == r"\s+" else separator
    (cells,) = csv.reader([line.strip()], delimiter=mark, skipinitialspace=True)
    cells = [cell.strip() for cell in cells]
    if not all(_is_number(cell) for cell in cells):
        return Layout(separator, cells, comments)
    if len(cells) > 1:
        raise InputError(
            f"{path}: {len(cells)} columns without names; begin with a header line such as "
            "latency_us,collective,bytes"
        )
    return Layout(",", [], comments)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_text(
    path: Path, head: str, unit: str | None, columns: frozenset[str] | None, rows: int
) -> Iterator[pd.DataFrame]:
    """Data frames of at most `rows` samples, with the labels in `columns`.

    All columns are parsed, because otherwise pandas does not report lines with more cells than
    names, and reads 1,5 as 1.
    """
    found = layout(path, head)
    latency = latency_column(path, found.columns) if found.columns else Latency(LATENCY, None)
    options: dict[str, Any] = {"header": 0 if found.columns else None}
    options["names"] = found.columns or [LATENCY]
    units = _Units(path, found, latency, unit)
    begin = 0
    for piece in csv_pieces(
        path,
        rows,
        sep=found.separator,
        skipinitialspace=True,
        encoding="utf-8-sig",
        **options,
    ):
        where = _lines(path, begin, headers=1 if found.columns else 0)
        scale = units.of(piece, where)
        kept = piece[_wanted(found.columns, latency, columns)] if found.columns else piece
        yield _frame(path, kept, latency, scale, where, found.comments)
        begin += len(piece)


def _wanted(names: list[str], latency: Latency, columns: frozenset[str] | None) -> list[str]:
    """The requested columns, the latency's and the unit's; all columns without a request."""
    if columns is None:
        return names
    ours = label_names(names)
    needed = {latency.column, *_UNIT_COLUMNS}
    return [name for name in names if name in needed or ours.get(name, name) in columns]


def _frame(
    path: Path,
    piece: pd.DataFrame,
    latency: Latency,
    scale: float,
    where: Callable[[int], str],
    comments: dict[str, str],
) -> pd.DataFrame:
    values = as_latencies(path, piece[latency.column], scale, where)
    labels = piece.drop(columns=[latency.column, *_UNIT_COLUMNS], errors="ignore")
    frame = labels.rename(columns=label_names(labels.columns))
    frame.insert(0, LATENCY, values)
    for label in LABELS:
        if label in comments and label not in frame:
            number = pd.to_numeric(pd.Series([comments[label]]), errors="coerce")[0]
            frame[label] = comments[label] if pd.isna(number) else number
    return frame.reset_index(drop=True)


class _Units:
    """Collects stated units; a unit column must have the same unit in every line."""

    def __init__(self, path: Path, found: Layout, latency: Latency, unit: str | None) -> None:
        comments = found.comments
        self._path = path
        self._stated: list[tuple[str, str | None]] = [
            ("--unit", unit),
            (f"column '{latency.column}'", latency.unit),
            ("the comment", comments.get("unit") or comments.get("units")),
        ]
        self._scale: float | None = None

    def of(self, piece: pd.DataFrame, where: Callable[[int], str]) -> float:
        """Number of ns in the unit of this piece."""
        column = next((name for name in _UNIT_COLUMNS if name in piece), None)
        if column is not None:
            first = piece[column].drop_duplicates()
            self._stated += [(where(int(row)), str(unit)) for row, unit in _numbered(piece, first)]
            self._scale = None
        if self._scale is None:
            self._scale = one_unit(self._path, self._stated)
            self._stated = [each for each in self._stated if each[1]][:1]
        return self._scale


def _numbered(piece: pd.DataFrame, cells: pd.Series) -> list[tuple[int, object]]:
    """Position in the piece, and value, of each cell."""
    return list(zip(piece.index.get_indexer(cells.index).tolist(), cells.tolist(), strict=True))


def _lines(path: Path, begin: int, headers: int) -> Callable[[int], str]:
    """Function from an index in a piece to its line, which reads the file only for errors."""

    def where(index: int) -> str:
        number = line_of(path, begin + index + headers)
        return f"sample {begin + index + 1}" if number is None else f"line {number}"

    return where
