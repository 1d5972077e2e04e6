"""Samples on disk, one file per batch, so that a killed run loses at most one batch."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.reading import parsing, read_bytes, read_text
from latitude.files.tables import read_whole
from latitude.files.writing import replace_with, write_new

_MOST_BYTES = 1 << 24
_MOST_OF_A_BATCH = 1 << 28
_DAMAGED = "no samples of a forecast; remove it, or start anew with --force"
_STATE = "_samples.json"
"""File with the state; readers of the directory skip it, because its name begins with _."""


class SampleBatches:
    """A directory of Parquet files with the columns `sample` and `T_ns`."""

    def __init__(
        self, directory: Path, state: Mapping[str, object], *, resume: bool, force: bool = False
    ) -> None:
        """Opens or makes the directory.

        Args:
            directory: the directory of the files.
            state: everything on which the samples depend; samples of another state are an error.
            resume: continue with the present samples.
            force: without `resume`, replace the present samples; otherwise they are an error.
        """
        self._directory = directory
        found = directory / _STATE
        if force and not resume:
            for path in (*directory.glob("samples-*.parquet"), found):
                path.unlink(missing_ok=True)
        text = json.dumps(state, indent=1, ensure_ascii=False) + "\n"
        if found.exists():
            if not resume:
                raise InputError(
                    f"{directory}: has samples already; pass --resume to continue with them, "
                    "--force "
                    "to replace them, or another directory"
                )
            if read_text(found, _MOST_BYTES) != text:
                raise InputError(
                    f"{directory}: has samples of another forecast (input, model, latency or seed "
                    "differ); give another directory"
                )
        else:
            write_new(found, text, force=False)

    def read(self) -> Floats:
        """The samples from 0 up to the first gap."""
        parts: list[Floats] = []
        count = 0
        for path in sorted(self._directory.glob("samples-*.parquet")):
            table = read_whole(read_bytes(path, _MOST_OF_A_BATCH), str(path), _DAMAGED)
            with parsing(str(path), _DAMAGED):
                first = table.column("sample")[0].as_py()
                values = table.column("T_ns").to_numpy().astype(np.float64, casting="safe")
            if first != count:
                break
            if not np.isfinite(values).all():
                raise InputError(f"{path}: {_DAMAGED}")
            parts.append(values)
            count += parts[-1].size
        return np.concatenate(parts) if parts else np.empty(0)

    def add(self, first: int, T: Floats) -> None:
        """Keeps the samples from `first` on."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import
        from pyarrow import parquet  # noqa: PLC0415

        table = pa.table({"sample": np.arange(first, first + T.size), "T_ns": T})
        path = self._directory / f"samples-{first:012d}.parquet"
        replace_with(path, lambda target: parquet.write_table(table, target), force=True)
