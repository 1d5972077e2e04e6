"""Waits of a program for gloo's collectives and messages, which no trace records."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from latitude.trace.jobs.kineto_file import Event

_WAKES_NS = 400_000
"""Longest time between the end of an awaited run and the caller's next operator, ns."""
_LATE_PER_WAIT = 2
"""Largest number of visits to a place with too many open collectives, per visit that waited.

A thread of gloo wakes the caller before the profiler takes the time of the run's end. On a busy
processor this time can be milliseconds late.
"""
_MOST_OPEN = 256
"""Number of latest collectives among which open collectives are searched."""


class Step(NamedTuple):
    """A call and the run of gloo that it launches."""

    launched: int
    """Time of the launch, ns."""
    call: Event
    run: Event
    collective: bool = True
    told: bool = True
    """False if the profiler stopped before gloo's thread reported the run."""


class CallerWait(NamedTuple):
    """A wait of the caller; times in ns."""

    goes_on: int
    gone: int
    """Begin of the caller's idle time."""
    stay: int | None
    """Collectives that may stay open. With None the caller waits for all runs that have ended."""


_Place = tuple[str, int, int]
"""An operator's name, and the operators between it and the launches before and after."""


def waits_of(caller: Iterable[Event], steps: Sequence[Step], begin: int) -> list[CallerWait]:
    """Waits of the caller, in their order; sets right the ends that gloo's threads told late.

    A program comes to the same place in each of its iterations. The caller waits at a place on two
    conditions. At some visit it was idle until a collective ended, and it hardly ever went on while
    more collectives were open. At such a place the caller waits at each visit, until no more
    collectives are open than there were then. The caller waits for a message if it was idle until
    the message ended.
    """
    return _Caller(caller, steps, begin).waits()


class _Caller:
    def __init__(self, caller: Iterable[Event], steps: Sequence[Step], begin: int) -> None:
        own = sorted(
            (each for each in caller if "Profiler" not in each.name),
            key=lambda each: (each.start, -each.end),
        )
        self._steps, self._begin = steps, begin
        self._bounds = sorted(
            {bound for each in own for bound in ((each.start, True), (each.end, False))}
        )
        self._places = _places(own)
        self._told = [each for each in steps if each.collective and each.told]
        self._launches = [each.launched for each in self._told]

    def waits(self) -> list[CallerWait]:
        """Waits in their order."""
        stay: dict[int, int | None] = {}
        seen = defaultdict(set)
        for step, goes_on in self._idle():
            if step.collective:
                seen[self._places[goes_on]].add(goes_on)
            else:
                stay[goes_on] = None
        visits = defaultdict(list)
        for time, place in self._places.items():
            if place in seen:
                visits[place].append(time)
        for place, times in visits.items():
            most = self._may_stay(times, seen[place])
            if most is None:
                continue
            for time in times:
                stay.setdefault(time, most)
                for run in _late(self._open(time), most):
                    run.end = time
        return [CallerWait(time, self._gone(time), stay[time]) for time in sorted(stay)]

    def _gone(self, goes_on: int) -> int:
        at = bisect_left(self._bounds, (goes_on, True))
        return self._bounds[at - 1][0] if at else self._begin

    def _idle(self) -> Iterator[tuple[Step, int]]:
        """Runs that ended while the caller was idle, and the time when it went on."""
        for step in self._steps:
            at = bisect_right(self._bounds, (step.run.end, True))
            if not step.told or at == len(self._bounds) or not self._bounds[at][1]:
                continue
            goes_on = self._bounds[at][0]
            if goes_on - step.run.end <= _WAKES_NS and self._gone(goes_on) >= step.run.start:
                yield step, goes_on

    def _may_stay(self, times: Iterable[int], seen: Container[int]) -> int | None:
        """Collectives that may stay open at a place; None if the caller does not wait."""
        open_at = {time: self._open(time) for time in times}
        for most in sorted({len(runs) for time, runs in open_at.items() if time in seen}):
            more = [(time, runs) for time, runs in open_at.items() if len(runs) > most]
            waited = sum(time in seen and len(runs) == most for time, runs in open_at.items())
            begun = all(run.start <= time for time, runs in more for run in _late(runs, most))
            if begun and len(more) <= _LATE_PER_WAIT * waited:
                return most
        return None

    def _open(self, time: int) -> list[Event]:
        """Collectives that are open at a time, in the order in which they began."""
        launched = self._told[: bisect_right(self._launches, time)]
        runs = [each.run for each in launched[-_MOST_OPEN:] if each.run.end > time]
        return sorted(runs, key=lambda each: each.start)


def _late(open_runs: Sequence[Event], most: int) -> Sequence[Event]:
    """Collectives that had ended for the caller, although the trace has later ends."""
    return open_runs[: max(0, len(open_runs) - most)]


def _places(operators: Sequence[Event]) -> dict[int, _Place]:
    """The place of the program at which each time's first operator starts."""
    launch = [each.name.startswith("c10d::") for each in operators]
    after = _distances(launch)
    before = _distances(launch[::-1])[::-1]
    found: dict[int, _Place] = {}
    for each, since, until in zip(operators, after, before, strict=True):
        found.setdefault(each.start, (each.name, since, until))
    return found


def _distances(launch: Sequence[bool]) -> list[int]:
    """Number of operators since the last launch before each; −1 before the first launch."""
    found, last = [], -1
    for at, launches in enumerate(launch):
        found.append(at - last if last >= 0 else -1)
        if launches:
            last = at
    return found
