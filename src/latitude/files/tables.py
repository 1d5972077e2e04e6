"""Parquet files that others wrote: what they state is checked before it is read.

A file of a few kilobytes can state thousands of millions of rows, or have pages that unpack to
gigabytes.
"""

from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.files.reading import DAMAGED, parsing
from latitude.units.quantities import format_size

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MOST_ROWS = 1 << 29
"""Of a file that is read in pieces."""
_MOST_UNPACKED = 256 << 20
"""Bytes of a row group: of these a reader may have to hold all."""
_MOST_CELLS = 1 << 24
"""Of a table that is read at once."""


def check_stated(metadata: "pq.FileMetaData", place: str) -> None:
    """InputError where a file to be read in pieces is larger than `MOST_ROWS`, or its pieces are.

    Of a damaged file pyarrow can be asked for nothing of a column: it ends the process.

    Args:
        metadata: what it states.
        place: its name, for messages.
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
    """InputError where a file that was read has other than the stated number of rows."""
    if rows != metadata.num_rows:
        raise InputError(f"{place}: states {metadata.num_rows:,} rows and has {rows:,}: {DAMAGED}")


def read_whole(content: bytes, place: str, problem: str) -> "pa.Table":
    """The table that a small file holds, such as one of runs.

    Args:
        content: its bytes.
        place: its name, for messages.
        problem: what a file that is none is called.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415

    with parsing(place, problem):
        # Arrow's threads, started for a row, may still start when the process ends: it aborts.
        file = pq.ParquetFile(pa.BufferReader(content))
    cells = file.metadata.num_rows * file.metadata.num_columns
    if cells > _MOST_CELLS:
        raise InputError(
            f"{place}: a table of {cells:,} cells; at most {_MOST_CELLS:,} are read of one"
        )
    check_stated(file.metadata, place)
    with parsing(place, problem):
        table = file.read(use_threads=False)
    check_read(file.metadata, place, table.num_rows)
    return table
