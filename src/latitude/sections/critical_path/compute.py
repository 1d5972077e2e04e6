"""The critical path as stays on ranks."""

import numpy as np

from latitude._types import Integers
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import WholePath
from latitude.sections.critical_path.result import Stay

MAX_STAYS = 20_000
"""A longer path is merged to that many stretches: beyond it pages and files only get slow."""


def stays(path: WholePath) -> list[Stay]:
    """The path as consecutive stays on ranks; more than MAX_STAYS are merged evenly."""
    if path.vertex.size == 0:
        return []
    begin = np.flatnonzero(np.concatenate([[True], path.rank[1:] != path.rank[:-1]]))
    merge = -(-begin.size // MAX_STAYS)
    first = begin[::merge]
    last = np.concatenate([first[1:], [path.vertex.size]]) - 1
    sums = [
        np.add.reduceat(np.asarray(part), first)
        for part in (path.calc, path.overhead, path.network)
    ]
    rank = path.rank[first] if merge == 1 else _longest(path, begin, merge)
    columns = (rank, path.start[first], path.end[last], *sums, last - first + 1)
    return [
        Stay(rank=r, start_ns=s, end_ns=e, calc_ns=c, overhead_ns=o, network_ns=n, vertices=v)
        for r, s, e, c, o, n, v in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _longest(path: WholePath, begin: Integers, merge: int) -> Integers:
    """The rank that holds most of the time of each `merge` stays; `begin`: where these begin."""
    ranks = int(path.rank.max()) + 1
    stretch = np.arange(begin.size) // merge
    key, each = np.unique(stretch * ranks + path.rank[begin], return_inverse=True)
    end = path.end[np.append(begin[1:], len(path)) - 1]
    time = np.bincount(each, weights=end - path.start[begin])
    order = np.lexsort((time, key // ranks))
    last = np.append(np.flatnonzero(np.diff(key[order] // ranks)), key.size - 1)
    longest: Integers = key[order][last] % ranks
    return longest


COMPUTED = Computed(
    lambda context: stays(context.path), SectionCost(sweeps=1, operation_bytes=8), of_job=True
)
