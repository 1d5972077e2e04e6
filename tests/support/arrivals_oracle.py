"""Programs with receives from any source and polled requests, and a small simulator.

Made from docs/internals/arrivals.md alone: an event queue, rank after rank, eager messages.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

ANY = -1


@dataclass
class Call:
    """One call; `name` is Send, Recv, Isend, Irecv, or one that completes requests."""

    name: str
    before_ns: int
    """Computation before it."""
    peer: int = ANY
    tag: int = ANY
    bytes: int = 0
    request: int = 0
    """Place in the program's array of requests, for Isend, Irecv and completing calls; for calls
    that take an array that of the first request."""
    count: int = 1
    """Number of requests of a call that takes an array."""
    lasts_ns: int = 0
    """Duration of a call that may fail."""


@dataclass
class Run:
    """The simulator's results."""

    T_ns: float
    taken: list[list[int]]
    """Size of each received message, which identifies the message, by rank and receive, in the
    order of completion."""


@dataclass
class _Receive:
    """A request, of an Isend too."""

    rank: int
    call: Call
    full_ns: float | None = None
    bytes: int = 0
    spare: bool = False
    """Completed, and no wait has counted it for its own."""
    completed: bool = False


@dataclass
class _Poll:
    """A call that may complete some requests."""

    call: Call
    listed: list[_Receive]
    by_then: list[_Receive]
    at: float
    taken: list[_Receive] | None = None


@dataclass
class _Rank:
    calls: list[Call]
    at: int = 0
    waits: tuple[_Receive, float] | None = None
    requests: dict[int, _Receive] = field(default_factory=dict)
    """Requests by position, until they are surely completed."""
    polled: set[int] = field(default_factory=set)
    """Pending requests that a call may have completed."""
    poll: _Poll | None = None
    posted: list[_Receive] = field(default_factory=list)
    come: list[tuple[int, Call, float]] = field(default_factory=list)
    end_ns: float = 0.0
    taken: list[int] = field(default_factory=list)


_COME, _POST, _RUN, _DONE = range(4)

_TESTS = ("Test", "Testall", "Testany", "Testsome")
_POLLS = (*_TESTS, "Wait", "Waitall", "Waitany", "Waitsome")
_ONE = ("Wait", "Test")


def _places(call: Call) -> range:
    return range(call.request, call.request + (1 if call.name in _ONE else call.count))


def _last_polls(calls: Sequence[Call]) -> dict[int, set[int]]:
    """Call → positions of requests that were completed when it returned.

    These are the last that list a request before its place is used again, or the program ends.
    """
    uses: dict[int, list[int]] = {}
    lists: dict[int, list[int]] = {}
    for number, call in enumerate(calls):
        if call.name in ("Isend", "Irecv"):
            uses.setdefault(call.request, []).append(number)
        elif call.name in _POLLS:
            for place in _places(call):
                lists.setdefault(place, []).append(number)
    result: dict[int, set[int]] = {}
    for place, posts in uses.items():
        for post, end in pairwise([*posts, len(calls)]):
            between = [number for number in lists.get(place, []) if post < number < end]
            sure = [number for number in between if calls[number].name in ("Wait", "Waitall")]
            last = sure[0] if sure else between[-1]
            result.setdefault(last, set()).add(place)
    return result


