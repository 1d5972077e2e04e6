"""Near-critical paths."""

from latitude.results.declared import (
    Count,
    Nanoseconds,
    Part,
)


class Waypoint(Part, frozen=True, kw_only=True):
    """A message that a path waits for."""

    source: Count
    destination: Count
    call: str
    """That posted the receive; `recv` where it is not recorded."""
    bytes: Count


class NearPath(Part, frozen=True, kw_only=True):
    """One of the longest paths; they differ in the messages they wait for."""

    length_ns: Nanoseconds
    shorter_ns: Nanoseconds
    """Than the critical path."""
    messages: Count
    """How many it waits for."""
    others: Count
    """Of these, messages that the critical path does not wait for."""
    skipped: Count
    """Messages of the critical path that it does not wait for."""
    through: list[Waypoint]
    """The first 100 of these others, in time order."""
