"""Each MPI call's share of the critical path."""

from typing import Annotated

from latitude.results.declared import Amount, Count, Part
from latitude.units.columns import AMOUNT, COUNT, TIME, column


class CallShare(Part, frozen=True, kw_only=True):
    """Parts of the critical path by MPI call."""

    call: str
    count: Annotated[int | None, column("calls", COUNT)]
    """Number of calls by all ranks together; null if not recorded."""
    path_vertices: Count
    calc_ns: float
    overhead_ns: Annotated[float, column("overhead", TIME)]
    network_ns: Annotated[float, column("network", TIME)]
    """Time of latency and transfer of the messages that arrive in this call."""
    lambda_L: Annotated[Amount, column("latencies λ", AMOUNT)]
    """Latencies of the messages that arrive in this call: the call's part of λ_L."""

    @property
    def path_ns(self) -> Annotated[float, column("on the path", TIME)]:
        """Duration of computation, overhead and network on the path."""
        return self.calc_ns + self.overhead_ns + self.network_ns
