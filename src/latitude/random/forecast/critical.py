"""Frequency of messages on the critical path: by pair of ranks, call and call site."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats
from latitude.analysis.call_sites import names_of_call_sites
from latitude.analysis.messages import rank_of, whole
from latitude.notices.notice import Notice
from latitude.results.forecast import CriticalCall, CriticalCallSite, Criticality, CriticalPair
from latitude.trace.program import Program

Groups = NDArray[np.uint32]
Counts = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""By group: the samples with a critical message, and the latencies of these messages."""
MOST_SAMPLES = 1024


class CriticalMessages:
    """Counts the critical messages of samples, as far as possible while the samples are drawn."""

    def __init__(self, program: Program, dag: _core.RandomDag, seed: int, threads: int = 0) -> None:
        self._dag, self._seed, self._threads = dag, seed, threads
        self._ranks = program.graph.ranks
        pair_of, self._pairs = _pairs(program.graph)
        call_of, self._calls = _calls(program.graph)
        site_of, self._sites, self.warnings = _call_sites(program)
        self._groupings = [pair_of, call_of, site_of]
        self._counted = 0
        self._counts: list[list[Counts]] = []

    def runtimes(self, first: int, count: int) -> Floats:
        """T of samples first … first + count − 1, ns; counts the samples that are next."""
        counts = min(count, MOST_SAMPLES - first) if first == self._counted else 0
        if counts <= 0:
            return self._dag.runtimes(self._seed, first, count, self._threads)
        T = self._count(counts)
        return np.concatenate([T, self.runtimes(first + counts, count - counts)])

    def found(self, samples: int) -> tuple[Criticality, list[CriticalPair]]:
        """Criticality over the first `samples` samples, at most 1,024."""
        count = min(samples, MOST_SAMPLES)
        if self._counted < count:
            self._count(count - self._counted)
        by_pair, by_call, by_site = map(_sum, zip(*self._counts, strict=True))
        critical = [
            CriticalPair(
                source=int(self._pairs[i] // self._ranks),
                destination=int(self._pairs[i] % self._ranks),
                share=share,
                latencies=latencies,
            )
            for i, share, latencies in _shares(by_pair, count)
        ]
        named = [
            CriticalCall(call=self._calls[i], share=share, latencies=latencies)
            for i, share, latencies in _shares(by_call, count)
        ]
        placed = [
            CriticalCallSite(where=self._sites[i], share=share, latencies=latencies)
            for i, share, latencies in _shares(by_site, count)
        ]
        found = Criticality(
            samples=count,
            calls=sorted(named, key=lambda c: (-c.latencies, c.call)),
            call_sites=sorted(placed, key=lambda c: (-c.latencies, c.where)),
        )
        return found, sorted(critical, key=lambda p: (-p.latencies, p.source, p.destination))

    def _count(self, count: int) -> Floats:
        """Counts the next samples; returns T of these samples."""
        T, counts = self._dag.critical(
            self._seed, self._counted, count, self._groupings, self._threads
        )
        self._counts.append(counts)
        self._counted += count
        return T


def _sum(counts: Iterable[Counts]) -> Counts:
    samples, latencies = zip(*counts, strict=True)
    return sum(samples), sum(latencies)


def _shares(counted: Counts, count: int) -> Iterator[tuple[int, float, float]]:
    """Groups that are critical in a sample: index, share of samples, and latencies per sample."""
    for i, (samples, total) in enumerate(zip(*map(np.ndarray.tolist, counted), strict=True)):
        if samples:
            yield i, samples / count, total / count


def _pairs(graph: _core.Graph) -> tuple[Groups, NDArray[np.int64]]:
    """Group of each vertex, and for each group source · ranks + destination."""
    receives = np.flatnonzero(graph.kind == _core.Kind.recv)
    source = rank_of(graph, whole(graph.partner[receives]))
    destination = rank_of(graph, receives)
    numbers, group = np.unique(source * graph.ranks + destination, return_inverse=True)
    return _spread(graph, receives, group), numbers


def _calls(graph: _core.Graph) -> tuple[Groups, list[str]]:
    receives = np.flatnonzero(graph.kind == _core.Kind.recv)
    origin = graph.origin[receives]
    if not graph.call_code.size:
        return _spread(graph, receives, np.zeros(receives.size, dtype=np.int64)), ["messages"]
    known = origin != _core.NO_ORIGIN
    code = np.where(known, graph.call_code[np.where(known, origin, 0)], len(graph.call_name))
    names = [*graph.call_name, "messages without a call"]
    present = np.bincount(code, minlength=len(names)) > 0
    codes, group = np.flatnonzero(present), (np.cumsum(present) - 1)[code]
    return _spread(graph, receives, group), [names[c] for c in codes]


def _call_sites(program: Program) -> tuple[Groups, list[str], list[Notice]]:
    graph = program.graph
    receives = np.flatnonzero(graph.kind == _core.Kind.recv)
    names, place, warnings = names_of_call_sites(program, receives)
    return _spread(graph, receives, place.astype(np.int64)), names, warnings


def _spread(graph: _core.Graph, vertex: NDArray[np.int64], group: NDArray[np.int64]) -> Groups:
    result = np.full(graph.vertices, _core.NO_GROUP, dtype=np.uint32)
    result[vertex] = np.where(group >= 0, group, _core.NO_GROUP)
    return result
