"""Interconnects: the switches between two nodes, and the latency (Shen et al. 2024, §IV.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.units.quantities import format_time, parse_time


@dataclass(frozen=True, slots=True)
class Topology:
    """An interconnect whose latency is the sum over wires and switches on the shortest route.

    A message over h switches crosses h + 1 wires: L = (h + 1) · l_wire + h · d_switch. The defaults
    are those of Shen et al. 2024, §IV.2.
    """

    spec: str
    """Kind and size, e.g. `fat-tree:k=16,tiers=3`; docs/reference/networks.md lists all."""
    l_wire: float = 274.0
    """Latency of one wire, ns."""
    d_switch: float = 108.0
    """Latency of one switch, ns."""
    given: frozenset[str] = frozenset()
    """Names of the prices that the user chose: l_wire, d_switch, both or neither."""

    @classmethod
    def parse(cls, spec: str, l_wire: str | None = None, d_switch: str | None = None) -> "Topology":
        """Parses texts with units. InputError: the kind or a parameter is unknown."""
        _core.Topology(spec)
        texts = {"l_wire": (l_wire, "274ns"), "d_switch": (d_switch, "108ns")}
        prices = {
            name: parse_time(text, name, example)
            for name, (text, example) in texts.items()
            if text is not None
        }
        return cls(spec, **prices, given=frozenset(prices))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return _core.Topology(self.spec).nodes

    def switches(self, nodes: NDArray[np.uint32]) -> NDArray[np.uint16]:
        """Switches on the shortest route between each two of `nodes`, shape (n, n)."""
        return _core.Topology(self.spec).hops(nodes)

    def latency(self, switches: int) -> float:
        """Latency of a message over this number of switches, ns (Shen et al. 2024, §IV.2)."""
        return (switches + 1) * self.l_wire + switches * self.d_switch

    def describe(self) -> str:
        """The topology in words, with its prices."""
        return (
            f"{self.spec}, l_wire = {format_time(self.l_wire)}, "
            f"d_switch = {format_time(self.d_switch)}"
        )
