"""The critical path in time: stays on ranks."""

from latitude.results.declared import (
    Count,
    Part,
)
from latitude.results.lines import Resource


class Stay(Part, frozen=True, kw_only=True):
    """A stretch of the critical path on one line of a rank, and the message that led there."""

    rank: Count
    thread: Count
    """Number of the thread, from 0; in a GOAL file or a job, of the cpu or stream."""
    resource: Resource
    """Kind of the resource with the number `thread`."""
    start_ns: float
    end_ns: float
    calc_ns: float
    overhead_ns: float
    network_ns: float
    """Time of latency and transfer on the way to the rank (and within the stay, if stays were
    merged).
    """
    vertices: Count
