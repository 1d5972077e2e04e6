"""What a run leaves: a Parquet file of one row, with its provenance as metadata.

`DIR/runs/RUNID.parquet` is the last attempt of a run, `DIR/failed/RUNID-ATTEMPT.parquet` an earlier
one that failed. A file appears whole, and the first one of a name stays.
"""

import dataclasses
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude._core import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

NONE, CONSTANT, DISTRIBUTION, SWEEP, LOAD = "none", "constant", "distribution", "sweep", "load"
KINDS = (NONE, CONSTANT, DISTRIBUTION, SWEEP, LOAD)
OK, FAILED, TIMEOUT = "ok", "failed", "timeout"
STATUSES = (OK, FAILED, TIMEOUT)

RUNS, FAILURES = "runs", "failed"
"""Folders of a campaign's directory."""

_SUFFIX = ".parquet"
_PROVENANCE = b"latitude.campaign.run/1"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program at one level. Times are ns, dates ISO 8601 in UTC."""

    run_id: str
    campaign: str
    program: str
    ranks: int | None
    level: str
    """Its name."""
    family: str | None
    """Levels of one family have one mean."""
    kind: str
    """One of KINDS."""
    layer: str | None
    """flow, verbs, or None where nothing is injected."""
    asked_mean_ns: float
    asked_sd_ns: float
    """Of the table that latencies are drawn from; 0 where nothing is injected."""
    achieved_mean_ns: float | None
    achieved_sd_ns: float | None
    """Over all delayed messages of all ranks."""
    load: float | None
    """Share of the bandwidth: generated when `kind` is load; else the one it stands for."""
    seed: int
    """Of the injector."""
    repetition: int
    """From 1."""
    order: int
    """Place in the campaign's random order, from 1."""
    attempt: int
    """From 1."""
    status: str
    """One of STATUSES."""
    exit_code: int | None
    """As a shell reports it: 128 + n for signal n."""
    runtime_ns: float | None
    """As the program's `runtime` says; None when the run is not ok."""
    wall_ns: float
    """From the start of the launch line to its end."""
    messages: int | None
    """Delayed by the injector."""
    started: str
    host: str
    """That the launch line was started on."""
    nodes: str | None
    """That the ranks ran on, folded: node[1-4]."""
    b_before: float | None
    b_after: float | None
    """Background traffic of [B] eq. 2, where it was asked for."""
    error: str | None
    """Why the run is not ok, in a line."""


def write_run(path: Path, run: Run, provenance: Mapping[str, Any]) -> bool:
    """Writes the file whole; False, and nothing done, when there is one already.

    InputError when the directory cannot be written.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    from pyarrow import parquet  # noqa: PLC0415

    row = {name: [value] for name, value in dataclasses.asdict(run).items()}
    text = json.dumps(provenance, ensure_ascii=False).encode()
    table = pa.table(row, schema=_schema().with_metadata({_PROVENANCE: text}))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise _unwritable(path, error) from error
    temporary = Path(name)
    try:
        parquet.write_table(table, temporary)
        temporary.chmod(0o644)
        # A link is made only where there is no file, even on NFS; a rename would replace one.
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    return True


def read_run(path: Path) -> tuple[Run, dict[str, Any]]:
    """A run and its provenance. InputError when the file is none of ours."""
    table = _table(path)
    metadata = table.schema.metadata or {}
    return Run(**table.select(_names()).to_pylist()[0]), json.loads(metadata[_PROVENANCE])


def read_runs(directory: str | os.PathLike[str], *, failures: bool = False) -> "pd.DataFrame":
    """All runs of a campaign's directory, one a row, in the order they were started.

    Integers are pandas' Int64; what is missing is NaN or <NA>: ask with `isna`.

    Args:
        directory: the campaign's.
        failures: failed attempts that were followed by another one, too.

    Raises:
        InputError: no runs in it, or a file that is none of ours.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415

    root = Path(directory)
    paths = run_files(root, failures=failures)
    if not paths:
        raise InputError(f"{root}: no runs in it; `latitude campaign run` makes them")
    table = pa.concat_tables([_table(path).select(_names()) for path in paths])
    integers: dict[pa.DataType, Any] = {pa.int64(): pd.Int64Dtype()}
    frame: pd.DataFrame = table.sort_by([("started", "ascending")]).to_pandas(
        types_mapper=integers.get
    )
    return frame


def run_files(directory: Path, *, failures: bool = False) -> list[Path]:
    """The runs' files, by name; hidden ones are those still being written."""
    folders = (RUNS, FAILURES) if failures else (RUNS,)
    found = [path for folder in folders for path in (directory / folder).glob(f"*{_SUFFIX}")]
    return sorted(path for path in found if not path.name.startswith("."))


def run_file(directory: Path, run_id: str) -> Path:
    """Where a run's last attempt stands."""
    return directory / RUNS / f"{run_id}{_SUFFIX}"


def failure_file(directory: Path, run_id: str, attempt: int) -> Path:
    """Where a failed attempt stands that is followed by another one."""
    return directory / FAILURES / f"{run_id}-{attempt}{_SUFFIX}"


def _table(path: Path) -> "pa.Table":
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    from pyarrow import parquet  # noqa: PLC0415

    try:
        with parquet.ParquetFile(path) as file:
            table = file.read()
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path}: not a readable Parquet file: {error}") from error
    missing = [name for name in _names() if name not in table.schema.names]
    if missing or table.num_rows != 1 or _PROVENANCE not in (table.schema.metadata or {}):
        raise InputError(f"{path}: not a run of a campaign; move it out of the directory")
    return table


def _schema() -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}
    return pa.schema(
        [
            pa.field(field.name, types[each[0]], nullable=len(each) > 1)
            for field in dataclasses.fields(Run)
            for each in [_type_name(field).split(" | ")]
        ]
    )


def _type_name(field: "dataclasses.Field[Any]") -> str:
    return field.type.__name__ if isinstance(field.type, type) else str(field.type)


def _names() -> list[str]:
    return [field.name for field in dataclasses.fields(Run)]


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be written: {error.strerror or error}")
