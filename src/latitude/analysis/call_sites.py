"""Which places in the source carry the critical path."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Integers
from latitude.notices.notice import Notice
from latitude.results.critical_path import CallPath, CallSiteShare, Sender, Steps
from latitude.trace.places import Places, places_of
from latitude.trace.program import Program
from latitude.trace.wrappers import Wrappers


@dataclass(frozen=True, slots=True)
class CallSites:
    """The call sites of a program, by what they have on the critical path."""

    shares: list[CallSiteShare]
    """Most latency first, then most network. Empty when the input records no call sites."""
    of_step: Integers
    """Of each step of the path: index into `shares`, −1 where no call site is known."""
    of_site: Mapping[int, str]
    """The name of the place of each site of the graph that a call comes from."""
    warnings: list[Notice]


def by_call_site(
    program: Program, path: Steps, least_slack_ns: Floats, runtime_ns: float
) -> CallSites:
    """The path's time by call site.

    A message's way is charged to the call that receives it, where the program waits, as `by_call`
    does; computation to the call that follows it.

    Args:
        program: the program.
        path: its critical path.
        least_slack_ns: (sites,) of the messages sent or received at each site.
        runtime_ns: T.
    """
    places, rows = _located(program)
    if not places.shown:
        none = np.broadcast_to(np.int64(-1), path.vertex.shape)
        return CallSites([], none, {}, [])
    shares, of_step = _shares(program.graph, path, places, rows, least_slack_ns, runtime_ns)
    names = places.names
    of_site = {site: names[row] for site, row in enumerate(rows.of_site.tolist()) if row >= 0}
    return CallSites(shares, of_step, of_site, places.warnings)


def names_of_call_sites(
    program: Program, vertex: Integers
) -> tuple[list[str], NDArray[np.int32], list[Notice]]:
    """Where messages are sent or received.

    Returns:
        names of places in the source, as people read them (none where the input records no call
        sites); the index of each vertex's place, −1 for none; what could not be found out.
    """
    places, rows = _located(program)
    return places.names, rows.of_vertices(program.graph.origin[vertex]), places.warnings


def _located(program: Program) -> tuple[Places, "_Rows"]:
    """The places where MPI is called, and which call and vertex belongs to which."""
    graph = program.graph
    used = np.unique(graph.call_site)
    used = used[used != _core.NO_SITE].astype(np.int64)
    places = places_of(graph, used, Wrappers(program.through))
    return places, _Rows(graph, used, places)


class _Rows:
    """Sites, calls and vertices → index of their place, −1 for none."""

    def __init__(self, graph: _core.Graph, used: Integers, places: Places) -> None:
        sites = graph.site_module.size
        self.of_site = np.full(sites + 1, -1, dtype=np.int32)
        self.of_site[used] = places.of_used
        self.path_of_site = dict(zip(used.tolist(), places.paths, strict=True))
        calls = graph.call_site.size
        self.of_call = np.full(calls + 1, -1, dtype=np.int32)
        self.of_call[:calls] = self.of_site[np.minimum(graph.call_site, sites)]

    def of_vertices(self, origin: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Places of vertices, by their `origin`."""
        return self.of_call[np.minimum(origin, self.of_call.size - 1)]


def _shares(
    graph: _core.Graph,
    path: Steps,
    places: Places,
    rows: _Rows,
    least_slack_ns: Floats,
    runtime_ns: float,
) -> tuple[list[CallSiteShare], Integers]:
    count = len(places.shown)
    origin = graph.origin[path.vertex]
    step_row = rows.of_vertices(origin).astype(np.int64)

    def total(row: NDArray[Any], part: NDArray[Any] | None = None) -> Floats:
        """Sums by place; what belongs to none is left out."""
        return np.bincount(row + 1, weights=part, minlength=count + 1)[1:].astype(np.float64)

    before = total(
        _following(step_row, origin), np.where(origin == _core.NO_ORIGIN, path.calc, 0.0)
    )
    vertices, calc = total(step_row), total(step_row, path.calc)
    overhead, network = total(step_row, path.overhead), total(step_row, path.network)
    latency, latencies = total(step_row, path.latency), total(step_row, path.latencies)
    vertex_row, kind = rows.of_vertices(graph.origin), graph.kind
    sent, received = (
        total(vertex_row[kind == which], graph.value[kind == which])
        for which in (_core.Kind.send, _core.Kind.recv)
    )
    slack = np.full(count + 1, np.inf)
    np.minimum.at(slack, rows.of_site[:-1], least_slack_ns)  # the last takes what has no place
    calls = _calls(graph, rows, count)
    senders = _senders(graph, path, rows, step_row, count)
    paths = _paths(graph, path, rows, count)
    names = places.names

    def sender(row: int) -> Sender | None:
        if row not in senders:
            return None
        other, weight = senders[row]
        frame = places.shown[other].frame
        return Sender(
            where=names[other],
            function=frame.function,
            file=frame.file,
            line=frame.line,
            lambda_L=weight,
        )

    def share(row: int) -> CallSiteShare:
        place = places.shown[row]
        frame = place.frame
        return CallSiteShare(
            where=names[row],
            function=frame.function,
            file=frame.file,
            line=frame.line,
            inlined_into=place.inlined_into,
            module=place.module,
            offsets=place.offsets,
            calls=calls[row],
            path_vertices=int(vertices[row]),
            before_ns=float(before[row]),
            calc_ns=float(calc[row]),
            overhead_ns=float(overhead[row]),
            latency_ns=float(latency[row]),
            network_ns=float(network[row]),
            lambda_L=float(latencies[row]),
            share=float(calc[row] + overhead[row] + network[row]) / (runtime_ns or 1.0),
            bytes_sent=int(sent[row]),
            bytes_received=int(received[row]),
            least_slack_ns=float(slack[row]),
            sent_from=sender(row),
            count=sum(calls[row].values()),
            paths=paths[row],
        )

    order = np.lexsort((-vertices, -overhead, -network, -latency))
    position = np.full(count + 1, -1, dtype=np.int64)
    position[order] = np.arange(count)
    return [share(row) for row in order.tolist()], position[step_row]


