"""The properties of a recorded run, read from its trace (docs/internals/trace-format.md).

This module reads only headers and the first and last chunk; the core reads the events.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from latitude._core import InputError
from latitude.files.reading import json_value, open_regular
from latitude.trace.symbols.location import Module

PATTERN = "rank-*.lat"
PLACES = "places.json"
"""The file with the source places of a trace's call sites, in the trace's folder."""

_HEADER = struct.Struct("<8sHHIIIQ")
_MAGIC = b"LATITUDE"
_CHUNK = struct.Struct("<4sHHIIQII")
_CHUNK_MAGIC = b"LTCK"
_META, _MODULES, _EVENTS, _END, _CLOCKS = 1, 3, 6, 7, 8
_MOST_META = 1 << 20
_LONGEST_SHIFT = 63
_NUMBERS = ("cores", "ranks_on_host", "null_gap_ns", "launched")
_TEXTS = ("clock", "host", "tracer")
_MOST = 2.0**63
_LONGEST_NAME = 60
ENDINGS = ("finalised", "exit", "abort")


def name_of(rank: int) -> str:
    """The name of a rank's file."""
    return PATTERN.replace("*", f"{rank:07d}")


@dataclass(slots=True)
class RankFile:
    """One rank's file."""

    rank: int
    ranks: int
    """Size of MPI_COMM_WORLD."""
    run: int
    size: int
    """Size of the file, bytes."""
    meta: dict[str, Any] = field(default_factory=dict)
    events: int = 0
    event_bytes: int = 0
    """Size of the chunks with events, bytes."""
    ending: str | None = None
    """One of ENDINGS; None if the file has no end, because the process was killed or the disk was
    full."""
    counts: dict[str, int] | None = None
    """Number of calls by name, including calls without an event; None if the file has no end."""

    clock_error_ns: int | None = None
    """Largest error of the rank's times by the clock of rank 0's host, ns; None on one host."""

    @property
    def calls(self) -> int:
        """Number of calls, or of recorded events if the file has no end."""
        return self.events if self.counts is None else sum(self.counts.values())


def read_run(directory: Path) -> list[RankFile]:
    """The files of the run in `directory`, in order of rank; leaves out other files."""
    found = (_read(path) for path in directory.glob(PATTERN))
    return sorted((file for file in found if file is not None), key=lambda file: file.rank)


def recorded_program(directory: Path) -> str | None:
    """The program of the run's first rank, with its arguments; None if not recorded."""
    path = min(directory.glob(PATTERN), default=None) if directory.is_dir() else None
    file = None if path is None else _read(path)
    words = [] if file is None else file.meta.get("command", [])
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        return None
    text = " ".join([PurePath(words[0]).name or words[0], *words[1:]])
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"


def modules_of(path: Path) -> list[tuple[int, int, int, Module]]:
    """The executable and libraries of a rank, by the last list in its trace.

    Each row has the first and end address, and the number to subtract from an address for the
    file's own address. Empty if the rank's file is of another format, or damaged.
    """
    found: list[tuple[int, int, int, Module]] = []
    with suppress(OSError, InputError, IndexError, struct.error), open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(_HEADER.size)
        for kind, length, records in _chunks(stream, size):
            if kind == _MODULES:
                found = _modules(stream.read(length), records)
    return found


def _modules(payload: bytes, records: int) -> list[tuple[int, int, int, Module]]:
    at, found = 0, []
    for _ in range(records):
        first, at = _varint(payload, at)
        end, at = _varint(payload, at)
        bias, at = _varint(payload, at)
        path, at = _string(payload, at)
        build_id, at = _string(payload, at)
        found.append((first, end, bias, Module(path, build_id)))
    return found


def _string(payload: bytes, at: int) -> tuple[str, int]:
    length, at = _varint(payload, at)
    return payload[at : at + length].decode(errors="replace"), at + length


def _read(path: Path) -> RankFile | None:
    try:
        with open_regular(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            head = stream.read(_HEADER.size)
            if len(head) < _HEADER.size or not head.startswith(_MAGIC):
                return None
            _, _, length, rank, ranks, _, run = _HEADER.unpack(head)
            stream.seek(length)
            file = RankFile(rank, ranks, run, size)
            for kind, bytes_, records in _chunks(stream, size):
                if kind == _EVENTS:
                    file.events += records
                    file.event_bytes += _CHUNK.size + bytes_
                elif kind == _CLOCKS:
                    error_ns = _clock_error(stream.read(bytes_))
                    file.clock_error_ns = max(file.clock_error_ns or 0, error_ns)
                elif kind == _META:
                    file.meta = _meta(stream.read(min(bytes_, _MOST_META)))
                elif kind == _END:
                    file.ending, file.counts = _end(stream.read(bytes_))
            return file
    except (OSError, InputError, IndexError, struct.error):
        return None


def _chunks(stream: BinaryIO, size: int) -> Iterator[tuple[int, int, int]]:
    """Kind, payload size and records of each whole chunk; the stream is then at the payload."""
    at = stream.tell()
    while at + _CHUNK.size <= size:
        stream.seek(at)
        magic, kind, _, length, records, *_ = _CHUNK.unpack(stream.read(_CHUNK.size))
        at += _CHUNK.size + length
        if magic != _CHUNK_MAGIC or at > size:
            return
        yield kind, length, records


def _varint(payload: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while payload[at] & 0x80:
        if shift > _LONGEST_SHIFT:
            raise IndexError
        value |= (payload[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | payload[at] << shift, at + 1


def _meta(payload: bytes) -> dict[str, Any]:
    try:
        length, at = _varint(payload, 0)
        meta = json_value(payload[at : at + length], "metadata")
    except (IndexError, InputError):
        return {}
    if not isinstance(meta, dict):
        return {}
    return {name: value for name, value in meta.items() if _fits(name, value)}


def _fits(name: str, value: Any) -> bool:
    """Whether a value has the type that its name requires, for names that Latitude reads."""
    if name in _NUMBERS:
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST
    return name not in _TEXTS or isinstance(value, str)


def _clock_error(payload: bytes) -> int:
    at = 0
    for _ in ("own time", "offset"):
        _, at = _varint(payload, at)
    return _varint(payload, at)[0]


def _end(payload: bytes) -> tuple[str | None, dict[str, int] | None]:
    counts: dict[str, int] = {}
    try:
        how, at = _varint(payload, 0)
        names, at = _varint(payload, at)
        for _ in range(names):
            name, at = _string(payload, at)
            counts[name], at = _varint(payload, at)
    except IndexError:
        return None, None
    return ENDINGS[how] if how < len(ENDINGS) else "unknown", counts
