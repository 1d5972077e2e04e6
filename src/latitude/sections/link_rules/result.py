"""Messages, latencies and tolerance of each link rule."""

from typing import Annotated

from latitude.results.declared import Amount, Count, Nanoseconds, Part, Unbounded
from latitude.units.columns import AMOUNT, COUNT, SIZE, STRONG, TIME, column


class RuleTolerance(Part, frozen=True, kw_only=True):
    """Growth of one price of a rule's links at which T reaches a limit."""

    degradation: float
    """The limit as a share of T; 0.01 means 1 % slower."""
    delta_ns: Unbounded
    """Extra latency L at the limit; null if no latency reaches the limit."""
    delta_o_ns: Unbounded
    """Extra overhead o at the limit; null if no overhead reaches the limit."""


class LinkRule(Part, frozen=True, kw_only=True):
    """The messages to which a link rule applies, and their part of the critical path."""

    rule: Annotated[str, column("links", STRONG)]
    """Name of the rule; `between nodes` for messages to which no rule applies."""
    L_ns: Annotated[Nanoseconds, column("L", TIME)]
    """Latency; the least latency if it depends on the switches on the way."""
    o_ns: Annotated[Nanoseconds, column("o", TIME)]
    """CPU time per message at each end."""
    rank_pairs: Annotated[Count, column("pairs of ranks", COUNT)]
    messages: Annotated[Count, column("messages", COUNT)]
    """Number of messages; for a job, the successive messages of its collectives' algorithms."""
    bytes: Annotated[Count, column("sent", SIZE)]
    lambda_L: Annotated[Amount, column("latencies λ", AMOUNT)]
    """Number of latencies on the critical path. Over all links that leave a node the sum is λ_L,
    unless several paths are equally long."""
    lambda_G: Annotated[Amount, column("bytes λ_G", AMOUNT)]
    """Number of bytes on the critical path."""
    lambda_o: Annotated[Amount, column("overheads λ_o", AMOUNT)]
    """Number of overheads on the critical path. Over all rules the sum is λ_o, unless several paths
    are equally long."""
    latency_ns: Annotated[Nanoseconds, column("latency", TIME)]
    """Time of latencies on the critical path."""
    bandwidth_ns: Annotated[Nanoseconds, column("bandwidth", TIME)]
    """Time of bytes on the critical path."""
    overhead_ns: Annotated[Nanoseconds, column("overhead", TIME)]
    """Time of overheads on the critical path, without the costs of O."""
    tolerance: list[RuleTolerance]
