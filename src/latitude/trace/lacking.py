"""Describes calls that an execution graph lacks: names, numbers, and lines."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from latitude import _core
from latitude._core import InputError, Tallies, Tally
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.trace.places import places_of
from latitude.trace.wrappers import Wrappers
from latitude.units.quantities import counted, format_share

_LINES = 3
"""Largest number of lines per function: those with most calls."""
_FUNCTIONS = 6
"""Largest number of functions in a rejection, which is one line: those with most time."""
_ADVICE = "--skip-unsupported leaves such calls out and says what they stood for"
_UNRECORDED = "which the program made by a call that the tracer does not know, or outside its sight"


def refusal(
    path: Path, sites: _core.Trace | _core.Graph, tallies: Tallies, wrappers: Wrappers
) -> InputError:
    """The error about calls that no graph can express."""
    listed = _Listed(sites, tallies, wrappers)
    found = []
    if tallies.unsupported:
        verb = "is" if _all(tallies.unsupported) == 1 else "are"
        found.append(
            f"{listed.total(tallies.unsupported)} {verb} not supported in an execution graph: "
            f"{listed.most(tallies.unsupported)}"
        )
    if tallies.unrecorded:
        found.append(
            f"{listed.total(tallies.unrecorded)} of a request that no recorded call has made, "
            f"{_UNRECORDED}: {listed.most(tallies.unrecorded)}"
        )
    return InputError(f"{path}: {'; '.join(found)}; {_ADVICE}")


def lacking(graph: _core.Graph, wrappers: Wrappers) -> list[Notice]:
    """Warnings about calls that were left out or changed."""
    tallies = graph.tallies
    listed = _Listed(graph, tallies, wrappers)
    notices = []
    if tallies.unsupported:
        notices.append(
            kinds.UNSUPPORTED_SKIPPED(
                f"{listed.total(tallies.unsupported)} left out, and the bytes moved by them are "
                f"not known: {listed.each(tallies.unsupported)}"
            )
        )
    if tallies.unrecorded:
        notices.append(
            kinds.UNSUPPORTED_SKIPPED(
                f"{listed.total(tallies.unrecorded)} of a request that no recorded call has made, "
                f"{_UNRECORDED}, treated as if they did not exist: "
                f"{listed.each(tallies.unrecorded)}"
            )
        )
    if tallies.unfinished:
        count = counted(_all(tallies.unfinished), "send")
        notices.append(
            kinds.NEVER_COMPLETED(
                f"no call completes {count}, treated as if their requests were freed: "
                f"{listed.each(tallies.unfinished, times=False)}"
            )
        )
    return notices


def _all(tallies: Sequence[Tally]) -> int:
    return sum(tally.calls for tally in tallies)


class _Listed:
    """Tallies in words; all their call sites are looked up at once."""

    def __init__(
        self, sites: _core.Trace | _core.Graph, tallies: Tallies, wrappers: Wrappers
    ) -> None:
        every = (*tallies.unsupported, *tallies.unrecorded, *tallies.unfinished)
        used = {site for tally in every for site in tally.sites} - {_core.NO_SITE}
        numbers = sorted(used)
        places = places_of(sites, np.array(numbers, dtype=np.int64), wrappers)
        names = places.names
        self._name = {
            site: names[place] for site, place in zip(numbers, places.of_used.tolist(), strict=True)
        }
        self._ranks_ns = max(1, tallies.ranks_ns)

    def total(self, tallies: Sequence[Tally]) -> str:
        """Number of calls and share of the time: `12 calls (3.1% of all ranks' time)`."""
        share = sum(tally.ns for tally in tallies) / self._ranks_ns
        return f"{counted(_all(tallies), 'call')} ({format_share(share)} of all ranks' time)"

    def each(self, tallies: Sequence[Tally], *, times: bool = True) -> str:
        """Functions with their number of calls, share of the time, and places; most time first."""
        return "; ".join(
            f"{tally.calls:,} {tally.call}"
            f"{f' ({format_share(tally.ns / self._ranks_ns)})' if times else ''} {self._at(tally)}"
            for tally in sorted(tallies, key=lambda tally: -tally.ns)
        )

    def most(self, tallies: Sequence[Tally]) -> str:
        """Like `each` for the functions with most time; other functions are only counted."""
        descending = sorted(tallies, key=lambda tally: -tally.ns)
        named, others = descending[:_FUNCTIONS], descending[_FUNCTIONS:]
        more = (
            f"; {self.total(others)} of {counted(len(others), 'more function')}" if others else ""
        )
        return f"{self.each(named)}{more}"

    def _at(self, tally: Tally) -> str:
        """The lines with most of the calls, or the first event if no call site is known."""
        count: dict[str, int] = {}
        for site, calls in tally.sites.items():
            if site in self._name:
                count[self._name[site]] = count.get(self._name[site], 0) + calls
        if not count:
            return f"first at {tally.first.removesuffix(f': {tally.call}')}"
        names = sorted(count, key=lambda name: -count[name])
        more = f" and {counted(len(names) - _LINES, 'more line')}" if len(names) > _LINES else ""
        return f"at {', '.join(names[:_LINES])}{more}"
