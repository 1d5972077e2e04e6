"""Each rank's time, its waits and the delays behind them, by docs/explanation/waits.md.

Every line is followed separately, from each wait, however many steps that takes. Instants are those
of the oracle of the cost model, in fractions.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from latitude import _core

from .arrays import CALC, POSTED, RECV, RELEASED, REQUIRES_END, SERVED, Parameters
from .model import Late, Model, Program

START, RELEASE, END = "start", "release", "end"

Point = tuple[int, str]
"""A vertex and which of its instants."""

Place = tuple[str, int, str, int]
"""A call's name and its site, and those of the call that posted the completed operation, if that is
another place; otherwise ("", NO_SITE)."""

_PATTERNS = {
    "MPI_Barrier": "barrier",
    "MPI_Ibarrier": "barrier",
    **dict.fromkeys(("MPI_Reduce", "MPI_Ireduce", "MPI_Gather", "MPI_Igather"), "early_reduce"),
    **dict.fromkeys(("MPI_Bcast", "MPI_Ibcast", "MPI_Scatter", "MPI_Iscatter"), "late_broadcast"),
    **dict.fromkeys(("MPI_Scan", "MPI_Iscan"), "early_scan"),
    **dict.fromkeys(("MPI_Allreduce", "MPI_Iallreduce", "MPI_Alltoall", "MPI_Ialltoall"), "n_to_n"),
}
"""Collectives that the oracle's programs call."""


@dataclass(frozen=True)
class Piece:
    """A part of a line: an activity at a vertex, or a wait there for an instant elsewhere."""

    begin: Fraction
    end: Fraction
    vertex: int
    activity: str | None
    awaited: Point | None = None
    inside: int = _core.NO_ORIGIN
    """The call that waits for the line that it is on."""
    for_thread: bool = False
    """Whether the piece is a wait for another thread of the rank."""
    before_thread: bool = False
    """Whether the piece is on the line of the thread before the followed thread began."""


def _sums() -> defaultdict[Any, Fraction]:
    return defaultdict(Fraction)


@dataclass
class Accounts:
    """Sums of ns."""

    spent: defaultdict[tuple[int, Place, str], Fraction] = field(default_factory=_sums)
    """Time by line, place and activity."""
    waits: defaultdict[tuple[int, Place, str], Fraction] = field(default_factory=_sums)
    """Waits by line, place and cause."""
    delays: defaultdict[tuple[int, Place, str, bool], Fraction] = field(default_factory=_sums)
    """Delays by line, place, activity, and whether direct."""
    lines: defaultdict[tuple[int, int, bool], Fraction] = field(default_factory=_sums)
    """Delays by delaying line, waiting line, and whether direct."""
    places: defaultdict[tuple[Place, Place, bool], Fraction] = field(default_factory=_sums)


