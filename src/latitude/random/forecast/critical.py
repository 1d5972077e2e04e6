"""Frequency of messages on the critical path: by pair of ranks, call and call site."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.analysis.call_sites import names_of_call_sites
from latitude.analysis.messages import rank_of, whole
from latitude.notices.notice import Notice
from latitude.results.forecast import CriticalCall, CriticalCallSite, Criticality, CriticalPair
from latitude.trace.program import Program

Groups = NDArray[np.uint32]
MOST_SAMPLES = 1024


def criticality(
    program: Program, dag: _core.RandomDag, seed: int, count: int, threads: int = 0
) -> tuple[Criticality, list[CriticalPair], list[Notice]]:
    """Criticality over the first `count` samples, at most 1,024, with warnings."""
    graph = program.graph
    count = min(count, MOST_SAMPLES)
    pair_of, pairs = _pairs(graph)
    call_of, calls = _calls(graph)
    site_of, sites, warnings = _call_sites(program)
    by_pair, by_call, by_site = dag.critical(seed, 0, count, [pair_of, call_of, site_of], threads)
    ranks = graph.ranks
    critical = [
        CriticalPair(
            source=int(pairs[i] // ranks),
            destination=int(pairs[i] % ranks),
            share=share,
            latencies=latencies,
        )
        for i, share, latencies in _shares(by_pair, count)
    ]
    named = [
        CriticalCall(call=calls[i], share=share, latencies=latencies)
        for i, share, latencies in _shares(by_call, count)
    ]
    placed = [
        CriticalCallSite(where=sites[i], share=share, latencies=latencies)
        for i, share, latencies in _shares(by_site, count)
    ]
    found = Criticality(
        samples=count,
        calls=sorted(named, key=lambda c: (-c.latencies, c.call)),
        call_sites=sorted(placed, key=lambda c: (-c.latencies, c.where)),
    )
    order = sorted(critical, key=lambda p: (-p.latencies, p.source, p.destination))
    return found, order, warnings


def _shares(
    counted: tuple[NDArray[np.uint64], NDArray[np.uint64]], count: int
) -> Iterator[tuple[int, float, float]]:
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
    codes, group = np.unique(code, return_inverse=True)
    names = [*graph.call_name, "messages without a call"]
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
