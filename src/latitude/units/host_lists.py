"""Host lists in Slurm's notation: `node[001,003-005],login1`."""

import math
import re
from collections.abc import Iterable

from latitude._core import InputError

_HOST_LIST = re.compile(r"[\w.,\[\]-]*", re.ASCII)
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_PARTS = re.compile(r"(?:[^,\[]|\[[^\]]*\]?)*")
"""The parts between commas outside brackets."""
_RANGE = re.compile(r"(\d+)-(\d+)")
_NUMBERED = re.compile(r"(.*?)(\d+)(\D*)", re.ASCII)
_DIGITS = 9
_MOST = 1_000_000
"""Largest number of nodes in one list; the largest machines have tens of thousands."""
_SAID = 60
"""Largest number of characters of a list in an error message."""


def hosts(text: str, where: str) -> frozenset[str]:
    """The names in a host list such as `node[001,003-005],login1`."""
    return frozenset(listed(text, where))


def listed(text: str, where: str) -> list[str]:
    """The names in the order of the list, with repetitions.

    Args:
        text: the list.
        where: file, line or option, for error messages.
    """
    shown = text if len(text) <= _SAID else f"{text[:_SAID]}…"
    if not _HOST_LIST.fullmatch(text):
        raise InputError(f"{where}: '{shown}' is not a host list such as node[001-004]")
    parts = _parts(text)
    if sum(map(_many, parts)) > _MOST:
        raise InputError(f"{where}: '{shown}' in a host list is over {_MOST:,} nodes")
    names: list[str] = []
    for part in parts:
        if not part:
            raise InputError(f"{where}: '{shown}' is not a host list: a comma without a name")
        # ClusterShell takes quadratic time for lists of names, and names need no expansion.
        names += _expanded(part, where) if "[" in part or "]" in part else [part]
    return names


def _parts(text: str) -> list[str]:
    """The list's names, with their brackets."""
    parts, at = [], 0
    while at < len(text):
        match = _PARTS.match(text, at)
        parts.append(match[0] if match else "")
        at += len(parts[-1]) + 1
    return [*parts, ""] if text.endswith(",") else parts


def _expanded(part: str, where: str) -> list[str]:
    from ClusterShell.NodeSet import (  # noqa: PLC0415 - slow to import
        RESOLVER_NOGROUP,
        NodeSet,
        NodeSetException,
    )

    try:
        return list(NodeSet(part, resolver=RESOLVER_NOGROUP))
    except NodeSetException as error:
        raise InputError(f"{where}: '{part[:_SAID]}' is not a host list: {error}") from error


def _many(part: str) -> int:
    """Upper limit of the number of nodes in a part: `a[1-2]x[1-3]` has 6."""
    return math.prod(
        sum(_width(each) for each in inside.split(",")) for inside in _BRACKETS.findall(part)
    )


def _width(part: str) -> int:
    match = _RANGE.fullmatch(part)
    if match is None:
        return 1  # ClusterShell reports the error
    if len(match[2]) > _DIGITS:
        return _MOST + 1
    return max(1, int(match[2]) - int(match[1][-_DIGITS:]) + 1)


def folded(names: Iterable[str]) -> str:
    """Names as a host list, node[001,003-005], which folds only the last number of a name."""
    split = {name: _NUMBERED.fullmatch(name) for name in names}
    padded = {_kind(match) for match in split.values() if match and _is_padded(match[2])}
    single: list[str] = []
    numbers: dict[tuple[str, str, int], list[int]] = {}
    for name, match in split.items():
        if match is None or len(match[2]) > _DIGITS:
            single.append(name)
            continue
        head, tail, digits = _kind(match)
        padding = digits if (head, tail, digits) in padded else 0
        numbers.setdefault((head, tail, padding), []).append(int(match[2]))
    groups = [_group(*alike, sorted(found)) for alike, found in numbers.items()]
    return ",".join(sorted([*single, *groups]))


def _kind(match: re.Match[str]) -> tuple[str, str, int]:
    """The text around a name's number, and its number of digits."""
    return match[1], match[3], len(match[2])


def _is_padded(digits: str) -> bool:
    return len(digits) > 1 and digits.startswith("0")


def _group(head: str, tail: str, padding: int, numbers: list[int]) -> str:
    """Names that differ only in a number, which has at least `padding` digits."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    texts = [
        f"{low:0{padding}}" if low == high else f"{low:0{padding}}-{high:0{padding}}"
        for low, high in ranges
    ]
    inside = texts[0] if len(numbers) == 1 else f"[{','.join(texts)}]"
    return f"{head}{inside}{tail}"
