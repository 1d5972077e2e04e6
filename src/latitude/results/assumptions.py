"""The `model` of a result: the network that was assumed, and how collectives were expanded."""

from typing import Annotated, Protocol

from msgspec import Meta

from latitude.model.links import describe_links
from latitude.model.network import Network
from latitude.model.overheads import TracedOverheads
from latitude.model.placement import Placement
from latitude.results.declared import Count, Nanoseconds, Part
from latitude.trace.costs import RecordedCosts

_PART_OF = {
    "o": "overhead",
    "L": "latency",
    "l_wire": "latency",
    "d_switch": "latency",
    "G": "bandwidth",
}
"""Parameter → the part of T that it makes."""
PerByte = Annotated[float, Meta(ge=0)]


class LinkPrices(Part, frozen=True, kw_only=True):
    """Links that cost the same."""

    name: str
    L_ns: Nanoseconds
    G_ns_per_byte: PerByte
    rule: str
    """The link rule by which they cost that."""
    S_bytes: Count | None = None
    """Their eager limit; null: the network's."""
    o_ns: Nanoseconds | None = None
    """CPU time of a message at each end. Null: the network's."""
    O_ns_per_byte: PerByte | None = None
    """CPU time of a byte at each end. Null: the network's."""
    g_ns: Nanoseconds | None = None
    """Time for which a message holds its NIC at least. Null: the network's."""
    between: bool
    """Whether they are between nodes."""
    switches: int | None
    """On the way; null where the price does not depend on them."""
    rank_pairs: Count
    """Ordered pairs of different ranks that meet over such a link."""


class Modelled(Protocol):
    """A program as it is built of what was read, in memory or in pieces."""

    @property
    def ranks(self) -> int:
        """Number of MPI processes."""

    @property
    def collectives(self) -> str:
        """The algorithms collectives were expanded to, in words."""

    @property
    def reduce_ns_per_byte(self) -> float:
        """Cost of a reduction."""

    @property
    def costs(self) -> RecordedCosts | None:
        """What calls cost in place of o and O; None: as the network says."""

    @property
    def async_progress(self) -> bool | None:
        """Whether receives meet requests while their rank computes; None: the input says it."""


class Assumptions(Part, frozen=True, kw_only=True):
    """The network, the mapping and the collective algorithms of a prediction."""

    L_ns: Nanoseconds
    """Latency of a message; where links differ, between the nearest nodes."""
    o_ns: Nanoseconds
    g_ns: Nanoseconds
    O_ns_per_byte: PerByte
    G_ns_per_byte: PerByte
    S_bytes: Count
    S_isend_bytes: Count | None = None
    """Eager limit of nonblocking sends; null: S."""
    rendezvous: str
    """handshake, put, get, llamp or sync."""
    gap: str | None
    """none, send or both: who holds messages max(g, B) apart; null: send where g is not 0."""
    compute_scale: Annotated[float, Meta(ge=0)]
    """Computation takes so many times what was recorded."""
    parameters: dict[str, str]
    """Those that the network was told, by symbol, for people."""
    meanings: dict[str, str]
    """By symbol, of those that a link rule has of its own."""
    topology: str
    mapping: str | None
    """Rank to node; null where links do not differ."""
    nodes_used: Count | None = None
    """On which there are ranks; null where links do not differ."""
    nodes: Count | None = None
    """Nodes of the topology; null without a topology."""
    classes: Annotated[list[LinkPrices], Meta(min_length=1)]
    """Links that cost the same; the first is the nearest between two nodes."""
    collectives: str
    reduce_ns_per_byte: PerByte
    async_progress: bool | None = True
    """Receives meet the requests of rendezvous while their rank computes; false: once a call has
    begun that may wait; null: as a GOAL file has it. Where it is missing: true."""
    defaults: list[str]
    """Parameters nobody chose."""
    source: str | None
    """The cluster file that the network is of; null where there is none."""
    overheads: TracedOverheads | None = None
    """o and O from the trace; null if they are not from the trace."""
    costs: RecordedCosts | None = None
    """Recorded costs of calls, in place of o and O; null: o and O."""

    @property
    def assumed(self) -> frozenset[str]:
        """Which parts of T follow from parameters nobody chose: overhead, latency, bandwidth.

        Also transfer, which is latency and bandwidth together.
        """
        parts = {_PART_OF[name] for name in self.defaults if name in _PART_OF}
        return frozenset(parts | ({"transfer"} if parts & {"latency", "bandwidth"} else set()))

    @classmethod
    def of(cls, network: Network, program: Modelled) -> "Assumptions":
        """Of a program on `network`."""
        ranks = program.ranks
        links = network.links(ranks)
        placement = network.placement or Placement()
        return cls(
            L_ns=links.classes[0].L,
            o_ns=network.o,
            g_ns=network.g,
            O_ns_per_byte=network.O,
            G_ns_per_byte=network.G,
            S_bytes=network.S,
            S_isend_bytes=network.S_isend,
            rendezvous=network.rendezvous,
            gap=network.gap,
            compute_scale=network.compute_scale,
            parameters=network.describe(),
            meanings={
                symbol: meaning
                for rule in network.rules
                for symbol, meaning in rule.meanings().items()
            },
            topology=describe_links(network.topology, links),
            nodes_used=None if links.nodes is None else links.nodes.size,
            nodes=None if network.topology is None else network.topology.nodes,
            mapping=None if links.node_of_rank is None else placement.describe(ranks),
            classes=[
                LinkPrices(
                    name=link.name,
                    L_ns=link.L,
                    G_ns_per_byte=link.G,
                    between=link.between,
                    rule=link.rule,
                    S_bytes=link.S,
                    o_ns=None if link.o == network.o else link.o,
                    O_ns_per_byte=None if link.O == network.O else link.O,
                    g_ns=None if link.g == network.g else link.g,
                    switches=link.switches,
                    rank_pairs=link.pairs,
                )
                for link in links.classes
            ],
            collectives=program.collectives,
            reduce_ns_per_byte=program.reduce_ns_per_byte,
            async_progress=program.async_progress,
            defaults=list(network.defaults()),
            source=network.source or None,
            overheads=network.overheads,
            costs=program.costs,
        )
