"""A rank without a GPU: gloo runs its collectives on separate threads."""

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

from latitude.trace.jobs.called import CPU, Built, Called, kind_of
from latitude.trace.jobs.job import MOST_NS, JobBuilder
from latitude.trace.jobs.kineto_file import Event, Rank, concrete_inputs, tensor_bytes

_WAKES_NS = 400_000
"""Longest time between the end of an awaited collective and the caller's next operator, ns."""
_MESSAGES = ("gloo:send", "gloo:recv")
_IN_RINGS = ("all_reduce", "all_gather", "reduce_scatter")
_TRIPS = 2
"""Latencies per step of gloo's ring, which sends data only after the receiver's ready message."""


def add_gloo_rank(job: JobBuilder, built: Built, rank: Rank) -> None:
    """Adds the operations of a rank; times begin at its first event."""
    _GlooRank(job, built, rank).build()


class _GlooRank:
    def __init__(self, job: JobBuilder, built: Built, rank: Rank) -> None:
        self._job, self._built, self._rank, self._begin = job, built, rank, rank.start
        self._number = rank.number
        run = [each for each in rank.operators if each.name.startswith("gloo:")]
        self._messages = [each for each in run if each.name in _MESSAGES]
        self._collectives = [each for each in run if each.name not in _MESSAGES]
        own = {each.line for each in self._collectives}
        self._caller = [
            each
            for each in rank.operators
            if each.line not in own and not each.name.startswith("gloo:")
        ]
        self._threads = len(own)
        self._turns = deque((f"thread {at}", 0) for at in range(self._threads))
        """Threads in the order of their turns, with the end of their last collective."""

    def build(self) -> None:
        """Adds the callers' operations in the order of time."""
        calls = [each for each in self._caller if each.name.startswith("c10d::")]
        point_to_point = [each for each in calls if kind_of(each.name) == "send"]
        others = [each for each in calls if kind_of(each.name) not in (None, "send")]
        # The profiler may stop before gloo's threads report the ends of their last collectives.
        untold = [
            Event(call.end, max(call.end, self._rank.end), "gloo", None, call.args)
            for call in others[len(self._collectives) :]
        ]
        runs = [*self._collectives, *untold]
        steps = [(call.end, call, run) for call, run in zip(others, runs, strict=False)]
        steps += [
            (call.start, call, run)
            for call, run in zip(point_to_point, self._messages, strict=False)
        ]
        pending = deque(sorted(steps, key=lambda each: each[0]))
        waits = deque(self._waits())
        at = self._begin
        open_runs: list[tuple[int, int]] = []
        job, number = self._job, self._number
        while pending or waits:
            if pending and (not waits or pending[0][0] <= waits[0][1]):
                time, call, run = pending.popleft()
                launch = job.operation(number, CPU, max(0, time - at))
                at = max(at, time)
                open_runs.append((run.end, self._run(call, run, launch, time)))
                continue
            ended, gone, goes_on = waits.popleft()
            job.operation(number, CPU, max(0, gone - at))
            wait = job.operation(number, CPU, 0)
            for end, operation in open_runs:
                if end <= goes_on:
                    job.depends(wait, operation, "wait of the caller")
            open_runs = [each for each in open_runs if each[0] > goes_on]
            job.operation(number, CPU, goes_on - max(gone, ended))
            at = max(at, goes_on)
        job.operation(number, CPU, max(0, self._rank.end - at))
        last = job.operation(number, CPU, 0)
        for _, operation in open_runs:
            job.depends(last, operation, "wait of the caller")

    def _waits(self) -> list[tuple[int, int, int]]:
        """Waits: (end of the awaited thing, begin of the caller's idle time, its continuation)."""
        bounds = sorted(
            {
                (time, starts)
                for each in self._caller
                if "Profiler" not in each.name
                for time, starts in ((each.start, True), (each.end, False))
            }
        )
        found = {}
        for run in sorted([*self._collectives, *self._messages], key=lambda each: each.end):
            at = bisect_right(bounds, (run.end, True))
            if at == len(bounds) or not bounds[at][1]:
                continue
            goes_on, gone = bounds[at][0], bounds[at - 1][0] if at else self._begin
            if goes_on - run.end <= _WAKES_NS and gone >= run.start:
                found[goes_on] = (run.end, gone, goes_on)
        return [found[key] for key in sorted(found)]

    def _run(self, call: Event, run: Event, launch: int, launched: int) -> int:
        """Adds gloo's operations after a call."""
        job, number = self._job, self._number
        lag = job.operation(number, None, max(0, run.start - launched), [launch], "launch")
        message = run in self._messages
        thread = None if message else self._thread(run)
        operation = job.operation(number, thread, run.end - run.start, [lag], "")
        self._built.members.append((number, operation, self._called(call, run)))
        return operation

    def _thread(self, run: Event) -> str:
        """The thread that runs a collective.

        Threads take turns if collectives have equal durations, as they do when latency dominates.
        If the next thread was busy in the recording, the collective does not wait for a thread.
        """
        name, end = self._turns.popleft()
        if end > run.start:
            name, self._threads = f"thread {self._threads}", self._threads + 1
        self._turns.append((name, run.end))
        return name

    def _called(self, call: Event, run: Event) -> Called:
        kind = kind_of(call.name) or "all_reduce"
        size = min(tensor_bytes(call) or tensor_bytes(run), MOST_NS)
        every = self._rank.every
        if kind != "send":
            trips = _TRIPS if kind in _IN_RINGS else 1
            return Called(call.start, run.end, kind, "", every, size, trips=trips)
        inputs = concrete_inputs(call)
        peer = next((int(text) for text in inputs if text.isdecimal()), self._number)
        pair: Sequence[int] = (self._number, peer)
        if "recv" in call.name:
            pair = (peer, self._number)
        ranks = tuple(pair) if peer != self._number and peer < len(every) else (self._number,)
        return Called(call.start, run.end, kind, "", ranks, size, begin=run.start)
