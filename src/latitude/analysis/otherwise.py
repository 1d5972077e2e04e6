"""What-if questions: other computation, or for a job other algorithms or nodes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Booleans, Floats, Integers
from latitude.analysis.algorithms import CollectiveWays, answers_about
from latitude.analysis.answer import sensitivity_of, tolerances_of
from latitude.analysis.context import GraphContext
from latitude.model.links import Links
from latitude.model.theta import Theta, theta_of
from latitude.results.answer import WhatIf
from latitude.sections.efficiency.result import share_of
from latitude.trace.jobs.job import ALGORITHMS, KINDS, RecordedJob
from latitude.units.quantities import parse_number, parse_time, parse_whole

BALANCED = "balanced"
_RESOURCES = ("gpu", "cpu")
"""Names for all computation on a job's GPUs, and for all work of its CPUs."""
_CHEAPEST = "nccl"
_RANKS_PER_NODE = "ranks-per-node"
_MOST_FACTOR = 1e6


@dataclass(frozen=True, slots=True)
class Changed:
    """A program after a change."""

    model: _core.Model
    theta: Theta
    scaled_ns: float = 0.0
    """Recorded computation whose duration was changed, over all ranks."""
    collectives: int = 0
    """Number of collectives that use another algorithm or other links."""


@dataclass(frozen=True, slots=True)
class Otherwise(ABC):
    """A change of the program or its machine."""

    text: str

    @abstractmethod
    def changed(self, context: GraphContext) -> Changed:
        """The program after the change. InputError: the program does not allow the change."""

    @staticmethod
    def parse(text: str) -> "Otherwise":
        """Parses `balanced`, `solve=0.5`, `all_reduce=tree`, `nccl=20us`, `ranks-per-node=16`."""
        text = text.strip()
        if text == BALANCED:
            return OtherComputation(text, None)
        place, equals, value = (part.strip() for part in text.rpartition("="))
        if place in KINDS and value in ALGORITHMS:
            return OtherAlgorithm(text, place, ALGORITHMS.index(value))
        if place == _RANKS_PER_NODE:
            return OtherNodes(text, parse_whole(value, "a number of ranks per node", 1))
        if place == _CHEAPEST and value.endswith("s"):
            return CheapestAlgorithms(text, parse_time(value, "what-if", "nccl=20us"))
        if not equals or not place:
            raise InputError(
                f"what-if: '{text}' is not a change; write {BALANCED}, or a function, "
                "line or call with a factor, e.g. solve=0.5; for a job also all_reduce=tree, "
                f"{_CHEAPEST}=20us or {_RANKS_PER_NODE}=16"
            )
        if place in KINDS and value[:1].isalpha():
            raise InputError(
                f"what-if: '{value}' is not an algorithm of NCCL; use {', '.join(ALGORITHMS)}"
            )
        return OtherComputation(text, place, parse_number(value, "a factor", 0, _MOST_FACTOR))


@dataclass(frozen=True, slots=True)
class OtherComputation(Otherwise):
    """A change of the computation outside MPI."""

    place: str | None
    """The changed computation. A function, line or kind of MPI call means the computation before
    its calls. For a job: `gpu`, `cpu` or a part of the program. None stands for `balanced`."""
    factor: float = 1.0

    def changed(self, context: GraphContext) -> Changed:
        """The same graph with other durations."""
        model = context.model
        factor = self.factors(context)
        return Changed(
            _core.Model(model.graph.scaled(factor), model.network),
            context.theta,
            scaled_ns=float(model.graph.value[factor != 1].sum()),
        )

    def factors(self, context: GraphContext) -> Floats:
        """(vertices,) factors on the durations of vertices.

        InputError: the place does not exist.
        """
        graph, job = context.model.graph, context.program.job
        if job is not None:
            return self._of_job(job, graph)
        computes = (graph.kind == _core.Kind.calc) & (graph.origin == _core.NO_ORIGIN)
        if self.place is None:
            return _balanced(graph, computes)
        chosen = self._calls(context)
        following = _following_call(graph)
        before = computes & (following >= 0) & chosen[following]
        return np.where(before, self.factor, 1.0)

    def _of_job(self, job: RecordedJob, graph: _core.Graph) -> Floats:
        """(vertices,) factors for a job: on its GPUs, its CPUs, or a part of its program."""
        if self.place is None:
            computes = np.zeros(graph.vertices, bool)
            computes[job.streams if job.streams.size else job.cpu] = True
            return _balanced(graph, computes & (graph.kind == _core.Kind.calc))
        if self.place in _RESOURCES:
            chosen = job.streams if self.place == _RESOURCES[0] else job.cpu
        elif self.place in job.modules:
            part = job.modules.index(self.place)
            chosen = job.module[job.module[:, 1] == part, 0]
            chosen = np.intersect1d(chosen, np.concatenate([job.streams, job.cpu]))
        else:
            some = ", ".join([*_RESOURCES, *job.modules[1:6]])
            raise InputError(f"what-if: nothing here is called '{self.place}'; there is {some}")
        factors = np.ones(graph.vertices)
        factors[chosen] = self.factor
        return factors

    def _calls(self, context: GraphContext) -> Booleans:
        """(calls,) whether each call is at the place."""
        graph = context.model.graph
        names = [*graph.call_name]
        if self.place in names:
            return np.equal(graph.call_code, names.index(self.place))
        places, rows = context.places
        functions = [place.frame.function for place in places.shown]
        named = zip(places.names, functions, strict=True)
        of_place = [self.place in (where, function) for where, function in named]
        if not any(of_place):
            known = dict.fromkeys(
                function or where for where, function in zip(places.names, functions, strict=True)
            )
            some = ", ".join([*known][:5]) or "MPI_Allreduce (this input has no call sites)"
            raise InputError(f"what-if: nothing here is called '{self.place}'; there is {some}")
        return np.append(of_place, False)[rows.of_call[:-1]]


