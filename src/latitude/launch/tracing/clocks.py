"""Checks that every message arrives after it has left, by the aligned clocks of several hosts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from latitude import _core
from latitude._core import InputError
from latitude.trace.recorded_run import RankFile, name_of
from latitude.units.quantities import counted, format_time

if TYPE_CHECKING:
    from latitude.results.trace import MessageOrder

_MOST_EVENTS = 50_000_000
"""Largest number of events of all ranks; an event takes some 150 bytes of memory."""


@dataclass(frozen=True, slots=True)
class ClockCheck:
    """The result of checking a run's clocks by its messages."""

    order: "MessageOrder | None" = None
    """Result of the check; None if messages were not checked."""
    problem: str | None = None
    """A problem, as a sentence for the user."""


def check_clocks(files: Sequence[RankFile], directory: Path) -> ClockCheck:
    """Checks every message of a run on several hosts; one host needs no check."""
    if all(file.clock_error_ns is None for file in files):
        return ClockCheck()
    if any(file.ending is None for file in files):
        return ClockCheck()  # a missing end is reported in any case
    events = sum(file.events for file in files)
    if events > _MOST_EVENTS:
        return ClockCheck(
            problem=f"with {counted(events, 'event')} it was not looked at whether messages arrive "
            "before they leave"
        )
    try:
        trace = _core.read_as_recorded([str(directory / name_of(file.rank)) for file in files])
    except (InputError, OSError) as error:
        return ClockCheck(problem=str(error))
    if trace.no_common_clock:
        return ClockCheck(problem=trace.no_common_clock)
    from latitude.results.trace import MessageOrder  # noqa: PLC0415 - with NumPy

    found = trace.order_of_messages()
    order = MessageOrder(
        messages=found.messages,
        reversed=found.reversed,
        worst_ns=found.worst_ns,
        source=found.source,
        destination=found.destination,
    )
    return ClockCheck(order, _reversed(order) if order.reversed else None)


def _reversed(order: "MessageOrder") -> str:
    verb = "arrives before it leaves" if order.reversed == 1 else "arrive before they leave"
    return (
        f"by the hosts' clocks, {order.reversed:,} of {counted(order.messages, 'message')} "
        f"{verb}, by {format_time(order.worst_ns, 3)} at most, from rank {order.source} to rank "
        f"{order.destination}. That is more than the clocks' error: a clock was set, or did not "
        "run evenly; do not compare times of these hosts (--replay, waits), or trace again"
    )
