"""θ, the varied parameter of an analysis, as a direction in the prices of all links."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.model.links import LinkClass, Links
from latitude.model.network import Network
from latitude.model.rules import BETWEEN, brief_name, full_name
from latitude.units.quantities import (
    counted,
    format_per_byte,
    format_time,
    parse_per_byte,
    parse_time,
)

TOLERANCES = (0.01, 0.02, 0.05)
"""Default degradations, those of Fig. 1 in Shen et al. 2024."""

_MEANINGS = {
    "L": "latency",
    "G": "time per byte",
    "o": "overhead per message",
    "g": "least time between two messages",
}
"""The core's parameters with their meanings; each link rule may set its own."""
NAMES = ("L", "l_wire", "d_switch", *(name for name in _MEANINGS if name != "L"))
OF_RULES = tuple(_MEANINGS)
"""Parameters of a link rule that can be θ, e.g. `L:between groups`."""
OFFERED = ", ".join((*NAMES, *(f"{name}:RULE" for name in OF_RULES)))
NAMED = f"^({'|'.join(NAMES)}|({'|'.join(OF_RULES)}):.+)$"
"""Regular expression of all possible names."""
_TIME: Literal["ns"] = "ns"
_PER_BYTE: Literal["ns/B"] = "ns/B"
UNITS = _TIME, _PER_BYTE
_SPAN_NS = 100_000.0
"""Default interval for times, ns: 100 µs above the baseline, the range of Fig. 9 in Shen et al.
2024."""
_WIRE_SPAN_NS = 10_000.0
"""Default interval for wires and switches, ns: shorter, because a message crosses several."""
_SPAN_FACTOR = 10.0
"""Default interval for costs per byte: up to ten times the baseline."""


_ROUNDING = 1e-9
_MARGIN = 1.1
"""Factor by which the interval extends beyond the values that must lie inside."""


def _rounded_up(value: float) -> float:
    """The least number with two significant digits that is not below `value`."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / step) * step


class VariedParameter:
    """A varied parameter: its value in the network, and the notation of its values."""

    __slots__ = ()

    name: str
    """One of NAMES."""
    base: float
    """Value in the network, ns or ns per byte."""

    @property
    def _per_byte(self) -> bool:
        return self.name.startswith("G")

    @property
    def symbol(self) -> str:
        """Symbol for people: L, l_wire, L_intra."""
        return re.sub(r"\W+", "_", self.name)

    @property
    def column(self) -> str:
        """Name of a data column: L_ns, l_wire_ns, G_ns_per_byte."""
        return f"{self.symbol}_{'ns_per_byte' if self._per_byte else 'ns'}"

    def text(self, value: float, significant: int = 4) -> str:
        """A value with its unit, for people."""
        if self._per_byte:
            return format_per_byte(value)
        return format_time(value, significant)

    def changes(self, count: int) -> str:
        """The number of changes of λ, in words: 3 critical latencies, 1 breakpoint."""
        if self.name.partition(":")[0] != "L":
            return counted(count, "breakpoint")
        return f"{count:,} critical {'latency' if count == 1 else 'latencies'}"

    def difference(self, value: float, significant: int = 4) -> str:
        """A difference of two values with its unit, for people."""
        if self._per_byte:
            return f"{value:.{significant}g} ns/B"
        return format_time(value, significant)

    def default_interval(self, within: Iterable[float] = ()) -> tuple[float, float]:
        """The default interval, wide enough for the finite values of `within`."""
        if not self._per_byte:
            span = _WIRE_SPAN_NS if self.name in ("l_wire", "d_switch") else _SPAN_NS
        else:
            span = (_SPAN_FACTOR - 1) * self.base or 1.0
        beyond = (value - self.base for value in within if math.isfinite(value))
        farthest = max((_MARGIN * distance for distance in beyond), default=0.0)
        return self.base, self.base + (span if farthest <= span else _rounded_up(farthest))


@dataclass(frozen=True, slots=True)
class Theta(VariedParameter):
    """A parameter of the network: its value, and its effect on the prices of links.

    The varied parameter of link class c is fixed[c] + weight[c] · θ.
    """

    name: str
    """One of NAMES, or one of OF_RULES with a colon and a rule's name."""
    meaning: str
    """Description, e.g. `network latency`."""
    base: float
    """Value in the network, ns or ns per byte."""
    parameter: str
    """The core's name of the parameter: L, G, o or g."""
    fixed: tuple[float, ...]
    weight: tuple[float, ...]
    rule: str | None = None
    """The link rule to which the parameter belongs."""

    @property
    def unit(self) -> Literal["ns", "ns/B"]:
        """Unit of its values: ns or ns/B."""
        return _PER_BYTE if self.parameter == "G" else _TIME

    @property
    def least(self) -> float:
        """The least value at which no link has a negative cost."""
        of_links = zip(self.fixed, self.weight, strict=True)
        return max([0.0, *(-fixed / weight for fixed, weight in of_links if weight > 0)])

    def refuse_below(self, value: float) -> None:
        """Raises InputError if a link would have a negative cost at this value."""
        least = self.least
        if value < least * (1 - _ROUNDING):
            raise InputError(
                f"sweep: at {self.name} = {self.text(value)} a link of another rule would cost "
                f"less than 0; begin at {self.text(least)} or above"
            )

    def along(self, model: _core.Model) -> _core.AffineDag:
        """T(θ) of a graph on a network."""
        return model.along(self.parameter, np.array(self.fixed), np.array(self.weight))

    def service(self, model: _core.Model, at: float) -> _core.Service:
        """The order of operations at θ = `at`, on CPUs that serve arrivals in order."""
        return model.service(at, self.parameter, np.array(self.fixed), np.array(self.weight))


