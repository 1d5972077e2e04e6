"""What each MPI call has on the critical path."""

from latitude.results.declared import (
    Amount,
    Count,
    Part,
)


class CallShare(Part, frozen=True, kw_only=True):
    """What one MPI call has on the critical path."""

    call: str
    count: int | None
    """How often the program called it, all ranks together; null when not recorded."""
    path_vertices: Count
    calc_ns: float
    overhead_ns: float
    network_ns: float
    """Latency and bandwidth of the messages that arrive in this call."""
    lambda_L: Amount
    """Latencies of these messages: this call's part of λ_L."""
