"""Messages, latencies and tolerance of each link rule."""

from typing import Annotated

from latitude.results.declared import Amount, Count, Nanoseconds, Part, Unbounded
from latitude.units.columns import AMOUNT, COUNT, SIZE, STRONG, TIME, column


class RuleTolerance(Part, frozen=True, kw_only=True):
    """By how much a price of a rule's links may grow, alone, until T reaches a limit."""

    degradation: float
    """The limit as a share of T: 0.01 is 1 % slower."""
    delta_ns: Unbounded
    """More latency L; null where none makes the program so slow."""
    delta_o_ns: Unbounded
    """More overhead o; null where none makes the program so slow."""


class LinkRule(Part, frozen=True, kw_only=True):
    """The messages that a link rule prices, and their part of the critical path."""

    rule: Annotated[str, column("links", STRONG)]
    """Its name; `between nodes` for messages that no rule fits."""
    L_ns: Annotated[Nanoseconds, column("L", TIME)]
    """Latency; where it depends on the switches on the way, the least."""
    o_ns: Annotated[Nanoseconds, column("o", TIME)]
    """CPU time of a message at each end."""
    rank_pairs: Annotated[Count, column("pairs of ranks", COUNT)]
    messages: Annotated[Count, column("messages", COUNT)]
    """A job has those that its collectives' algorithms send one after the other."""
    bytes: Annotated[Count, column("sent", SIZE)]
    lambda_L: Annotated[Amount, column("latencies λ", AMOUNT)]
    """Latencies on the critical path. For links that leave a node they add up to λ_L, unless
    several paths are equally long."""
    lambda_G: Annotated[Amount, column("bytes λ_G", AMOUNT)]
    """Bytes on the critical path."""
    lambda_o: Annotated[Amount, column("overheads λ_o", AMOUNT)]
    """Overheads on the critical path. All rules' add up to λ_o, unless several paths are equally
    long."""
    latency_ns: Annotated[Nanoseconds, column("latency", TIME)]
    """Duration of these latencies."""
    bandwidth_ns: Annotated[Nanoseconds, column("bandwidth", TIME)]
    """Duration of these bytes."""
    overhead_ns: Annotated[Nanoseconds, column("overhead", TIME)]
    """Duration of these overheads, without what O costs."""
    tolerance: list[RuleTolerance]
