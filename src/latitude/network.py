"""LogGPS parameters as people give them: options, strings with units, or a TOML file."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from latitude import _core
from latitude._core import InputError
from latitude.units import (
    format_per_byte,
    format_size,
    format_time,
    parse_per_byte,
    parse_size,
    parse_time,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RENDEZVOUS = ("handshake", "llamp", "sync")

_PARSERS: dict[str, Callable[[str, str], float | int]] = {
    "L": lambda text, what: parse_time(text, what, "3us"),
    "o": lambda text, what: parse_time(text, what, "5us"),
    "g": lambda text, what: parse_time(text, what, "0.2us"),
    "G": lambda text, what: parse_per_byte(text, what, "0.018ns/B or 50GB/s"),
    "O": lambda text, what: parse_per_byte(text, what, "0.01ns/B"),
    "S": lambda text, what: parse_size(text, what, "256KiB"),
}
PARAMETERS = tuple(_PARSERS)


@dataclass(frozen=True, slots=True)
class Network:
    """LogGPS parameters (one latency class); DESIGN §3, [S] §II.A.

    The defaults are those of [S] §III.B: a 188-node ConnectX-3 fat tree measured with Netgauge
    (L, G, S), with an o as its programs had it.
    """

    L: float = 3_000.0
    """Latency of a message, ns."""
    o: float = 5_000.0
    """CPU time a message costs at each end, ns."""
    g: float = 0.0
    """Least time between two sends of a rank, ns."""
    G: float = 0.018
    """Time on the wire, ns per byte."""
    O: float = 0.0
    """CPU time at each end, ns per byte."""
    S: int = 256 * 1024
    """Largest message sent eagerly, bytes; larger ones shake hands first."""
    rendezvous: str = "handshake"
    """Reading of the rendezvous protocol: handshake, llamp or sync."""
    given: frozenset[str] = frozenset()
    """Parameters somebody chose; the others are defaults, and results say so."""

    @classmethod
    def parse(cls, values: Mapping[str, str], rendezvous: str | None = None) -> "Network":
        """From strings with units, e.g. `Network.parse({"L": "1.2us", "G": "50GB/s"})`."""
        parsed: dict[str, Any] = {}
        for name, text in values.items():
            if name not in _PARSERS:
                raise InputError(f"unknown parameter '{name}'; use {', '.join(PARAMETERS)}")
            parsed[name] = _PARSERS[name](text, name)
        if rendezvous is not None:
            if rendezvous not in RENDEZVOUS:
                raise InputError(
                    f"rendezvous: '{rendezvous}' is unknown; use {', '.join(RENDEZVOUS)}"
                )
            parsed["rendezvous"] = rendezvous
        return cls(**parsed, given=frozenset(parsed))

    def core(self) -> _core.Network:
        """The core's form."""
        return _core.Network(
            L=self.L, o=self.o, g=self.g, G=self.G, O=self.O, S=self.S, rendezvous=self.rendezvous
        )

    def defaults(self) -> tuple[str, ...]:
        """Parameters nobody chose, among those that matter (g and O are off by default)."""
        changed = {
            field.name for field in fields(self) if getattr(self, field.name) != field.default
        }
        return tuple(n for n in ("L", "o", "G", "S") if n not in self.given and n not in changed)

    def describe(self) -> dict[str, str]:
        """Symbol → value for people."""
        text = {
            "L": format_time(self.L),
            "o": format_time(self.o),
            "G": format_per_byte(self.G),
            "S": format_size(self.S),
        }
        if self.g:
            text["g"] = format_time(self.g)
        if self.O:
            text["O"] = f"{self.O:g} ns/B"
        return text


def read_network(path: Path) -> tuple[dict[str, str], str | None]:
    """Parameters and rendezvous of a cluster file (TOML: `L = "3us"`, …, units as strings)."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a TOML file: {error}") from error
    table = table.get("network", table)
    if not isinstance(table, dict):
        raise InputError(f"{path}: 'network' must be a table with {', '.join(PARAMETERS)}")
    values: dict[str, str] = {}
    rendezvous: str | None = None
    for name, value in table.items():
        if not isinstance(value, str):
            raise InputError(f'{path}: {name} must be a string with a unit, e.g. {name} = "3us"')
        if name == "rendezvous":
            rendezvous = value
        elif name in PARAMETERS:
            values[name] = value
        else:
            raise InputError(
                f"{path}: unknown key '{name}'; use {', '.join((*PARAMETERS, 'rendezvous'))}"
            )
    return values, rendezvous
