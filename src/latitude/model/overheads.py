"""Overheads from a trace: CPU costs of calls that wait for nothing."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from latitude._types import Amount, Count, Nanoseconds


@dataclass(frozen=True, slots=True)
class CallCost:
    """Calls of one kind, for messages of similar size."""

    call: str
    """MPI_Isend, for example."""
    service: Annotated[str, Meta(pattern="^[a-z]+(-[a-z]+)*$")]
    """Its service for a message: send, exchange (sends and receives), receive, post (a receive),
    complete (receives), complete-send."""
    from_bytes: Count
    to_bytes: Count
    ends: Count
    """Number of message ends that all such calls served, waiting or not."""
    calls: Count
    """That waited for nothing."""
    o_ns: Nanoseconds | None
    """What such a call took for each end that it served, median; null where too few are known."""
    low_ns: Nanoseconds | None
    """Its 90 % interval."""
    high_ns: Nanoseconds | None


@dataclass(frozen=True, slots=True)
class TracedOverheads:
    """Values of o and O from a trace (docs/internals/overheads.md)."""

    o_ns: Nanoseconds
    """o of the model: the mean of both ends, where both are known."""
    low_ns: Nanoseconds
    """Its 90 % interval."""
    high_ns: Nanoseconds
    O_ns_per_byte: Amount | None
    """O of the model; null where the trace does not tell costs of bytes apart."""
    send_ns: Nanoseconds | None
    """o of the sending end alone; null if no send shows it."""
    receive_ns: Nanoseconds | None
    """o of the receiving end alone; null if no receive shows it."""
    waited: Count
    """Receives whose message may have come only while the call waited: of these nothing is told."""
    rendezvous: Count
    """Ends of messages above the eager limit, or sent synchronously: the same."""
    to_itself: Count
    """Ends of messages of ranks to themselves, or completed together with such: the same."""
    unknown: Count
    """Ends completed together with other requests, or whose other end is not known: the same."""
    eager_bytes: Count
    """Messages up to so many bytes were taken as eager: S, or less where the trace shows sends that
    waited for their receiver."""
    one_clock: bool
    """Whether times of different ranks were compared by one clock; else by what the fastest
    messages between them seemed to take."""
    costs: list[CallCost]
    """By service, call and size."""
    excess_ns: Nanoseconds = 0.0
    """By how much 2 o is longer than half a round trip was where L was measured: L is then 0."""
