"""Cluster files (TOML): the network a cluster has, its topology, and where ranks run."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.model.network import PARAMETERS, Network
from latitude.model.placement import BLOCK, Placement
from latitude.model.topology import Topology

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_SECTIONS = ("topology", "placement")
_WIRES = ("l_wire", "d_switch")
_NETWORK_NAMES = ("rendezvous", "gap")
_INTRA = ("L", "G")
_PLACEMENT = ("rule", "nodes", "ranks_per_node")
_FILES = ("file:", "numbered:", "hops:")


@dataclass(frozen=True, slots=True)
class Description:
    """A network as somebody wrote it, in a file or as options: texts with units."""

    values: Mapping[str, str] = field(default_factory=dict)
    """Any of L, o, g, G, O, S."""
    rendezvous: str | None = None
    gap: str | None = None
    intra: Mapping[str, str] | None = None
    """L and G inside a node."""
    topology: str | None = None
    """Its kind and size, e.g. `fat-tree:k=16,tiers=3`."""
    wires: Mapping[str, str] = field(default_factory=dict)
    """l_wire, d_switch."""
    placement: str | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    compute_scale: float = 1.0

    def over(self, other: "Description") -> "Description":
        """This one's entries, and those of `other` where it has none.

        A topology makes the L of `other` void, a placement its numbers of nodes and ranks.
        """
        values = {**other.values, **self.values}
        if self.topology is not None and "L" not in self.values:
            values.pop("L", None)
        placed = other if self.placement is None else Description()
        return replace(
            other,
            values=values,
            rendezvous=self.rendezvous or other.rendezvous,
            gap=self.gap or other.gap,
            intra=self.intra or other.intra,
            topology=self.topology or other.topology,
            wires={**other.wires, **self.wires},
            placement=self.placement or other.placement,
            nodes=self.nodes or placed.nodes,
            ranks_per_node=self.ranks_per_node or placed.ranks_per_node,
            compute_scale=self.compute_scale,
        )

    def network(self) -> Network:
        """The network it describes. InputError when a part is unknown or parts do not fit."""
        topology = None
        if self.topology is not None:
            topology = Topology.parse(self.topology, **self.wires)
        elif self.wires:
            raise InputError(
                f"{next(iter(self.wires))}: there is no topology; give e.g. --topology "
                "fat-tree:k=16,tiers=3"
            )
        placement = None
        if self.placement or self.nodes or self.ranks_per_node:
            placement = Placement.parse(self.placement or BLOCK, self.nodes, self.ranks_per_node)
        return Network.parse(
            self.values,
            self.rendezvous,
            gap=self.gap,
            compute_scale=self.compute_scale,
            intra=self.intra,
            topology=topology,
            placement=placement,
        )


def read_cluster(path: Path) -> Description:
    """A cluster file (docs/networks.md). InputError names the file, the key and the fix."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a TOML file: {error}") from error
    tables = table if "network" in table else _sections(table)
    _known(path, "", tables, ("network", *_SECTIONS))
    network = dict(_table(path, tables, "network"))
    intra = _table(path, network, "intra", "[network.intra]") if "intra" in network else None
    network.pop("intra", None)
    _known(path, "", network, (*PARAMETERS, *_NETWORK_NAMES, "intra"))
    texts = _texts(path, network)
    topology, wires = _topology(path, _table(path, tables, "topology"))
    placement = _table(path, tables, "placement")
    _known(path, "placement.", placement, _PLACEMENT)
    return Description(
        values={name: texts[name] for name in PARAMETERS if name in texts},
        rendezvous=texts.get("rendezvous"),
        gap=texts.get("gap"),
        intra=None if intra is None else _intra(path, intra),
        topology=topology,
        wires=wires,
        placement=_beside(path, _texts(path, placement, ("rule",)).get("rule")),
        nodes=_count(path, placement, "nodes"),
        ranks_per_node=_count(path, placement, "ranks_per_node"),
    )


def _sections(table: dict[str, Any]) -> dict[str, Any]:
    """A file that has the network's keys at its top."""
    network = {name: value for name, value in table.items() if name not in _SECTIONS}
    return {"network": network, **{name: table[name] for name in _SECTIONS if name in table}}


def _table(path: Path, tables: Mapping[str, Any], name: str, title: str = "") -> dict[str, Any]:
    value = tables.get(name, {})
    if not isinstance(value, dict):
        raise InputError(f"{path}: '{name}' must be a table: {title or f'[{name}]'}")
    return value


def _known(path: Path, where: str, table: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in table:
        if name not in names:
            raise InputError(f"{path}: unknown key '{where}{name}'; use {', '.join(names)}")


def _texts(
    path: Path, table: Mapping[str, Any], names: tuple[str, ...] | None = None
) -> dict[str, str]:
    """The entries `names` (all) of a table, which must be strings."""
    chosen = {name: value for name, value in table.items() if names is None or name in names}
    for name, value in chosen.items():
        if not isinstance(value, str):
            raise InputError(f'{path}: {name} must be a string with a unit, e.g. {name} = "3us"')
    return chosen


def _intra(path: Path, table: Mapping[str, Any]) -> dict[str, str]:
    _known(path, "network.intra.", table, _INTRA)
    return _texts(path, table)


def _topology(path: Path, table: Mapping[str, Any]) -> tuple[str | None, dict[str, str]]:
    """Spec and prices: `kind` and its parameters as keys, or the whole as `spec`."""
    if not table:
        return None, {}
    wires = _texts(path, table, _WIRES)
    rest = {name: value for name, value in table.items() if name not in _WIRES}
    if "spec" in rest:
        _known(path, "topology.", rest, ("spec", *_WIRES))
        return _beside(path, _texts(path, rest)["spec"]), wires
    kind = rest.pop("kind", None)
    if not isinstance(kind, str):
        raise InputError(
            f'{path}: [topology] needs kind = "fat-tree" with k = 16 and tiers = 3, or '
            'spec = "fat-tree:k=16,tiers=3"'
        )
    plain = [rest.pop(name) for name in ("shape", "file") if name in rest]
    parts = [*map(str, plain), *(f"{name}={value}" for name, value in rest.items())]
    return _beside(path, f"{kind}:{','.join(parts)}"), wires


def _beside(path: Path, text: str | None) -> str | None:
    """Files are named from the folder of the cluster file."""
    prefix = next((p for p in _FILES if text is not None and text.startswith(p)), None)
    if text is None or prefix is None:
        return text
    head, _, name = text.rpartition(":")
    return f"{head}:{path.parent / name}"


def _count(path: Path, table: Mapping[str, Any], name: str) -> int | None:
    value = table.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(f"{path}: placement.{name} must be a whole number, e.g. {name} = 4")
    return value
