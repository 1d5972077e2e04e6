"""The core's critical path in the form of results."""

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats
from latitude.results.critical_path import FewValues, Values, WholePath
from latitude.results.lines import RankLines, Resource


def resources_of(kind: NDArray[np.uint8]) -> tuple[Resource, ...]:
    """The names of the core's kinds of resources."""
    names = _core.resource_kinds()
    return tuple(names[each] for each in kind.tolist())


def lines_of(graph: _core.Graph) -> RankLines:
    """The lines of a graph's ranks, each of which runs its operations one after the other."""
    rank, kind, number = graph.lines()
    return RankLines(rank.astype(np.int64), resources_of(kind), number.astype(np.int64))


def steps(path: _core.CriticalPath, graph: _core.Graph) -> WholePath:
    """The core's path through a graph, without copying."""
    lines = lines_of(graph)
    return WholePath(
        lines=lines,
        vertex=path.vertex,
        rank=path.rank,
        line=graph.lines_of(path.vertex) if lines.several else path.rank,
        start=path.start_ns,
        end=path.end_ns,
        calc=_column(path.step_calc_ns),
        overhead=_column(path.step_overhead_ns),
        network=_column(path.step_network_ns),
        latency=_column(path.step_latency_ns),
        latencies=_column(path.step_latencies),
    )


def _column(of_core: Floats | tuple[NDArray[np.uint16], Floats]) -> Values:
    return FewValues(*of_core) if isinstance(of_core, tuple) else of_core
