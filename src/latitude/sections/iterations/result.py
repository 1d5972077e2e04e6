"""Results about a program that repeats itself. Times are ns."""

from typing import Annotated

from msgspec import Meta

from latitude._types import Share
from latitude.results.declared import AmountColumn, Columns, CountColumn, Part


class IterationShares(Columns, frozen=True, kw_only=True):
    """What iterations have on the critical path; together all of it, T and λ.

    One row per iteration, or per as many neighbours where there are very many.
    """

    first: CountColumn
    """Counted from 1; 0 is what comes before the first, and the last row's number, one more than
    there are iterations, what comes after the last."""
    last: CountColumn
    path_ns: AmountColumn
    """Time that the critical path spends in the iteration, on whatever rank."""
    calc_ns: AmountColumn
    overhead_ns: AmountColumn
    network_ns: AmountColumn
    """Latency and bandwidth."""
    lambda_L: AmountColumn
    """Latencies of the path's messages that are received in the iteration."""


class Iterations(Part, frozen=True, kw_only=True):
    """How the program repeats itself (docs/explanation/iterations.md)."""

    count: Annotated[int, Meta(ge=1)]
    call: str
    """With which an iteration begins: on most ranks of the critical path."""
    where: str | None
    """Line of that call, where the trace records call sites."""
    alike: Share
    """Of the iterations of these ranks, of each the first 10,000: those with the calls that most of
    the rank's have."""
    shares: IterationShares
