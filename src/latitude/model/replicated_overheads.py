"""A network with the overheads from a trace, and their uncertainty."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from latitude._types import Floats
from latitude.model.network import Network
from latitude.model.overheads import TracedOverheads
from latitude.model.rules import Rule

_DRAWS = 50
"""Number of replicates for a network that has none; `measure loggps` keeps as many."""


@dataclass(frozen=True, slots=True, eq=False)
class Replicated:
    """The found overheads, with bootstrap replicates of o and O."""

    found: TracedOverheads
    o_ns: Floats
    O_ns_per_byte: Floats | None

    def on(self, network: Network, fixed: Collection[str] = ()) -> Network:
        """The network with these overheads.

        If the network's L and o were both chosen, L + 2 o, half a round trip of one byte, stays
        unchanged. If its G was chosen and the trace gives O, G + O, the cost of a further byte,
        stays unchanged. L and G do not fall below 0. L or G in `fixed` stays as it is, as does a
        topology's latency. A trace gives a single o and a single O, which then apply to all link
        rules.
        """
        together = {"L", "o"} <= network.given and network.topology is None
        keeps_trip = together and "L" not in fixed
        own_O = self.found.O_ns_per_byte
        keeps_slope = own_O is not None and "G" in network.given and "G" not in fixed

        def shorter(o: float | None) -> float:
            """Amount by which o is less than before, at both ends of a message together."""
            before = network.o if o is None else o
            return 2 * (before - self.found.o_ns) if keeps_trip else 0.0

        def flatter(O: float | None) -> float:
            before = network.O if O is None else O
            return before - own_O if keeps_slope and own_O is not None else 0.0

        def told(rule: Rule) -> Rule:
            per_byte = network.G if rule.G is None else rule.G
            steady = rule.G is None and rule.O is None
            return replace(
                rule,
                L=max(rule.L + shorter(rule.o), 0.0),
                G=None if steady else max(per_byte + flatter(rule.O), 0.0),
                o=None,
                O=rule.O if own_O is None else None,
            )

        more = shorter(None)
        return replace(
            network,
            L=max(network.L + more, 0.0),
            G=max(network.G + flatter(None), 0.0),
            o=self.found.o_ns,
            O=network.O if own_O is None else own_O,
            rules=tuple(map(told, network.rules)),
            given=network.given | {"o"} | ({"O"} if own_O is not None else set()),
            draws=self._draws(network, keeps_trip=keeps_trip, keeps_slope=keeps_slope),
            overheads=replace(self.found, excess_ns=max(-(network.L + more), 0.0)),
        )

    def _draws(
        self, network: Network, *, keeps_trip: bool, keeps_slope: bool
    ) -> dict[str, tuple[float, ...]]:
        """Replicates of the network, each joined with a replicate of the overheads."""
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
