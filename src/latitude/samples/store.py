"""A directory of runs: one Parquet file per run, written whole; all are read as one table."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from latitude._core import InputError
from latitude.files.reading import check_regular, parsing
from latitude.files.tables import check_stated, open_parquet, unpacked
from latitude.files.writing import refuse_existing, replace_with, whole_files
from latitude.samples.checks import as_latencies
from latitude.samples.columns import LATENCY
from latitude.samples.parquet import UNREADABLE

_SUFFIX = ".parquet"
_NAME = re.compile(r"[\w.+=@-]+")


class SampleStore:
    """A store of samples from many runs.

    >>> store = SampleStore("runs")
    >>> store.write("allreduce-16", samples)  # runs/allreduce-16.parquet
    >>> store.read(where=ds.field("bytes") == 1024)
    """

    def __init__(self, directory: str | PathLike[str]) -> None:
        self.directory = Path(directory)

    def write(self, run: str, samples: pd.DataFrame, *, force: bool = False) -> Path:
        """Adds a run; the column `source` gets the run's name if the samples lack this column."""
        if not _NAME.fullmatch(run) or run.startswith("."):
            raise InputError(f"run name '{run}': use letters, digits and . _ + = @ - only")
        if LATENCY not in samples:
            raise InputError(f"run {run}: the samples have no column {LATENCY}")
        path = self.directory / f"{run}{_SUFFIX}"
        refuse_existing([path], force=force)
        table = pa.Table.from_pandas(_named(samples, run), preserve_index=False)
        index = table.schema.get_field_index(LATENCY)
        field = table.schema.field(index).with_metadata({"unit": "ns"})
        table = table.cast(table.schema.set(index, field))
        replace_with(
            path, lambda target: pq.write_table(table, target, compression="zstd"), force=force
        )
        return path

    def runs(self) -> list[str]:
        """Names of all runs."""
        return [path.stem for path in self._files()]

    def read(
        self, *, columns: Iterable[str] | None = None, where: ds.Expression | None = None
    ) -> pd.DataFrame:
        """One table of all runs, with empty cells for labels that a run lacks."""
        dataset = self._dataset()
        names = dataset.schema.names if columns is None else _known(dataset, columns)
        schema = pa.schema([dataset.schema.field(name) for name in names])
        table = pa.Table.from_batches(self._batches(dataset, names, filter=where), schema)
        with parsing(str(self.directory), UNREADABLE):
            frame: pd.DataFrame = table.to_pandas()
        return frame

    def iterate(self, columns: Iterable[str] | None, rows: int) -> Iterator[pd.DataFrame]:
        """The table of all runs in pieces of at most `rows`, with valid latencies."""
        dataset = self._dataset()
        if LATENCY not in dataset.schema.names:
            raise InputError(f"{self.directory}: its files have no column {LATENCY}")
        wanted = None if columns is None else _known(dataset, (LATENCY, *columns))
        begin = 0
        for batch in self._batches(dataset, wanted, batch_size=rows):
            if len(batch):
                with parsing(str(self.directory), UNREADABLE):
                    piece: pd.DataFrame = batch.to_pandas(use_threads=False)
                where = partial(_row, begin)
                piece[LATENCY] = as_latencies(self.directory, piece[LATENCY], 1.0, where)
                yield piece
                begin += len(piece)

    def _batches(
        self, dataset: ds.Dataset, names: list[str] | None, **options: Any
    ) -> Iterator[pa.RecordBatch]:
        """Yields batches without threads and without reading ahead, each unpacked on demand."""
        batches = dataset.to_batches(
            columns=names,
            memory_pool=pa.system_memory_pool(),
            use_threads=False,
            batch_readahead=0,
            fragment_readahead=0,
            **options,
        )
        return unpacked(batches, str(self.directory), UNREADABLE)

    def _files(self) -> list[Path]:
        return whole_files(self.directory, f"*{_SUFFIX}")

    def _dataset(self) -> ds.Dataset:
        files = self._files()
        if not files:
            raise InputError(f"{self.directory}: no {_SUFFIX} files in it")
        schemas = []
        for path in files:
            check_regular(path)
            stated = open_parquet(str(path), str(path), UNREADABLE).metadata
            with parsing(str(path), UNREADABLE):
                schemas.append(stated.schema.to_arrow_schema().remove_metadata())
            check_stated(stated, str(path))
        with parsing(str(self.directory), UNREADABLE):
            schema = pa.unify_schemas(schemas, promote_options="permissive")
            return ds.dataset([str(path) for path in files], schema=schema, format="parquet")


def _row(begin: int, index: int) -> str:
    return f"row {begin + index + 1:,} of all files"


def _named(samples: pd.DataFrame, run: str) -> pd.DataFrame:
    frame = samples.copy(deep=False)
    frame.attrs = {}
    if "source" not in frame:
        frame["source"] = run
    return frame


def _known(dataset: ds.Dataset, columns: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(columns) if name in dataset.schema.names]
