"""The network of a program: LogGPS parameters, link rules, places, placement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude import _core
from latitude._core import InputError
from latitude.model.links import BasePrices, Links, links
from latitude.model.overheads import TracedOverheads
from latitude.model.parameters import KNOWN, PARAMETERS
from latitude.model.placement import Placement
from latitude.model.places import PlaceSizes
from latitude.model.rules import Rule
from latitude.model.topology import Topology
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.trace.transports import Transports, kept_transports
from latitude.units.arguments import finite, instance
from latitude.units.quantities import (
    format_per_byte,
    format_size,
    format_time,
)

RENDEZVOUS = _core.RENDEZVOUS
GAPS = _core.GAPS


DRAWN = ("L", "o", "g", "G", "O")
"""Parameters for which a measurement gives replicates."""
_MOST_DRAWS = 1000
_MOST_RULES = 64
_LARGE_NS = 50_000.0
"""Least o, ns, that probably comes from ranks that share a core, not from the cost of calls."""


@dataclass(frozen=True, slots=True)
class Network:
    """LogGPS parameters, by kind of link if nodes are known (Shen et al. 2024, §II.A and §IV.2).

    Give L, o, g, G, O and the eager limits as numbers or with a unit, `Network(L="1.2us")`.
    InputError: a text has no valid value, or a value is negative or infinite.

    The defaults are those of §III.B: L, G and S of a 188-node ConnectX-3 fat tree, measured with
    Netgauge, and the o of that paper's programs.
    """

    L: float = 3_000.0
    """Latency of a message that no rule fits, ns. The latencies of a topology's wires and switches
    replace L."""
    o: float = 5_000.0
    """CPU time per message at each end, ns."""
    g: float = 0.0
    """Least time between two messages of a rank, ns."""
    G: float = 0.018
    """Time on the wire of a message that no rule fits, ns per byte."""
    O: float = 0.0
    """CPU time at each end, ns per byte."""
    S: int = 256 * 1024
    """Largest eager message, bytes; larger messages use the rendezvous protocol."""
    S_isend: int | None = None
    """The eager limit of MPI_Isend and other calls that return before the buffer is free; None for
    S."""
    rendezvous: str = "handshake"
    """Reading of the rendezvous protocol: handshake, put, get, llamp or sync."""
    given: frozenset[str] = field(default=frozenset(), repr=False)
    """Parameters that the user chose; results mark all others as defaults. The set has no order, so
    text about a network must not depend on an order."""
    gap: str | None = None
    """The ends (none, send or both) at which a rank's messages are max(g, B) apart; B is the time
    on the wire. None means send if g > 0."""
    compute_scale: float = 1.0
    """Factor on the recorded computation."""
    rules: tuple[Rule, ...] = ()
    """Costs of messages by place; the first rule that fits a message counts. L, G, o, O and g apply
    to messages that no rule fits, and to rules without their own price."""
    places: PlaceSizes = field(default_factory=PlaceSizes)
    """Places that rules use in addition to nodes: groups, sockets, rails, …"""
    topology: Topology | None = None
    """Topology that gives the latency of messages that no rule fits; None for L."""
    placement: Placement | None = None
    """The node of each rank; None for one rank per node."""
    source: str = field(default="", compare=False, repr=False)
    """The file that describes the network, in words; empty without a file."""
    draws: Mapping[str, tuple[float, ...]] = field(default_factory=dict, compare=False, repr=False)
    """Replicates of the parameters from their measurement. Values of L, o, g, G and O with one
    index belong together: if o is larger, L is smaller."""
    overheads: TracedOverheads | None = field(default=None, compare=False, repr=False)
    """o and O from a trace; None if they come from elsewhere."""
    measured: Transports | None = field(default=None, compare=False, repr=False)
    """Transports of the measurement; None if not known."""
    traced: Transports | None = field(default=None, compare=False, repr=False)
    """Transports of the traced run; None if not known."""

    if TYPE_CHECKING:

        def __init__(
            self,
            L: float | str = ...,
            o: float | str = ...,
            g: float | str = ...,
            G: float | str = ...,
            O: float | str = ...,
            S: int | str = ...,
            S_isend: int | str | None = ...,
            rendezvous: str = ...,
            given: frozenset[str] = ...,
            gap: str | None = ...,
            compute_scale: float = ...,
            rules: Sequence[Rule] = ...,
            places: PlaceSizes = ...,
            topology: Topology | None = ...,
            placement: Placement | None = ...,
            source: str = ...,
            draws: Mapping[str, tuple[float, ...]] = ...,
            overheads: TracedOverheads | None = ...,
            measured: Transports | None = ...,
            traced: Transports | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Parses and checks the values."""
        for name, parameter in KNOWN.items():
            given = getattr(self, name)
            if given is not None or not parameter.optional:
                object.__setattr__(self, name, parameter.value(name, given))
        for name, chosen, offered in (
            ("rendezvous", self.rendezvous, RENDEZVOUS),
            ("gap", self.gap, (None, *GAPS)),
        ):
            if chosen not in offered:
                names = ", ".join(known for known in offered if known is not None)
                raise InputError(f"{name}: '{chosen}' is unknown; use {names}")
        _check_draws(self.draws)
        finite(self.compute_scale, "compute_scale")
        object.__setattr__(self, "rules", tuple(self.rules))
        for rule in self.rules:
            instance(rule, Rule, "rules", 'Rule("same node", L="0.4us")')
        named = [rule.name for rule in self.rules]
        twice = next((name for name in named if named.count(name) > 1), None)
        if len(named) > _MOST_RULES:
            raise InputError(f"link: {len(named)} rules; {_MOST_RULES} at most")
        if twice is not None:
            raise InputError(f"link '{twice}': two rules have this name; give them others")
        for name, kind, example in (
            ("places", PlaceSizes, 'PlaceSizes({"rail": 2})'),
            ("topology", Topology, 'Topology.parse("fat-tree:k=4,tiers=2")'),
            ("placement", Placement, 'Placement.parse("block")'),
        ):
            if (given := getattr(self, name)) is not None:
                instance(given, kind, name, example)

    @classmethod
    def parse(
        cls,
        values: Mapping[str, str],
        rendezvous: str | None = None,
        *,
        gap: str | None = None,
        compute_scale: float = 1.0,
        rules: Sequence[Rule] = (),
        places: PlaceSizes | None = None,
        topology: Topology | None = None,
        placement: Placement | None = None,
        source: str = "",
        draws: Mapping[str, Sequence[str]] | None = None,
    ) -> "Network":
        """Parses texts with units, e.g. `Network.parse({"L": "1.2us", "G": "50GB/s"})`.

        Args:
            values: values of some of L, o, g, G, O, S, S_isend.
            rendezvous: reading of the rendezvous protocol.
            gap: the ends at which messages have a least distance.
            compute_scale: factor on computation.
            rules: link rules.
            places: places that rules use.
            topology: `Topology.parse("fat-tree:k=16,tiers=3")`.
            placement: `Placement.parse("block", ranks_per_node=2)`.
            source: the file that describes the network, in words.
            draws: replicates of the parameters, as texts with units.

        Raises:
            InputError: a name or a unit is unknown, or parts exclude each other.
        """
        for name in values:
            if name not in KNOWN:
                raise InputError(f"unknown parameter '{name}'; use {', '.join(PARAMETERS)}")
        chosen: dict[str, Any] = dict(values)
        chosen |= {
            name: value
            for name, value in (("rendezvous", rendezvous), ("gap", gap))
            if value is not None
        }
        if topology is not None and "L" in chosen:
            raise InputError(
                "L: with a topology the latency is that of its wires and switches; leave L out, "
                "or change --l-wire and --d-switch"
            )
        return cls(
            **chosen,
            given=frozenset(chosen),
            compute_scale=compute_scale,
            rules=tuple(rules),
            places=places or PlaceSizes(),
            topology=topology,
            placement=placement,
            source=source,
            draws=_parse_draws(draws or {}),
        )

    @property
    def eager_limits(self) -> tuple[int, int]:
        """Largest message that is eager on every link, bytes: of blocking sends, and of others."""
        own = [rule.S for rule in self.rules if rule.S is not None]
        blocking, others = self.S, self.S if self.S_isend is None else self.S_isend
        return min([blocking, *own]), min([others, *own])

    def varied(self) -> Iterator["Network"]:
        """The networks of all draws, one per index."""
        for values in zip(*self.draws.values(), strict=True):
            yield replace(self, draws={}, **dict(zip(self.draws, values, strict=True)))

    def placed_as(self, trace: Path) -> "Network":
        """The network with each rank on its node in `trace`, if rules need nodes.

        A topology or a placement of the network takes precedence. The network also gets the
        transports of the traced run.
        """
        ran = self.ran_as(trace)
        if not self.rules or self.topology is not None or self.placement is not None:
            return ran
        return replace(ran, placement=Placement.traced(trace))

    def ran_as(self, trace: Path) -> "Network":
        """The network with the traced run's transports, if the measured transports are known."""
        return self if self.measured is None else replace(self, traced=kept_transports(trace))

    @property
    def other_transports(self) -> str | None:
        """The run's difference from the measured transports, with the remedy; None if unknown."""
        if self.measured is None or self.traced is None:
            return None
        return self.measured.otherwise(self.traced)

    def links(self, ranks: int) -> Links:
        """The links of a program with `ranks` ranks. InputError: the ranks do not fit."""
        base = BasePrices(self.L, self.G, self.o, self.O, self.g)
        return links(ranks, base, self.rules, self.places, self.topology, self.placement)

    def core(self, ranks: int) -> _core.Network:
        """The network in the core's form, for a program with `ranks` ranks."""
        return self.core_of(self.links(ranks))

    def core_of(self, found: Links) -> _core.Network:
        """The network in the core's form, with links that are already known."""
        nearest = found.classes[0]
        return _core.Network(
            L=nearest.L,
            o=self.o,
            g=self.g,
            G=nearest.G,
            O=self.O,
            S=self.S,
            S_isend=self.S_isend,
            rendezvous=self.rendezvous,
            gap=self.gap,
            compute_scale=self.compute_scale,
            classes=[(link.name, link.L, link.G) for link in found.classes],
            node_of_rank=found.place_of_rank,
            class_of=found.class_of,
            S_of_class=[link.S for link in found.classes],
            **{
                f"{name}_of_class": [
                    None if own == getattr(self, name) else own
                    for own in (getattr(link, name) for link in found.classes)
                ]
                for name in ("o", "O", "g")
            },
        )

    def defaults(self) -> tuple[str, ...]:
        """Parameters at their defaults, among those that matter (g and O are off by default)."""
        changed = {own.name for own in fields(self) if getattr(self, own.name) != own.default}
        chosen = self.given | changed
        if self.topology is None:
            return tuple(name for name in ("L", "o", "G", "S") if name not in chosen)
        wires = tuple(n for n in ("l_wire", "d_switch") if n not in self.topology.given)
        return wires + tuple(name for name in ("o", "G", "S") if name not in chosen)

    def beyond_recorded(self) -> "Network":
        """The network with 0 for unchosen parameters, for jobs whose trace has the costs.

        L and G then are additions to those of the network on which the job was recorded.
        """
        unknown = self.defaults()
        return replace(
            self,
            L=0.0 if "L" in unknown else self.L,
            o=0.0 if "o" in unknown else self.o,
            G=0.0 if "G" in unknown else self.G,
            given=self.given | {"L", "o", "G", "S"},
        )

    def describe(self) -> dict[str, str]:
        """Symbol → value for people."""
        text = {
            "L": format_time(self.L),
            "o": format_time(self.o),
            "G": format_per_byte(self.G),
            "S": format_size(self.S),
        }
        if self.topology is not None:
            del text["L"]
            text["l_wire"] = format_time(self.topology.l_wire)
            text["d_switch"] = format_time(self.topology.d_switch)
        for rule in self.rules:
            text |= rule.describe()
        if self.S_isend is not None:
            text["S_isend"] = format_size(self.S_isend)
        if self.g:
            text["g"] = format_time(self.g)
        if self.O:
            text["O"] = f"{self.O:g} ns/B"
        if self.gap is not None:
            text["gap"] = self.gap
        if self.compute_scale != 1:
            text["computation"] = f"× {self.compute_scale:g}"
        return text


