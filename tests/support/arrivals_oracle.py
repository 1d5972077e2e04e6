"""Programs with receives from any source, and a small simulator of who comes first.

Made from docs/semantics.md alone: an event queue, one rank after the other, eager messages.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

ANY = -1


@dataclass
class Call:
    """One call; `name` is Send, Recv, Irecv or Wait."""

    name: str
    before_ns: int
    """Computation before it."""
    peer: int = ANY
    tag: int = ANY
    bytes: int = 0
    request: int = 0


@dataclass
class Run:
    """What the simulator found."""

    T_ns: float
    taken: list[list[int]]
    """By rank and receive, in the order of completion: the size of the message, which names it."""


@dataclass
class _Receive:
    rank: int
    call: Call
    full_ns: float | None = None
    bytes: int = 0


@dataclass
class _Rank:
    calls: list[Call]
    at: int = 0
    waits: tuple[_Receive, float] | None = None
    requests: dict[int, _Receive] = field(default_factory=dict)
    posted: list[_Receive] = field(default_factory=list)
    come: list[tuple[int, Call, float]] = field(default_factory=list)
    end_ns: float = 0.0
    taken: list[int] = field(default_factory=list)


_COME, _POST, _RUN = range(3)


class Simulator:
    """LogGPS without rendezvous and gaps, in ns."""

    def __init__(self, programs: Sequence[Sequence[Call]], L: float, o: float, G: float) -> None:
        self._L, self._o, self._G = L, o, G
        self._ranks = [_Rank(list(calls)) for calls in programs]
        self._events: list[tuple[float, int, int, int, object]] = []
        self._number = 0

    def run(self) -> Run:
        for rank in range(len(self._ranks)):
            self._next(rank, 0.0)
        while self._events:
            at, kind, source, _, what = heapq.heappop(self._events)
            if kind == _COME:
                self._come(source, what)  # type: ignore[arg-type]
            elif kind == _POST:
                self._post(what)  # type: ignore[arg-type]
            else:
                self._play(source, at)
        assert all(rank.at == len(rank.calls) for rank in self._ranks), "not all ranks ended"
        return Run(max(r.end_ns for r in self._ranks), [r.taken for r in self._ranks])

    def _push(self, at: float, kind: int, rank: int, what: object = None) -> None:
        self._number += 1
        heapq.heappush(self._events, (at, kind, rank, self._number, what))

    def _next(self, rank: int, at: float) -> None:
        me = self._ranks[rank]
        me.end_ns = at
        if me.at < len(me.calls):
            self._push(at + me.calls[me.at].before_ns, _RUN, rank)

    def _play(self, rank: int, at: float) -> None:
        me = self._ranks[rank]
        call = me.calls[me.at]
        me.at += 1
        if call.name == "Send":
            sent = at + self._o + self._L
            full = sent + (call.bytes - 1) * self._G
            self._push(sent, _COME, rank, (call, full))
            self._next(rank, at + self._o)
        elif call.name == "Irecv":
            receive = me.requests[call.request] = _Receive(rank, call)
            self._push(at, _POST, rank, receive)
            self._next(rank, at)
        else:
            receive = me.requests.pop(call.request) if call.name == "Wait" else _Receive(rank, call)
            me.waits = (receive, at)
            if call.name == "Recv":
                self._push(at, _POST, rank, receive)
            self._complete(receive)

    def _complete(self, receive: _Receive) -> None:
        me = self._ranks[receive.rank]
        if me.waits is None or me.waits[0] is not receive or receive.full_ns is None:
            return
        since = me.waits[1]
        me.waits = None
        me.taken.append(receive.bytes)
        self._next(receive.rank, max(since, receive.full_ns) + self._o)

    @staticmethod
    def _fit(source: int, sent: Call, asked: Call) -> bool:
        return asked.peer in (ANY, source) and asked.tag in (ANY, sent.tag)

    def _give(self, receive: _Receive, sent: Call, full_ns: float) -> None:
        receive.full_ns, receive.bytes = full_ns, sent.bytes
        self._complete(receive)

    def _come(self, source: int, message: tuple[Call, float]) -> None:
        sent, full = message
        to = self._ranks[sent.peer]
        for receive in to.posted:
            if self._fit(source, sent, receive.call):
                to.posted.remove(receive)
                self._give(receive, sent, full)
                return
        to.come.append((source, sent, full))

    def _post(self, receive: _Receive) -> None:
        me = self._ranks[receive.rank]
        for message in me.come:
            if self._fit(message[0], message[1], receive.call):
                me.come.remove(message)
                self._give(receive, *message[1:])
                return
        me.posted.append(receive)


def random_program(draw: Random, ranks: int, rounds: int) -> list[list[Call]]:
    """In each round every rank sends to some, then takes as many as were sent to it.

    Messages of tag 0 are for receives from any source, those of a rank's own tag for receives that
    name it. Each message has a size of its own.
    """
    programs: list[list[Call]] = [[] for _ in range(ranks)]
    size = 1
    for _ in range(rounds):
        sends: list[tuple[int, Call]] = []
        for rank in range(ranks):
            for _ in range(draw.randint(0, 3)):
                to = draw.choice([other for other in range(ranks) if other != rank])
                tag = draw.choice([0, 0, 100 + rank])
                sends.append((rank, Call("Send", _time(draw), to, tag, size)))
                size += 1
        for rank in range(ranks):
            asked = [
                (ANY if sent.tag == 0 else source, sent.tag)
                for source, sent in sends
                if sent.peer == rank
            ]
            draw.shuffle(asked)
            posts = [
                Call("Irecv", _time(draw), peer, tag, 100_000, request)
                for request, (peer, tag) in enumerate(asked)
            ]
            early = [post for post in posts if draw.random() < 0.5]
            late = [post for post in posts if post not in early]
            own = [sent for source, sent in sends if source == rank]
            waits = [Call("Wait", _time(draw), request=post.request) for post in early]
            draw.shuffle(waits)
            rest = [Call("Recv", each.before_ns, each.peer, each.tag, 100_000) for each in late]
            programs[rank] += [*early, *own, *_shuffled(draw, waits, rest)]
    return programs


def _shuffled(draw: Random, waits: list[Call], rest: list[Call]) -> Iterator[Call]:
    """Receives among waits; both keep their order."""
    kinds = [waits] * len(waits) + [rest] * len(rest)
    draw.shuffle(kinds)
    places = {id(waits): iter(waits), id(rest): iter(rest)}
    for kind in kinds:
        yield next(places[id(kind)])


def _time(draw: Random) -> int:
    return draw.choice([0, 0, draw.randint(1, 20_000)])


def write_liballprof(folder: Path, programs: Sequence[Sequence[Call]]) -> Path:
    """The program as liballprof has it, which does not say what was received."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank, calls in enumerate(programs):
        comm = f"94901252943424,{rank},{len(programs)}"
        at, lines = 10_000, ["MPI_Init:-:1:1:10"]
        for call in calls:
            at += call.before_ns
            address = 90_000 + 8 * call.request
            message = f"1:{call.bytes}:5,1,1:{call.peer}:{call.tag}:{comm}"
            what = {
                "Send": message,
                "Recv": f"{message}:2",
                "Irecv": f"{message}:{address}",
                "Wait": f"{address}:2",
            }[call.name]
            time = f"{at // 1000}.{at % 1000:03}"
            lines.append(f"MPI_{call.name}:{time}:{what}:{time}")
        time = f"{at // 1000}.{at % 1000:03}"
        lines.append(f"MPI_Finalize:{time}:-")
        (folder / f"pmpi-trace-rank-{rank}.txt").write_text("\n".join(lines) + "\n")
    return folder
