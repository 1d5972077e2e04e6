"""Host lists as Slurm writes them, read by ClusterShell."""

import math
import re
from collections.abc import Iterable

from latitude._core import InputError

_HOST_LIST = re.compile(r"[\w.,\[\]-]*", re.ASCII)
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_BETWEEN = re.compile(r",(?![^\[]*\])")
_RANGE = re.compile(r"(\d+)-(\d+)")
_DIGITS = 9
_MOST = 1_000_000
"""Nodes in one list; the largest machines have tens of thousands."""
_SAID = 60
"""Characters of a list in a complaint."""


def hosts(text: str, where: str) -> frozenset[str]:
    """The names in a host list such as `node[001,003-005],login1`."""
    from ClusterShell.NodeSet import (  # noqa: PLC0415 - only background needs it
        RESOLVER_NOGROUP,
        NodeSet,
        NodeSetException,
    )

    if not _HOST_LIST.fullmatch(text):
        raise InputError(f"{where}: '{text}' is not a host list such as node[001-004]")
    if _many(text) > _MOST:
        raise InputError(f"{where}: '{text[:_SAID]}' in a host list is over {_MOST:,} nodes")
    try:
        return frozenset(NodeSet(text, resolver=RESOLVER_NOGROUP))
    except NodeSetException as error:
        raise InputError(f"{where}: '{text}' is not a host list: {error}") from error


def _many(text: str) -> int:
    """The nodes of a host list, or more: `a[1-2]x[1-3]` has 6."""
    return sum(
        math.prod(
            sum(_width(part) for part in inside.split(",")) for inside in _BRACKETS.findall(names)
        )
        for names in _BETWEEN.split(text)
    )


def _width(part: str) -> int:
    match = _RANGE.fullmatch(part)
    if match is None:
        return 1  # ClusterShell says what is wrong with it
    if len(match[2]) > _DIGITS:
        return _MOST + 1
    return max(1, int(match[2]) - int(match[1][-_DIGITS:]) + 1)


def folded(names: Iterable[str]) -> str:
    """Names as a host list: node[001,003-005]."""
    from ClusterShell.NodeSet import (  # noqa: PLC0415 - only background needs it
        RESOLVER_NOGROUP,
        NodeSet,
    )

    return str(NodeSet.fromlist(list(names), resolver=RESOLVER_NOGROUP))
