"""Near-critical paths: the longest paths next to the critical path."""

from typing import Any

import numpy as np

from latitude import _core
from latitude.analysis.context import PATHS
from latitude.analysis.messages import ROUNDING, rank_of, whole
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.near_paths.result import NearPath, Waypoint

_LISTED = 100
"""Largest number of listed messages per path: the first in time."""


def near_paths(model: _core.Model, runtime: float, count: int = PATHS) -> list[NearPath]:
    """The longest paths, the critical path first; fewer than `count` if there are no more.

    Args:
        model: the program on its network.
        runtime: T on this network, ns.
        count: number of paths to find.
    """
    graph = model.graph
    found = model.top_paths(count)
    if not found:
        return []
    critical = found[0].receive
    result = []
    for path in found:
        others = path.receive[~np.isin(path.receive, critical)]
        shorter = found[0].length_ns - path.length_ns
        result.append(
            NearPath(
                length_ns=path.length_ns,
                shorter_ns=0.0 if shorter <= ROUNDING * runtime else shorter,
                messages=int(path.receive.size),
                others=int(others.size),
                skipped=int(critical.size - (path.receive.size - others.size)),
                through=_waypoints(graph, others[:_LISTED]),
            )
        )
    return result


def _waypoints(graph: _core.Graph, receives: np.ndarray[Any, Any]) -> list[Waypoint]:
    vertex = whole(receives)
    source = rank_of(graph, whole(graph.partner[vertex]))
    origin = graph.origin[vertex]
    names, codes = graph.call_name, graph.call_code  # each is computed again on request
    calls = ["recv" if o == _core.NO_ORIGIN else names[codes[o]] for o in origin]
    return [
        Waypoint(source=int(s), destination=int(d), call=call, bytes=int(size))
        for s, d, call, size in zip(
            source, rank_of(graph, vertex), calls, graph.value[vertex], strict=True
        )
    ]


COMPUTED = Computed(
    lambda context: near_paths(context.model, context.T_ns),
    SectionCost(sweeps=5, operation_bytes=60),
    after=("slack", "pairs"),
    of_slack=True,
)
