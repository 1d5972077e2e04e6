"""The alternatives of a comparison: `allreduce=ring,rabenseifner` stands for two analyses."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from latitude import _core
from latitude._core import InputError
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.default_network import default_description
from latitude.model.parameters import PARAMETERS
from latitude.model.rules import PRICES, LinkChange
from latitude.units.quantities import parse_number, parse_whole

MAX_ALTERNATIVES = 64
"""Largest number of alternatives that fit a table and a picture."""

_LIBRARIES = "collectives"
_NETWORK = "network"
_TEXTS = ("rendezvous", "gap", "topology", "placement")
_WIRES = ("l_wire", "d_switch")
_COUNTS = ("nodes", "ranks_per_node")
_SCALE = "compute_scale"
_OTHERS = (*PARAMETERS, *_TEXTS, *_WIRES, *_COUNTS, _SCALE, _LIBRARIES, _NETWORK)
"""Things to compare, other than algorithms of collectives."""


@dataclass(frozen=True, slots=True)
class Varied:
    """One thing and its alternatives, as texts."""

    key: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Varied":
        """Parses `allreduce=recursive-doubling,ring`; a `;` separates topologies.

        InputError: the thing is unknown, or has fewer than two alternatives.
        """
        name, _, rest = text.partition("=")
        key = name if name in PARAMETERS else name.replace("-", "_")
        if name in _core.collective_algorithms() or _is_of_rule(name):
            key = name
        elif key not in _OTHERS:
            raise InputError(
                f"compare: unknown '{name}'; use a collective, e.g. allreduce=ring,rabenseifner, "
                f"{', '.join(_OTHERS)}, or L:RULE and its like"
            )
        between = ";" if key == "topology" or ";" in rest else ","
        values = tuple(dict.fromkeys(part.strip() for part in rest.split(between)))
        if len(values) < 2 or not all(values):  # noqa: PLR2004 - a comparison needs two
            raise InputError(
                f"compare: '{text}' has nothing to compare; write e.g. "
                + (
                    "topology=fat-tree:k=4,tiers=2;torus:4x4"
                    if key == "topology"
                    else "allreduce=recursive-doubling,ring"
                )
            )
        return cls(key, values)

    @property
    def collective(self) -> bool:
        """Whether the thing changes the graph, not the network."""
        return _is_collective(self.key)

    @property
    def of_networks(self) -> bool:
        """Whether the alternatives are whole networks, each in its own file."""
        return self.key == _NETWORK


Choice = tuple[str, str]
"""A thing and its value."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative: its options, and its label."""

    choices: tuple[Choice, ...]
    collectives: tuple[str, ...]
    """Algorithms, in the words of --collective."""
    network: Description

    @property
    def label(self) -> str:
        """Label of the alternative."""
        plain = sum(_is_collective(key) for key, _ in self.choices) == 1
        return " · ".join(_in_words(key, value, plain=plain) for key, value in self.choices)


def _in_words(key: str, value: str, *, plain: bool) -> str:
    """A choice in words, without its key if the value alone is clear; a file by its name."""
    if key == _NETWORK:
        return Path(value).stem
    bare = key in (*_TEXTS, _LIBRARIES) or (plain and _is_collective(key))
    return value if bare else _named(key, value)


def _is_collective(key: str) -> bool:
    return key == _LIBRARIES or key in _core.collective_algorithms()


def _is_of_rule(key: str) -> bool:
    """Whether the key is a price of a link rule, `L:between groups`."""
    price, colon, _ = key.partition(":")
    return bool(colon) and price in PRICES


def _named(key: str, value: str) -> str:
    return f"{key} {value}" if _is_collective(key) else f"{key} = {value}"


def alternatives(
    varied: Sequence[Varied], collectives: Sequence[str], stated: Description | None
) -> list[Alternative]:
    """Every combination, each with the collectives and the network that all share.

    Args:
        varied: the things and their alternatives.
        collectives: algorithms that all alternatives share.
        stated: the network that all alternatives share. None means the default network, or no
            network if the alternatives are whole networks.

    Raises:
        InputError: there are too many alternatives, a thing is given twice, or a file is wrong.
    """
    network = stated
    if network is None:
        files = any(each.of_networks for each in varied)
        network = Description() if files else default_description()
    if len({v.key for v in varied}) < len(varied):
        raise InputError("compare: one thing is given twice; list its alternatives together")
    every = list(itertools.product(*([(v, value) for value in v.values] for v in varied)))
    if len(every) > MAX_ALTERNATIVES:
        raise InputError(
            f"compare: {len(every):,} combinations; {MAX_ALTERNATIVES} at most can be compared"
        )
    return [
        Alternative(
            choices=tuple((v.key, value) for v, value in chosen),
            collectives=(*collectives, *(_collective(v, x) for v, x in chosen if v.collective)),
            network=_changed(network, [(v.key, x) for v, x in chosen if not v.collective]),
        )
        for chosen in every
    ]


def _collective(varied: Varied, value: str) -> str:
    return value if varied.key == _LIBRARIES else f"{varied.key}={value}"


def _changed(network: Description, choices: Sequence[Choice]) -> Description:
    """The network with the choices made."""
    for _, value in (choice for choice in choices if choice[0] == _NETWORK):
        network = network.over(read_cluster(Path(value)))
    chosen = Description(values={key: value for key, value in choices if key in PARAMETERS})
    network = replace(network, values=chosen.over(network).values)
    for key, value in choices:
        change: dict[str, Any]
        if key in PARAMETERS or key == _NETWORK:
            continue
        if _is_of_rule(key):
            price, _, rule = key.partition(":")
            change = {"changes": (*network.changes, LinkChange(rule, {price: value}))}
        elif key in _WIRES:
            change = {"wires": {**network.wires, key: value}}
        elif key in _COUNTS:
            change = {key: parse_whole(value, f"a number of {key}", 1)}
        elif key == _SCALE:
            change = {key: parse_number(value, f"a value of {key}", 0)}
        else:
            change = {key: value}
        network = replace(network, **change)
    return network
