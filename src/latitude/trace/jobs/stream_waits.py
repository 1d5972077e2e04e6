"""The waits of GPU streams, deduced from the calls of a rank.

Only few versions of Kineto record the event and the stream of a wait. For other versions the order
of calls decides.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from latitude.trace.jobs.kineto_file import Event, Rank

_SLACK_NS = 1000
"""Largest difference of the clocks of CPU and GPU, ns."""
_MOST_TRIED = 64
"""Largest number of records to examine for one wait, the latest first."""
_NEAR = 8
"""Number of operators before a call that are searched for an operator around the call."""
_NO_STREAM = (-1, 0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait of a task for a task on another stream."""

    call: Event
    """The call that made the stream wait."""
    record: Event | None
    """The call that recorded the event; None if the trace has no such calls."""
    task: Event
    before: Event
    known: bool
    """Whether the trace names the event; otherwise the order of calls decides."""


@dataclass(slots=True)
class StreamWaits:
    """The waits between a rank's streams."""

    found: list[Wait] = field(default_factory=list)
    open: int = 0
    """Number of waits for which no task was found that ended in time."""


@dataclass(slots=True)
class Launched:
    """Tasks by stream, in the order of their launches."""

    time: dict[object, list[int]] = field(default_factory=dict)
    tasks: dict[object, list[Event]] = field(default_factory=dict)

    def add(self, task: Event, time: int) -> None:
        """Adds a task that was launched after all others of its stream."""
        self.time.setdefault(task.line, []).append(time)
        self.tasks.setdefault(task.line, []).append(task)

    def last(self, stream: object, before: int) -> Event | None:
        """The last task of a stream that was launched before a time."""
        at = bisect_left(self.time.get(stream, []), before)
        return self.tasks[stream][at - 1] if at else None

    def next(self, stream: object, after: int) -> Event | None:
        """The first task of a stream that was launched after a time."""
        at = bisect_left(self.time.get(stream, []), after)
        tasks = self.tasks.get(stream, [])
        return tasks[at] if at < len(tasks) else None


@dataclass(slots=True)
class _Thread:
    """The calls of a thread, so far."""

    last: Event | None = None
    streams: list[object] = field(default_factory=list)
    """Streams of the thread's launches, each once, the latest last."""

    def launches(self, stream: object) -> None:
        if stream in self.streams:
            self.streams.remove(stream)
        self.streams.append(stream)


@dataclass(slots=True)
class _Record:
    call: Event
    stream: object
    other: object
    """The stream of the thread's latest launch on another stream; None without such a launch."""
    waited: bool = False
    """Whether a wait follows immediately on the same thread."""


def is_record(call: Event) -> bool:
    """Whether a call records an event."""
    return "EventRecord" in call.name


def is_wait(call: Event) -> bool:
    """Whether a call lets a stream wait for an event."""
    return "StreamWaitEvent" in call.name


def stream_waits(
    rank: Rank, launched: Launched, stream_of: dict[int, object], within: Sequence[Event]
) -> StreamWaits:
    """Finds the tasks for which the waiting calls of a rank wait.

    Args:
        rank: rank of the calls.
        launched: tasks of the rank.
        stream_of: stream of each launch, by correlation id.
        within: operators that call collectives, by their start.
    """
    found = StreamWaits()
    threads: dict[object, _Thread] = {}
    records: list[_Record] = []
    by_correlation: dict[int, _Record] = {}
    says = any(sync.name.startswith("Stream Wait") for sync in rank.syncs.values())
    device = next((tasks[0].args.device or 0 for tasks in launched.tasks.values()), 0)
    pending: list[tuple[Event, _Thread, list[_Record]]] = []
    for call in rank.calls:
        thread = threads.setdefault(call.line, _Thread())
        correlation = call.args.correlation
        stream = None if correlation is None else stream_of.get(correlation)
        if stream is not None:
            for wait, _, candidates in [p for p in pending if p[1] is thread]:
                _resolve(found, launched, wait, stream, candidates, within)
            pending = [p for p in pending if p[1] is not thread]
            thread.launches(stream)
            thread.last = call
        elif is_record(call):
            own = thread.streams
            record = _Record(call, own[-1] if own else None, own[-2] if len(own) > 1 else None)
            records.append(record)
            if correlation is not None:
                by_correlation[correlation] = record
            thread.last = call
        elif is_wait(call):
            sync = None if correlation is None else rank.syncs.get(correlation)
            if sync is None and says:
                continue  # the trace leaves out waits for idle streams
            candidates = _candidates(thread, records)
            if sync is None:
                pending.append((call, thread, candidates))
            else:
                waiting = (device, sync.args.stream)
                truth = by_correlation.get(sync.args.record or -1)
                if truth is not None and sync.args.recording_stream not in (None, *_NO_STREAM):
                    own_stream = (device, sync.args.recording_stream)
                    _known(found, launched, call, waiting, truth, own_stream)
                else:
                    _resolve(found, launched, call, waiting, candidates, within)
            thread.last = call
    return found


def _candidates(thread: _Thread, records: list[_Record]) -> list[_Record]:
    """Records to which a wait on this thread may refer, the likeliest first."""
    last = thread.last
    latest = records[: -_MOST_TRIED - 1 : -1]
    if last is not None and is_record(last):
        just = next((each for each in latest if each.call is last), None)
        if just is not None:
            just.waited = True
            return [just, *(each for each in latest if each is not just)]
    return [each for each in latest if not each.waited] + [each for each in latest if each.waited]


def _known(
    found: StreamWaits,
    launched: Launched,
    wait: Event,
    waiting: object,
    record: _Record,
    stream: object,
) -> None:
    task = launched.next(waiting, wait.start)
    before = launched.last(stream, record.call.start)
    if task is not None and before is not None:
        found.found.append(Wait(wait, record.call, task, before, known=True))


def _resolve(
    found: StreamWaits,
    launched: Launched,
    wait: Event,
    waiting: object,
    candidates: Sequence[_Record],
    within: Sequence[Event],
) -> None:
    task = launched.next(waiting, wait.start)
    if task is None:
        return
    latest = task.start + _SLACK_NS
    if not candidates:  # traces of 2023 have no records: the task waits for all streams
        for stream in launched.tasks:
            before = launched.last(stream, wait.start) if stream != waiting else None
            if before is not None and before.end <= latest:
                found.found.append(Wait(wait, None, task, before, known=False))
        return
    tried = False
    for record in candidates:
        stream = record.stream
        if stream == waiting and _in_one(wait, record.call, within):
            stream = record.other
        if stream is None or stream == waiting:
            continue
        before = launched.last(stream, record.call.start)
        if before is None:
            continue
        tried = True
        if before.end <= latest:
            found.found.append(Wait(wait, record.call, task, before, known=False))
            return
    found.open += tried


def _in_one(wait: Event, record: Event, within: Sequence[Event]) -> bool:
    """Whether a wait and a record are inside one call of a collective."""
    if record.line != wait.line:
        return False
    at = bisect_right(within, record.start, key=lambda each: each.start)
    return any(
        each.line == wait.line and each.end >= wait.end for each in within[max(0, at - _NEAR) : at]
    )
