"""Time of each rank by activity."""

import numpy as np

from latitude import _core
from latitude._types import Floats
from latitude.analysis.context import GraphContext, PassesContext
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import WholePath
from latitude.sections.by_rank.result import ByRank


def by_rank(core_path: _core.CriticalPath, path: WholePath) -> ByRank:
    """Time of each rank by activity."""
    end, lines = core_path.rank_end_ns, core_path.rank_lines_ns
    on_path = np.zeros(end.size)
    for place in path.places():
        np.add.at(on_path, path.rank[place], path.end[place] - path.start[place])
    return rank_times(core_path.rank_calc_ns, core_path.rank_overhead_ns, end, on_path, lines)


def rank_times(
    calc: Floats, overhead: Floats, end: Floats, on_path: Floats, lines: Floats
) -> ByRank:
    """Times by rank, (ranks,) ns; time that is neither computation nor overhead is waiting.

    `lines` has the total duration of the rank's lines.
    """
    return ByRank(
        rank=np.arange(end.size),
        calc_ns=calc,
        overhead_ns=overhead,
        wait_ns=np.maximum(0.0, lines - calc - overhead),
        end_ns=end,
        path_ns=on_path,
    )


def _of_graph(context: GraphContext) -> ByRank:
    return by_rank(context.model.critical_path(), context.path)


def _of_passes(context: PassesContext) -> ByRank:
    found = context.path
    return rank_times(
        found.rank_calc_ns,
        found.rank_overhead_ns,
        found.rank_end_ns,
        found.rank_path_ns,
        found.rank_end_ns,
    )


COMPUTED = Computed(_of_graph, SectionCost(sweeps=1), _of_passes)
