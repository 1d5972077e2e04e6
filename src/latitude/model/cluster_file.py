"""Cluster files (TOML): a cluster's network, its topology, and the placement of ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from latitude._core import InputError
from latitude.files.located import TomlFile, TomlTable
from latitude.model.network import DRAWN, Network
from latitude.model.overheads import TracedOverheads
from latitude.model.parameters import PARAMETERS
from latitude.model.placement import BLOCK, Placement
from latitude.model.places import ABOVE, WITHIN, PlaceSizes, key_of
from latitude.model.rules import BETWEEN, PRICES, LinkChange, Rule, full_name
from latitude.model.topology import Topology
from latitude.trace.transports import Transports

_SECTIONS = ("link", "places", "topology", "placement")
_WIRES = ("l_wire", "d_switch")
_NETWORK_NAMES = ("rendezvous", "gap", "reach")
_TABLES = ("draws", "measured")
_PLACEMENT = ("rule", "nodes", "ranks_per_node")
_FILES = ("file:", "numbered:", "hops:")


@dataclass(frozen=True, slots=True)
class Description:
    """A network as written in a file or in options: texts with units."""

    values: Mapping[str, str] = field(default_factory=dict)
    """Values of some of L, o, g, G, O, S, S_isend."""
    rendezvous: str | None = None
    gap: str | None = None
    rules: tuple[Rule, ...] = ()
    """Link rules; the first rule that fits a message counts."""
    changes: tuple[LinkChange, ...] = ()
    """Changes of rules, and of links that no rule fits, in order."""
    places: PlaceSizes = field(default_factory=PlaceSizes)
    """Places that rules use in addition to nodes."""
    topology: str | None = None
    """Kind and size of the topology, e.g. `fat-tree:k=16,tiers=3`."""
    wires: Mapping[str, str] = field(default_factory=dict)
    """Values of l_wire and d_switch."""
    placement: str | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    compute_scale: float = 1.0
    source: str = ""
    """The cluster file, in words."""
    reach: str = ""
    """The measured links in words, if the network was not measured between nodes."""
    draws: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Replicates of some of L, o, g, G, O; values with one index belong together."""
    overheads: TracedOverheads | None = None
    """o and O from a trace, if the trace shows costs of calls."""
    measured: Transports | None = None
    """Transports over which the parameters were measured; None if they were not measured."""

    def over(self, other: "Description") -> "Description":
        """This description's entries, completed with those of `other`.

        An entry of this description replaces the same entry of `other`, and a rule the rule of the
        same name. A topology also replaces L, S also replaces S_isend, and a placement also
        replaces the numbers of nodes and ranks. Draws, source and reach are those of `other`; the
        factor on computation is this description's.
        """
        values = {**other.values, **self.values}
        if self.topology is not None and "L" not in self.values:
            values.pop("L", None)
        if "S" in self.values and "S_isend" not in self.values:
            values.pop("S_isend", None)
        named = {rule.name for rule in self.rules}
        placed = other if self.placement is None else Description()
        return replace(
            other,
            values=values,
            rendezvous=self.rendezvous or other.rendezvous,
            gap=self.gap or other.gap,
            rules=(*self.rules, *(rule for rule in other.rules if rule.name not in named)),
            changes=(*other.changes, *self.changes),
            places=self.places or other.places,
            topology=other.topology if self.topology is None else self.topology,
            wires={**other.wires, **self.wires},
            placement=other.placement if self.placement is None else self.placement,
            nodes=self.nodes or placed.nodes,
            ranks_per_node=self.ranks_per_node or placed.ranks_per_node,
            draws={name: each for name, each in other.draws.items() if name not in self.values},
            measured=self.measured or other.measured,
            compute_scale=self.compute_scale,
        )

    def with_parameters_of(self, network: Network) -> "Description":
        """The description with the parameters that `network` has now."""
        own = {"L": network.L, "o": network.o} if self.topology is None else {"o": network.o}
        times = {name: f"{value:.6f}ns" for name, value in own.items()}
        costs = {"G": f"{network.G:.9f}ns/B", "O": f"{network.O:.9f}ns/B"}
        return replace(
            self,
            values={**self.values, **times, **costs},
            rules=network.rules,
            changes=(),
            draws={},
            overheads=network.overheads,
        )

    def network(self) -> Network:
        """The network described. InputError: a part is unknown, or parts do not fit together."""
        topology = None
        if self.topology is not None:
            topology = Topology.parse(self.topology, **self.wires)
        elif self.wires:
            raise InputError(
                f"{next(iter(self.wires))}: there is no topology; give e.g. --topology "
                "fat-tree:k=16,tiers=3"
            )
        placement = None
        if self.placement is not None or self.nodes or self.ranks_per_node:
            rule = BLOCK if self.placement is None else self.placement
            placement = Placement.parse(rule, self.nodes, self.ranks_per_node)
        values, rules = dict(self.values), self.rules
        for change in self.changes:
            if full_name(change.rule) == BETWEEN:
                values |= change.prices
            else:
                rules = change.within(rules)
        unchanged = {
            name: each
            for name, each in self.draws.items()
            if topology is None and values.get(name) == self.values.get(name)
        }
        network = Network.parse(
            values,
            self.rendezvous,
            gap=self.gap,
            compute_scale=self.compute_scale,
            rules=rules,
            places=self.places,
            topology=topology,
            placement=placement,
            source=f"{self.source}, measured {self.reach}" if self.reach else self.source,
            draws=unchanged,
        )
        return replace(network, overheads=self.overheads, measured=self.measured)