def _parse_draws(texts: Mapping[str, Sequence[str]]) -> dict[str, tuple[float, ...]]:
    return {
        name: tuple(float(KNOWN[name].value(name, text)) for text in values)
        for name, values in texts.items()
        if name in KNOWN
    }


def _check_draws(draws: Mapping[str, tuple[float, ...]]) -> None:
    """Raises InputError if the draws are not those of one measurement."""
    unknown = sorted(draws.keys() - DRAWN)
    if unknown:
        raise InputError(f"draws: '{unknown[0]}' is none of {', '.join(DRAWN)}")
    counts = {len(values) for values in draws.values()}
    if len(counts) > 1 or 0 in counts or max(counts, default=0) > _MOST_DRAWS:
        raise InputError(
            f"draws: all parameters must have equally many values, from 1 to {_MOST_DRAWS:,}: the "
            "i-th values belong together"
        )
    for name, values in draws.items():
        for value in values:
            KNOWN[name].value(name, value)


def warnings_of(network: Network) -> list[Notice]:
    """Warnings about parameters at their defaults, overheads from a trace, and other transports."""
    return [*_of_defaults(network), *_of_overheads(network.overheads), *_of_transports(network)]


def _of_transports(network: Network) -> Iterator[Notice]:
    measured, traced, otherwise = network.measured, network.traced, network.other_transports
    if measured is None or traced is None:
        return
    if otherwise is not None:
        yield kinds.OTHER_TRANSPORTS(otherwise)
    elif measured.library and measured.ranks != traced.ranks and network.S_isend is not None:
        yield kinds.OTHER_RANKS(
            f"the network was measured with {measured.ranks:,} ranks, and the run had "
            f"{traced.ranks:,}: eager limits of UCX depend on that",
            ranks=traced.ranks,
        )


