r"""Results of a program of runtime/bench, in the file format of runtime/bench/common/results.h.

    latitude-bench 1 PROGRAM\n
    text NAME VALUE…\n
    series COUNT NAME KEY=VALUE…\n  then COUNT doubles, and \n
    end\n

Numbers have the byte order of the machine; Latitude rejects a file without its `end`. For several
starts of a program the file holds these lines once per start.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.files.reading import parsing, read_bytes
from latitude.results.measurement import RankPlace

_MOST_BYTES = 1 << 30
_MAGIC = "latitude-bench 1"
_NUMBER = np.dtype(np.float64)

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers of one kind, with their labels."""

    name: str
    labels: Mapping[str, str]
    values: Values

    def number(self, label: str) -> int:
        """A label whose value is an integer."""
        return int(self.labels[label])


@dataclass(frozen=True, slots=True)
class BenchResults:
    """The results of one start of a program."""

    program: str
    texts: tuple[tuple[str, str], ...]
    series: tuple[Series, ...]

    def text(self, name: str) -> str:
        """The first text of that name. InputError if it does not exist."""
        for known, value in self.texts:
            if known == name:
                return value
        raise InputError(f"the results of {self.program} hold no '{name}'; measure again")

    def named(self, name: str) -> Iterator[Series]:
        """The series of that name, in the order of the file."""
        return (series for series in self.series if series.name == name)

    @property
    def ranks(self) -> int:
        """Number of ranks in the job."""
        return int(self.text("ranks"))

    def places(self) -> list[RankPlace]:
        """Node and core of each rank."""
        found = []
        for name, value in self.texts:
            if name == "rank":
                rank, *words = value.split(" ", 3)
                labels = _labels(words)
                core = int(labels["core"])
                found.append(
                    RankPlace(
                        rank=int(rank),
                        node=int(labels["node"]),
                        core=core if core >= 0 else None,
                        host=labels["host"],
                    )
                )
        return found


def read(path: Path) -> BenchResults:
    """The results of a program's first start. InputError names the file and the problem."""
    return read_starts(path)[0]


def read_starts(path: Path) -> tuple[BenchResults, ...]:
    """The results of each start. InputError names the file and the problem."""
    data = read_bytes(path, _MOST_BYTES)
    found: list[BenchResults] = []
    at = 0
    while at < len(data) or not found:
        results, torn, at = _parsed(path, data, at)
        if torn:
            raise InputError(f"{path}: {torn}; measure again")
        found.append(results)
    return tuple(found)


def read_so_far(path: Path) -> BenchResults:
    """The complete results of a running program, or of one that was killed."""
    return _parsed(path, read_bytes(path, _MOST_BYTES), 0)[0]


def _parsed(path: Path, data: bytes, at: int) -> tuple[BenchResults, str, int]:
    """All whole entries of a start, the reason for missing ones, and the next start's place."""
    head, at = _line(data, at)
    if head is None or not head.startswith(f"{_MAGIC} "):
        raise InputError(f"{path}: no results of latitude measure: it does not begin '{_MAGIC}'")
    texts: list[tuple[str, str]] = []
    series: list[Series] = []
    torn = "ends without its last line"
    while True:
        line, at = _line(data, at)
        if line is None:
            break
        kind, _, rest = line.partition(" ")
        if kind == "end":
            torn = ""
            break
        if kind == "text":
            name, _, value = rest.partition(" ")
            texts.append((name, value))
        elif kind == "series":
            with parsing(str(path), f"byte {at - len(line)}: no series; measure again"):
                size, name, *words = rest.split()
                count = int(size)
            if count < 0:
                raise InputError(f"{path}: byte {at - len(line)}: no series; measure again")
            end = at + count * _NUMBER.itemsize
            if end >= len(data):
                torn = f"ends within the series '{name}'"
                break
            values = np.frombuffer(data, _NUMBER, count, at)
            series.append(Series(name, _labels(words), values))
            at = end + 1
        else:
            raise InputError(f"{path}: byte {at - len(line)}: '{kind}' is no entry; measure again")
    return BenchResults(head.removeprefix(f"{_MAGIC} "), tuple(texts), tuple(series)), torn, at


def _line(data: bytes, at: int) -> tuple[str | None, int]:
    end = data.find(b"\n", at)
    if end < 0:
        return None, at
    return data[at:end].decode(errors="replace"), end + 1


def _labels(words: list[str]) -> dict[str, str]:
    return dict(word.partition("=")[::2] for word in words)
