"""Latitude checks the sizes that Parquet files state before reading them."""

import io
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hostile.cases import parquet_of_one_text
from latitude import InputError
from latitude.files import tables


def _file(rows: int) -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table({"a": [1.5] * rows, "b": ["x"] * rows}), content)
    return content.getvalue()


def test_a_small_table_is_read_whole() -> None:
    table = tables.read_whole(_file(3), "t.parquet", "no table")
    assert table.to_pydict() == {"a": [1.5] * 3, "b": ["x"] * 3}


@pytest.mark.thorough
def test_many_cells_in_few_bytes_are_refused_before_they_are_read() -> None:
    content = _file(1 << 23)
    assert len(content) < 100_000
    assert tables.read_whole(content, "t.parquet", "no table").num_rows == 1 << 23
    with pytest.raises(InputError, match=r"^t.parquet: a table of 16,777,218 cells; at most 16,"):
        tables.read_whole(_file((1 << 23) + 1), "t.parquet", "no table")


READS = """
import resource
import sys
import pyarrow as pa
from latitude import InputError
from latitude.files import tables

content = sys.stdin.buffer.read()
pa.array([1.5] * 1000)  # Arrow's allocator reserves what it may need
before = resource.getrlimit(resource.RLIMIT_AS), pa.default_memory_pool().backend_name
try:
    tables.read_whole(content, "t.parquet", "no table")
except InputError as error:
    print(error)
file = tables.open_parquet(pa.BufferReader(content), "t.parquet", "no table")
try:
    list(tables.unpacked(file.iter_batches(), "t.parquet", "no table"))
except InputError as error:
    print(error)
assert before == (resource.getrlimit(resource.RLIMIT_AS), pa.default_memory_pool().backend_name)
"""


@pytest.mark.thorough
def test_one_text_in_many_rows_is_refused_where_it_takes_too_much() -> None:
    """The process is new, because memory that others have freed would raise the limit."""
    content = parquet_of_one_text(1000)
    stated = pq.read_metadata(io.BytesIO(content))
    assert len(content) < 5_000
    assert stated.row_group(0).total_byte_size < 2_000_000
    done = subprocess.run(
        [sys.executable, "-c", READS], input=content, capture_output=True, check=True
    )
    message = "t.parquet: unpacking it takes more than 512 MiB, the most that such a file may take"
    said = done.stdout.decode().splitlines()
    assert [line.partition(";")[0] for line in said] == [message] * 2
    assert tables.read_whole(parquet_of_one_text(10), "t.parquet", "no table").num_rows == 10


def test_what_is_no_parquet_is_called_what_the_caller_says() -> None:
    with pytest.raises(InputError, match=r"^t.parquet: no table \("):
        tables.read_whole(b"PAR1 and more", "t.parquet", "no table")


def test_rows_that_are_stated_and_missing() -> None:
    metadata = pq.read_metadata(io.BytesIO(_file(3)))
    tables.check_read(metadata, "t.parquet", 3)
    with pytest.raises(InputError, match="states 3 rows and has 2: the file is truncated"):
        tables.check_read(metadata, "t.parquet", 2)
