"""Near-critical paths."""

from typing import Annotated

from latitude.results.declared import Count, Nanoseconds, Part
from latitude.units.columns import COUNT, column, time


class Waypoint(Part, frozen=True, kw_only=True):
    """A message that a path waits for."""

    source: Count
    destination: Count
    call: str
    """That posted the receive; `recv` where it is not recorded."""
    bytes: Count


class NearPath(Part, frozen=True, kw_only=True):
    """One of the longest paths; they differ in the messages they wait for."""

    length_ns: Annotated[Nanoseconds, column("length", time(6))]
    shorter_ns: Nanoseconds
    """Than the critical path."""
    messages: Annotated[Count, column("messages", COUNT)]
    """How many it waits for."""
    others: Annotated[Count, column("other", COUNT)]
    """Messages that the critical path does not wait for."""
    skipped: Annotated[Count, column("without", COUNT)]
    """Messages of the critical path that it does not wait for."""
    through: list[Waypoint]
    """The first 100 of these others, in time order."""
