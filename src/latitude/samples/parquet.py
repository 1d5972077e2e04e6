"""Parquet files, one or many read as one table."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from latitude._core import InputError
from latitude.samples.checks import Where, as_latencies
from latitude.samples.columns import LATENCY, label_names, latency_column, one_unit
from latitude.samples.documents import stated_units

_UNIT = "unit"


def read_parquet(
    path: Path, unit: str | None, columns: frozenset[str] | None, rows: int
) -> Iterator[pd.DataFrame]:
    """Data frames of at most `rows` samples."""
    begin = 0
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            latency = latency_column(path, [name for name in names if name != _UNIT])
            field = file.schema_arrow.field(latency.column)
            meta = (field.metadata or {}).get(b"unit", b"").decode()
            stated = [("--unit", unit), (f"column '{latency.column}'", latency.unit)]
            stated += [("the column's metadata", meta)]
            wanted = _wanted(names, latency.column, columns)
            for batch in file.iter_batches(batch_size=rows, columns=wanted):
                piece = batch.to_pandas()
                here = [("a row", each) for each in stated_units(piece)]
                scale = one_unit(path, [*stated, *here])
                stated = [*stated, *here[:1]]
                values = as_latencies(path, piece[latency.column], scale, _rows(begin))
                labels = piece.drop(columns=[latency.column, _UNIT], errors="ignore")
                frame = labels.rename(columns=label_names(labels.columns))
                frame.insert(0, LATENCY, values)
                yield frame
                begin += len(piece)
    except pa.ArrowException as error:
        raise InputError(f"{path}: not a readable Parquet file: {error}") from error


def _wanted(names: Sequence[str], latency: str, columns: frozenset[str] | None) -> list[str] | None:
    if columns is None:
        return None
    ours = label_names(names)
    return [name for name in names if name in (latency, _UNIT) or ours.get(name, name) in columns]


def _rows(begin: int) -> Where:
    return lambda index: f"row {begin + index + 1}"
