"""The core's critical path in the form of results."""

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats
from latitude.results.critical_path import FewValues, Values, WholePath


def steps(path: _core.CriticalPath, graph: _core.Graph) -> WholePath:
    """The core's path through a graph; nothing of it is copied."""
    one_thread = bool((graph.threads <= 1).all())
    none = np.broadcast_to(np.uint32(0), path.vertex.shape)
    return WholePath(
        vertex=path.vertex,
        rank=path.rank,
        thread=none if one_thread else graph.line[path.vertex],
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
