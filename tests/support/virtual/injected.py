"""Ranks in virtual time, each with an injector of its own, and what the injector should do.

The delays are computed here once more, from the description in docs/commands/inject.md.
"""

import shutil
import socket
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from support.compiling import INJECT, STRICT, beside, built
from support.virtual import building

TABLE_SIZE = 4096
MODULUS, FACTOR, MASK = 2**31 - 1, 48271, 2**64 - 1

Integers = NDArray[np.int64]


def _mix(x: int) -> int:
    """SplitMix64's finaliser (Steele, Lea and Flood, OOPSLA 2014)."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def drawn(table: Integers, count: int, seed: int, rank: int, stream: int = 0) -> Integers:
    """The first delays that a rank's thread draws, ns."""
    mixed = _mix(_mix(seed) ^ rank)
    for byte in socket.gethostname().encode():
        mixed = _mix(mixed ^ byte)
    state = 1 + _mix(mixed ^ stream) % (MODULUS - 1)
    delays = []
    for _ in range(count):
        state = state * FACTOR % MODULUS
        delays.append(int(table[state % TABLE_SIZE]))
    return np.array(delays)


@dataclass(frozen=True)
class Event:
    """Something that happened on a rank."""

    rank: int
    what: str
    ns: int
    """The true time."""
    peer: int
    number: int


@dataclass(frozen=True)
class Report:
    """The counts of a rank, in the layout of runtime/inject/report.h."""

    delayed: int
    passed: int
    late: int
    """Number of messages that were late while their rank waited."""
    late_ns: int
    asked: Integers
    """Count and sum of each cell."""
    achieved: Integers

    @classmethod
    def read(cls, path: Path) -> "Report":
        content = path.read_bytes()
        assert content[:8] == b"LATINJ1\0"
        delayed, passed = struct.unpack_from("=QQ", content, 40)
        late, late_ns = struct.unpack_from("=QQ", content, 104)
        cells = np.frombuffer(content, np.int64, offset=4096).reshape(2, -1, 2)
        return cls(delayed, passed, late, late_ns, cells[0], cells[1])


@dataclass
class Simulated:
    """Programs of runtime/inject/tests in virtual time."""

    builds: Path
    directory: Path
    seed: int = 7
    environment: dict[str, str] = field(default_factory=dict)
    complaint: str = ""
    """Beginning of messages on stderr."""

    def ask(self, delays: int | Integers) -> None:
        """Writes the table and its seed: one delay, or all 4,096, ns."""
        table = np.broadcast_to(np.asarray(delays), TABLE_SIZE).reshape(-1, 8)
        lines = "".join(" ".join(map(str, row)) + "\n" for row in table.tolist())
        (self.directory / "table.dist").write_text(lines)
        (self.directory / "table.seed").write_text(f"{self.seed}\n")

    def ranks(self, program: str, layer: str, *ranks: str, **options: object) -> list[Event]:
        """Events in their order, after each rank has made its actions.

        `injector` is the library unless said otherwise; `ahead_of_1=…` becomes `ahead.1=…`.
        """
        for old in self.directory.glob("*.inj"):
            old.unlink()
        environment = {
            "LATITUDE_INJECT": layer,
            "LATITUDE_INJECT_DIR": str(self.directory),
            **self.environment,
        }
        settings = {"injector": self.builds / "injector", **options}
        words = [f"{name.replace('_of_', '.')}={value}" for name, value in settings.items()]
        for actions in ranks:
            words += ["--", *actions.split()]
        lines = building.ran(
            self.builds / program, *words, environment=environment, complaint=self.complaint
        )
        parts = [line.split() for line in lines]
        return [Event(int(r), what, *map(int, numbers)) for r, what, *numbers in parts]

    def report(self, rank: int) -> Report:
        """The counts of a rank in the last run."""
        return Report.read(self.directory / f"rank-{rank:07d}.inj")


def times(events: list[Event], what: str, rank: int | None = None) -> list[int]:
    """Gives the times of one kind of event, ns."""
    return [e.ns for e in events if e.what == what and rank in {None, e.rank}]


def build_injector(directory: Path, ranks: int) -> None:
    """A library without a clock of its own, and a copy of it for each rank."""
    library = built(
        "injector", *STRICT, *building.flags("inject"), *building.sources("inject", "preload")
    )
    for name in ("injector", *(f"injector.{rank}" for rank in range(ranks))):
        shutil.copy(library, directory / name)


def build_program(directory: Path, name: str, library: str) -> None:
    """A program of runtime/inject/tests, and libLIBRARY.so, which it takes for the real one."""
    tests, clock = INJECT / "tests", building.CLOCK
    common = [*STRICT, "-O1", "-g"]
    fake = built(f"lib{library}.so", *common, "-shared", "-fPIC", tests / f"virtual_{library}.c")
    sources = (tests / f"{name}.c", tests / "virtual_ranks.c", clock)
    program = built(name, *common, "-rdynamic", *sources, *beside(fake), "-ldl")
    shutil.copy(program, directory)
