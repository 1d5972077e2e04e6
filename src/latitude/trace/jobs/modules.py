"""Named modules of a program, from annotations of the profiler."""

from bisect import bisect_right
from collections.abc import Iterable

from latitude.trace.jobs.kineto_file import Event, Rank

_OTHERS = ("nccl:", "gloo:", "c10d::")
"""Prefixes of annotations around a single call of a collective."""
_PROFILER = "Profiler"
_MODULE = "nn.Module: "
_NEVER = 1 << 63


class _Innermost:
    """Finds the innermost event of a thread at a time; events are given by start."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._times: list[int] = []
        self._events: list[Event | None] = []
        stack: list[Event] = []
        for event in events:
            self._close(stack, event.start)
            stack.append(event)
            self._change(event.start, event)
        self._close(stack, _NEVER)

    def _close(self, stack: list[Event], until: int) -> None:
        while stack and stack[-1].end <= until:
            end = stack.pop().end
            self._change(end, stack[-1] if stack else None)

    def _change(self, time: int, event: Event | None) -> None:
        self._times.append(max(time, self._times[-1]) if self._times else time)
        self._events.append(event)

    def at(self, time: int) -> Event | None:
        """The innermost event at this time, or None."""
        place = bisect_right(self._times, time)
        return self._events[place - 1] if place else None


def _by_thread(events: Iterable[Event]) -> dict[object, _Innermost]:
    found: dict[object, list[Event]] = {}
    for event in events:
        found.setdefault(event.line, []).append(event)
    return {line: _Innermost(own) for line, own in found.items()}


class Modules:
    """Finds the module to which a call on a CPU belongs.

    The module is the innermost annotation around the call on its thread. A call of the backward
    pass belongs to the module of the forward operator with the same sequence number.
    """

    def __init__(self, rank: Rank) -> None:
        named = (
            each
            for each in rank.annotations
            if not each.name.startswith(_OTHERS) and _PROFILER not in each.name
        )
        self._annotations = _by_thread(named)
        self._backward: dict[object, _Innermost] = {}
        self._forward: dict[int, str] = {}
        if self._annotations:
            numbered = [each for each in rank.operators if each.args.autograd is not None]
            for each in numbered:
                if not each.args.forward_thread:
                    self._forward[each.args.autograd or 0] = self._around(each)
            self._backward = _by_thread(each for each in numbered if each.args.forward_thread)

    def of(self, call: Event) -> str:
        """The call's module; empty without annotations."""
        name = self._around(call)
        if name or call.line not in self._backward:
            return name
        operator = self._backward[call.line].at(call.start)
        forward = self._forward.get(operator.args.autograd or 0, "") if operator else ""
        return forward and f"{forward} (backward)"

    def _around(self, call: Event) -> str:
        known = self._annotations.get(call.line)
        found = known.at(call.start) if known else None
        return found.name.removeprefix(_MODULE) if found else ""
