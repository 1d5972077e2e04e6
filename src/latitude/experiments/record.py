"""Reads and writes runs: one Parquet file per run, with one row and its provenance.

`DIR/runs/RUNID.parquet` is the last attempt of a run, and `DIR/failed/RUNID-ATTEMPT.parquet` an
earlier, failed attempt. Files appear whole, and the first file of a name stays.
"""

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude._core import InputError
from latitude.files.reading import json_value, parsing, read_bytes
from latitude.files.tables import read_whole
from latitude.files.writing import whole_files, write_first
from latitude.results.runs import RunRecord

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

RUNS, FAILURES = "runs", "failed"
"""Folders of the directory of a campaign or a validation."""

_SUFFIX = ".parquet"
_MOST_BYTES = 64 << 20
_UNREADABLE = "not a readable Parquet file"
_REMEDY = "move it out of the directory, and the run is made again"
_PROVENANCE = b"latitude.campaign.run/2"
_DIGEST = b"latitude.campaign.run.sha256"


def write_run(path: Path, run: RunRecord, provenance: Mapping[str, Any]) -> bool:
    """Writes the file whole; does nothing and returns False if the file exists.

    InputError: the directory is not writable.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    from pyarrow import parquet  # noqa: PLC0415

    row = {name: [value] for name, value in dataclasses.asdict(run).items()}
    text = json.dumps(provenance, ensure_ascii=False).encode()
    table = pa.table(row, schema=_schema())
    digest = _digest(table, text)
    table = table.replace_schema_metadata({_PROVENANCE: text, _DIGEST: digest})
    return write_first(path, lambda target: parquet.write_table(table, target))


def read_run(path: Path) -> tuple[RunRecord, dict[str, Any]]:
    """A run and its provenance. InputError: the file has another format."""
    table = _table(path)
    provenance = table.schema.metadata[_PROVENANCE]
    row = table.select(_names()).to_pylist()[0]
    return RunRecord(**row), json_value(provenance, f"{path}: provenance")


def read_runs(directory: str | os.PathLike[str], *, failures: bool = False) -> "pd.DataFrame":
    """All runs of a campaign's directory, one per row, in the order of their starts.

    Integers are pandas' Int64. Missing values are NaN or <NA>, so test with `isna`.

    Args:
        directory: the campaign's directory.
        failures: includes failed attempts that another attempt followed.

    Raises:
        InputError: the directory has no runs, or has a file of another format.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    root = Path(directory)
    paths = run_files(root, failures=failures)
    if not paths:
        raise InputError(f"{root}: no runs in it; `latitude campaign run` makes them")
    return _frame(pa.concat_tables([_table(path).select(_names()) for path in paths]))


def frame_of(runs: Sequence[RunRecord]) -> "pd.DataFrame":
    """The data frame of `read_runs`, from runs that are not on disk."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    columns = {name: [getattr(run, name) for run in runs] for name in _names()}
    return _frame(pa.table(columns, schema=_schema()))


def _frame(table: "pa.Table") -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415

    integers: dict[pa.DataType, Any] = {pa.int64(): pd.Int64Dtype()}
    frame: pd.DataFrame = table.to_pandas(types_mapper=integers.get, use_threads=False)
    ordered: pd.DataFrame = frame.sort_values("started", kind="stable", ignore_index=True)
    return ordered


def run_files(directory: Path, *, failures: bool = False) -> list[Path]:
    """Lists the files of the runs."""
    folders = (RUNS, FAILURES) if failures else (RUNS,)
    return sorted(
        path for folder in folders for path in whole_files(directory / folder, f"*{_SUFFIX}")
    )


def run_file(directory: Path, run_id: str) -> Path:
    """Path of a run's last attempt."""
    return directory / RUNS / f"{run_id}{_SUFFIX}"


def failure_file(directory: Path, run_id: str, attempt: int) -> Path:
    """Path of a failed attempt that another attempt follows."""
    return directory / FAILURES / f"{run_id}-{attempt}{_SUFFIX}"


def _table(path: Path) -> "pa.Table":
    """The file's table, after a check of its digest."""
    table = read_whole(read_bytes(path, _MOST_BYTES), str(path), _UNREADABLE)
    with parsing(str(path), _UNREADABLE):
        metadata = table.schema.metadata or {}
        found = {field.name: field.type for field in table.schema}
        ours = table.num_rows == 1 and _PROVENANCE in metadata
        ours = ours and all(found.get(field.name) == field.type for field in _schema())
        damaged = ours and _digest(table, metadata[_PROVENANCE]) != metadata.get(_DIGEST)
    if not ours:
        raise InputError(f"{path}: not a run of a campaign; move it out of the directory")
    if damaged:
        raise InputError(
            f"{path}: damaged: its contents do not have the SHA-256 that they were written with; "
            f"{_REMEDY}"
        )
    _check_place(path, table)
    return table


def _check_place(path: Path, table: "pa.Table") -> None:
    """Raises InputError if the file has the name of another run, which would then count twice."""
    run_id, attempt = (table.column(name)[0].as_py() for name in ("run_id", "attempt"))
    names = {RUNS: run_id, FAILURES: f"{run_id}-{attempt}"}
    if path.stem != names.get(path.parent.name, path.stem):
        raise InputError(f"{path}: holds attempt {attempt} of run {run_id}; {_REMEDY}")


def _digest(table: "pa.Table", provenance: bytes) -> bytes:
    """SHA-256 of the file's content, in hexadecimal."""
    row = json.dumps(table.select(_names()).to_pylist(), sort_keys=True)
    return hashlib.sha256(row.encode() + provenance).hexdigest().encode()


def _schema() -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}
    return pa.schema(
        [
            pa.field(field.name, types[each[0]], nullable=len(each) > 1)
            for field in dataclasses.fields(RunRecord)
            for each in [_type_name(field).split(" | ")]
        ]
    )


def _type_name(field: "dataclasses.Field[Any]") -> str:
    return field.type.__name__ if isinstance(field.type, type) else str(field.type)


def _names() -> list[str]:
    return [field.name for field in dataclasses.fields(RunRecord)]
