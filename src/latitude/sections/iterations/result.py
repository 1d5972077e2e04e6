"""Results on a program's iterations. Times are ns."""

from typing import Annotated

from msgspec import Meta

from latitude._types import Share
from latitude.results.declared import AmountColumn, Columns, CountColumn, Part


class IterationShares(Columns, frozen=True, kw_only=True):
    """The critical path by iteration; the sums over all rows are T and λ.

    One row per iteration, or per several neighbouring iterations if there are very many.
    """

    first: CountColumn
    """Number of the iteration, from 1. The row 0 is the time before the first iteration. The last
    row, one more than the number of iterations, is the time after the last iteration.
    """
    last: CountColumn
    path_ns: AmountColumn
    """Time of the critical path in the iteration, on any rank."""
    calc_ns: AmountColumn
    overhead_ns: AmountColumn
    network_ns: AmountColumn
    """Time of latency and transfer."""
    lambda_L: AmountColumn
    """Number of latencies of the path's messages that are received in the iteration."""


class Iterations(Part, frozen=True, kw_only=True):
    """The program's iterations (docs/explanation/iterations.md)."""

    count: Annotated[int, Meta(ge=1)]
    call: str
    """MPI call with which iterations begin on most ranks of the critical path."""
    where: str | None
    """Line of that call, if the trace records call sites."""
    alike: Share
    """Share of the iterations that have the same calls as most iterations of the rank. It counts
    the first 10,000 iterations of each rank of the critical path.
    """
    shares: IterationShares
