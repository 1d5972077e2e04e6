"""Link rules: costs of messages by place. The first rule in a list that fits a message counts."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.model.parameters import KNOWN
from latitude.model.places import ABOVE, LEVELS, Ids, PlaceSizes
from latitude.units.quantities import format_per_byte, format_size, format_time

BETWEEN = "between nodes"
"""Name of links without a rule: these have the network's prices, or its topology's latency."""
_BRIEF = {"inside a node": "intra", BETWEEN: "inter"}


class _Price(NamedTuple):
    """A price that a rule sets for its messages."""

    known: str
    """The parameter with the same notation."""
    meaning: str
    text: Callable[[float], str]
    symbol: str = ""
    """Symbol, with `{}` for the rule's name in one word; empty means the parameter's symbol."""


PRICES = {
    "L": _Price("L", "latency", format_time),
    "G": _Price("G", "time a byte takes", format_per_byte),
    "o": _Price("o", "CPU time of a message", format_time),
    "O": _Price("O", "CPU time a byte", lambda value: f"{value:g} ns/B"),
    "g": _Price("g", "least time to the next message", format_time),
    "S": _Price("S", "largest message sent eagerly", lambda value: format_size(int(value))),
    "per_hop": _Price("L", "latency of each switch", format_time, "L_{}_hop"),
}
"""Parameters that a rule may set, by the key in a cluster file."""
_EXAMPLE = 'where = "same socket"'
_FORMS = (
    f"same or different with one of {', '.join(LEVELS)}; "
    "'site A to B'; 'at most 3 switches'; or several of these, joined by 'and'"
)

Matrix = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PlacePairs:
    """Pairs of places, between which rules give the cost of messages."""

    at: Mapping[str, Ids]
    """(places,) number of the place, by level."""
    places: PlaceSizes
    switches: NDArray[np.uint16] | None
    """(places, places) number of switches on the way; None without a topology."""


@dataclass(frozen=True, slots=True)
class _Same:
    """Condition: both ends are at the same place of a level, or at different places."""

    level: str
    same: bool

    @property
    def words(self) -> str:
        level = "GPU" if self.level == "gpu" else self.level
        if self == _Same("node", same=False):
            return "from node to node"  # "between nodes" names links without a rule
        if not self.same:
            return f"between {level}{'es' if level == 'switch' else 's'}"
        return f"on a {level}" if self.level in ("gpu", "rail", "switch") else f"inside a {level}"

    def fits(self, pairs: PlacePairs) -> Matrix:
        ids = pairs.at[self.level]
        alike: Matrix = np.equal.outer(ids, ids)
        return alike if self.same else ~alike


@dataclass(frozen=True, slots=True)
class _FromTo:
    """Condition: from one named place to another."""

    level: str
    source: str
    destination: str

    @property
    def words(self) -> str:
        return f"from {self.level} {self.source} to {self.destination}"

    def fits(self, pairs: PlacePairs) -> Matrix:
        ids = pairs.at[self.level]
        source = pairs.places.number(self.level, self.source)
        return np.outer(ids == source, ids == pairs.places.number(self.level, self.destination))


@dataclass(frozen=True, slots=True)
class _Within:
    """Condition: over at most this number of switches."""

    most: int
    level: str = "node"

    @property
    def words(self) -> str:
        return f"over up to {self.most} switch{'' if self.most == 1 else 'es'}"

    def fits(self, pairs: PlacePairs) -> Matrix:
        if pairs.switches is None:
            raise InputError(
                f"link: 'at most {self.most} switches' needs a topology; give e.g. --topology "
                "fat-tree:k=16,tiers=3"
            )
        return pairs.switches <= self.most


_Condition = _Same | _FromTo | _Within
_CONDITIONS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], _Condition]]] = (
    (
        re.compile(rf"(same|different) ({'|'.join(LEVELS)})", re.IGNORECASE),
        lambda m: _Same(m[2].lower(), m[1].lower() == "same"),
    ),
    (
        re.compile(rf"({'|'.join(ABOVE)}) (\S.*?) to (\S.*)"),
        lambda m: _FromTo(m[1], m[2], m[3]),
    ),
    (re.compile(r"at most (\d{1,4}) switch(?:es)?"), lambda m: _Within(int(m[1]))),
)


@cache
def _conditions(where: str) -> tuple[_Condition, ...]:
    """Parses `same node and different socket`. InputError: the text is not valid."""
    found = []
    for part in re.split(r"\s+and\s+", where.strip()):
        text = " ".join(part.split())
        made = next((of(m) for form, of in _CONDITIONS if (m := form.fullmatch(text))), None)
        if made is None:
            raise InputError(f"link: '{part}' is not understood; write {_FORMS}")
        found.append(made)
    return tuple(found)


def _words(where: str) -> str:
    return " and ".join(each.words for each in _conditions(where))


@dataclass(frozen=True, slots=True)
class Rule:
    """The costs of messages between certain places: `Rule("same node", L="0.4us")`."""

    where: str
    """`same node`, `different group`, `site A to B`, `same node and different socket`, …"""
    L: float
    """Latency, ns."""
    G: float | None = None
    """Time on the wire, ns per byte; None means the network's."""
    S: int | None = None
    """Largest eager message of any call, bytes; None means the network's limit."""
    o: float | None = None
    """CPU time per message at each end, ns; None means the network's."""
    O: float | None = None
    """CPU time at each end, ns per byte; None means the network's."""
    g: float | None = None
    """Least time for which a message holds its NIC, ns; None means the network's."""
    per_hop: float | None = None
    """Additional latency per switch on the way, ns, with a topology; None means 0."""
    name: str = ""
    """Name in results and in `--sweep L:NAME`; empty means `where` in words."""

    if TYPE_CHECKING:

        def __init__(
            self,
            where: str,
            L: float | str,
            G: float | str | None = ...,
            S: int | str | None = ...,
            o: float | str | None = ...,
            O: float | str | None = ...,
            g: float | str | None = ...,
            per_hop: float | str | None = ...,
            name: str = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Raises InputError if `where` is not valid, or a price is negative or not a quantity."""
        words = _words(self.where)
        for price, declared in PRICES.items():
            given = getattr(self, price)
            if given is not None or price == "L":
                value = KNOWN[declared.known].value(f"link '{self.where}': {price}", given)
                object.__setattr__(self, price, value)
        object.__setattr__(self, "name", self.name.strip() or words)
        if self.name == BETWEEN:
            raise InputError(
                f"link: '{BETWEEN}' is the name of links without a rule; give the rule another name"
            )

    @classmethod
    def parse(cls, where: str, texts: Mapping[str, str], name: str = "") -> "Rule":
        """A rule from `{"L": "0.4us", "G": "0.05ns"}`. InputError: a wrong price, or no L."""
        _check_prices(where, texts)
        if "L" not in texts:
            raise InputError(f"link '{where}': L is missing; write e.g. L=0.4us,G=0.05ns")
        return cls(where, **texts, name=name)

    def changed(self, texts: Mapping[str, str]) -> "Rule":
        """The same rule with these prices. InputError: a price is unknown, or not a quantity."""
        _check_prices(self.name, texts)
        prices: dict[str, Any] = dict(texts)
        return replace(self, **prices)

    @property
    def phrase(self) -> str:
        """The messages of the rule in words: `inside a node`, or `of nvlink`."""
        words = _words(self.where)
        return words if self.name == words else f"of {self.name}"

    def describe(self) -> dict[str, str]:
        """Symbol → value in words."""
        return {
            self._symbol(price): declared.text(value)
            for price, declared in PRICES.items()
            if (value := getattr(self, price)) is not None
        }

    def meanings(self) -> dict[str, str]:
        """Symbol → meaning in words."""
        return {
            self._symbol(price): f"{declared.meaning} {self.phrase}"
            for price, declared in PRICES.items()
        }

    def _symbol(self, price: str) -> str:
        return (PRICES[price].symbol or f"{price}_{{}}").format(short_name(self.name))

    @property
    def stays(self) -> bool:
        """Whether the rule applies only to messages inside nodes."""
        return any(
            isinstance(each, _Same) and each.same and each.level in ("node", "socket", "gpu")
            for each in _conditions(self.where)
        )

    @property
    def levels(self) -> set[str]:
        """Levels of the places in its condition."""
        return {each.level for each in _conditions(self.where)}

    def fits(self, pairs: PlacePairs) -> Matrix:
        """(places, places) whether the rule fits messages. InputError: a level is not known."""
        first, *others = (each.fits(pairs) for each in _conditions(self.where))
        for other in others:
            first = first & other
        return first


@dataclass(frozen=True, slots=True)
class LinkChange:
    """Other prices for a rule's links."""

    rule: str
    """Name or condition of the rule."""
    prices: Mapping[str, str]
    """New prices as texts, by key."""

    @classmethod
    def parse(cls, text: str) -> "LinkChange":
        """Parses `between groups:L=3us,G=0.1ns/B`. InputError: the text is not valid."""
        rule, _, listed = text.rpartition(":")
        prices = dict(part.strip().partition("=")[::2] for part in listed.split(","))
        if not rule.strip() or not all(prices.values()):
            raise InputError(
                f"link: '{text}' is not understood; write e.g. 'between groups:L=3us,G=0.1ns/B'"
            )
        _check_prices(rule.strip(), prices)
        return cls(rule.strip(), prices)

    def within(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """The rules with this change, or with a new rule first if `rule` names no existing rule.

        InputError: the network lacks this rule, and `rule` is not a condition for a new one.
        """
        try:
            words = _words(self.rule)
        except InputError:
            words = ""
        names = {full_name(self.rule), words} - {""}
        meant = [rule for rule in rules if {rule.name, _words(rule.where)} & names]
        if meant:
            changed = meant[0].changed(self.prices)
            return tuple(changed if rule is meant[0] else rule for rule in rules)
        if words:
            return (Rule.parse(self.rule, self.prices), *rules)
        known = ", ".join(brief_name(name) for name in (*(rule.name for rule in rules), BETWEEN))
        raise InputError(
            f"link '{self.rule}': the network has {known}, but not this rule. A new rule names "
            "its place, e.g. 'same socket:L=0.2us'"
        )


def _check_prices(rule: str, texts: Mapping[str, str]) -> None:
    unknown = sorted(texts.keys() - PRICES.keys())
    if unknown:
        raise InputError(
            f"link '{rule}': unknown parameter '{unknown[0]}'; use {', '.join(PRICES)}, e.g. "
            "L=0.4us,G=0.05ns"
        )


def brief_name(name: str) -> str:
    """The name of a rule in options: `intra`, `inter`, `between groups`."""
    return _BRIEF.get(name, name)


def short_name(name: str) -> str:
    """The brief name in one word: `between_groups`."""
    return re.sub(r"\W+", "_", brief_name(name))


def full_name(text: str) -> str:
    """The full name of a rule from its full or brief name."""
    return next((name for name, brief in _BRIEF.items() if brief == text), text)
