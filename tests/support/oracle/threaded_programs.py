"""Small random MPI programs whose ranks have one to four threads that call MPI, as traces of ours.

Every call gets a place on one time line on which the program can run to its end, whatever the
eager limit, so it cannot deadlock.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random

from latitude import _core
from support.native_trace import Writer, text, varint, zigzag

from .programs import EAGER_LIMIT

_SHAPES = {
    "MPI_Init_thread": "",
    "MPI_Send": "cptb",
    "MPI_Ssend": "cptb",
    "MPI_Isend": "cptbq",
    "MPI_Recv": "cptbs",
    "MPI_Irecv": "cptbq",
    "MPI_Wait": "Q",
    "MPI_Barrier": "c",
    "MPI_Allreduce": "cpbef",
    "MPI_Iallreduce": "cpbefq",
    "MPI_Finalize": "",
}
_INDEX = {name: index for index, name in enumerate(_SHAPES)}
_EVENTS, _META, _CALLS, _END = 6, 1, 2, 7
_BEGIN = 1000
"""MPI_Init has returned, ns."""

Place = tuple[int, int]
"""A rank and its thread."""


@dataclass
class _Call:
    when: float
    place: Place
    name: str
    fields: bytes = b""
    request: int = 0
    """The request that the call makes or completes."""


@dataclass
class _Timed:
    enter: int
    leave: int
    call: _Call

    @property
    def instant(self) -> int:
        """The instant that orders the call among calls of other threads."""
        return self.leave if self.call.name == "MPI_Wait" else self.enter


@dataclass
class Message:
    """A message, whose tag no other one has."""

    tag: int
    bytes: int
    sender: Place
    receiver: Place
    """Place of the call that completes the receive."""


@dataclass
class ThreadedProgram:
    """The calls of a program."""

    files: list[bytes]
    """The trace file of each rank."""
    threads: list[int]
    """Threads of each rank that call MPI."""
    messages: list[Message] = field(default_factory=list)
    computed_ns: dict[Place, tuple[int, int]] = field(default_factory=dict)
    """Least and largest computation of each thread, because a thread may compute before its first
    call."""

    def graph(self) -> _core.Graph:
        """The graph by the reader and the builder."""
        names = [f"rank-{rank:07}.lat" for rank in range(len(self.files))]
        loader = _core.trace_format("latitude").loader(names)
        for rank, content in enumerate(self.files):
            loader.feed(rank, content)
        return _core.build_graph(loader.finish())

    def write(self, folder: Path) -> None:
        """Writes the files in the form of `latitude trace`."""
        (folder / "trace.json").write_text("{}")
        for rank, content in enumerate(self.files):
            (folder / f"rank-{rank:07}.lat").write_bytes(content)


def random_threads(rng: Random, messages: int = 8, collectives: int = 2) -> ThreadedProgram:
    """2 to 4 ranks of 1 to 4 threads."""
    ranks = rng.randint(2, 4)
    places = [(rank, thread) for rank in range(ranks) for thread in range(rng.randint(1, 4))]
    program = ThreadedProgram([], [])
    calls: list[_Call] = []
    for tag in range(rng.randint(1, messages)):
        calls += _message(rng, places, tag, program)
    for number in range(rng.randint(0, collectives)):
        calls += _collective(rng, places, 2 * messages + 1 + number)
    calls.sort(key=lambda call: call.when)
    for rank in range(ranks):
        own = [call for call in calls if call.place[0] == rank]
        program.files.append(_file(rng, rank, ranks, own, program))
    return program


def _message(rng: Random, places: list[Place], tag: int, program: ThreadedProgram) -> list[_Call]:
    sender, receiver = rng.choice(places), rng.choice(places)
    size = rng.choice([1, 4, EAGER_LIMIT, EAGER_LIMIT + 1, 16])
    synchronous = rng.random() < 0.2
    eager = size <= EAGER_LIMIT and not synchronous
    first, second, third, fourth = sorted(rng.random() for _ in range(4))
    requests = 2 * tag + 1, 2 * tag + 2
    completes = [place for place in places if place[0] == receiver[0]]
    by = rng.choice(completes) if rng.random() < 0.3 else receiver

    def send(when: float, *, blocking: bool) -> _Call:
        name = "MPI_Isend" if not blocking else "MPI_Ssend" if synchronous else "MPI_Send"
        envelope = b"\0" + zigzag(receiver[0]) + zigzag(tag) + varint(size)
        return _Call(when, sender, name, envelope, 0 if blocking else requests[0])

    def receive(when: float, *, blocking: bool) -> _Call:
        envelope = b"\0" + zigzag(sender[0]) + zigzag(tag) + varint(size)
        if blocking:
            return _Call(when, receiver, "MPI_Recv", envelope + b"\0")
        return _Call(when, receiver, "MPI_Irecv", envelope, requests[1])

    styles = ["posted first", "received blocking", "both non-blocking"]
    if eager:
        styles.append("both blocking")
    style = rng.choice(styles)
    blocking = style in {"received blocking", "both blocking"}
    program.messages.append(Message(tag, size, sender, receiver if blocking else by))
    match style:
        case "posted first":
            return [
                receive(first, blocking=False),
                send(second, blocking=True),
                _Call(third, by, "MPI_Wait", request=requests[1]),
            ]
        case "received blocking":
            return [
                send(first, blocking=False),
                receive(second, blocking=True),
                _Call(third, sender, "MPI_Wait", request=requests[0]),
            ]
        case "both blocking":
            return [send(first, blocking=True), receive(second, blocking=True)]
        case _:
            early, late = rng.sample([first, second], 2), rng.sample([third, fourth], 2)
            return [
                send(early[0], blocking=False),
                receive(early[1], blocking=False),
                _Call(late[0], sender, "MPI_Wait", request=requests[0]),
                _Call(late[1], by, "MPI_Wait", request=requests[1]),
            ]


def _collective(rng: Random, places: list[Place], request: int) -> list[_Call]:
    """A call of one thread of each rank; a non-blocking one is completed by any of its threads."""
    name, when = rng.choice(["MPI_Barrier", "MPI_Allreduce", "MPI_Iallreduce"]), rng.random()
    size = rng.choice([1, 4, EAGER_LIMIT + 1])
    fields = b"\0" if name == "MPI_Barrier" else b"\0" + zigzag(-2) + varint(size) + b"\1\0"
    calls = []
    for rank in range(places[-1][0] + 1):
        own = [place for place in places if place[0] == rank]
        waits = name == "MPI_Iallreduce"
        calls.append(_Call(when, rng.choice(own), name, fields, request if waits else 0))
        if waits:
            later = rng.uniform(when, 1)
            calls.append(_Call(later, rng.choice(own), "MPI_Wait", request=request))
    return calls


def _file(
    rng: Random, rank: int, ranks: int, calls: list[_Call], program: ThreadedProgram
) -> bytes:
    """One chunk of events for each thread; calls of different threads overlap."""
    writer = Writer(rank, ranks)
    meta = {"cores": 8, "ranks_on_host": ranks, "null_gap_ns": 0, "thread_level": "multiple"}
    writer.chunk(_META, 1, text(json.dumps(meta)))
    writer.chunk(_CALLS, len(_SHAPES), b"".join(text(n) + text(s) for n, s in _SHAPES.items()))
    enter = list(accumulate((rng.choice([2, 4, 20]) for _ in calls), initial=_BEGIN))[1:]
    end = (enter[-1] if enter else _BEGIN) + 40
    timed = {0: [_Timed(_BEGIN - 100, _BEGIN, _Call(0, (rank, 0), "MPI_Init_thread"))]}
    for thread in sorted({call.place[1] for call in calls}):
        own = [i for i, call in enumerate(calls) if call.place[1] == thread]
        for i, limit in zip(own, [*(enter[i] for i in own[1:]), end - 2], strict=True):
            leave = rng.choice(
                [enter[i] + 1, min(enter[i] + 5, limit), rng.randint(enter[i], limit)]
            )
            timed.setdefault(thread, []).append(_Timed(enter[i], leave, calls[i]))
    timed[0].append(_Timed(end, end + 1, _Call(0, (rank, 0), "MPI_Finalize")))
    for thread, events in timed.items():
        payload = b"".join(_records(events))
        writer.chunk(_EVENTS, len(events), payload, events[0].enter, thread)
    ended = b"".join(text(name) + varint(1) for name in ("MPI_Init_thread", "MPI_Finalize"))
    writer.chunk(_END, 1, b"\0" + varint(2) + ended)
    _note(program, rank, timed)
    return writer.file


def _records(events: list[_Timed]) -> Iterator[bytes]:
    last, left = 0, events[0].enter
    for event in events:
        call = event.call
        times = varint(event.enter - left) + varint(event.leave - event.enter)
        request = zigzag(call.request - last) if call.request else b""
        fields = b"\1" + request + b"\0" if call.name == "MPI_Wait" else call.fields + request
        yield varint(_INDEX[call.name]) + times + b"\0" + fields
        last, left = call.request or last, event.leave


def _note(program: ThreadedProgram, rank: int, timed: dict[int, list[_Timed]]) -> None:
    """The graph numbers a rank's threads in the order of their first calls."""
    order = sorted(timed, key=lambda thread: (timed[thread][0].instant, thread))
    program.threads.append(len(order))
    number = {(rank, thread): (rank, place) for place, thread in enumerate(order)}
    for message in program.messages:
        message.sender = number.get(message.sender, message.sender)
        message.receiver = number.get(message.receiver, message.receiver)
    for thread, events in timed.items():
        gaps = sum(b.enter - a.leave for a, b in pairwise(events))
        first = 0 if thread == 0 else events[0].enter - _BEGIN
        program.computed_ns[number[rank, thread]] = gaps, gaps + first
