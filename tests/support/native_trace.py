"""A little encoder of docs/internals/trace-format.md: the trace of a ring of ranks."""

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .mpi.lat_format import crc32c

RANKS = 3
MESSAGES = 5
PROC_NULL = -2


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def varints(values: NDArray[np.int64]) -> bytes:
    """`varint` of each of many values that are not negative, one after the other."""
    most = max(1, -(-int(values.max(initial=0)).bit_length() // 7))
    left = values[:, None] >> 7 * np.arange(most)
    digits = (left & 0x7F).astype(np.uint8)
    kept = left > 0
    kept[:, 0] = True
    digits[:, :-1][kept[:, 1:]] |= 0x80
    return digits[kept].tobytes()


def zigzagged(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The results of `zigzag` for many values, for `varint` to write."""
    return np.where(values >= 0, values << 1, (-values << 1) - 1)


def text(value: str) -> bytes:
    """A string, in which lone surrogates stand for bytes that are not UTF-8."""
    content = value.encode(errors="surrogateescape")
    return varint(len(content)) + content


class Writer:
    """One rank's file: chunks numbered and checksummed."""

    def __init__(self, rank: int, ranks: int, run: int = 1, flags: int = 0) -> None:
        self.file = b"LATITUDE" + struct.pack("<HHIIIQ", 1, 32, rank, ranks, flags, run)
        self._sequence = 0

    def chunk(
        self, kind: int, records: int, payload: bytes, time: int = 0, thread: int = 0
    ) -> None:
        head = b"LTCK" + struct.pack(
            "<HHIIQI", kind, thread, len(payload), records, time, self._sequence
        )
        self.file += head + struct.pack("<I", crc32c(head + payload)) + payload
        self._sequence += 1


CALLS = {"MPI_Init": "", "MPI_Send": "cptb", "MPI_Recv": "cptbs", "MPI_Finalize": ""}
SITE_OFFSET = 0x1234
SEVERAL_CLOCKS = 2


def rank_file(
    rank: int,
    ranks: int = RANKS,
    run: int = 1,
    *,
    events: int | None = None,
    host: str = "a",
    module: str = "/bin/app",
    unseen: str = "MPI_Wtime",
    closed: bool = True,
    command: object = None,
    clock: tuple[int, int] | None = None,
) -> bytes:
    """A ring: each rank sends to the next and receives from the one before, MESSAGES times.

    `events` stops after that number, without an end chunk. `unseen` is a call that is only counted,
    `command` the program's words. `clock` is an offset of its times and the error of that offset,
    ns (other ranks have one, too). Unless `closed`, the last rank's next and the first one's
    previous are MPI_PROC_NULL.
    """
    following = (rank + 1) % ranks if closed or rank + 1 < ranks else PROC_NULL
    before = (rank - 1) % ranks if closed or rank else PROC_NULL
    writer = Writer(rank, ranks, run, 0 if clock is None else SEVERAL_CLOCKS)
    meta = {"cores": 8, "ranks_on_host": 3, "null_gap_ns": 0, "host": host, "command": command}
    writer.chunk(1, 1, text(json.dumps(meta)))
    writer.chunk(2, len(CALLS), b"".join(text(n) + text(s) for n, s in CALLS.items()))
    base = 0x5000 * (rank + 1)
    mapped = varint(base) + varint(base + 0x4000) + varint(base)
    writer.chunk(3, 1, mapped + text(module) + text("ab12"))
    writer.chunk(4, 1, varint(base + SITE_OFFSET))
    send = b"\1" + varint(1000) + varint(500) + b"\1" + b"\0"
    send += zigzag(following) + zigzag(4) + varint(64)
    receive = b"\2" + varint(10) + varint(500) + b"\0\0"
    receive += zigzag(before) + zigzag(4) + varint(64) + b"\0"
    records = [b"\0" + varint(5) + varint(90) + b"\0", *[send, receive] * MESSAGES]
    records.append(b"\3" + varint(200) + varint(7) + b"\0")
    time = 1000 * rank
    _compared(writer, clock, 1)
    for record in records[:events]:
        writer.chunk(6, 1, record, time)
        time += 10_000_000
    if events is None:
        _compared(writer, clock, time)
        counts = {"MPI_Init": 1, "MPI_Send": MESSAGES, "MPI_Recv": MESSAGES, unseen: 7}
        counts["MPI_Finalize"] = 1
        end = b"".join(text(name) + varint(count) for name, count in counts.items())
        writer.chunk(7, 1, b"\0" + varint(len(counts)) + end)
    return writer.file


def _compared(writer: Writer, clock: tuple[int, int] | None, own: int) -> None:
    if clock is not None:
        offset, error = clock
        writer.chunk(8, 1, varint(own) + zigzag(offset) + varint(error))


def write(directory: Path, files: dict[int, bytes], suffix: str = "") -> Path:
    directory.mkdir()
    (directory / "trace.json").write_text("{}")
    for rank, content in files.items():
        (directory / f"rank-{rank:07}.lat{suffix}").write_bytes(content)
    return directory
