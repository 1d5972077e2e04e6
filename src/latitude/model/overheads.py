"""Overheads that a trace tells: what its calls cost the CPU where they wait for nothing."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Meta

from latitude._types import Amount, Count, Floats, Nanoseconds

if TYPE_CHECKING:
    from collections.abc import Collection

    from latitude.model.network import Network

_DRAWS = 50
"""Of a network that has none of its own: as many as `measure loggps` keeps."""


@dataclass(frozen=True, slots=True)
class CallCost:
    """Calls of one kind, for messages of similar size."""

    call: str
    """MPI_Isend, for example."""
    service: Annotated[str, Meta(pattern="^[a-z]+(-[a-z]+)*$")]
    """What it does for a message: send, exchange (sends and receives), receive, post (a receive),
    complete (receives), complete-send."""
    from_bytes: Count
    to_bytes: Count
    ends: Count
    """Of messages, that all such calls served, whether they waited or not."""
    calls: Count
    """That waited for nothing."""
    o_ns: Nanoseconds | None
    """What such a call took for each end that it served, median; null where too few are known."""
    low_ns: Nanoseconds | None
    """Its 90 % interval."""
    high_ns: Nanoseconds | None


@dataclass(frozen=True, slots=True)
class TracedOverheads:
    """What a trace says of o and O (docs/overheads.md)."""

    o_ns: Nanoseconds
    """Of the model: the mean of both ends, where both are known."""
    low_ns: Nanoseconds
    """Its 90 % interval."""
    high_ns: Nanoseconds
    O_ns_per_byte: Amount | None
    """Of the model; null where the trace does not tell costs of bytes apart."""
    send_ns: Nanoseconds | None
    """Of the sending end alone; null where no send tells."""
    receive_ns: Nanoseconds | None
    """Of the receiving end alone; null where no receive tells."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Replicated:
    """What was found, with o and O as they may be instead: bootstrap replicates."""

    found: TracedOverheads
    o_ns: Floats
    O_ns_per_byte: Floats | None

    def on(self, network: "Network", fixed: "Collection[str]" = ()) -> "Network":
        """The network with these overheads.

        Where L was measured together with another o (both are of the network's file), half a round
        trip of one byte stays what it was, L + 2 o, and so does what each byte adds, G + O; but L
        and G do not fall below 0. Parameters in `fixed` stay as they are, as do those of a
        topology.
        """
        together = {"L", "o"} <= network.given and network.topology is None
        keeps_trip = together and "L" not in fixed
        own_O = self.found.O_ns_per_byte
        keeps_slope = own_O is not None and "G" in network.given and "G" not in fixed
        more = 2 * (network.o - self.found.o_ns) if keeps_trip else 0.0
        steeper = network.O - own_O if keeps_slope and own_O is not None else 0.0
        intra = network.intra
        if intra is not None:
            G = None if intra.G is None else max(intra.G + steeper, 0.0)
            intra = replace(intra, L=max(intra.L + more, 0.0), G=G)
        return replace(
            network,
            L=max(network.L + more, 0.0),
            G=max(network.G + steeper, 0.0),
            o=self.found.o_ns,
            O=network.O if own_O is None else own_O,
            intra=intra,
            given=network.given | {"o"} | ({"O"} if own_O is not None else set()),
            draws=self._draws(network, keeps_trip=keeps_trip, keeps_slope=keeps_slope),
            overheads=replace(self.found, excess_ns=max(-(network.L + more), 0.0)),
        )

    def _draws(
        self, network: "Network", *, keeps_trip: bool, keeps_slope: bool
    ) -> dict[str, tuple[float, ...]]:
        """Of the network, place by place with a replicate of the overheads."""
        before = {name: np.array(values) for name, values in network.draws.items()}
        count = len(next(iter(before.values()), range(_DRAWS)))
        chosen = np.arange(count) % self.o_ns.size
        o = self.o_ns[chosen]
        after = dict(before) | {"o": o}
        if keeps_trip:
            trip = before.get("L", network.L) + 2 * before.get("o", network.o)
            after["L"] = np.maximum(trip - 2 * o, 0.0)
        if self.O_ns_per_byte is not None:
            O = self.O_ns_per_byte[chosen]
            after["O"] = O
            if keeps_slope:
                slope = before.get("G", network.G) + before.get("O", network.O)
                after["G"] = np.maximum(slope - O, 0.0)
        return {name: tuple(values.tolist()) for name, values in after.items()}
