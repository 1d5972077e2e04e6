"""Near-critical paths."""

from typing import Annotated

from latitude.results.declared import Count, Nanoseconds, Part
from latitude.units.columns import COUNT, column, time


class Waypoint(Part, frozen=True, kw_only=True):
    """A message that a path waits for."""

    source: Count
    destination: Count
    call: str
    """Call that posted the receive; `recv` if not recorded."""
    bytes: Count


class NearPath(Part, frozen=True, kw_only=True):
    """One of the longest paths, which differ in the messages for which they wait."""

    length_ns: Annotated[Nanoseconds, column("length", time(6))]
    shorter_ns: Nanoseconds
    """Time by which the path is shorter than the critical path."""
    messages: Annotated[Count, column("messages", COUNT)]
    """Number of messages for which the path waits."""
    others: Annotated[Count, column("other", COUNT)]
    """Number of the path's messages for which the critical path does not wait."""
    skipped: Annotated[Count, column("without", COUNT)]
    """Number of the critical path's messages for which this path does not wait."""
    through: list[Waypoint]
    """The first 100 messages for which the critical path does not wait, in time order."""
