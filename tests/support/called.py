"""Traces of our own format, written call by call, with calls that take as long as one says."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from .native_trace import Writer, text, varint, write, zigzag

_SHAPES = {
    "MPI_Init": "",
    "MPI_Finalize": "",
    "MPI_Send": "cptb",
    "MPI_Recv": "cptbs",
    "MPI_Isend": "cptbq",
    "MPI_Irecv": "cptbq",
    "MPI_Waitall": "Q",
    "MPI_Sendrecv": "cptbptbs",
    "MPI_Barrier": "c",
}
_NUMBERS = {name: number for number, name in enumerate(_SHAPES)}
_BEGIN = 100


@dataclass
class CalledRank:
    """A rank whose calls are given with the time at which each begins, ns, in their order."""

    rank: int
    ranks: int = 2
    meta: dict[str, object] = field(default_factory=dict)
    _records: list[bytes] = field(default_factory=list)
    now: int = _BEGIN
    _requests: int = 0
    _named: int = 0

    def _call(self, name: str, at: int, took: int, fields: bytes = b"") -> None:
        gap, self.now = at - self.now, at + took
        head = varint(_NUMBERS[name]) + varint(gap) + varint(took) + b"\0"
        self._records.append(head + fields)

    def send(self, at: int, took: int, to: int, size: int) -> None:
        self._call("MPI_Send", at, took, b"\0" + zigzag(to) + zigzag(4) + varint(size))

    def receive(self, at: int, took: int, source: int, size: int) -> None:
        self._call("MPI_Recv", at, took, b"\0" + zigzag(source) + zigzag(4) + varint(size) + b"\0")

    def exchange(self, at: int, took: int, other: int, size: int) -> None:
        """Sendrecv with one other rank."""
        end = zigzag(other) + zigzag(4) + varint(size)
        self._call("MPI_Sendrecv", at, took, b"\0" + end + end + b"\0")

    def barrier(self, at: int, took: int) -> None:
        self._call("MPI_Barrier", at, took, b"\0")

    def isend(self, at: int, took: int, to: int, size: int) -> int:
        return self._post("MPI_Isend", at, took, to, size)

    def ireceive(self, at: int, took: int, source: int, size: int) -> int:
        return self._post("MPI_Irecv", at, took, source, size)

    def _post(self, name: str, at: int, took: int, peer: int, size: int) -> int:
        self._requests += 1
        message = b"\0" + zigzag(peer) + zigzag(4) + varint(size)
        self._call(name, at, took, message + self._name(self._requests))
        return self._requests

    def wait(self, at: int, took: int, *requests: int) -> None:
        named = b"".join(self._name(each) + b"\0" for each in requests)
        self._call("MPI_Waitall", at, took, varint(len(requests)) + named)

    def _name(self, request: int) -> bytes:
        difference, self._named = request - self._named, request
        return zigzag(difference)

    def file(self) -> bytes:
        """The rank's file; Init ends at 100 ns."""
        writer = Writer(self.rank, self.ranks)
        known = {"cores": 8, "ranks_on_host": self.ranks, "null_gap_ns": 0, "host": "a"}
        writer.chunk(1, 1, text(json.dumps(known | self.meta)))
        names = b"".join(text(name) + text(shape) for name, shape in _SHAPES.items())
        writer.chunk(2, len(_SHAPES), names)
        init = b"\0" + varint(0) + varint(_BEGIN) + b"\0"
        end = varint(_NUMBERS["MPI_Finalize"]) + varint(1000) + varint(1) + b"\0"
        events = [init, *self._records, end]
        writer.chunk(6, len(events), b"".join(events), 0)
        writer.chunk(7, 1, b"\0" + varint(0))
        return writer.file


def written(directory: Path, *ranks: CalledRank) -> Path:
    """The trace of these ranks."""
    return write(directory, {each.rank: each.file() for each in ranks})
