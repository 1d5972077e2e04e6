"""Decodes the trace format of docs/internals/trace-format.md; written from that page alone."""

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_KINDS = (
    "meta",
    "calls",
    "modules",
    "sites",
    "communicators",
    "events",
    "end",
    "clocks",
    "usage",
    "polls",
)
KINDS = dict(enumerate(_KINDS, start=1))
CPU_TIME = 1
WITH_CALLERS = 2


def _make_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)  # noqa: PLW2901
        table.append(value)
    return table


_TABLE = _make_table()


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@dataclass
class Event:
    """A call: absolute times in ns, and `fields` as (letter, value) in the shape's order."""

    call: str
    enter: int
    leave: int
    cpu_gap: int | None
    site: int
    thread: int
    fields: list[tuple[str, Any]]

    def __getitem__(self, letter: str) -> Any:
        return next(value for name, value in self.fields if name == letter)

    def all(self, letter: str) -> list[Any]:
        return [value for name, value in self.fields if name == letter]


@dataclass
class Communicator:
    number: int
    leader: int
    count: int
    kind: int
    group: list[int]


@dataclass
class Rank:
    rank: int
    size: int
    flags: int
    run: int
    version: int = 1
    meta: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    modules: list[tuple[int, int, int, str, str]] = field(default_factory=list)
    sites: list[int] = field(default_factory=list)
    callers: list[int] = field(default_factory=list)
    communicators: dict[int, Communicator] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    clocks: list[tuple[int, int, int]] = field(default_factory=list)
    """Own time, what to add for rank 0's, error; ns."""
    usage: list[tuple[int, ...]] = field(default_factory=list)
    """Time and the thread's CPU time (ns), the process's user and system time (us), how often the
    thread gave up its core and lost its core, and the time that it waited for a core, ns + 1 (0 if
    not known)."""
    poll_ns: int | None = None
    """Duration of a failed poll."""
    how: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    chunks: list[str] = field(default_factory=list)
    torn: int = 0
    bytes: int = 0

    def named(self, *calls: str) -> list[Event]:
        return [event for event in self.events if event.call.removeprefix("MPI_") in calls]

    @property
    def mpi(self) -> list[Event]:
        """The events without the tracer's own."""
        return [event for event in self.events if not event.call.startswith("latitude_")]


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def string(self) -> str:
        length = self.varint()
        self.at += length
        return self.data[self.at - length : self.at].decode()


class _Fields:
    """Reads the fields of a shape; keeps the last request number of its chunk."""

    def __init__(self, cursor: _Cursor) -> None:
        self.cursor, self.request = cursor, 0

    def number(self) -> int:
        self.request += self.cursor.zigzag()
        return self.request

    def status(self) -> str | tuple[int, int, int]:
        match self.cursor.varint():
            case 0:
                return "as asked"
            case 1:
                return self.cursor.zigzag(), self.cursor.zigzag(), self.cursor.varint()
            case 2:
                return "cancelled"
        raise AssertionError("status is 0, 1 or 2")

    def read(self, letter: str) -> Any:  # noqa: PLR0911 - one case a letter
        cursor = self.cursor
        match letter:
            case "c" | "b" | "e" | "f" | "n":
                return cursor.varint()
            case "p" | "t":
                return cursor.zigzag()
            case "q":
                return self.number()
            case "s":
                return self.status()
            case "Q":
                return [(self.number(), self.status()) for _ in range(cursor.varint())]
            case "R":
                return [self.number() for _ in range(cursor.varint())]
            case "L":
                return [cursor.zigzag() for _ in range(cursor.varint())]
            case "N":
                return cursor.varint() - 1
            case "w":
                return cursor.varint(), cursor.varint()
        raise AssertionError(letter)


def _group(cursor: _Cursor) -> list[int]:
    size, form = cursor.varint(), cursor.varint()
    if form == 0:
        first, step = cursor.zigzag(), cursor.zigzag()
        return [first + i * step for i in range(size)]
    assert form == 1
    group, last = [], 0
    for _ in range(size):
        last += cursor.zigzag()
        group.append(last)
    return group


