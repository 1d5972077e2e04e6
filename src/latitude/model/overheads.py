"""Overheads from a trace: CPU costs of calls that wait for nothing."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from latitude._types import Amount, Count, Nanoseconds


@dataclass(frozen=True, slots=True)
class CallCost:
    """Costs of calls of one kind, for messages of similar size."""

    call: str
    """MPI_Isend, for example."""
    service: Annotated[str, Meta(pattern="^[a-z]+(-[a-z]+)*$")]
    """The call's service for a message: send, exchange (sends and receives), receive, post (a
    receive), complete (receives), complete-send."""
    from_bytes: Count
    to_bytes: Count
    ends: Count
    """Number of message ends that all such calls served, with or without waiting."""
    calls: Count
    """Number of calls that waited for nothing."""
    o_ns: Nanoseconds | None
    """Median time of such a call per message end that it served; null if too few calls are known.
    """
    low_ns: Nanoseconds | None
    """Lower end of the 90 % interval."""
    high_ns: Nanoseconds | None


@dataclass(frozen=True, slots=True)
class TracedOverheads:
    """Values of o and O from a trace (docs/internals/overheads.md)."""

    o_ns: Nanoseconds
    """o of the model: the mean of both ends if both are known."""
    low_ns: Nanoseconds
    """Lower end of the 90 % interval."""
    high_ns: Nanoseconds
    O_ns_per_byte: Amount | None
    """O of the model; null if the trace does not show costs per byte."""
    send_ns: Nanoseconds | None
    """o of the sending end alone; null if no send shows its cost."""
    receive_ns: Nanoseconds | None
    """o of the receiving end alone; null if no receive shows its cost."""
    waited: Count
    """Receives whose message may have come only while the call waited; they give no cost."""
    rendezvous: Count
    """Ends of messages above the eager limit, or sent synchronously; they give no cost."""
    to_itself: Count
    """Ends of messages of ranks to themselves, or completed together with such messages; they give
    no cost."""
    unknown: Count
    """Ends completed together with other requests, or whose other end is not known; they give no
    cost."""
    eager_bytes: Count
    """Largest message that counted as eager, bytes: S, or less if the trace shows sends that waited
    for their receiver."""
    one_clock: bool
    """Whether one clock gave the times of different ranks; otherwise they were compared by the
    fastest messages between the ranks."""
    costs: list[CallCost]
    """Costs by service, call and size."""
    excess_ns: Nanoseconds = 0.0
    """Excess of 2 o over half a round trip in the measurement of L; L is then 0."""