class Waits:
    """A graph on a network."""

    def __init__(self, graph: _core.Graph, costs: Parameters) -> None:
        self.program = program = Program(graph, costs)
        self.model = Model(program, Late(program, -9, Fraction(0)))
        self.costs = costs
        self.origin = [int(o) for o in graph.origin]
        self.chained = [bool(c) for c in graph.chained]
        begin, vertex, kind = graph.dep_begin, graph.dep_vertex, graph.dep_kind
        self.deps = [
            [(int(vertex[i]), int(kind[i])) for i in range(int(begin[v]), int(begin[v + 1]))]
            for v in range(len(self.origin))
        ]
        resources = list(zip(graph.line_kind.tolist(), graph.line.tolist(), strict=True))
        every = sorted(
            {(rank, *on) for rank, on in zip(program.rank, resources, strict=True)}
            | {(rank, -1, 0) for rank in range(graph.ranks) if rank not in program.rank}
        )
        number = {line: i for i, line in enumerate(every)}
        self.line_of = [
            number[rank, kind, on] for rank, (kind, on) in zip(program.rank, resources, strict=True)
        ]
        """The line of each vertex, in the order of ranks, then of their threads or CPUs."""
        several = len(every) > graph.ranks
        threads = {_core.resource_kinds()[kind] for kind, _ in resources} == {"thread"}
        self.in_no_order = several and not threads
        self.after = self.successors(several=several and threads)
        names = graph.call_name
        self.completed_in = [int(call) for call in graph.completed_in] or self.origin
        self.places: list[tuple[str, int]] = [
            (names[int(code)], int(site))
            for code, site in zip(graph.call_code, graph.call_site, strict=True)
        ]

    def successors(self, *, several: bool) -> dict[int, int]:
        """The vertex right after each vertex on its line."""
        after: dict[int, int] = {}
        for v, chained in enumerate(self.chained):
            if chained or not several:
                before = v - 1 if chained else None
            else:
                released = [d for d, how in self.deps[v] if how in (RELEASED, SERVED)]
                before = released[-1] if released else None
            if before is not None and self.line_of[before] == self.line_of[v]:
                after.setdefault(before, v)
        return after

    def time(self, point: Point) -> Fraction:
        instants = {START: self.model.start, RELEASE: self.model.release, END: self.model.end}
        return instants[point[1]](point[0])[0]

    def completing(self, v: int) -> int:
        call = self.completed_in[v]
        return self.origin[v] if call == _core.NO_ORIGIN else call

    def place(self, v: int, inside: int) -> Place:
        """Computation between calls belongs to the call after it, waits of a call to that call, and
        a receive to its completing call.
        """
        program, none = self.program, ("", _core.NO_SITE)
        posted = self.origin[v]
        if posted != _core.NO_ORIGIN:
            call = self.completing(v) if inside == _core.NO_ORIGIN else inside
            places = self.places[call], self.places[posted]
            return (*places[0], *(none if places[0] == places[1] else places[1]))
        while program.kind[v] == CALC and self.completing(v) == _core.NO_ORIGIN:
            if v not in self.after:
                return *none, *none
            v = self.after[v]
        call = self.completing(v)
        return (*(none if call == _core.NO_ORIGIN else self.places[call]), *none)

    # The parts of a vertex, the last one first

    def parts(self, v: int, instant: str) -> list[Piece]:
        program = self.program
        start, end = self.time((v, START)), self.time((v, instant))
        if program.kind[v] == CALC:
            activity = "overhead" if program.recorded[v] else "computation"
            return [Piece(start, end, v, activity)]
        o = Fraction(self.costs.overheads[program.link[v]]) * self.model.own(v)
        copying = Fraction(self.model.copying(v))
        if program.kind[v] == RECV:
            there, sender = end - o - copying, (program.partner[v], START)
            sent = min(max(start, self.time(sender)), there)
            return [
                Piece(there, end, v, "overhead"),
                Piece(sent, there, v, "transfer"),
                Piece(start, sent, v, None, sender),
            ]
        if program.eager[v] or (instant == RELEASE and not program.blocking[v]):
            return [Piece(start, end, v, "overhead")]
        last = program.blocking[v] and self.model.reading(v) not in ("sync", "itself")
        busy = min(end, start + o + (0 if last else copying))
        sent = max(busy, end - (copying if last else 0))
        awaited = self.posted(program.partner[v])
        matched = min(max(busy, Fraction(0) if awaited is None else self.time(awaited)), sent)
        return [
            Piece(sent, end, v, "overhead"),
            Piece(matched, sent, v, "transfer"),
            Piece(busy, matched, v, None, awaited),
            Piece(start, busy, v, "overhead"),
        ]

    def posted(self, recv: int) -> Point | None:
        """The point at which the receive is posted; None means time zero."""
        found = [(d, RELEASE) for d, how in self.deps[recv] if how == POSTED]
        if found:
            return max(found, key=self.time)
        return self.ready(recv) if self.program.takes_turns(recv) else (recv, START)

    def ready(self, recv: int) -> Point | None:
        """The instant at which a receive waits only for its CPU; None for time zero."""
        needs = [self.needed(d, how) for d, how in self.deps[recv] if how not in (POSTED, SERVED)]
        own = [(recv - 1, RELEASE)] if self.chained[recv] else []
        return max([*own, *filter(None, needs)], key=self.time, default=None)

    def needed(self, d: int, how: int) -> Point | None:
        """The instant that a dependency on d is about."""
        if how == REQUIRES_END:
            return d, END
        if how in (RELEASED, SERVED):
            return d, RELEASE
        return self.ready(d) if self.program.takes_turns(d) else (d, START)

    # Lines

    def before(self, v: int) -> tuple[Point | None, Point | None]:
        """The previous vertex in program order, and the later one for which it waits."""
        all_needs = [self.needed(d, how) for d, how in self.deps[v] if how != POSTED]
        needs = [point for point in all_needs if point is not None]
        released = [(d, RELEASE) for d, how in self.deps[v] if how in (RELEASED, SERVED)]
        own: Point | None
        if self.chained[v]:
            own = v - 1, RELEASE
        elif released:
            own = released[-1]
        elif self.in_no_order:
            own = self.done_last(v)
        else:
            return (max(needs, key=self.time), None) if needs else (None, None)
        latest = max(needs, key=self.time, default=None)
        if latest is None or self.time(latest) <= (self.time(own) if own else 0):
            return own, None
        return own, latest

    def done_last(self, v: int) -> Point | None:
        """The latest that a vertex depends on and that is on its own line, or a later operation of
        this line that was done before the vertex started. It may be done at that instant if it held
        the line until then."""
        line, start = self.line_of[v], self.time((v, START))
        needs = [self.needed(d, how) for d, how in self.deps[v] if how != POSTED]
        found = [point for point in needs if point and self.line_of[point[0]] == line]
        done = [
            (self.time((u, RELEASE)), not self.held(u), u)
            for u, on in enumerate(self.line_of)
            if on == line
        ]
        last = max((each for each in done if each[:2] <= (start, False)), default=None)
        if last is not None:
            found.append((last[2], RELEASE))
        return max(found, key=self.time, default=None)

    def held(self, u: int) -> Fraction:
        """How long an operation itself holds its line before it leaves the line."""
        if self.program.kind[u] == CALC:
            return self.time((u, END)) - self.time((u, START))
        o = Fraction(self.costs.overheads[self.program.link[u]]) * self.model.own(u)
        return o + Fraction(self.model.copying(u))

    def line(
        self,
        point: Point | None,
        since: Fraction,
        inside: int = _core.NO_ORIGIN,
        *,
        whole: bool = False,
    ) -> Iterator[Piece]:
        """All pieces back from an instant; the last one begins at `since`.

        With `whole` it ends at the start of its thread; otherwise it continues along the previous
        line.
        """
        while point is not None and self.time(point) > since:
            v, instant = point
            if instant != START:
                for piece in self.parts(v, instant):
                    yield from _clipped(replace(piece, inside=inside), since)
                point = v, START
                continue
            own, other = self.before(v)
            begin = self.time(own) if own else Fraction(0)
            known = self.time(other) if other else begin
            gap = Piece(known, self.time(point), v, "overhead", inside=inside)
            yield from _clipped(gap, since)
            if other and self.line_of[other[0]] != self.line_of[v]:
                yield Piece(max(begin, since), known, v, None, other, inside, for_thread=True)
            elif other:
                within = self.origin[v] if other[1] == END and self.needs_end(v, other[0]) else None
                if within is None or inside != _core.NO_ORIGIN:
                    within = inside
                yield from self.line(other, max(begin, since), within)
            point = own
            if own and self.line_of[own[0]] != self.line_of[v]:
                before = () if whole else self.line(own, since, inside)
                yield from (replace(piece, before_thread=True) for piece in before)
                return

    def needs_end(self, v: int, other: int) -> bool:
        return (other, REQUIRES_END) in self.deps[v]

    # Sums

    def accounts(self) -> Accounts:
        found = Accounts()
        for line in sorted(set(self.line_of)):
            own = [v for v, on in enumerate(self.line_of) if on == line]
            last = max(own, key=lambda v: (self.time((v, END)), v))
            for piece in self.line((last, END), Fraction(0), whole=True):
                if piece.activity is not None:
                    key = line, self.place(piece.vertex, piece.inside), piece.activity
                    found.spent[key] += piece.end - piece.begin
                elif piece.end > piece.begin:
                    self.explain(found, line, piece)
        return found

    def explain(self, found: Accounts, line: int, wait: Piece) -> None:
        cause = "other_thread" if wait.for_thread else self.cause(wait.vertex)
        place = self.place(wait.vertex, wait.inside)
        collective = self.collective(wait.vertex) is not None
        for piece, direct, inside in self.delays(wait, collective):
            ns = piece.end - piece.begin
            found.waits[line, place, "completion" if inside else cause] += ns
            by, where = self.line_of[piece.vertex], self.place(piece.vertex, piece.inside)
            found.delays[by, where, str(piece.activity), direct] += ns
            found.lines[by, line, direct] += ns
            found.places[where, place, direct] += ns

    def delays(
        self, wait: Piece, inside: bool, direct: bool = True
    ) -> Iterator[tuple[Piece, bool, bool]]:
        """Activities, whether direct, and whether inside the collective waited in."""
        inside = inside and not wait.for_thread
        call = self.origin[self.program.partner[wait.vertex]] if inside else None
        for piece in self.line(wait.awaited, wait.begin):
            inside = inside and self.origin[piece.vertex] == call
            if piece.activity is not None:
                yield piece, direct and not piece.before_thread, inside
            elif piece.end > piece.begin:
                yield from self.delays(piece, inside, direct=False)

    # Causes

    def collective(self, v: int) -> str | None:
        call = self.origin[v]
        return None if call == _core.NO_ORIGIN else _PATTERNS.get(self.places[call][0])

    def cause(self, v: int) -> str:
        pattern, receives = self.collective(v), self.program.kind[v] == RECV
        if pattern is None:
            if not receives:
                return "late_receiver"
            return "wrong_order" if self.others_were_sent_earlier(v) else "late_sender"
        rooted = pattern in ("early_reduce", "late_broadcast")
        return "late_receiver" if rooted and not receives else pattern

    def others_were_sent_earlier(self, recv: int) -> bool:
        program, sent = self.program, self.time((self.program.partner[recv], START))
        after = self.after.get(recv)
        while after is not None and program.kind[after] == RECV and self.collective(after) is None:
            if self.time((program.partner[after], START)) < sent:
                return True
            after = self.after.get(after)
        return False


def _clipped(piece: Piece, since: Fraction) -> Iterator[Piece]:
    """The part of a piece after `since`; empty if all of it is before."""
    if piece.end >= since:
        yield replace(piece, begin=max(piece.begin, since))
