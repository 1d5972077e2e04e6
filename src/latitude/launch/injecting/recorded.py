"""Reads the ranks' counts of delayed messages, in the file format of runtime/inject/report.h."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.files.reading import read_bytes
from latitude.statistics.sketch import Sketch

PATTERN = "*.inj"

_HEADER = struct.Struct("<8sqQQQQQQQQQQQQQQ128x256s768s768s512s")
_MAGIC = b"LATINJ1\0"
_BODY = 4096
_ON, _REFUSED, _IN_VAIN = 1, 2, 3
_BITS = 8
"""Cells per octave, as the exponent of a power of two; LAT_SKETCH_BITS."""
_OCTAVES = 46
FILE_BYTES = _BODY + 2 * 16 * (_OCTAVES << _BITS)
"""Size of a rank's file, bytes: a header, and two sketches with 16 bytes per cell."""

Counts = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Delays:
    """Counts and sums of delays, ns, by cell."""

    count: Counts
    sum_ns: Counts

    @property
    def total(self) -> int:
        """Number of delays."""
        return int(self.count.sum())

    @property
    def mean_ns(self) -> float:
        """Mean delay, ns; NaN without delays."""
        return float(self.sum_ns.sum()) / self.total if self.total else float("nan")

    def merged(self, other: "Delays") -> "Delays":
        """The sum of two counts."""
        return Delays(self.count + other.count, self.sum_ns + other.sum_ns)

    def sketch(self) -> Sketch:
        """The counts as a sketch, for quantiles."""
        held = np.flatnonzero(self.count)
        sketch = Sketch()
        sketch.add(self.sum_ns[held] / self.count[held], self.count[held].astype(np.int64))
        return sketch


@dataclass(frozen=True, slots=True)
class Counted:
    """The content of one process's file."""

    path: Path
    rank: int | None
    process: int
    host: str
    on: bool
    """Whether the process has read table and seed."""
    refused: bool
    """Whether the process met a rank without the injector, reported this, and ended."""
    in_vain: bool
    """Whether the process ended after MPI had started, because no message could be delayed."""
    hooked: int
    """Number of interfaces or queue pairs with delays."""
    delayed: int
    passed: int
    """Messages without delay: those of connection establishment, and those sent while delays were
    off."""
    late: int
    """Number of messages that were late while their rank waited."""
    late_ns: int
    """Total lateness of these messages, ns: latency that the machine has added."""
    loads: int
    ended: bool
    started_ns: int | None
    """Time at which MPI_Init returned, by the host's clock, ns; None if it did not return."""
    runtime_ns: int | None
    """Time from the return of MPI_Init to the call of MPI_Finalize, ns; None if either is missing.
    """
    ranks: int
    """Size of MPI_COMM_WORLD; 0 if MPI_Init did not return."""
    cpu_s: float
    """CPU time of the process until the call of MPI_Finalize, s."""
    delayed_transports: list[str]
    other_transports: list[str]
    libraries: list[str]
    """Communication libraries in the process when MPI was finalised, or the run ended early."""
    off: str
    """The reason why the delays are off."""
    asked: Delays
    achieved: Delays


def late_mean_ns(counts: Sequence[Counted]) -> float | None:
    """Mean lateness over all delayed messages; messages for which no rank waited count as punctual.

    None if no message was delayed.
    """
    delayed = sum(each.delayed for each in counts)
    return sum(each.late_ns for each in counts) / delayed if delayed else None


def cell_floor(cell: int) -> float:
    """The smallest delay in a cell, ns."""
    octave = cell >> _BITS
    if octave <= 1:
        return float(cell)
    return float(((cell & ((1 << _BITS) - 1)) | 1 << _BITS) << (octave - 1))


def read_counts(directory: Path) -> list[Counted]:
    """Reads the ranks' files in `directory`, in order of rank; leaves out invalid files."""
    found = (_read(path) for path in sorted(directory.glob(PATTERN)))
    known = [counted for counted in found if counted is not None]
    return sorted(known, key=lambda each: (each.rank is None, each.rank or 0))


def _read(path: Path) -> Counted | None:
    try:
        content = read_bytes(path, FILE_BYTES)
        head = _HEADER.unpack_from(content)
    except (InputError, struct.error):
        return None
    magic, rank, process, on, hooked, delayed, passed, loads, ended, size = head[:10]
    started, runtime, ranks, late, late_ns, cpu_us = head[10:16]
    if magic != _MAGIC or size % 16 or len(content) < _BODY + 2 * size:
        return None
    host, transports, libraries, off = (_text(field) for field in head[16:])
    words = transports.split()
    return Counted(
        path=path,
        rank=rank if rank >= 0 else None,
        process=process,
        host=host,
        on=on == _ON,
        refused=on == _REFUSED,
        in_vain=on == _IN_VAIN,
        hooked=hooked,
        delayed=delayed,
        passed=passed,
        late=late,
        late_ns=late_ns,
        loads=loads,
        ended=bool(ended),
        started_ns=started or None,
        runtime_ns=runtime or None,
        ranks=ranks,
        cpu_s=cpu_us * 1e-6,
        delayed_transports=[word[1:] for word in words if word.startswith("+")],
        other_transports=[word[1:] for word in words if word.startswith("-")],
        libraries=libraries.split(),
        off=off,
        asked=_delays(content, _BODY, size),
        achieved=_delays(content, _BODY + size, size),
    )


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode(errors="replace")


def _delays(content: bytes, at: int, size: int) -> Delays:
    cells = np.frombuffer(content, dtype="<u8", count=size // 8, offset=at).reshape(-1, 2)
    return Delays(cells[:, 0].copy(), cells[:, 1].copy())