def _read_events(rank: Rank, cursor: _Cursor, records: int, thread: int, time: int) -> None:
    fields = _Fields(cursor)
    for _ in range(records):
        call, shape = rank.calls[cursor.varint()]
        enter = time + cursor.varint()
        time = enter + cursor.varint()
        cpu = cursor.varint() if rank.flags & CPU_TIME else None
        site = cursor.varint()
        assert site <= len(rank.sites), "a site before its definition"
        values = [(letter, fields.read(letter)) for letter in shape]
        assert all(v in rank.communicators for k, v in values if k == "c")
        assert all(v == -1 or v in rank.communicators for k, v in values if k == "N")
        rank.events.append(Event(call, enter, time, cpu, site, thread, values))


def _read_sites(rank: Rank, cursor: _Cursor, records: int) -> None:
    for _ in range(records):
        rank.sites.append(cursor.varint())
        rank.callers.append(cursor.varint() if rank.version == WITH_CALLERS else 0)
        assert rank.callers[-1] < len(rank.sites), "a caller after what it calls"


def _read_chunk(  # noqa: C901 - one case a kind
    rank: Rank, kind: str, payload: bytes, header: tuple[int, ...]
) -> None:
    thread, records, time = header
    cursor = _Cursor(payload)
    match kind:
        case "meta":
            rank.meta = json.loads(cursor.string())
        case "calls":
            rank.calls += [(cursor.string(), cursor.string()) for _ in range(records)]
        case "modules":
            rank.modules = [
                (
                    cursor.varint(),
                    cursor.varint(),
                    cursor.varint(),
                    cursor.string(),
                    cursor.string(),
                )
                for _ in range(records)
            ]
        case "sites":
            _read_sites(rank, cursor, records)
        case "communicators":
            for _ in range(records):
                number, leader, count, sort = (cursor.varint() for _ in range(4))
                assert number not in rank.communicators, "a number was used twice"
                group = _group(cursor)
                rank.communicators[number] = Communicator(number, leader, count, sort, group)
        case "events":
            _read_events(rank, cursor, records, thread, time)
        case "clocks":
            rank.clocks += [
                (cursor.varint(), cursor.zigzag(), cursor.varint()) for _ in range(records)
            ]
        case "polls":
            rank.poll_ns = cursor.varint()
        case "usage":
            rank.usage += [tuple(cursor.varint() for _ in range(7)) for _ in range(records)]
        case "end":
            rank.how = cursor.varint()
            rank.counts = {cursor.string(): cursor.varint() for _ in range(cursor.varint())}
    assert cursor.at == len(payload), f"{kind}: {len(payload) - cursor.at} bytes are left over"


def read_rank(path: Path) -> Rank:
    """One file; bytes after the last whole chunk are counted in `torn`."""
    data = path.read_bytes()
    magic, version, header_size, number, size, flags, run = struct.unpack_from("<8sHHIIIQ", data)
    assert (magic, header_size) == (b"LATITUDE", 32)
    assert version in (1, WITH_CALLERS)
    rank = Rank(number, size, flags, run, version, bytes=len(data))
    at = header_size
    while at + 32 <= len(data):
        magic, kind, thread, length, records, time, sequence, crc = struct.unpack_from(
            "<4sHHIIQII", data, at
        )
        assert magic == b"LTCK"
        payload = data[at + 32 : at + 32 + length]
        if len(payload) < length:
            break
        assert sequence == len(rank.chunks)
        assert crc == crc32c(data[at : at + 28] + payload)
        rank.chunks.append(KINDS[kind])
        _read_chunk(rank, KINDS[kind], payload, (thread, records, time))
        at += 32 + length
    rank.torn = len(data) - at
    return rank


def read_run(directory: Path) -> list[Rank]:
    """All ranks, in order."""
    ranks = [read_rank(path) for path in sorted(directory.glob("rank-*.lat"))]
    assert [rank.rank for rank in ranks] == list(range(len(ranks)))
    assert len({rank.run for rank in ranks}) <= 1
    return ranks
