"""Parquet files of others, whose stated sizes are checked before reading.

A file of a few kilobytes can state billions of rows, and its pages can unpack to gigabytes even if
it states less.
"""

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.files.reading import DAMAGED, parsing
from latitude.units.quantities import format_size

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MOST_ROWS = 1 << 29
"""Largest number of rows of a file that Latitude reads in pieces."""
_MOST_UNPACKED = 256 << 20
"""Largest unpacked size of a row group, bytes: a reader may have to hold a whole row group."""
_MOST_CELLS = 1 << 24
"""Largest number of cells of a table that Latitude reads at once."""
_MOST_MEMORY = 512 << 20
"""Largest memory for unpacking, bytes, in addition to the memory that the process has."""
_PAGE = resource.getpagesize()
_one_at_a_time = threading.Lock()


@contextmanager
def _unpacking(place: str, problem: str) -> Iterator[None]:
    """`parsing` of a Parquet file's content; also InputError if it takes more than `_MOST_MEMORY`.

    Arrow takes as much memory as a page states, or as one long text in many rows needs, and accepts
    no limit. So this function limits the address space of the process during the unpacking, which
    other threads may notice. It unpacks one file at a time. Arrow's own allocator may have reserved
    more memory before, so readers that are made in this context use malloc.

    Args:
        place: the file, for error messages.
        problem: description of a file that is not Parquet.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    with _one_at_a_time, parsing(place, problem):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        before, most = resource.getrlimit(resource.RLIMIT_AS)
        limits = (pages * _PAGE + _MOST_MEMORY, before, most)
        lowest = min(limit for limit in limits if limit != resource.RLIM_INFINITY)
        pool = pa.default_memory_pool()
        pa.set_memory_pool(pa.system_memory_pool())
        resource.setrlimit(resource.RLIMIT_AS, (lowest, most))
        try:
            yield
        except MemoryError as error:
            raise InputError(
                f"{place}: unpacking it takes more than {format_size(_MOST_MEMORY)}, the most that "
                "such a file may take; write it with smaller row groups and shorter texts"
            ) from error
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (before, most))
            pa.set_memory_pool(pool)


def open_parquet(source: "pa.NativeFile | str", place: str, problem: str) -> "pq.ParquetFile":
    """A file whose batches `unpacked` may give. Arguments and errors as for `_unpacking`."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    with _unpacking(place, problem):
        return pq.ParquetFile(source)


def unpacked(
    batches: "Iterator[pa.RecordBatch]", place: str, problem: str
) -> "Iterator[pa.RecordBatch]":
    """Record batches, each within the limit; they must be unpacked in the calling thread.

    Arguments and errors as for `_unpacking`.
    """
    while True:
        with _unpacking(place, problem):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def check_stated(metadata: "pq.FileMetaData", place: str) -> None:
    """Raises InputError if a file states too many rows, or a row group of it too many bytes.

    Asking pyarrow for a column of a damaged file would end the process, so this function asks for
    none.

    Args:
        metadata: the file's metadata.
        place: the name of the file, for error messages.
    """
    if metadata.num_rows > MOST_ROWS:
        raise InputError(
            f"{place}: holds {metadata.num_rows:,} rows, and at most {MOST_ROWS:,} are read; "
            "give a part of them"
        )
    for number in range(metadata.num_row_groups):
        unpacked = metadata.row_group(number).total_byte_size
        if unpacked > _MOST_UNPACKED:
            raise InputError(
                f"{place}: a row group takes {format_size(unpacked)}, and at most "
                f"{format_size(_MOST_UNPACKED)} are read; write it with row groups of 1,000,000 "
                "rows"
            )


def check_read(metadata: "pq.FileMetaData", place: str, rows: int) -> None:
    """Raises InputError if a file had another number of rows than it states."""
    if rows != metadata.num_rows:
        raise InputError(f"{place}: states {metadata.num_rows:,} rows and has {rows:,}: {DAMAGED}")


def read_whole(content: bytes, place: str, problem: str) -> "pa.Table":
    """The table in a small file, such as the file of a run.

    Args:
        content: the file's bytes.
        place: the name of the file, for error messages.
        problem: description of a file that is not Parquet.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    # If Arrow used threads for a few rows, threads that start late could abort the ending process.
    file = open_parquet(pa.BufferReader(content), place, problem)
    cells = file.metadata.num_rows * file.metadata.num_columns
    if cells > _MOST_CELLS:
        raise InputError(
            f"{place}: a table of {cells:,} cells; at most {_MOST_CELLS:,} are read of one"
        )
    check_stated(file.metadata, place)
    with _unpacking(place, problem):
        table = file.read(use_threads=False)
    check_read(file.metadata, place, table.num_rows)
    return table
