"""What the critical path is coloured by: activities, or call sites."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude.analysis.call_sites import CallSiteShare
from latitude.render.analysis.pieces import CALC, NETWORK, OVERHEAD, Pieces
from latitude.render.charts import theme
from latitude.results.analysis import Analysis

Integers = NDArray[np.int64]

ACTIVITIES = {
    CALC: ("computation", "#7d8c9b"),
    OVERHEAD: ("overhead o", theme.OVERHEAD),
    NETWORK: ("latency and bandwidth", theme.NETWORK),
}
SITES = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1c2733")
"""Of the first call sites; of Okabe and Ito's set, more could not be told apart."""
_COMPUTATION = "#c9d0d7"
_OTHERS = "#8a7a5c"
_LONGEST_NAME = 34


@dataclass(frozen=True, slots=True)
class Colouring:
    """A grouping of the path's pieces; each group has a name and a colour."""

    label: str
    names: Sequence[str]
    colours: Sequence[str]
    group: Integers
    """Of each piece."""

    def drawing_order(self) -> list[int]:
        """Groups for bars on each other: computation, which is first, on top."""
        return [*range(len(self.names) - 1, -1, -1)]


def colourings(analysis: Analysis, cut: Pieces) -> list[Colouring]:
    """By activity, and, where call sites are known, by these."""
    names, colours = zip(*(ACTIVITIES[kind] for kind in (CALC, OVERHEAD, NETWORK)), strict=True)
    ways = [Colouring("By activity", names, colours, cut.kind)]
    if np.any(cut.site >= 0):
        ways.append(_by_site(analysis.by_call_site, cut))
    return ways


def _by_site(shares: Sequence[CallSiteShare], cut: Pieces) -> Colouring:
    """Computation, the call sites that matter most in these pieces, and the others as one group."""
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
    """Those of the first in the ranking that occur, which keep their colours; then by time."""
    called = (cut.kind != CALC) & (cut.site >= 0)
    length = (cut.end - cut.start)[called]
    time = np.bincount(cut.site[called], weights=length, minlength=sites)
    occurring = np.flatnonzero(time).tolist()
    first = [site for site in occurring if site < len(SITES)]
    others = sorted((s for s in occurring if s >= len(SITES)), key=lambda s: -time[s])
    return (first + others)[: len(SITES)]


def _name(share: CallSiteShare) -> str:
    """Where, and what is called there."""
    where = share.where
    if len(where) > _LONGEST_NAME:
        where = "…" + where[1 - _LONGEST_NAME :]
    return " ".join([where, *list(share.calls)[:1]])
