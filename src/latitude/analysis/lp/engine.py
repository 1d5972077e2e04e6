"""The engine's answers to the LP's questions."""

from collections.abc import Sequence

import numpy as np

from latitude import _core
from latitude.analysis.lp.rows import Floats

_FAR = 1e15
"""A latency (ns) beyond which nothing changes: eleven days."""


class EngineAnswers:
    """A graph on a network, with the latency of each link class as θ in turn."""

    def __init__(self, graph: _core.Graph, network: _core.Network) -> None:
        self._model = _core.Model(graph, network)
        self._latency = np.array([L for _, L, _ in network.classes])
        self._together = self._model.along("L")
        self._alone = [self._one(link) for link in range(self._latency.size)]
        self.runtime_ns = self._together.runtime_at(self._latency[0])

    def _one(self, link: int) -> _core.AffineDag:
        if self._latency.size == 1:
            return self._together
        fixed, weight = self._latency.copy(), np.zeros(self._latency.size)
        fixed[link], weight[link] = 0.0, 1.0
        return self._model.along("L", fixed, weight)

    def slopes(self, link: int) -> tuple[float, float]:
        """λ of the class to the left and to the right of its L."""
        _, left, right = self._alone[link].slopes(self._latency[link : link + 1])
        return float(left[0]), float(right[0])

    def critical(self, link: int, slope: float) -> tuple[float, float]:
        """The interval around L in which T has this slope."""
        dag, here = self._alone[link], float(self._latency[link])
        left, right = self.slopes(link)
        below = here if slope > left else _last(dag, here)
        above = here if slope < right else _first(dag, here)
        return below, above

    def tolerance(self, link: int, limits_ns: Sequence[float]) -> Floats:
        """The largest latency of the class at each limit on T."""
        return self._alone[link].tolerance(np.array(limits_ns), float(self._latency[link]))

    def extra_for_all(self, limits_ns: Sequence[float]) -> Floats:
        """The largest extra latency of all classes together at each limit on T."""
        first = float(self._latency[0])
        return self._together.tolerance(np.array(limits_ns), first) - first

    def runtime_at(self, latency_ns: Floats) -> float:
        """T at other latencies of the classes."""
        nothing = np.zeros(latency_ns.size)
        dag = self._model.along("L", latency_ns, nothing)
        return dag.runtime_at(0.0)


def _first(dag: _core.AffineDag, here: float) -> float:
    """The first critical latency above `here`, or infinity."""
    width = max(here, 1.0) / 64
    while here + width < _FAR:
        found = dag.curve(here, here + width, most=1, within=np.inf).value
        if found.size:
            return float(found[0])
        width *= 4
    return float("inf")


def _last(dag: _core.AffineDag, here: float) -> float:
    """The last critical latency below `here`, or 0."""
    width = here / 64
    while here > 0:
        low = max(0.0, here - width)
        found = dag.breakpoints(low, here)[0]
        if found.size:
            return float(found[-1])
        if low == 0:
            break
        width *= 4
    return 0.0