def _balanced(graph: _core.Graph, computes: Booleans) -> Floats:
    """Factors that give every computing rank the mean time of these ranks."""
    offsets = graph.rank_begin.astype(np.int64)
    begin, end = offsets[:-1], offsets[1:]
    upto = np.concatenate([[0], np.cumsum(np.where(computes, graph.value, 0))])
    total = (upto[end] - upto[begin]).astype(np.float64)
    mean = total[total > 0].mean() if (total > 0).any() else 0.0
    factor = np.divide(mean, total, out=np.ones(total.size), where=total > 0)
    return np.where(computes, factor[_ranks(graph)], 1.0)


def _ranks(graph: _core.Graph) -> Integers:
    """(vertices,) the rank of each vertex."""
    offsets = graph.rank_begin.astype(np.int64)
    return np.repeat(np.arange(graph.ranks), offsets[1:] - offsets[:-1])


def _following_call(graph: _core.Graph) -> Integers:
    """(vertices,) the next call of the vertex's thread, −1 for none."""
    count = graph.kind.size
    rank = _ranks(graph)
    completed, entered = graph.completed_in, graph.origin
    if completed.size:
        entered = np.where(completed == _core.NO_ORIGIN, entered, completed)
    result = np.full(count, -1, dtype=np.int64)
    for line in np.unique(graph.line):
        own = np.flatnonzero(graph.line == line)
        called = graph.origin[own] != _core.NO_ORIGIN
        at = np.where(called, np.arange(own.size), own.size)
        following = np.minimum.accumulate(at[::-1])[::-1]
        some = following < own.size
        vertex, call = own[some], own[following[some]]
        same = rank[vertex] == rank[call]
        result[vertex[same]] = entered[call[same]]
    return result


@dataclass(frozen=True, slots=True)
class OtherAlgorithm(Otherwise):
    """Another algorithm of NCCL for a job's collectives of one kind."""

    kind: str
    """One of KINDS."""
    algorithm: int
    """Index into ALGORITHMS."""

    def changed(self, context: GraphContext) -> Changed:
        """The same job with other links and times of these collectives."""
        ways = _ways(context, self.text)
        own = ways.job.algorithm
        if not answers_about(self.algorithm, context.theta):
            raise InputError(
                f"what-if: {self.text}: NCCL publishes no bytes per link of this algorithm, so it "
                f"has no answer about {context.theta.symbol}; ask about a latency"
            )
        of_kind = np.array([kind == self.kind for kind in ways.job.kind], bool)
        fits = of_kind & ways.fits(self.algorithm)
        if not fits.any():
            raise InputError(_why_not(self, ways, bool(of_kind.any())))
        return _by(ways, np.where(fits, self.algorithm, own), context)


@dataclass(frozen=True, slots=True)
class CheapestAlgorithms(Otherwise):
    """The algorithms that NCCL would choose if it knew the network's latency."""

    extra_ns: float
    """Latency beyond the baseline, ns."""

    def changed(self, context: GraphContext) -> Changed:
        """The same job, whose collectives use the algorithms that are fastest at this latency."""
        ways = _ways(context, self.text)
        times, slopes = ways.lines(theta_of("L", context.network, context.links))
        at = times + slopes * self.extra_ns
        for number in range(len(ALGORITHMS)):
            if not answers_about(number, context.theta):
                at[number, ways.job.algorithm != number] = np.inf
        own = ways.job.algorithm
        best = np.argmin(at, axis=0)
        each = np.arange(own.size)
        return _by(ways, np.where(at[best, each] < at[own, each], best, own), context)


