"""The `model` of a result: the assumed network, and the algorithms of collectives."""

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
"""Parameter → the part of T that depends on this parameter."""
PerByte = Annotated[float, Meta(ge=0)]


class LinkPrices(Part, frozen=True, kw_only=True):
    """Links with equal costs."""

    name: str
    L_ns: Nanoseconds
    G_ns_per_byte: PerByte
    rule: str
    """The link rule that gives the costs."""
    S_bytes: Count | None = None
    """Eager limit; null: the network's."""
    o_ns: Nanoseconds | None = None
    """CPU time per message at each end. Null: the network's."""
    O_ns_per_byte: PerByte | None = None
    """CPU time per byte at each end. Null: the network's."""
    g_ns: Nanoseconds | None = None
    """Least time for which a message holds its NIC. Null: the network's."""
    between: bool
    """Whether the links are between nodes."""
    switches: int | None
    """Number of switches on the way; null if the price does not depend on this number."""
    rank_pairs: Count
    """Number of ordered pairs of different ranks with such a link."""


class Modelled(Protocol):
    """A program as built from the input, in memory or in pieces."""

    @property
    def ranks(self) -> int:
        """Number of MPI processes."""

    @property
    def collectives(self) -> str:
        """The algorithms that replace collectives, in words."""

    @property
    def reduce_ns_per_byte(self) -> float:
        """Cost of combining one byte in a reduction, ns."""

    @property
    def costs(self) -> RecordedCosts | None:
        """Costs of calls that replace o and O; None: the network's o and O."""

    @property
    def async_progress(self) -> bool | None:
        """Whether receives answer requests while their rank computes; None: the input decides."""


class Assumptions(Part, frozen=True, kw_only=True):
    """The network, the mapping and the collective algorithms of a prediction."""

    L_ns: Nanoseconds
    """Latency of a message; if links differ, that between the nearest nodes."""
    o_ns: Nanoseconds
    g_ns: Nanoseconds
    O_ns_per_byte: PerByte
    G_ns_per_byte: PerByte
    S_bytes: Count
    S_isend_bytes: Count | None = None
    """Eager limit of nonblocking sends; null: S."""
    rendezvous: str
    """Reading of the rendezvous protocol: handshake, put, get, llamp or sync."""
    gap: str | None
    """Ends (none, send or both) at which messages are max(g, B) apart; B is the time on the wire.
    Null: send if g is not 0."""
    compute_scale: Annotated[float, Meta(ge=0)]
    """Factor on the recorded computation."""
    parameters: dict[str, str]
    """The network's parameters by symbol, for people."""
    meanings: dict[str, str]
    """Meaning of the parameters that a link rule has of its own, by symbol."""
    topology: str
    mapping: str | None
    """Placement of ranks on nodes; null if all links are equal."""
    nodes_used: Count | None = None
    """Number of nodes with ranks; null if all links are equal."""
    nodes: Count | None = None
    """Nodes of the topology; null without a topology."""
    classes: Annotated[list[LinkPrices], Meta(min_length=1)]
    """Classes of links with equal costs; the first class is that of the nearest pairs of nodes."""
    collectives: str
    reduce_ns_per_byte: PerByte
    async_progress: bool | None = True
    """Whether receives answer rendezvous requests while their rank computes; false: only once a
    call that may wait has begun; null: as the GOAL file specifies. If missing: true."""
    defaults: list[str]
    """Parameters that the user did not choose."""
    source: str | None
    """The cluster file of the network; null without a file."""
    overheads: TracedOverheads | None = None
    """o and O from the trace; null if they are not from the trace."""
    costs: RecordedCosts | None = None
    """Recorded costs of calls, in place of o and O; null: o and O."""

    @property
    def assumed(self) -> frozenset[str]:
        """Parts of T that depend on defaults of parameters: overhead, latency, bandwidth.

        They may also include transfer, which is latency and bandwidth together.
        """
        parts = {_PART_OF[name] for name in self.defaults if name in _PART_OF}
        return frozenset(parts | ({"transfer"} if parts & {"latency", "bandwidth"} else set()))

    @classmethod
    def of(cls, network: Network, program: Modelled) -> "Assumptions":
        """The assumptions for a program on `network`."""
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
            nodes_used=links.nodes_used,
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
