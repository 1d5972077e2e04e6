"""The critical path for drawing: cut into pieces, coloured, and summed over time cells."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude._types import Floats, Integers, Numbers
from latitude.render.charts import theme
from latitude.render.charts.theme import SITES
from latitude.results.critical_path import BLOCK, Steps, WholePath
from latitude.sections.by_call_site.result import CallSiteShare

CALC, OVERHEAD, NETWORK = KINDS = range(3)
ACTIVITIES = {
    CALC: ("computation", "#7d8c9b"),
    OVERHEAD: ("overhead o", theme.OVERHEAD),
    NETWORK: ("latency and bandwidth", theme.NETWORK),
}
Small = NDArray[np.int8 | np.int32]
"""Small integers, because there may be millions of pieces."""
_COMPUTATION = "#c9d0d7"
_OTHERS = "#8a7a5c"
_LONGEST_NAME = 34


@dataclass(frozen=True, slots=True)
class Pieces:
    """Stretches of the path in time order, without gaps; arrays of equal length, times in ns."""

    kind: Small
    origin: Small
    """Rank from which the path comes; differs from `rank` while a message travels."""
    rank: Small
    start: Floats
    end: Floats
    site: Small
    """Index into Analysis.by_call_site, −1 for none."""

    def __len__(self) -> int:
        return int(self.kind.size)

    def part(self, first: int, last: int) -> "Pieces":
        """The pieces first … last − 1."""
        return Pieces(*(getattr(self, each.name)[first:last] for each in fields(self)))


def pieces(path: WholePath, site: Integers) -> Pieces:
    """Cuts each step into the message's transfer, then computation, then overhead.

    Pieces have lines in place of ranks, as in `WholePath.over_lines`.

    `site` is the call site of each step, −1 if not known.
    """
    from_rank = path.rank[:1]
    last = _cut(path.part(slice(0, 0)), site[:0], from_rank)
    parts: dict[str, list[NDArray[Any]]] = {each.name: [] for each in fields(Pieces)}
    for place, block in path.blocks():
        cut = _merged(_joined(last, _cut(block, site[place], from_rank)))
        last = cut.part(len(cut) - 1, len(cut))  # which the next block may continue
        from_rank = block.rank[-1:]
        for name, column in parts.items():
            column.append(getattr(cut, name)[:-1])
    for name, column in parts.items():
        column.append(getattr(last, name))
    # Column by column, so that at most one column exists twice.
    return Pieces(**{name: np.concatenate(parts.pop(name)) for name in list(parts)})


def _joined(first: Pieces, second: Pieces) -> Pieces:
    columns = (
        np.concatenate([getattr(first, each.name), getattr(second, each.name)])
        for each in fields(Pieces)
    )
    return Pieces(*columns)


def _cut(path: Steps, site: Integers, from_rank: Numbers) -> Pieces:
    """The pieces of steps; the first piece comes from `from_rank`."""
    rank = path.rank.astype(np.int32)
    kinds = len(KINDS)
    before = np.concatenate([from_rank, rank[:-1]], dtype=np.int32)[: rank.size]
    length = np.stack([path.network, path.calc, path.overhead], axis=1)
    total = length.sum(axis=1)
    begin, end = path.start, path.end
    # Scales the parts of a step so that they fill the step exactly, despite rounding.
    stretch = np.divide(end - begin, total, out=np.zeros(total.size), where=total > 0)
    length = length * stretch[:, None]
    edge = begin[:, None] + np.cumsum(length, axis=1)
    start = np.concatenate([begin[:, None], edge[:, :-1]], axis=1)
    origin = np.stack([before, rank, rank], axis=1)
    keep = (length > 0).ravel()
    return Pieces(
        kind=np.tile(np.array([NETWORK, CALC, OVERHEAD], dtype=np.int8), rank.size)[keep],
        origin=origin.ravel()[keep],
        rank=np.repeat(rank, kinds)[keep],
        start=start.ravel()[keep],
        end=edge.ravel()[keep],
        site=np.repeat(site.astype(np.int32), kinds)[keep],
    )


def _merged(cut: Pieces) -> Pieces:
    """Joins neighbours with equal kind, call site and rank; transfers stay separate."""
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
    """The path's time in equal time cells, as shares of a cell."""

    edges: Floats
    """Limits of the cells, ns: one more than the number of cells."""
    by_rank: Floats
    """(cells, ranks) share of the cell's time on each rank."""
    by_group: list[Floats]
    """For each grouping: (cells, groups) share of the cell's time in each group."""