@dataclass(frozen=True, slots=True)
class OtherNodes(Otherwise):
    """Other numbers of ranks per node, so that other pairs of ranks share a node."""

    ranks_per_node: int

    def changed(self, context: GraphContext) -> Changed:
        """The same job with the prices of other links."""
        ways, network = _ways(context, self.text), context.network
        placement = network.placement
        if placement is None or placement.node_of_rank is not None or not network.rules:
            raise InputError(
                f"what-if: {self.text} changes the links of ranks that come to share a node; give "
                "--ranks-per-node and --intra"
            )
        if network.topology is not None or network.places:
            raise InputError(
                f"what-if: {self.text} does not say how a topology or places change; give the "
                "network of the other nodes in a file, and use --network"
            )
        placed = replace(placement, ranks_per_node=self.ranks_per_node, nodes=None)
        other = replace(network, placement=placed)
        links = other.links(context.model.graph.ranks)
        moved = CollectiveWays(ways.job, ways.graph, links, ways.machine)
        algorithm = ways.job.algorithm
        before, after = ways.costs(ways.routes(algorithm)), moved.costs(moved.routes(algorithm))
        _refuse_unknown_prices(self.text, ways, links)
        ns = ways.recorded_ns + np.rint(after - before)
        recorded = ways.recorded_ns > 0
        if (ns[recorded] < 0).any():
            raise InputError(
                f"what-if: with {self.text} a recorded transfer took less than its links cost; "
                "give the L and G of the network that the job was recorded on"
            )
        kept = np.where(recorded, np.maximum(ns, 1), 0).astype(np.int64)
        transfers = ways.job.transfer.astype(np.uint32)
        graph = moved.routes(algorithm).over(ways.graph, transfers, kept)
        return Changed(
            _core.Model(graph, other.core_of(links)),
            theta_of(context.theta.name, other, links),
            collectives=int(np.count_nonzero(before != after)),
        )


def _ways(context: GraphContext, text: str) -> CollectiveWays:
    """The algorithms of a job's collectives. InputError: the program is not a job."""
    job = context.program.job
    if job is None:
        raise InputError(
            f"what-if: {text} is about the collectives of a PyTorch job, and this input has none; "
            "for MPI use --compare, e.g. --compare allreduce=ring,rabenseifner"
        )
    return CollectiveWays(job, context.model.graph, context.links, context.nccl)


def _by(ways: CollectiveWays, algorithm: Integers, context: GraphContext) -> Changed:
    return Changed(
        _core.Model(ways.over(algorithm), context.model.network),
        context.theta,
        collectives=int(np.count_nonzero(algorithm != ways.job.algorithm)),
    )


def _why_not(asked: OtherAlgorithm, ways: CollectiveWays, known: bool) -> str:
    """The reason why no collective can use an algorithm."""
    if not known:
        return f"what-if: {asked.text}: the job has no {asked.kind}"
    of_kind = np.array([kind == asked.kind for kind in ways.job.kind])
    if ways.without_size[of_kind].all():
        return (
            f"what-if: {asked.text}: NCCL's cost model needs the size of each {asked.kind}, and "
            "its size is not in the trace"
        )
    offered = [
        name for number, name in enumerate(ALGORITHMS) if (ways.fits(number) & of_kind).any()
    ]
    return (
        f"what-if: {asked.text}: no {asked.kind} can go so on these nodes (--ranks-per-node) and "
        f"on {ways.machine.words}; possible are {', '.join(offered)}"
    )


def _refuse_unknown_prices(text: str, ways: CollectiveWays, links: Links) -> None:
    prices = {(link.L, link.G) for each in (ways.links, links) for link in each.classes}
    if len(prices) == 1:
        raise InputError(
            f"what-if: {text} needs the different prices of links inside and between nodes on the "
            "recorded network; give them, e.g. --L 5us --G 50GB/s --intra L=1us,G=400GB/s"
        )


def were(context: GraphContext, otherwise: Otherwise, degradations: Sequence[float]) -> WhatIf:
    """Answers for the program after a change."""
    changed = otherwise.changed(context)
    model, theta = changed.model, changed.theta
    dag = theta.along(model)
    found = sensitivity_of(dag, theta)
    runtime = dag.runtime_at(theta.base)
    work = model.work().useful_ns * model.network.compute_scale
    return WhatIf(
        computation=otherwise.text,
        scaled_ns=changed.scaled_ns,
        collectives=changed.collectives,
        T_ns=runtime,
        slope=found.slope,
        share=found.share,
        parallel=share_of(float(work.mean()), runtime),
        tolerance=tolerances_of(dag, theta, runtime, degradations, ()),
    )