def default_name(network: Network) -> str:
    """The default parameter: l_wire with a topology, else L (Shen et al. 2024, §IV.2)."""
    return "L" if network.topology is None else "l_wire"


def theta_of(name: str, network: Network, links: Links, *, inside: bool = False) -> Theta:
    """The parameter `name` of a network. With `inside`, L includes links within a node.

    InputError: the network has no such parameter.
    """
    classes = links.classes
    if name in ("l_wire", "d_switch"):
        return _of_topology(name, network, classes)
    parameter, colon, rule = name.partition(":")
    if parameter not in OF_RULES:
        raise unknown("sweep", name)
    if parameter == "g" and network.core_of(links).gap == "none":
        raise InputError("sweep: g changes nothing without a gap; give --gap send or both")
    if colon:
        return _of_rule(parameter, full_name(rule), network, classes)
    meaning = "network latency" if name == "L" else _MEANINGS[name]
    return _of_all(name, meaning, classes, inside=inside and name == "L")


def unknown(option: str, name: str) -> InputError:
    """An error about an unknown parameter."""
    return InputError(f"{option}: unknown parameter '{name}'; use one of {OFFERED}")


def _of_all(
    name: str, meaning: str, classes: Sequence[LinkClass], *, inside: bool = False
) -> Theta:
    """θ that moves all links by equal amounts; L and G in nodes move only with `inside`."""
    moves = [link.between or inside or name in ("o", "g") for link in classes]
    base = getattr(classes[0], name)
    return _moving(name, meaning, base, name, classes, moves)


def _moving(
    name: str,
    meaning: str,
    base: float,
    parameter: str,
    classes: Sequence[LinkClass],
    moves: Sequence[bool],
    rule: str | None = None,
) -> Theta:
    weight = tuple(map(float, moves))
    value = [getattr(link, parameter) for link in classes]
    fixed = tuple(v - w * base for v, w in zip(value, weight, strict=True))
    return Theta(name, meaning, base, parameter, fixed, weight, rule)


def _of_topology(name: str, network: Network, classes: Sequence[LinkClass]) -> Theta:
    topology = network.topology
    if topology is None:
        raise InputError(
            f"sweep: {name} needs a topology; give e.g. --topology fat-tree:k=16,tiers=3"
        )
    wire = name == "l_wire"
    base = topology.l_wire if wire else topology.d_switch
    weight = tuple(
        0.0 if link.rule != BETWEEN else float((link.switches or 0) + (1 if wire else 0))
        for link in classes
    )
    fixed = tuple(link.L - w * base for link, w in zip(classes, weight, strict=True))
    return Theta(name, "wire latency" if wire else "switch latency", base, "L", fixed, weight)


def _of_rule(parameter: str, rule: str, network: Network, classes: Sequence[LinkClass]) -> Theta:
    """θ that moves the links of one rule, keeping their differences; links of other rules stay."""
    own = [link for link in classes if link.rule == rule]
    if not own:
        known = ", ".join(brief_name(name) for name in dict.fromkeys(c.rule for c in classes))
        fix = (
            "needs --intra, e.g. --intra L=0.4us,G=0.05ns"
            if not network.rules
            else f"has no such rule; the network's are {known}"
        )
        raise InputError(f"sweep: {parameter}:{brief_name(rule)} {fix}")
    words = next((each.phrase for each in network.rules if each.name == rule), rule)
    return _moving(
        f"{parameter}:{brief_name(rule)}",
        f"{_MEANINGS[parameter]} {words}",
        getattr(own[0], parameter),
        parameter,
        classes,
        [link.rule == rule for link in classes],
        rule,
    )


@dataclass(frozen=True, slots=True)
class Sweep:
    """The name of a parameter, and its interval; None means the default interval."""

    name: str
    interval: tuple[float, float] | None = None

    @classmethod
    def parse(cls, text: str) -> "Sweep":
        """Parses `L=3us:103us`, `l_wire=274ns:3us`, `G=0.018ns:1ns`, or the name alone."""
        name, equals, interval = text.partition("=")
        if not re.fullmatch(NAMED, name):
            raise unknown("sweep", name)
        if not equals:
            return cls(name)
        per_byte = name.startswith("G")
        example = f"{name}=0.018ns:1ns" if per_byte else f"{name}=3us:103us"
        low, colon, high = interval.partition(":")
        if not colon:
            raise InputError(f"sweep: '{interval}' is not an interval; write e.g. {example}")
        parse = parse_per_byte if per_byte else parse_time
        ends = parse(low, "sweep", example), parse(high, "sweep", example)
        if not ends[0] < ends[1]:
            raise InputError(
                f"sweep: '{interval}' is empty; the first end must be smaller, e.g. {example}"
            )
        return cls(name, ends)