def cells(
    cut: Pieces,
    count: int,
    ranks: int,
    groupings: Sequence[tuple[Integers | Small, int]],
    at_once: int = BLOCK,
) -> Cells:
    """Sums the pieces exactly: a piece that spans several cells counts by its time in each.

    A grouping has the group of each piece, and the number of groups. Groups are computed for
    `at_once` pieces at a time.
    """
    edges = np.linspace(cut.start[0], cut.end[-1], count + 1)
    width = edges[1] - edges[0]
    keys = [(cut.rank, ranks), *groupings]
    totals = [np.zeros(count * size) for _, size in keys]
    for begin in range(0, len(cut), at_once):
        start, end = cut.start[begin : begin + at_once], cut.end[begin : begin + at_once][-1]
        inside = edges[slice(*np.searchsorted(edges, (start[0], end), side="right"))]
        bounds = np.union1d(np.append(start, end), inside)
        middle, length = (bounds[1:] + bounds[:-1]) / 2, np.diff(bounds)
        piece = np.clip(np.searchsorted(start, middle, side="right") - 1, 0, start.size - 1)
        cell = np.clip(np.searchsorted(edges, middle, side="right") - 1, 0, count - 1)
        if not cell.size:  # the pieces have no length
            continue
        for total, (key, size) in zip(totals, keys, strict=True):
            own = np.bincount((cell - cell[0]) * size + key[begin + piece], weights=length)
            total[cell[0] * size :][: own.size] += own
    shares = [
        total.reshape(count, size) / width for total, (_, size) in zip(totals, keys, strict=True)
    ]
    return Cells(edges, shares[0], shares[1:])


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


@dataclass(frozen=True, slots=True)
class Colouring:
    """A grouping of the path's pieces; each group has a name and a colour."""

    label: str
    names: Sequence[str]
    colours: Sequence[str]
    group: Integers | Small
    """The group of each piece."""


def colourings(shares: Sequence[CallSiteShare], cut: Pieces) -> list[Colouring]:
    """Colourings by activity, and, if call sites are known, by call site."""
    names, colours = zip(*ACTIVITIES.values(), strict=True)
    ways = [Colouring("By activity", names, colours, cut.kind)]
    if np.any(cut.site >= 0):
        ways.append(_by_site(shares, cut))
    return ways


def _by_site(shares: Sequence[CallSiteShare], cut: Pieces) -> Colouring:
    """Colours for computation, the pieces' most important call sites, and all other call sites."""
    top = _most(cut, len(shares))
    free = [colour for i, colour in enumerate(SITES) if i not in top]
    names = ["computation", *(_name(shares[site]) for site in top)]
    colours = [_COMPUTATION, *(SITES[s] if s < len(SITES) else free.pop(0) for s in top)]
    others = len(names)
    group_of = np.full(len(shares) + 1, others, dtype=np.int64)  # the last: no call site known
    group_of[top] = np.arange(1, others)
    group = np.where(cut.kind == CALC, 0, group_of[cut.site])
    if np.any(group == others):
        names.append("other call sites")
        colours.append(_OTHERS)
    return Colouring("By call site", names, colours, group)


def _most(cut: Pieces, sites: int) -> list[int]:
    """At most len(SITES) sites of these pieces.

    Sites that lead the overall ranking come first, and keep their colours; other sites follow by
    time.
    """
    called = (cut.kind != CALC) & (cut.site >= 0)
    length = (cut.end - cut.start)[called]
    time = np.bincount(cut.site[called], weights=length, minlength=sites)
    occurring = np.flatnonzero(time).tolist()
    first = [site for site in occurring if site < len(SITES)]
    others = sorted((s for s in occurring if s >= len(SITES)), key=lambda s: -time[s])
    return (first + others)[: len(SITES)]


def _name(share: CallSiteShare) -> str:
    """The place, with the name of its call."""
    where = share.where
    if len(where) > _LONGEST_NAME:
        where = "…" + where[1 - _LONGEST_NAME :]
    return " ".join([where, *list(share.calls)[:1]])