def _paths(graph: _core.Graph, path: Steps, rows: _Rows, count: int) -> list[list[CallPath]]:
    """By place: the ways that lead to it, those with most latencies first."""
    sites = graph.site_module.size
    site_of_call = np.append(np.minimum(graph.call_site, sites), sites).astype(np.int64)
    calls = site_of_call.size - 1
    origin = np.minimum(graph.origin[path.vertex], calls)
    latencies = np.bincount(site_of_call[origin], weights=path.latencies, minlength=sites + 1)
    times = np.bincount(site_of_call[:-1], minlength=sites + 1)
    found: list[dict[tuple[str, ...], list[float]]] = [{} for _ in range(count)]
    for site, frames in rows.path_of_site.items():
        if frames:
            sums = found[rows.of_site[site]].setdefault(frames, [0, 0])
            sums[0] += int(times[site])
            sums[1] += float(latencies[site])
    return [
        sorted(
            (
                CallPath(frames=frames, count=int(number), lambda_L=weight)
                for frames, (number, weight) in ways.items()
            ),
            key=lambda way: (-way.lambda_L, -way.count),
        )
        for ways in found
    ]


def _following(step_row: Integers, origin: NDArray[np.uint32]) -> Integers:
    """Of each step: the place of the first call at or after it on the path; −1 where none is."""
    steps = step_row.size
    at = np.where(origin == _core.NO_ORIGIN, steps, np.arange(steps))
    following = np.minimum.accumulate(at[::-1])[::-1]
    return np.append(step_row, -1)[following]


def _calls(graph: _core.Graph, rows: _Rows, count: int) -> list[dict[str, int]]:
    """MPI calls of each place, most frequent first."""
    names = graph.call_name
    row = rows.of_call[:-1].astype(np.int64)
    key = row[row >= 0] * len(names) + graph.call_code[row >= 0]
    times = np.bincount(key, minlength=count * len(names)).reshape(count, len(names))
    found: list[dict[str, int]] = [{} for _ in range(count)]
    for place, code in np.argwhere(times).tolist():
        found[place][names[code]] = int(times[place, code])
    return [dict(sorted(calls.items(), key=lambda item: -item[1])) for calls in found]


def _senders(
    graph: _core.Graph, path: Steps, rows: _Rows, step_row: Integers, count: int
) -> dict[int, tuple[int, float]]:
    """Place → the other place most of its latencies come from, and how many these are."""
    arrivals = (graph.kind[path.vertex] == _core.Kind.recv) & (path.latencies > 0) & (step_row >= 0)
    partner = graph.partner[path.vertex[arrivals]]
    sender = rows.of_vertices(graph.origin[partner]).astype(np.int64)
    key, each = np.unique(step_row[arrivals] * (count + 1) + sender + 1, return_inverse=True)
    weight = np.bincount(each, weights=path.latencies[arrivals], minlength=key.size)
    best: dict[int, tuple[int, float]] = {}
    for k, w in sorted(zip(key.tolist(), weight.tolist(), strict=True), key=lambda item: item[1]):
        best[k // (count + 1)] = (k % (count + 1) - 1, w)  # the last, largest one stays
    return {row: found for row, found in best.items() if found[0] not in {row, -1}}
