"""The critical path in time: stays on ranks."""

from latitude.results.declared import (
    Count,
    Part,
)


class Stay(Part, frozen=True, kw_only=True):
    """A stretch of the critical path on one rank or thread, and how the path came there."""

    rank: Count
    thread: Count
    """Thread of the rank; 0 is the first."""
    start_ns: float
    end_ns: float
    calc_ns: float
    overhead_ns: float
    network_ns: float
    """Latency and bandwidth on the way to the rank (and inside, where stays were merged)."""
    vertices: Count