def read_cluster(path: Path) -> Description:
    """Reads a cluster file (docs/reference/networks.md).

    InputError names file, line, key and remedy.
    """
    document = TomlFile(path)
    of_network = (*PARAMETERS, *_NETWORK_NAMES, *_TABLES)
    if document.has("network"):
        document.known(("network", *_SECTIONS))
        network = document.one("network")
        network.known(of_network)
    else:  # a file with the network's keys at its top
        document.known((*of_network, *_SECTIONS))
        network = document.top(but=_SECTIONS)
    texts = {name: _quantity(network, name) for name in network.values if name not in _TABLES}
    drawn = network.inside("draws")
    drawn.known(DRAWN)
    placement = document.one("placement")
    placement.known(_PLACEMENT)
    topology, wires = _topology(path, document.one("topology"))
    return Description(
        values={name: texts[name] for name in PARAMETERS if name in texts},
        rendezvous=texts.get("rendezvous"),
        gap=texts.get("gap"),
        rules=tuple(map(_rule, document.several("link"))) if document.has("link") else (),
        places=_places(document.one("places")),
        topology=topology,
        wires=wires,
        placement=_beside(path, _optional(placement, "rule")),
        nodes=_count(placement, "nodes"),
        ranks_per_node=_count(placement, "ranks_per_node"),
        source=str(path),
        reach=texts.get("reach", ""),
        draws={name: drawn.texts(name) for name in drawn.values},
        measured=_measured(network.inside("measured")),
    )


def _measured(section: TomlTable) -> Transports | None:
    if not section.values:
        return None
    section.known(Transports.__struct_fields__)
    return Transports(
        used=tuple(section.texts("used")),
        modules=tuple(section.texts("modules")),
        library=section.text("library") if "library" in section.values else "",
        ranks=section.integer("ranks", 2, 1),
        hosts=tuple(section.texts("hosts")),
        settings=section.pairs("settings"),
    )


def _quantity(section: TomlTable, name: str) -> str:
    value = section.values[name]
    if not isinstance(value, str):
        raise section.error(name, f'must be a string with a unit, e.g. {name} = "3us"')
    return value


def _optional(section: TomlTable, name: str) -> str | None:
    return section.text(name) if name in section.values else None


def _rule(section: TomlTable) -> Rule:
    section.known(("where", "name", *PRICES))
    where = section.text("where")
    name = section.text("name") if "name" in section.values else ""
    prices = {key: _quantity(section, key) for key in PRICES if key in section.values}
    return section.made(lambda: Rule.parse(where, prices, name))


def _places(section: TomlTable) -> PlaceSizes:
    counts = {key_of(level): level for level in (*ABOVE, *WITHIN)}
    section.known((*counts, *ABOVE))
    count = {
        level: section.integer(key, 2, 1) for key, level in counts.items() if key in section.values
    }
    named = {level: section.pairs(level) for level in ABOVE if level in section.values}
    return section.made(lambda: PlaceSizes(count, named))


def _topology(path: Path, section: TomlTable) -> tuple[str | None, dict[str, str]]:
    """Specification and prices: `kind` with its parameters as keys, or the whole text as `spec`."""
    if not section.values:
        return None, {}
    wires = {name: _quantity(section, name) for name in _WIRES if name in section.values}
    rest = {name: value for name, value in section.values.items() if name not in _WIRES}
    if "spec" in rest:
        section.known(("spec", *_WIRES))
        return _beside(path, section.text("spec")), wires
    kind = rest.pop("kind", None)
    if not isinstance(kind, str):
        raise section.error(
            None,
            'needs kind = "fat-tree" with k = 16 and tiers = 3, or spec = "fat-tree:k=16,tiers=3"',
        )
    plain = [rest.pop(name) for name in ("shape", "file") if name in rest]
    parts = [*map(str, plain), *(f"{name}={value}" for name, value in rest.items())]
    return _beside(path, f"{kind}:{','.join(parts)}"), wires


def _beside(path: Path, text: str | None) -> str | None:
    """The text; its file name, relative to the cluster file's folder, becomes a path."""
    prefix = next((p for p in _FILES if text is not None and text.startswith(p)), None)
    if text is None or prefix is None:
        return text
    head, _, name = text.rpartition(":")
    return f"{head}:{path.parent / name}"


def _count(section: TomlTable, name: str) -> int | None:
    return section.integer(name, 4, 1) if name in section.values else None
