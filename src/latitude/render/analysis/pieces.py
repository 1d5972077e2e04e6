"""The critical path cut into pieces of one kind on one rank, and summed up over time cells."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude.analysis.path import Steps

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Grouping = tuple[Integers, int]

CALC, OVERHEAD, NETWORK = range(3)
KINDS = 3


@dataclass(frozen=True, slots=True)
class Pieces:
    """Stretches of the path in time order, without gaps; arrays of equal length, times in ns."""

    kind: Integers
    origin: Integers
    """Rank the path comes from; differs from `rank` on a message's way."""
    rank: Integers
    start: Floats
    end: Floats
    site: Integers
    """Index into Analysis.by_call_site; −1: none."""

    def __len__(self) -> int:
        return int(self.kind.size)

    def part(self, first: int, last: int) -> "Pieces":
        """The pieces first … last − 1."""
        cut = slice(first, last)
        return Pieces(
            self.kind[cut],
            self.origin[cut],
            self.rank[cut],
            self.start[cut],
            self.end[cut],
            self.site[cut],
        )


def pieces(path: Steps, site: Integers) -> Pieces:
    """Cuts each step: a message's way comes first, then computation, then overhead.

    `site` is the call site of each step, −1 where none is known.
    """
    count = path.vertex.size
    before = np.concatenate([path.rank[:1], path.rank[:-1]])
    length = np.stack([path.network, path.calc, path.overhead], axis=1)
    length = length * _stretch(path, length)[:, None]
    edge = path.start[:, None] + np.cumsum(length, axis=1)
    start = np.concatenate([path.start[:, None], edge[:, :-1]], axis=1)
    kind = np.broadcast_to([NETWORK, CALC, OVERHEAD], (count, KINDS))
    rank = np.broadcast_to(path.rank[:, None], (count, KINDS))
    origin = np.stack([before, path.rank, path.rank], axis=1)
    keep = (length > 0).ravel()
    return _merged(
        Pieces(
            kind.ravel()[keep],
            origin.ravel()[keep],
            rank.ravel()[keep],
            start.ravel()[keep],
            edge.ravel()[keep],
            np.repeat(site, KINDS)[keep],
        )
    )


def _stretch(path: Steps, length: Floats) -> Floats:
    """Undoes rounding: the parts of a step fill it exactly."""
    total = length.sum(axis=1)
    factor = np.zeros(total.size)
    np.divide(path.end - path.start, total, out=factor, where=total > 0)
    return factor


def _merged(cut: Pieces) -> Pieces:
    """Joins neighbours of one kind and call site on one rank; a message's way stays its own."""
    if len(cut) == 0:
        return cut
    new = np.ones(len(cut), dtype=bool)
    new[1:] = (
        (cut.kind[1:] != cut.kind[:-1])
        | (cut.rank[1:] != cut.rank[:-1])
        | (cut.origin[1:] != cut.rank[1:])
        | (cut.site[1:] != cut.site[:-1])
    )
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(cut)) - 1
    return Pieces(
        cut.kind[first],
        cut.origin[first],
        cut.rank[first],
        cut.start[first],
        cut.end[last],
        cut.site[first],
    )


@dataclass(frozen=True, slots=True)
class Cells:
    """The path's time summed up in equal cells of time; shares of a cell."""

    edges: Floats
    """Cell limits, ns; one more than there are cells."""
    by_rank: Floats
    """(cells, ranks)"""
    by_group: list[Floats]
    """(cells, groups), of each way to group the pieces."""


def cells(cut: Pieces, count: int, ranks: int, groupings: Sequence[Grouping]) -> Cells:
    """Sums the pieces up exactly: a piece that spans cells is shared out by its time in each.

    A grouping is the number of each piece's group, and how many groups there are.
    """
    edges = np.linspace(cut.start[0], cut.end[-1], count + 1)
    bounds = np.union1d(np.append(cut.start, cut.end[-1]), edges)
    middle, length = (bounds[1:] + bounds[:-1]) / 2, np.diff(bounds)
    piece = np.clip(np.searchsorted(cut.start, middle, side="right") - 1, 0, len(cut) - 1)
    cell = np.clip(np.searchsorted(edges, middle, side="right") - 1, 0, count - 1)
    width = edges[1] - edges[0]

    def shares(key: Integers, size: int) -> Floats:
        total = np.bincount(cell * size + key[piece], weights=length, minlength=count * size)
        share: Floats = total.reshape(count, size) / width
        return share

    return Cells(
        edges,
        shares(cut.rank, ranks),
        [shares(group, groups) for group, groups in groupings],
    )


def densest(cut: Pieces, count: int) -> tuple[int, int]:
    """First and last + 1 of the `count` neighbouring pieces with the largest share of network."""
    if len(cut) <= count:
        return 0, len(cut)
    length = cut.end - cut.start
    network = np.concatenate([[0.0], np.cumsum(np.where(cut.kind == NETWORK, length, 0.0))])
    time = np.concatenate([[0.0], np.cumsum(length)])
    share = (network[count:] - network[:-count]) / np.maximum(time[count:] - time[:-count], 1e-9)
    first = int(share.argmax())
    return first, first + count
