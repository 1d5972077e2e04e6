"""The share of T that a program may have spent between polls only because messages had not come."""

import numpy as np

from latitude import _core
from latitude.analysis.context import GraphContext
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.units.quantities import format_share, format_time

_LEAST = 0.01
"""Least share of T that is worth a warning."""


def warnings_of_polls(context: GraphContext, T_ns: float) -> list[Notice]:
    """A warning with the interval of T, if T depends on the activity between failed polls."""
    graph = context.program.graph
    vertices = np.flatnonzero((graph.kind == int(_core.Kind.calc)) & (graph.tag > 0))
    between_ns = graph.tag[vertices].astype(float)  # the tag of a calc vertex is this time
    if between_ns.sum() <= _LEAST * T_ns:
        return []
    without = np.ones(graph.vertices)
    without[vertices] = np.clip(1 - between_ns / graph.value[vertices], 0, 1)
    core = context.network.core_of(context.links)
    least_ns = float(_core.Model(graph.scaled(without), core).runtime())
    if T_ns - least_ns <= _LEAST * T_ns:
        return []
    return [
        kinds.BETWEEN_POLLS(
            f"T is {format_time(T_ns)} with the time between failed polls as work, and "
            f"{format_time(least_ns)} ({format_share(1 - least_ns / T_ns)} less) if that time was "
            "only waiting"
        )
    ]
