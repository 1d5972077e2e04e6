"""The critical path as stays on ranks."""

import numpy as np

from latitude._types import Integers
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import WholePath
from latitude.sections.critical_path.result import Stay

MAX_STAYS = 20_000
"""Largest number of stays of a path; longer paths are merged, so that pages and files stay fast."""


def stays(path: WholePath) -> list[Stay]:
    """The path as consecutive stays on ranks; more than MAX_STAYS are merged evenly."""
    if path.vertex.size == 0:
        return []
    moves = path.line[1:] != path.line[:-1]
    begin = np.flatnonzero(np.concatenate([[True], moves]))
    merge = -(-begin.size // MAX_STAYS)
    first = begin[::merge]
    last = np.concatenate([first[1:], [path.vertex.size]]) - 1
    sums = [
        np.add.reduceat(np.asarray(part), first)
        for part in (path.calc, path.overhead, path.network)
    ]
    on = first if merge == 1 else _longest(path, begin, merge)
    columns = (
        *(path.rank[on], path.lines.number[path.line[on]], path.start[first], path.end[last]),
        *(*sums, last - first + 1),
    )
    names = ("rank", "thread", "start_ns", "end_ns", "calc_ns", "overhead_ns", "network_ns")
    rows = zip(*(column.tolist() for column in columns), strict=True)
    resources = [path.lines.resource[line] for line in path.line[on].tolist()]
    return [
        Stay(**dict(zip((*names, "vertices"), row, strict=True)), resource=resource)
        for row, resource in zip(rows, resources, strict=True)
    ]


def _longest(path: WholePath, begin: Integers, merge: int) -> Integers:
    """For each group of `merge` stays, a step on the line with most of the group's time.

    `begin` has the first step of each stay.
    """
    lines, line = len(path.lines), path.line[begin].astype(np.int64)
    stretch = np.arange(begin.size) // merge
    key, one, each = np.unique(stretch * lines + line, return_index=True, return_inverse=True)
    end = path.end[np.append(begin[1:], len(path)) - 1]
    time = np.bincount(each, weights=end - path.start[begin])
    order = np.lexsort((time, key // lines))
    last = np.append(np.flatnonzero(np.diff(key[order] // lines)), key.size - 1)
    longest: Integers = begin[one[order][last]]
    return longest


COMPUTED = Computed(
    lambda context: stays(context.path), SectionCost(sweeps=1, operation_bytes=8), of_job=True
)
