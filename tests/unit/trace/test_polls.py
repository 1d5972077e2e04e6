"""Programs that poll: traced on one network, predicted on another, against a simulation of both.

Two ranks compute, exchange a message and test for it until it has come. A late message means more
tests, which are no computation.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import latitude
from latitude import Network
from support import native_trace
from support.native_trace import Writer, text, varint, zigzag

US, MS = 1_000, 1_000_000
FEW, MANY = 20 * US, 3 * MS
"""Latencies of the two networks."""
POLL = 250
CALLS = {
    "MPI_Init": "",
    "MPI_Irecv": "cptbq",
    "MPI_Isend": "cptbq",
    "MPI_Test": "Q",
    "MPI_Wait": "Q",
    "MPI_Finalize": "",
    "latitude_polls": "n",
}
NUMBER = {name: varint(i) for i, name in enumerate(CALLS)}


@dataclass
class Program:
    """Computation of ranks before each exchange, and between two tests, ns."""

    before: list[tuple[int, int]]
    between: int

    @classmethod
    def drawn(cls, seed: int, between: int) -> "Program":
        draw = random.Random(seed)
        steps = 40
        return cls([(draw.randrange(MS), draw.randrange(2 * MS)) for _ in range(steps)], between)

    def run(self, latency: int) -> tuple[int, list[list[tuple[int, int, int]]]]:
        """How long it takes; by rank and exchange: computed, until the first test has failed, how
        many failed.
        """
        now, gaps = [0, 0], [[], []]  # type: tuple[list[int], list[list[tuple[int, int, int]]]]
        for before in self.before:
            posted = [now[rank] + before[rank] for rank in range(2)]
            for rank in range(2):
                comes = posted[1 - rank] + latency
                failed, at = 0, posted[rank] + POLL
                while at < comes:
                    failed += 1
                    at += self.between + POLL
                gaps[rank].append((before[rank], failed, at - posted[rank]))
                now[rank] = at
        return max(now), gaps

    def trace(self, latency: int, directory: Path, poll_ns: int | None = POLL) -> Path:
        """The program's trace; `poll_ns` is a failed test's recorded time (None: not recorded)."""
        _, gaps = self.run(latency)
        files = {rank: _file(rank, gaps[rank], poll_ns) for rank in range(2)}
        return native_trace.write(directory, files)


def _file(rank: int, gaps: list[tuple[int, int, int]], poll_ns: int | None) -> bytes:
    writer = Writer(rank, 2)
    writer.chunk(1, 1, text('{"cores": 2, "ranks_on_host": 2, "null_gap_ns": 0, "host": "a"}'))
    writer.chunk(2, len(CALLS), b"".join(text(n) + text(s) for n, s in CALLS.items()))
    records = list(_records(1 - rank, gaps))
    writer.chunk(6, len(records), b"".join(records), 1)
    if poll_ns is not None:
        writer.chunk(10, 1, varint(poll_ns))
    writer.chunk(7, 1, varint(0) + varint(1) + text("MPI_Init") + varint(1))
    return writer.file


def _records(peer: int, gaps: list[tuple[int, int, int]]) -> Iterator[bytes]:
    number = last = 0

    def request(of: int) -> bytes:
        nonlocal last
        delta, last = of - last, of
        return zigzag(delta)

    def event(name: str, gap: int, fields: bytes = b"") -> bytes:
        return NUMBER[name] + varint(gap) + varint(0) + varint(0) + fields

    message = varint(0) + zigzag(peer) + zigzag(0) + varint(1)
    yield event("MPI_Init", 0)
    for before, failed, until in gaps:
        number += 2
        yield event("MPI_Irecv", before, message + request(number))
        yield event("MPI_Isend", 0, message + request(number + 1))
        first = 0
        if failed:
            first = POLL
            yield event("latitude_polls", first, varint(2 * failed))
        yield event("MPI_Test", until - first, varint(1) + request(number) + varint(0))
        yield event("MPI_Wait", 0, varint(1) + request(number + 1) + varint(0))
    yield event("MPI_Finalize", 0)


def predicted(trace: Path, latency: int) -> latitude.Analysis:
    return latitude.analyze(latitude.load(trace), Network(L=latency, o=0, G=0, S=1 << 20))


@pytest.mark.parametrize("seed", range(4))
def test_traces_of_either_network_predict_both(tmp_path: Path, seed: int) -> None:
    program = Program.drawn(seed, between=0)
    for traced_at in (FEW, MANY):
        trace = program.trace(traced_at, tmp_path / str(traced_at))
        for latency in (FEW, MANY):
            took, _ = program.run(latency)
            assert predicted(trace, latency).T_ns == pytest.approx(took, rel=1e-3)


def test_polls_are_computation_where_the_trace_does_not_tell_what_they_take(
    tmp_path: Path,
) -> None:
    program = Program.drawn(1, between=0)
    trace = program.trace(MANY, tmp_path / "old", poll_ns=None)
    took, _ = program.run(FEW)
    assert predicted(trace, FEW).T_ns > 1.5 * took


@pytest.mark.parametrize("seed", range(4))
def test_what_is_done_between_polls_gives_an_interval(tmp_path: Path, seed: int) -> None:
    """The time may be work, or it may be the loop."""
    program = Program.drawn(seed, between=150)
    trace = program.trace(MANY, tmp_path / "many")
    took, _ = program.run(FEW)
    analysis = predicted(trace, FEW)
    said = {notice.code: notice.message for notice in analysis.warnings}
    assert {"polls", "between-polls"} <= set(said)
    high, low = (float(each) for each in re.findall(r"([\d.]+) ms", said["between-polls"]))
    assert low < took / MS < high
    assert low == pytest.approx(took / MS, rel=0.01)
    few = predicted(program.trace(FEW, tmp_path / "few"), FEW)
    assert few.T_ns == pytest.approx(took, rel=0.01)


def test_a_trace_without_polls_says_nothing_of_them(tmp_path: Path) -> None:
    program = Program([(MS, MS)] * 5, between=0)
    _, gaps = program.run(0)
    assert all(failed == 0 for rank in gaps for _, failed, _ in rank)
    codes = [each.code for each in predicted(program.trace(0, tmp_path / "run"), 0).warnings]
    assert not {"polls", "between-polls"} & set(codes)
