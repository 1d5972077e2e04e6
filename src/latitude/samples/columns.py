"""The column of the latency, its unit, and the names of the labels."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.units.quantities import parse_time

LATENCY = "latency_ns"

LABELS = {
    "collective": ("collective", "operation", "op", "call"),
    "bytes": ("bytes", "size", "message_size", "msg_size", "#bytes"),
    "ranks": ("ranks", "nprocs", "np", "processes"),
    "nodes": ("nodes", "nnodes"),
    "placement": ("placement", "locality", "allocation"),
    "b": ("b", "background"),
    "time": ("time", "timestamp", "date"),
    "source": ("source", "run", "file"),
}
"""Latitude's names of the labels, with other common names."""


def our_name(label: str) -> str:
    """Latitude's name of a label, e.g. bytes for size; an unknown name stays."""
    lower = label.lower()
    return next((ours for ours, others in LABELS.items() if lower in others), label)


_WORDS = {
    "nsec": "ns",
    "nanoseconds": "ns",
    "usec": "us",
    "microseconds": "us",
    "msec": "ms",
    "milliseconds": "ms",
    "sec": "s",
    "seconds": "s",
}
_UNITS = "ns|us|µs|μs|ms|s|" + "|".join(_WORDS)
_NAMED = re.compile(
    r"(latency|latencies|lat|rtt|delay|duration|value|sample)s?"
    rf"(?:[ _-]*[\[(]?({_UNITS})[\])]?)?",
    re.IGNORECASE,
)
_TIMED = re.compile(rf"(?:time|runtime|elapsed|t)[ _-]*[\[(]?({_UNITS})[\])]?", re.IGNORECASE)


def unit_in_ns(unit: str) -> float:
    """Number of ns in one `unit`: `us`, `usec`, `microseconds`."""
    name = unit.strip()
    name = _WORDS.get(name.lower(), name)
    try:
        return parse_time(f"1{name}", "unit")
    except InputError as error:
        raise InputError(f"unit: '{unit}' is not a unit of time; use ns, us, ms or s") from error


def is_latency_name(column: str) -> bool:
    """Whether a column with this name holds the latency."""
    return _NAMED.fullmatch(column) is not None


@dataclass(frozen=True, slots=True)
class Latency:
    """The column of the latency, and the unit in its name."""

    column: str
    unit: str | None


def latency_column(path: Path, columns: Sequence[str]) -> Latency:
    """Finds the column of the latency by its name; a single column may have any name."""
    found = [
        Latency(column, match[2]) for column in columns if (match := _NAMED.fullmatch(column))
    ] or [Latency(column, match[1]) for column in columns if (match := _TIMED.fullmatch(column))]
    if len(found) > 1:
        names = " and ".join(f"'{one.column}'" for one in found)
        raise InputError(f"{path}: {names} could both be the latency; keep one column of them")
    if found:
        return found[0]
    if len(columns) == 1:
        return Latency(columns[0], None)
    raise InputError(
        f"{path}: no column is named latency; name one latency_us (or _ns, _ms, _s); "
        f"it has {', '.join(columns)}"
    )


_MOST_SIZE = (1 << 63) - 1


def size_of(path: Path, line: int, cell: str) -> int | None:
    """Message size in a benchmark's output, bytes; None if the cell holds something else.

    InputError: the size does not fit into 64 bits.
    """
    if not cell.isdecimal():
        return None
    if len(cell) > len(str(_MOST_SIZE)) or int(cell) > _MOST_SIZE:
        raise InputError(f"{path}: line {line}: no message has so many bytes")
    return int(cell)


def one_unit(path: Path, stated: Iterable[tuple[str, str | None]]) -> float:
    """Nanoseconds per unit, from all places that state a unit; they must agree.

    Args:
        path: the samples' file, for error messages.
        stated: pairs of a place ("--unit", "column 'latency_us'") and its unit.
    """
    units = [(place, unit) for place, unit in stated if unit]
    if not units:
        raise InputError(
            f"{path}: no unit; pass --unit us (or ns, ms, s), or name the column latency_us"
        )
    (place, unit), *others = units
    scale = _stated(path, place, unit)
    for other_place, other in others:
        if _stated(path, other_place, other) != scale:
            raise InputError(
                f"{path}: mixed units: {place} says {unit}, {other_place} says {other}; "
                "convert the samples to one unit"
            )
    return scale


def _stated(path: Path, place: str, unit: str) -> float:
    """`unit_in_ns`, with the unit's place in its error."""
    try:
        return unit_in_ns(unit)
    except InputError as error:
        raise InputError(f"{path}: {place}: {error}") from error


def label_names(columns: Iterable[str]) -> dict[str, str]:
    """Column → Latitude's name of the label, if that differs."""
    present = list(columns)
    names: dict[str, str] = {}
    for label, aliases in LABELS.items():
        if label in present:
            continue
        for column in present:
            if column.lower() in aliases and column not in names:
                names[column] = label
                break
    return names
