"""Reads samples; the content of a file decides its format, not the name."""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

import pandas as pd

from latitude._core import InputError
from latitude.files.reading import open_regular
from latitude.samples.columns import LATENCY
from latitude.samples.documents import read_json
from latitude.samples.osu import is_osu, read_osu
from latitude.samples.parquet import read_parquet
from latitude.samples.perftest import is_perftest, read_perftest
from latitude.samples.store import SampleStore
from latitude.samples.text import read_text

ROWS = 1 << 18
"""Number of samples in a piece: 2 MiB of latencies."""
_HEAD = 1 << 16
_PARQUET = b"PAR1"


def read_samples(
    path: str | PathLike[str], *, unit: str | None = None, columns: Iterable[str] | None = None
) -> pd.DataFrame:
    """All samples of a file, or of a directory that is a `SampleStore`.

    Args:
        path: CSV, Parquet, JSON, JSON lines, a perftest dump (`ib_write_lat -U`), output of an OSU
            benchmark, or text with one number per line.
        unit: unit of the latencies if the file does not state one: ns, us, ms or s.
        columns: labels to read; by default all.

    Returns:
        Column `latency_ns` (float64), and the file's labels under Latitude's names: collective,
        bytes, ranks, nodes, placement, b, time, source. `attrs["notices"]` has warnings.

    Raises:
        InputError: the samples are invalid; the message names the line.
    """
    frames = list(iter_samples(path, unit=unit, columns=columns))
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


def iter_samples(
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    columns: Iterable[str] | None = None,
    rows: int = ROWS,
) -> Iterator[pd.DataFrame]:
    """The samples in pieces of at most `rows`, so that any number of them fits into memory.

    JSON documents, perftest and OSU files come in one piece. InputError: the file has no samples.
    """
    source = Path(path)
    wanted = None if columns is None else frozenset(columns)
    count = 0
    try:
        for frame in _pieces(source, unit, wanted, rows):
            count += len(frame)
            if wanted is None:
                yield frame
            else:
                yield frame[[name for name in frame if name == LATENCY or name in wanted]]
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: not text in UTF-8") from error
    except OSError as error:
        raise InputError(f"{error.filename or source}: {error.strerror or error}") from error
    if not count:
        raise InputError(f"{source}: no samples in it")


def _pieces(
    source: Path, unit: str | None, columns: frozenset[str] | None, rows: int
) -> Iterator[pd.DataFrame]:
    if source.is_dir():
        return SampleStore(source).iterate(columns, rows)
    with open_regular(source) as file:
        start = file.read(_HEAD)
    if start.startswith(_PARQUET):
        return read_parquet(source, unit, columns, rows)
    if b"\0" in start:
        raise InputError(
            f"{source}: not samples; give CSV, Parquet, JSON, a perftest -U dump, OSU output or "
            "one number per line (compressed files unpacked)"
        )
    head = start.decode("utf-8-sig", errors="replace")
    if head.lstrip()[:1] in ("{", "["):  # also if the whole file is one line
        return read_json(source, unit, rows)
    if len(start) == _HEAD:
        head = head[: head.rfind("\n") + 1]
    if is_osu(head):
        return iter([read_osu(source, unit)])
    if is_perftest(head):
        return iter([read_perftest(source, unit)])
    return read_text(source, head, unit, columns, rows)
