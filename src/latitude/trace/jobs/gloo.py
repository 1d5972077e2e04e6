"""A rank without a GPU: gloo runs its collectives on separate threads."""

from collections import deque
from collections.abc import Mapping, Sequence

from latitude.trace.jobs.called import CPU, Built, Called, kind_of
from latitude.trace.jobs.gloo_waits import CallerWait, Step, waits_of
from latitude.trace.jobs.job import MOST_NS, JobBuilder
from latitude.trace.jobs.kineto_file import Event, Rank, concrete_inputs, tensor_bytes

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
        self._ran: list[tuple[int, int]] = []
        """End and operation of each collective so far."""

    def build(self) -> None:
        """Adds the callers' operations in the order of time."""
        steps = self._steps()
        launches, waits = deque(steps), deque(waits_of(self._caller, steps, self._begin))
        at = self._begin
        open_runs: dict[int, Step] = {}
        job, number = self._job, self._number
        while launches or waits:
            if launches and (not waits or launches[0].launched <= waits[0].gone):
                step = launches.popleft()
                launch = job.operation(number, CPU, max(0, step.launched - at))
                at = max(at, step.launched)
                open_runs[self._run(step, launch)] = step
                continue
            wait = waits.popleft()
            job.operation(number, CPU, max(0, wait.gone - at))
            joined = job.operation(number, CPU, 0)
            idle_until = wait.gone
            for operation in _awaited(wait, open_runs):
                job.depends(joined, operation, "wait of the caller")
                idle_until = max(idle_until, open_runs.pop(operation).run.end)
            job.operation(number, CPU, wait.goes_on - idle_until)
            at = max(at, wait.goes_on)
        job.operation(number, CPU, max(0, self._rank.end - at))
        last = job.operation(number, CPU, 0)
        for operation in open_runs:
            job.depends(last, operation, "wait of the caller")

    def _steps(self) -> list[Step]:
        """All calls with their runs, in the order of their launches."""
        calls = [each for each in self._caller if each.name.startswith("c10d::")]
        point_to_point = [each for each in calls if kind_of(each.name) == "send"]
        others = [each for each in calls if kind_of(each.name) not in (None, "send")]
        steps = [
            Step(call.end, call, run) for call, run in zip(others, self._collectives, strict=False)
        ]
        # The profiler may stop before gloo's threads report the ends of their last collectives.
        for call in others[len(self._collectives) :]:
            run = Event(call.end, max(call.end, self._rank.end), "gloo", None, call.args)
            steps.append(Step(call.end, call, run, told=False))
        steps += [
            Step(call.start, call, run, collective=False)
            for call, run in zip(point_to_point, self._messages, strict=False)
        ]
        return sorted(steps, key=lambda each: each.launched)

    def _run(self, step: Step, launch: int) -> int:
        """Adds gloo's operations after a launch."""
        job, number, run = self._job, self._number, step.run
        lag = job.operation(number, None, max(0, run.start - step.launched), [launch], "launch")
        operation = job.operation(number, None, run.end - run.start, [lag], "")
        if step.collective:
            before = self._frees_thread(run)
            if before is not None:
                job.depends(operation, before, "thread of gloo")
            self._ran.append((run.end, operation))
        self._built.members.append((number, operation, self._called(step.call, run)))
        return operation

    def _frees_thread(self, run: Event) -> int | None:
        """The earlier collective that frees a thread for this one.

        Threads take turns if collectives have equal durations, as they do when latency dominates.
        If the collective whose turn it is had not ended in the recording, the nearest one that had
        ended takes its place.
        """
        turn = len(self._ran) - self._threads
        first = max(0, turn - self._threads)
        ended = [at for at in range(first, len(self._ran)) if self._ran[at][0] <= run.start]
        if turn < 0 or not ended:
            return None
        return self._ran[min(ended, key=lambda at: abs(at - turn))][1]

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


def _awaited(wait: CallerWait, open_runs: Mapping[int, Step]) -> list[int]:
    """The operations of the open runs for which the caller waits."""
    ended = [(at, step) for at, step in open_runs.items() if step.run.end <= wait.goes_on]
    if wait.stay is None:
        return [at for at, _ in ended]
    collectives = sum(step.collective and step.told for step in open_runs.values())
    return [at for at, step in ended if step.collective][: max(0, collectives - wait.stay)]
