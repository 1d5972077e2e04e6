"""Reads a Parquet file in pieces."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from latitude._core import InputError
from latitude.files.reading import open_regular, parsing
from latitude.files.tables import check_read, check_stated, open_parquet, unpacked
from latitude.samples.checks import Where, as_latencies
from latitude.samples.columns import LATENCY, label_names, latency_column, one_unit
from latitude.samples.documents import stated_units

_UNIT = "unit"
UNREADABLE = "not a readable Parquet file"


def read_parquet(
    path: Path, unit: str | None, columns: frozenset[str] | None, rows: int
) -> Iterator[pd.DataFrame]:
    """Data frames of at most `rows` samples.

    Arrow reads in its own threads, which crash at exit if they hold a Python object. So Arrow opens
    the file's descriptor itself.
    """
    begin = 0
    with open_regular(path) as opened, pa.OSFile(f"/dev/fd/{opened.fileno()}") as native:
        file = open_parquet(native, str(path), UNREADABLE)
        with parsing(str(path), UNREADABLE):
            schema = file.schema_arrow
            names = _distinct(path, schema.names)
        latency = latency_column(path, [name for name in names if name != _UNIT])
        with parsing(str(path), UNREADABLE):
            field = schema.field(latency.column)
            meta = (field.metadata or {}).get(b"unit", b"").decode()
        stated = [("--unit", unit), (f"column '{latency.column}'", latency.unit)]
        stated += [("the column's metadata", meta)]
        wanted = _wanted(names, latency.column, columns)
        check_stated(file.metadata, str(path))
        batches = file.iter_batches(batch_size=rows, columns=wanted, use_threads=False)
        for batch in unpacked(batches, str(path), UNREADABLE):
            with parsing(str(path), UNREADABLE):
                piece = batch.to_pandas(use_threads=False)
            here = [("a row", each) for each in stated_units(piece)]
            scale = one_unit(path, [*stated, *here])
            stated = [*stated, *here[:1]]
            values = as_latencies(path, piece[latency.column], scale, _rows(begin))
            labels = piece.drop(columns=[latency.column, _UNIT], errors="ignore")
            frame = labels.rename(columns=label_names(labels.columns))
            frame.insert(0, LATENCY, values)
            yield frame
            begin += len(piece)
        check_read(file.metadata, str(path), begin)


def _distinct(path: Path, names: Sequence[str]) -> Sequence[str]:
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two columns have one name")
    return names


def _wanted(names: Sequence[str], latency: str, columns: frozenset[str] | None) -> list[str] | None:
    if columns is None:
        return None
    ours = label_names(names)
    return [name for name in names if name in (latency, _UNIT) or ours.get(name, name) in columns]


def _rows(begin: int) -> Where:
    return lambda index: f"row {begin + index + 1}"
