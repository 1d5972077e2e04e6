"""Samples of b over days: a directory of Parquet files, one per watcher and day.

A watcher rewrites its own file completely with every sample (2,880 rows per day at 30 s, some 100
kB). So every sample is on disk, and no file is ever half written. Several watchers, or a watcher
that was restarted, never touch each other's files.
"""

import time as clock
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude._core import InputError
from latitude.files.clock import now, stamp
from latitude.files.reading import parsing, read_bytes
from latitude.files.tables import read_whole
from latitude.files.writing import refuse_file, replace_with
from latitude.lab.results.background import Utilization

if TYPE_CHECKING:
    import pandas as pd

PREFIX = "b-"
_UNREADABLE = "not a Parquet file of samples"
_MOST_BYTES = 64 << 20


def row(sample: Utilization, time: datetime) -> dict[str, Any]:
    """A sample as a row of the table; columns as in docs/explanation/background.md."""
    values = sample.plain()
    values.pop("warnings")
    counts = values.pop("jobs")
    return {"time": time, **values, **{f"jobs_{name}": count for name, count in counts.items()}}


class Store:
    """The files of one watcher."""

    def __init__(self, directory: Path) -> None:
        refuse_file(directory)
        self._directory = directory
        self._rows: list[dict[str, Any]] = []
        self._path: Path | None = None
        self._day = ""

    def append(self, sample: Utilization, time: datetime) -> Path:
        """Puts a sample on disk; returns the file."""
        import pandas as pd  # noqa: PLC0415 - slow to import

        day = f"{time:%Y%m%d}"
        if self._path is None or day != self._day:
            self._path = self._directory / f"{PREFIX}{stamp(time)}.parquet"
            self._day, self._rows = day, []
        self._rows.append(row(sample, time))
        frame = pd.DataFrame(self._rows)
        replace_with(self._path, lambda path: frame.to_parquet(path, index=False), force=True)
        return self._path


def ticks(interval_s: float, count: int | None) -> Iterator[int]:
    """Waits from tick to tick without drift; skips ticks that are late by more than an interval."""
    start = clock.monotonic()
    done = due = 0
    while count is None or done < count:
        clock.sleep(max(0.0, start + due * interval_s - clock.monotonic()))
        yield done
        done += 1
        due = max(due + 1, int((clock.monotonic() - start) // interval_s))


def watch(
    measure: Callable[[], Utilization],
    directory: Path,
    *,
    interval_s: float,
    count: int | None = None,
    tell: Callable[[str], None],
) -> int:
    """Takes `count` samples, or samples until interrupted; returns the number taken.

    The first sample must succeed. If Slurm does not answer later, the samples have a gap, and
    `tell` gets a message.
    """
    store = Store(directory)
    taken = 0
    for tick in ticks(interval_s, count):
        try:
            sample = measure()
        except InputError as error:
            if tick == 0:
                raise
            tell(f"no sample: {error}")
            continue
        store.append(sample, now())
        taken += 1
    return taken


def read_watch(path: Path) -> "pd.DataFrame":
    """All samples of a watched directory (or one of its files), in order of time."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    files = sorted(path.glob(f"{PREFIX}*.parquet")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path}: no samples of b in it; make some with `background watch -o`")
    parts = []
    for file in files:
        table = read_whole(read_bytes(file, _MOST_BYTES), str(file), _UNREADABLE)
        with parsing(str(file), _UNREADABLE):
            parts.append(table.to_pandas())
        if not {"time", "b"} <= set(parts[-1].columns):
            raise InputError(f"{file}: no columns 'time' and 'b' in it")
        if not pd.api.types.is_datetime64_any_dtype(parts[-1]["time"]):
            raise InputError(f"{file}: column 'time' holds no times")
        if not pd.api.types.is_numeric_dtype(parts[-1]["b"]):
            raise InputError(f"{file}: column 'b' holds no numbers")
    with parsing(str(path), "its files are of different kinds"):
        together: pd.DataFrame = pd.concat(parts, ignore_index=True)
        ordered: pd.DataFrame = together.sort_values("time", ignore_index=True)
    return ordered
