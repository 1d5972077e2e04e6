"""Algorithms of NCCL that a job's collectives could use: their links, and their times."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latitude import _core
from latitude._types import Booleans, Floats, Integers, Numbers
from latitude.model.links import Links
from latitude.model.theta import Theta
from latitude.trace.jobs.job import ALGORITHMS, RecordedJob
from latitude.trace.nccl import PROTOCOLS
from latitude.trace.nccl_costs import COLLECTIVES, NcclMachine

_COLLNET = ("collnet_direct", "collnet_chain")
"""Algorithms for which switches of the network have to reduce."""
_IN_SWITCHES = ("nvls", "nvls_tree", *_COLLNET)
"""Algorithms for which NCCL does not publish the number of bytes on each link."""
_NCCL_NAMES = {"barrier": "allreduce"}
"""Kinds that NCCL performs as another collective."""


@dataclass
class CollectiveWays:
    """The algorithms that fit the collectives of a job on a network."""

    job: RecordedJob
    graph: _core.Graph
    """The job's graph, with the recorded time of each transfer."""
    links: Links
    machine: NcclMachine

    @cached_property
    def recorded_ns(self) -> Integers:
        """(collectives,) recorded time of each transfer, ns; 0 if not recorded."""
        return self.graph.value[self.job.transfer].astype(np.int64)

    @cached_property
    def nodes(self) -> Integers:
        """(collectives,) number of nodes of each group."""
        at = self.links.node_of_rank
        every = [
            len(group) if at is None else np.unique(at[list(group)]).size
            for group in self.job.groups
        ]
        return np.array(every, np.int64)[self.job.group]

    @property
    def _node_of_rank(self) -> Numbers:
        at = self.links.node_of_rank
        return np.empty(0, np.uint32) if at is None else at

    @cached_property
    def without_size(self) -> Booleans:
        """(collectives,) whether the trace has a time, but not the size for the cost model."""
        barriers = np.array([kind == "barrier" for kind in self.job.kind], bool)
        found: Booleans = (self.recorded_ns > 0) & (self.job.bytes == 0) & ~barriers
        return found

    def fits(self, algorithm: int) -> Booleans:
        """(collectives,) whether a collective could use an algorithm on the machine."""
        could = self.job.collectives.fits(algorithm, self._node_of_rank).astype(bool)
        if ALGORITHMS[algorithm] in _IN_SWITCHES:
            could &= self.recorded_ns > 0
        known = np.isfinite(self.published_ns(algorithm)) & ~self.without_size
        found: Booleans = (could & known) | (self.job.algorithm == algorithm)
        return found

    def without_switches(self, algorithm: int) -> Booleans:
        """(collectives,) whether an algorithm does without switches of the network that reduce."""
        if ALGORITHMS[algorithm] == "nvls":
            return np.equal(self.nodes, 1)
        return np.full(self.nodes.size, ALGORITHMS[algorithm] not in _COLLNET)

    @cached_property
    def _shapes(self) -> tuple[list[tuple[str, int, int, int]], Integers]:
        """The different kinds, ranks, nodes and bytes, and (collectives,) the index of each."""
        job = self.job
        sizes = np.array([len(group) for group in job.groups], np.int64)[job.group]
        kinds, kind = np.unique(np.array(job.kind, np.str_), return_inverse=True)
        columns = np.stack([kind, sizes, self.nodes, job.bytes.astype(np.int64)])
        found, index = np.unique(columns, axis=1, return_inverse=True)
        shapes = [
            (str(kinds[code]), ranks, nodes, size) for code, ranks, nodes, size in found.T.tolist()
        ]
        return shapes, index.ravel()

    def published_ns(self, algorithm: int) -> Floats:
        """(collectives,) time by NCCL's cost model, ns; infinite if the model gives no time."""
        shapes, index = self._shapes
        return np.array([self._published_ns(algorithm, *each) for each in shapes])[index]

    def _published_ns(self, algorithm: int, kind: str, ranks: int, nodes: int, size: int) -> float:
        called = _NCCL_NAMES.get(kind, kind.replace("_", ""))
        if called not in COLLECTIVES or ranks == 1:
            return np.inf
        model, name = self.machine.model(nodes), ALGORITHMS[algorithm]
        return min(model.cost_ns(called, name, each, ranks, size) for each in PROTOCOLS)

    def ratio(self, algorithm: Integers) -> Floats:
        """(collectives,) published time of these algorithms over the recorded algorithms' time."""
        ratio = np.ones(algorithm.size)
        own = self.job.algorithm
        for before in np.unique(own):
            for after in np.unique(algorithm):
                at = (own == before) & (algorithm == after) & (before != after)
                published = self.published_ns(after), self.published_ns(before)
                np.divide(*published, out=ratio, where=at)
        return ratio

    def routes(self, algorithm: Integers) -> _core.Routes:
        """The links that collectives cross by these algorithms."""
        return self.job.collectives.routes(algorithm.astype(np.uint32), self._node_of_rank)

    def costs(self, routes: _core.Routes) -> Floats:
        """(collectives,) price of the links, ns."""
        of, source, destination, times, sizes = routes.hops()
        at = self.links.classes_of(source, destination)
        L, G = (np.array([getattr(link, name) for link in self.links.classes]) for name in "LG")
        return _summed(of, times * L[at] + sizes * G[at], self.nodes.size)

    def slopes(self, routes: _core.Routes, theta: Theta) -> Floats:
        """(collectives,) growth of their times with θ."""
        of, source, destination, times, sizes = routes.hops()
        amount = {"L": times, "G": sizes}.get(theta.parameter, 0 * times)
        weight = np.array(theta.weight)[self.links.classes_of(source, destination)]
        return _summed(of, amount * weight, self.nodes.size)

    def lines(self, theta: Theta) -> tuple[Floats, Floats]:
        """(algorithms, collectives) time at the baseline, ns, and growth with θ.

        The time is infinite if the algorithm does not fit, needs switches that reduce, or has an
        unknown growth.
        """
        count, own = self.nodes.size, self.job.algorithm
        times, slopes = (
            np.full((len(ALGORITHMS), count), np.inf),
            np.zeros((len(ALGORITHMS), count)),
        )
        recorded = self.recorded_ns > 0
        for number in range(len(ALGORITHMS)):
            fits = self.fits(number) & self.without_switches(number)
            if not fits.any() or not answers_about(number, theta):
                continue
            algorithm = np.where(fits, number, own)
            routes = self.routes(algorithm)
            ns = np.where(recorded, self.recorded_ns * self.ratio(algorithm), self.costs(routes))
            times[number, fits] = ns[fits]
            slopes[number] = self.slopes(routes, theta)
        return times, slopes

    def over(self, algorithm: Integers) -> _core.Graph:
        """The graph in which collectives use these algorithms."""
        scaled = np.rint(self.recorded_ns * self.ratio(algorithm))
        recorded = self.recorded_ns > 0
        ns = np.where(recorded, np.maximum(scaled, 1), 0).astype(np.int64)
        return self.routes(algorithm).over(self.graph, self.job.transfer.astype(np.uint32), ns)


def answers_about(algorithm: int, theta: Theta) -> bool:
    """Whether the growth of an algorithm's times with θ is known."""
    return theta.unit == "ns" or ALGORITHMS[algorithm] not in _IN_SWITCHES


def _summed(of: Numbers, values: Floats, many: int) -> Floats:
    return np.bincount(of, values, many).astype(np.float64)


def on_nodes(graph: _core.Graph, job: RecordedJob, links: Links) -> _core.Graph:
    """The graph in which the recorded algorithms, such as trees, follow the nodes of the ranks."""
    if links.node_of_rank is None or not job.algorithm.any():
        return graph
    return CollectiveWays(job, graph, links, NcclMachine()).over(job.algorithm)
