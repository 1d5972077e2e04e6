"""Tables of runs: columns with units, grouped by a label."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from latitude._core import InputError
from latitude.files.reading import parsing, read_bytes
from latitude.files.tables import read_whole
from latitude.lab.results.stats import Column
from latitude.samples.csv_pieces import csv_pieces

_SCALE = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
_MOST_BYTES = 64 << 20
_MOST_COLUMNS = 10_000
_ROWS = 1 << 18
PLAIN = "1"
"""Unit of a column that is not a time, such as b."""
_NEITHER = "neither CSV with a header nor Parquet"
_SUFFIX = re.compile(r"_(ns|us|µs|ms|s)$")


def read_table(path: Path) -> pd.DataFrame:
    """Reads a file of CSV or Parquet; its content tells the format."""
    content = read_bytes(path, _MOST_BYTES)
    if not content:
        raise InputError(f"{path}: the file is empty")
    frame = _parquet(path, content) if content.startswith(b"PAR1") else _csv(path, content)
    if frame.empty:
        raise InputError(f"{path}: no rows in it")
    return frame


def _parquet(path: Path, content: bytes) -> pd.DataFrame:
    table = read_whole(content, str(path), _NEITHER)
    with parsing(str(path), _NEITHER):
        frame: pd.DataFrame = table.to_pandas()
    return frame


def _csv(path: Path, content: bytes) -> pd.DataFrame:
    # pandas compares the names of all columns with each other, which takes long for many columns.
    cells = max(line.count(b",") for line in content.splitlines()) + 1
    if cells > _MOST_COLUMNS:
        raise InputError(f"{path}: {cells:,} columns; at most {_MOST_COLUMNS:,} are read")
    pieces = list(csv_pieces(path, _ROWS))
    return pd.concat(pieces, ignore_index=True) if pieces else pd.DataFrame()


def column(frame: pd.DataFrame, name: str, units: Mapping[str, str], path: Path) -> Column:
    """A column by its name, with or without the unit suffix: `runtime` finds `runtime_s`."""
    found = _find(frame, name, path)
    unit = units.get(name) or units.get(found)
    if unit is None:
        match = _SUFFIX.search(found)
        if match is None:
            raise InputError(
                f"{path}: column '{found}' has no unit; name it {found}_us, or pass "
                f"--unit {found}=us ({found}=1 when it is no time)"
            )
        unit = match[1]
    if unit != PLAIN and unit not in _SCALE:
        raise InputError(f"column '{found}': unknown unit '{unit}'; use ns, us, ms, s, or 1")
    numbers = pd.to_numeric(frame[found], errors="coerce").to_numpy(dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        raise InputError(
            f"{path}: column '{found}', row {wrong[0] + 1}: '{frame[found].iloc[wrong[0]]}' is not "
            f"a finite number ({wrong.size} such); fill it in or leave the row out"
        )
    scale = _SCALE.get(unit, 1.0)
    return Column(
        name=_SUFFIX.sub("", found),
        unit=PLAIN if unit == PLAIN else "ns",
        values=numbers * scale,
    )


def _find(frame: pd.DataFrame, name: str, path: Path) -> str:
    names = [str(each) for each in frame.columns]
    if name in names:
        return name
    close = [each for each in names if _SUFFIX.sub("", each) == name]
    if len(close) == 1:
        return close[0]
    raise InputError(f"{path}: no column '{name}'; it has {', '.join(names)}")


def rows_by(frame: pd.DataFrame, by: Sequence[str], path: Path) -> list[tuple[str, pd.DataFrame]]:
    """The rows by the values of labels, in order of first appearance; one part without labels."""
    if not by:
        return [(path.stem, frame)]
    for label in by:
        if label not in frame.columns:
            raise InputError(f"{path}: no column '{label}' to group by")
    return [
        (", ".join(str(value) for value in values), part)
        for values, part in frame.groupby(list(by), sort=False, observed=True, dropna=False)
    ]
