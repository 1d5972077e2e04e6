"""The predicted run, call by call, as a file for Perfetto and Chrome's tracing.

The format is that of Chrome's trace events ("Trace Event Format"): JSON, times in µs. A rank is a
process with one thread for each of its lanes (a thread, a CPU, a stream). One more process holds
the critical path.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from latitude import _core
from latitude._types import Floats
from latitude.analysis.lp.rows import links_of
from latitude.analysis.path import steps
from latitude.model.network import Network
from latitude.results.critical_path import WholePath
from latitude.trace.program import Program

COMPUTATION = "computation"
WAIT = "wait"
TRANSFER = "transfer"
_KINDS = _core.resource_kinds()
_MPI = "MPI"
_CRITICAL = "critical path"
_US = 1e3
"""ns per µs."""
_SAME = 1e-12
"""Relative difference of two times that is only rounding."""


@dataclass(slots=True)
class Slice:
    """An activity or a wait on one line of a rank."""

    rank: int
    lane: int
    """The lane of the rank: it runs operations, or shows parallel activities."""
    begin_ns: float
    end_ns: float
    name: str
    kind: str
    """MPI, computation, wait or transfer; waits and transfers lie inside a slice of MPI."""
    critical: bool
    """Whether the slice, or an activity inside it, is on the critical path."""


@dataclass(slots=True)
class _Lane:
    """One line of the picture, with its current call."""

    number: int
    until_ns: float = 0.0
    origin: int = -1
    call: Slice | None = None
    inside: list[Slice] = field(default_factory=list)

    def finish(self) -> Iterator[Slice]:
        """The call, and the activities inside the call."""
        if self.call is not None:
            yield self.call
        yield from self.inside
        self.call, self.inside = None, []


@dataclass(slots=True)
class _Rank:
    """The lanes of a rank: one per line that runs operations, more for parallel activities."""

    names: list[str] = field(default_factory=list)
    lanes: dict[tuple[int, int], list[_Lane]] = field(default_factory=dict)

    def free(self, line: tuple[int, int], at_ns: float) -> _Lane:
        """The first lane of a line (its kind and number) that is free at this time."""
        lanes = self.lanes.setdefault(line, [])
        for lane in lanes:
            if lane.until_ns <= at_ns * (1 + _SAME):
                return lane
        lanes.append(_Lane(len(self.names)))
        name = f"{_KINDS[line[0]]} {line[1]}"
        self.names.append(name if len(lanes) == 1 else f"{name}, beside")
        return lanes[-1]


class PerfettoRun:
    """The activities of each rank over time, at the baseline."""

    def __init__(self, program: Program, network: Network) -> None:
        """Simulates the run. InputError: operations wait for each other in a cycle.

        Args:
            program: the program; in a GOAL file, each CPU's operations have an order.
            network: the network of the run.
        """
        core = network.placed_as(program.path).core(program.ranks)
        model = _core.Model(program.graph, core)
        schedule = model.schedule()
        graph = program.graph
        self._graph, self._core = graph, core
        self._start, self._end = schedule.start_ns, schedule.end_ns
        self._own = self._own_ns()
        self._late = self._late_ns()
        self._names = self._calls()
        self._rank_of = np.repeat(np.arange(program.ranks), np.diff(graph.rank_begin))
        self.path: WholePath = steps(model.critical_path(), graph)
        self._awaited = self._awaited_sends()
        self._critical = np.zeros(self._end.size, bool)
        self._critical[self.path.vertex] = True
        self._ranks: list[_Rank] = []
        self._lane_of: dict[int, int] = {}

    def _own_ns(self) -> Floats:
        """(vertices,) time for which each vertex itself holds the CPU, ns."""
        is_calc = self._graph.kind == _core.Kind.calc
        link = links_of(self._graph, self._core)
        copied = np.maximum(self._graph.value - 1, 0) * self._core.O_of_class[link]
        return np.where(is_calc, self._end - self._start, self._core.o_of_class[link] + copied)

    def _awaited_sends(self) -> dict[int, int]:
        """Vertex that waits for the end of a send which its CPU has already left → that send."""
        graph = self._graph
        chosen = graph.dep_kind == _core.DepKind.requires_end
        owner = np.repeat(np.arange(graph.kind.size), np.diff(graph.dep_begin))[chosen]
        on = graph.dep_vertex[chosen].astype(np.int64)
        left = self._start[on] + self._own[on]
        decides = self._end[on] >= self._start[owner] * (1 - _SAME)
        found = (graph.kind[on] == _core.Kind.send) & (left < self._end[on]) & decides
        return dict(zip(owner[found].tolist(), on[found].tolist(), strict=True))

    def _late_ns(self) -> Floats:
        """(vertices,) time at which the other end of the message had begun or was posted, ns."""
        graph = self._graph
        send, recv = graph.kind == _core.Kind.send, graph.kind == _core.Kind.recv
        partner = graph.partner.astype(np.int64)
        posted = self._start.copy()
        chosen = graph.dep_kind == _core.DepKind.posted
        owner = np.repeat(np.arange(send.size), np.diff(graph.dep_begin))[chosen]
        on = graph.dep_vertex[chosen].astype(np.int64)
        runs_on = send[on] & (graph.blocking[on] == 0)
        posted[owner] = 0.0
        np.maximum.at(
            posted, owner, np.where(runs_on, self._start[on] + self._own[on], self._end[on])
        )
        late = np.zeros(send.size)
        late[recv] = self._start[partner[recv]]
        late[send] = posted[partner[send]]
        return late

    def _calls(self) -> list[str]:
        """(vertices,) name of the call to which each vertex's time belongs."""
        graph = self._graph
        origin = graph.origin.astype(np.int64)
        completed = graph.completed_in.astype(np.int64)
        if completed.size:  # a receive takes its time in the call that completes it
            origin = np.where(completed == _core.NO_ORIGIN, origin, completed)
        self._origin = np.where(origin == _core.NO_ORIGIN, -1, origin)
        names = [*graph.call_name, COMPUTATION, "send", "recv"]
        code = len(graph.call_name) + graph.kind.astype(np.int64)
        known = self._origin >= 0
        code[known] = graph.call_code[self._origin[known]]
        return [names[each] for each in code.tolist()]

    def slices(self) -> Iterator[Slice]:
        """All slices; those inside a call come immediately after the call."""
        self._ranks = [_Rank() for _ in range(self._graph.ranks)]
        kind, line_kind, line = self._graph.kind, self._graph.line_kind, self._graph.line
        is_recv, is_send = kind == _core.Kind.recv, kind == _core.Kind.send
        held = np.where(is_recv, self._end - self._own, self._start)
        blocks = is_send & (self._graph.blocking != 0)
        until = np.where(is_send & ~blocks, self._start + self._own, self._end)
        order = np.lexsort((np.arange(held.size), until, held, self._rank_of))
        for v in order.tolist():
            on = int(line_kind[v]), int(line[v])
            yield from self._vertex(v, on, float(held[v]), float(until[v]), is_recv[v])
        for rank in self._ranks:
            for lane in chain.from_iterable(rank.lanes.values()):
                yield from lane.finish()

    def _vertex(
        self, v: int, line: tuple[int, int], held: float, until: float, receives: bool
    ) -> Iterator[Slice]:
        number = int(self._rank_of[v])
        lane = self._ranks[number].free(line, held)
        if v in self._awaited:
            yield from self._completion(lane, number, self._awaited[v], float(self._start[v]))
        begin = max(lane.until_ns, float(self._start[v])) if receives else held
        if self._critical[v]:
            self._lane_of[v] = lane.number
        if until <= begin:
            return
        origin, critical = int(self._origin[v]), bool(self._critical[v])
        call = lane.call
        if call is None or origin != lane.origin or origin < 0:
            yield from lane.finish()
            kind = COMPUTATION if self._names[v] == COMPUTATION else _MPI
            lane.call = call = Slice(
                number, lane.number, begin, until, self._names[v], kind, critical
            )
            lane.origin = origin
        call.end_ns, call.critical = until, call.critical or critical
        lane.until_ns = until
        if self._graph.kind[v] != _core.Kind.calc:
            since, to = (begin, held) if receives else (begin + float(self._own[v]), until)
            lane.inside += self._still(call, min(since, to), to, v)

    def _completion(self, lane: _Lane, rank: int, send: int, until: float) -> Iterator[Slice]:
        """The wait of a CPU for the end of a send that the CPU has left before."""
        begin = lane.until_ns
        if begin >= until * (1 - _SAME):
            return
        yield from lane.finish()
        critical = bool(self._critical[send])
        name = f"completion of {self._names[send]}"
        lane.call = Slice(rank, lane.number, begin, until, name, _MPI, critical)
        lane.until_ns, lane.origin = until, -1
        lane.inside += self._still(lane.call, begin, until, send)

    def _still(self, call: Slice, begin: float, until: float, v: int) -> Iterator[Slice]:
        """The wait inside a call for the message of v: for the other end, then for the transfer."""
        late = min(max(float(self._late[v]), begin), until)
        for kind, since, to in ((WAIT, begin, late), (TRANSFER, late, until)):
            if since < to:
                yield Slice(call.rank, call.lane, since, to, kind, kind, bool(self._critical[v]))

    def events(self) -> Iterator[dict[str, Any]]:
        """All events in the file's format."""
        for each in self.slices():
            yield {
                "ph": "X",
                "pid": each.rank,
                "tid": each.lane,
                "ts": each.begin_ns / _US,
                "dur": (each.end_ns - each.begin_ns) / _US,
                "name": each.name,
                "cat": f"{each.kind},{_CRITICAL}" if each.critical else each.kind,
            }
        yield from self._path_events()
        for number, rank in enumerate(self._ranks):
            yield _named("process_name", number, 0, f"rank {number}")
            for lane, name in enumerate(rank.names):
                yield _named("thread_name", number, lane, name)
        yield _named("process_name", len(self._ranks), 0, _CRITICAL)

    def _path_events(self) -> Iterator[dict[str, Any]]:
        """The critical path on its own line, and its messages as arrows."""
        path, top = self.path, len(self._ranks)
        latencies_of = np.asarray(path.latencies)
        columns = (path.vertex, path.line, path.start, path.end, latencies_of)
        lines = path.lines.names()
        before: int | None = None
        for v, line, begin, end, latencies in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            if begin < end:
                yield {
                    "ph": "X",
                    "pid": top,
                    "tid": 0,
                    "ts": begin / _US,
                    "dur": (end - begin) / _US,
                    "name": f"{lines[line]}: {self._names[v]}",
                    "cat": _CRITICAL,
                    "args": {"latencies": latencies},
                }
            if before is not None and self._graph.partner[v] == before:
                yield from self._arrow(before, v)
            before = v

    def _arrow(self, one: int, other: int) -> Iterator[dict[str, Any]]:
        for ph, v, at in (("s", one, self._start[one]), ("f", other, self._end[other])):
            yield {
                "ph": ph,
                "bp": "e",
                "id": other,
                "pid": int(self._rank_of[v]),
                "tid": self._lane_of.get(v, 0),
                "ts": float(at) / _US,
                "name": "message",
                "cat": _CRITICAL,
            }


def _named(what: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": pid, "tid": tid, "name": what, "args": {"name": name}}


def write_perfetto(path: Path, run: PerfettoRun) -> None:
    """Writes the run as JSON while computing it, one event per line."""
    with path.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ns", "traceEvents": [')
        for number, event in enumerate(run.events()):
            file.write(",\n" if number else "\n")
            file.write(json.dumps(event))
        file.write("\n]}\n")