class Simulator:
    """LogGPS without rendezvous and gaps, in ns."""

    def __init__(self, programs: Sequence[Sequence[Call]], L: float, o: float, G: float) -> None:
        self._L, self._o, self._G = L, o, G
        self._ranks = [_Rank(list(calls)) for calls in programs]
        self._last = [_last_polls(calls) for calls in programs]
        self.completed_by: list[list[int]] = [[] for _ in programs]
        """Rank → numbers of the calls that completed its polled requests, in order."""
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
            elif kind == _DONE:
                self._poll(source, at)
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
            me.polled.discard(call.request)
            self._push(at, _POST, rank, receive)
            self._next(rank, at)
        elif call.name == "Isend":
            sent = at + self._o + self._L
            full = sent + (call.bytes - 1) * self._G
            self._push(sent, _COME, rank, (call, full))
            me.requests[call.request] = _Receive(rank, call, full_ns=at + self._o)
            me.polled.discard(call.request)
            self._next(rank, at + self._o)
        elif call.name == "Recv":
            receive = _Receive(rank, call)
            me.waits = (receive, at)
            self._push(at, _POST, rank, receive)
        else:
            self._list(rank, call, at)

    def _list(self, rank: int, call: Call, at: float) -> None:
        me = self._ranks[rank]
        places = [place for place in _places(call) if place in me.requests]
        listed = [me.requests[place] for place in places]
        sure = self._last[rank].get(me.at - 1, set())
        by_then = [me.requests[place] for place in places if place in sure]
        several = call.name in ("Waitany", "Waitsome") and len(listed) > 1
        if not (call.name in _TESTS or several or me.polled.intersection(places)):
            by_then = listed  # nothing is open about it
            sure = set(places)
        for place in places:
            me.polled.add(place)
            if place in sure:
                del me.requests[place]
                me.polled.discard(place)
        me.poll = _Poll(call, listed, by_then, at)
        self._poll(rank, at)

    def _choose(self, poll: _Poll, now: float) -> list[_Receive] | None:
        """The receives that the call completes; None while it has to wait."""
        active = [each for each in poll.listed if not each.completed]
        done = [each for each in active if each.full_ns is not None and each.full_ns <= now]
        forced = [each for each in active if each in poll.by_then]
        name = poll.call.name
        if name == "Testall":
            taken = active if forced or len(done) == len(active) else []
        elif name.endswith("any"):
            taken = forced or done[:1]
        else:
            taken = [each for each in active if each in forced or each in done]
        if name in ("Waitany", "Waitsome"):
            spare = next((each for each in poll.listed if each.spare), None)
            if spare is None and active and not taken:
                return None
            for each in taken if spare else taken[1:]:
                each.spare = True
            if spare:
                spare.spare = False
        else:
            for each in taken:
                each.spare = True
        return taken

    def _poll(self, rank: int, now: float) -> None:
        me = self._ranks[rank]
        poll = me.poll
        if poll is None:
            return
        if poll.taken is None:
            poll.taken = self._choose(poll, now)
            if poll.taken is None:
                return
            poll.at = now
            for each in poll.taken:
                each.completed = True
        if any(each.full_ns is None for each in poll.taken):
            return
        me.poll = None
        at = poll.at
        for each in poll.taken:
            if each.call.name == "Irecv":
                at = max(at, each.full_ns or 0.0) + self._o
                me.taken.append(each.bytes)
            self.completed_by[rank].append(me.at - 1)
        at = max([at, *(each.full_ns or 0.0 for each in poll.taken if each.call.name == "Isend")])
        failed = poll.call.name in _TESTS and not poll.taken
        self._next(rank, at + (poll.call.lasts_ns if failed else 0))

    def _complete(self, receive: _Receive) -> None:
        me = self._ranks[receive.rank]
        if receive.call.name == "Irecv":
            if receive.full_ns is not None:
                self._push(receive.full_ns, _DONE, receive.rank)
            return
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
    """Draws a program: in each round every rank sends to some ranks, then receives its messages.

    Messages of tag 0 are for receives from any source, and those of a rank's own tag for receives
    from this rank. Each message has a size of its own.
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
            array = f"{call.count}:{address}"
            what = {
                "Send": message,
                "Recv": f"{message}:2",
                "Isend": f"{message}:{address}",
                "Irecv": f"{message}:{address}",
                "Wait": f"{address}:2",
                "Test": f"{address}:3:2",
                "Waitall": f"{array}:2",
                "Testall": f"{array}:3:2",
                "Waitany": f"{array}:4:2",
                "Testany": f"{array}:4:3:2",
                "Waitsome": f"{array}:5:4:2",
                "Testsome": f"{array}:5:4:2",
            }[call.name]
            enter = f"{at // 1000}.{at % 1000:03}"
            at += call.lasts_ns
            leave = f"{at // 1000}.{at % 1000:03}"
            lines.append(f"MPI_{call.name}:{enter}:{what}:{leave}")
        time = f"{at // 1000}.{at % 1000:03}"
        lines.append(f"MPI_Finalize:{time}:-")
        (folder / f"pmpi-trace-rank-{rank}.txt").write_text("\n".join(lines) + "\n")
    return folder


def random_polls(draw: Random, ranks: int, rounds: int) -> list[list[Call]]:
    """A program like `random_program`, with completing calls that do not name their requests.

    Some of a round's requests are left to the next one: their places are used again there, or not.
    """
    programs: list[list[Call]] = [[] for _ in range(ranks)]
    size = 1
    for _ in range(rounds):
        sends: list[tuple[int, Call]] = []
        for rank in range(ranks):
            for _ in range(draw.randint(0, 3)):
                to = draw.choice([other for other in range(ranks) if other != rank])
                name = draw.choice(["Send", "Isend"])
                tag = draw.choice([0, 100 + rank])
                sends.append((rank, Call(name, _time(draw), to, tag, size)))
                size += 1
        for rank in range(ranks):
            posts = [
                Call("Irecv", _time(draw), ANY if sent.tag == 0 else source, sent.tag, 100_000)
                for source, sent in sends
                if sent.peer == rank
            ]
            draw.shuffle(posts)
            own = [sent for source, sent in sends if source == rank]
            for place, each in enumerate([*posts, *(e for e in own if e.name == "Isend")]):
                each.request = place
            programs[rank] += [*posts, *own, *_random_polls_of(draw, own, posts)]
    return programs


def _random_polls_of(draw: Random, own: list[Call], posts: list[Call]) -> Iterator[Call]:
    places = len(posts) + sum(1 for each in own if each.name == "Isend")
    if places == 0:
        return
    for _ in range(draw.randint(0, 6)):
        name = draw.choice(_POLLS)
        first = draw.randrange(places)
        count = draw.randint(1, places - first)
        lasts = draw.randint(0, 300) if name in _TESTS else 0
        yield Call(name, _time(draw), request=first, count=count, lasts_ns=lasts)
    name = draw.choice([each for each in _POLLS if each not in _ONE])
    yield Call(name, _time(draw), request=0, count=places)