def _of_overheads(found: TracedOverheads | None) -> Iterator[Notice]:
    if found is None:
        return
    if found.receive_ns is None or found.send_ns is None:
        known, other = ("sends", "receives") if found.receive_ns is None else ("receives", "sends")
        yield kinds.OVERHEADS_OF_ONE_END(
            f"o is that of {known} alone, because too few {other} show their cost: "
            f"{found.waited:,} receives may have waited, and {found.rendezvous:,} message ends "
            "belonged to a rendezvous"
        )
    if found.o_ns > _LARGE_NS:
        yield kinds.OVERHEADS_LARGE(
            f"calls that did not wait took {format_time(found.o_ns)} per message, longer than any "
            "MPI needs: the ranks of the traced run may have shared cores"
        )
    if found.excess_ns:
        yield kinds.OVERHEADS_LONG(
            f"o at both ends of the traced run's messages is {format_time(found.excess_ns)} longer "
            "than half a round trip at the measurement of L, so L is 0"
        )


def _of_defaults(network: Network) -> list[Notice]:
    defaults = network.defaults()
    if not defaults:
        return []
    values = network.describe()
    stated = ", ".join(f"{name} = {values[name]}" for name in defaults)
    options = ", ".join(f"--{name.replace('_', '-')}" for name in defaults)
    source = "a ConnectX-3 fat tree's (Shen et al., SC'24, §III.B)"
    if network.topology is not None:
        source += ", those of wires and switches §IV.2's"
    return [
        kinds.DEFAULT_NETWORK(
            f"{stated}: default{'s' if len(defaults) > 1 else ''}, not your network's",
            options=options,
            source=source,
        )
    ]
