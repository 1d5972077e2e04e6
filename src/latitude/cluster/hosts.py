"""Host lists as Slurm writes them, read by ClusterShell."""

import re
from collections.abc import Iterable

from latitude._core import InputError

_HOST_LIST = re.compile(r"[\w.,\[\]-]*", re.ASCII)
_RANGE = re.compile(r"(\d+)-(\d+)")
_MOST = 1_000_000
"""Nodes in one range; the largest machines have tens of thousands."""


def hosts(text: str, where: str) -> frozenset[str]:
    """The names in a host list such as `node[001,003-005],login1`."""
    from ClusterShell.NodeSet import (  # noqa: PLC0415 - only background needs it
        RESOLVER_NOGROUP,
        NodeSet,
        NodeSetException,
    )

    if not _HOST_LIST.fullmatch(text):
        raise InputError(f"{where}: '{text}' is not a host list such as node[001-004]")
    for low, high in _RANGE.findall(text):
        if int(high) - int(low) >= _MOST:
            raise InputError(f"{where}: '{low}-{high}' in a host list is over {_MOST:,} nodes")
    try:
        return frozenset(NodeSet(text, resolver=RESOLVER_NOGROUP))
    except NodeSetException as error:
        raise InputError(f"{where}: '{text}' is not a host list: {error}") from error


def folded(names: Iterable[str]) -> str:
    """Names as a host list: node[001,003-005]."""
    from ClusterShell.NodeSet import (  # noqa: PLC0415 - only background needs it
        RESOLVER_NOGROUP,
        NodeSet,
    )

    return str(NodeSet.fromlist(list(names), resolver=RESOLVER_NOGROUP))
