"""Finds the places in the source that are on the critical path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Integers
from latitude.analysis.call_sites import SiteRows
from latitude.analysis.context import GraphContext, PassesContext
from latitude.analysis.section import Computed, SectionCost
from latitude.analysis.totals import total_of
from latitude.results.critical_path import WholePath
from latitude.sections.by_call_site.result import CallPath, CallSiteShare, Sender
from latitude.trace.places import Places


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPath:
    """A program and its critical path by place: arrays and lists with one entry per place."""

    vertices: Floats
    before_ns: Floats
    """Computation just before the place's calls."""
    calc_ns: Floats
    overhead_ns: Floats
    network_ns: Floats
    latency_ns: Floats
    latencies: Floats
    bytes_sent: Floats
    """Bytes sent in the whole program."""
    bytes_received: Floats
    calls: list[dict[str, int]]
    senders: dict[int, tuple[int, float]]
    """Place → the place that sends most of its latencies, if another one, and their number."""
    paths: list[list[CallPath]]

    def order(self) -> list[int]:
        """Places by time of latencies on the path, then by network time, the most first."""
        keys = (-self.vertices, -self.overhead_ns, -self.network_ns, -self.latency_ns)
        order: list[int] = np.lexsort(keys).tolist()
        return order

    def share(
        self, row: int, places: Places, runtime_ns: float, least_slack_ns: float
    ) -> CallSiteShare:
        """A place's share of T, which is `runtime_ns`."""
        place = places.shown[row]
        frame = place.frame
        time = self.calc_ns[row] + self.overhead_ns[row] + self.network_ns[row]
        return CallSiteShare(
            where=place.name,
            function=frame.function,
            file=frame.file,
            line=frame.line,
            inlined_into=place.inlined_into,
            module=place.module,
            offsets=place.offsets,
            calls=self.calls[row],
            path_vertices=int(self.vertices[row]),
            before_ns=float(self.before_ns[row]),
            calc_ns=float(self.calc_ns[row]),
            overhead_ns=float(self.overhead_ns[row]),
            latency_ns=float(self.latency_ns[row]),
            network_ns=float(self.network_ns[row]),
            lambda_L=float(self.latencies[row]),
            share=float(time) / (runtime_ns or 1.0),
            bytes_sent=int(self.bytes_sent[row]),
            bytes_received=int(self.bytes_received[row]),
            sent_from=self._sender(row, places),
            count=sum(self.calls[row].values()),
            paths=self.paths[row],
            least_slack_ns=least_slack_ns,
        )

    def _sender(self, row: int, places: Places) -> Sender | None:
        if row not in self.senders:
            return None
        other, weight = self.senders[row]
        place = places.shown[other]
        frame = place.frame
        return Sender(
            where=place.name,
            function=frame.function,
            file=frame.file,
            line=frame.line,
            lambda_L=weight,
        )


def call_sites_of(
    graph: _core.Graph,
    path: WholePath,
    places: Places,
    rows: SiteRows,
    least_slack_ns: Floats,
    runtime_ns: float,
) -> tuple[list[CallSiteShare], Integers]:
    """The path's time by call site, and the row of each step of the path, −1 for none.

    As in `by_call`, a message is charged to the call that receives it, in which the program waits.
    Computation is charged to the next call.

    Args:
        graph: the program.
        path: its critical path.
        places: the places where MPI is called.
        rows: the place of each call and vertex.
        least_slack_ns: (sites,) least slack of the messages sent or received at each site;
            infinite, also as a single number, if not known.
        runtime_ns: T.
    """
    count = len(places.shown)
    origin = graph.origin[path.vertex]
    step_row = rows.of_vertices(origin).astype(np.int64)
    computed = np.where(origin == _core.NO_ORIGIN, np.asarray(path.calc), 0.0)
    vertex_row, kind = rows.of_vertices(graph.origin), graph.kind
    sent, received = (
        total_of(vertex_row[kind == which], count, graph.value[kind == which])
        for which in (_core.Kind.send, _core.Kind.recv)
    )
    slack = np.full(count + 1, np.inf)
    np.minimum.at(slack, rows.of_site[:-1], least_slack_ns)  # the last entry has no place
    call_row = rows.of_call[:-1].astype(np.int64)
    on_path = OnPath(
        vertices=total_of(step_row, count),
        before_ns=total_of(_following(step_row, origin), count, computed),
        calc_ns=total_of(step_row, count, np.asarray(path.calc)),
        overhead_ns=total_of(step_row, count, np.asarray(path.overhead)),
        network_ns=total_of(step_row, count, np.asarray(path.network)),
        latency_ns=total_of(step_row, count, np.asarray(path.latency)),
        latencies=total_of(step_row, count, np.asarray(path.latencies)),
        bytes_sent=sent,
        bytes_received=received,
        calls=calls_of_places(call_row, graph.call_code, graph.call_name, count),
        senders=_senders(graph, path, rows, step_row, count),
        paths=_paths(graph, path, rows, count),
    )
    order = on_path.order()
    position = np.full(count + 1, -1, dtype=np.int64)
    position[order] = np.arange(count)
    shares = [on_path.share(row, places, runtime_ns, float(slack[row])) for row in order]
    return shares, position[step_row]


def _paths(graph: _core.Graph, path: WholePath, rows: SiteRows, count: int) -> list[list[CallPath]]:
    """The call paths to each place."""
    sites = graph.site_module.size
    site_of_call = np.append(np.minimum(graph.call_site, sites), sites).astype(np.int64)
    calls = site_of_call.size - 1
    origin = np.minimum(graph.origin[path.vertex], calls)
    latencies = np.bincount(
        site_of_call[origin], weights=np.asarray(path.latencies), minlength=sites + 1
    )
    times = np.bincount(site_of_call[:-1], minlength=sites + 1)
    return paths_of_places(rows.of_site, rows.path_of_site, times, latencies, count)


def paths_of_places(
    of_site: NDArray[Any],
    path_of_site: Mapping[int, tuple[str, ...]],
    times: NDArray[Any],
    latencies: NDArray[Any],
    count: int,
) -> list[list[CallPath]]:
    """The call paths to each place, those with most latencies first.

    Args:
        of_site: (sites,) the place of each site.
        path_of_site: the MPI call and its callers, for sites with callers.
        times: (sites,) number of calls.
        latencies: (sites,) number of latencies on the critical path.
        count: number of places.
    """
    found: list[dict[tuple[str, ...], list[float]]] = [{} for _ in range(count)]
    for site, frames in path_of_site.items():
        if frames:
            sums = found[of_site[site]].setdefault(frames, [0, 0])
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
    """(steps,) the place of the first call at or after each step of the path; −1 for none."""
    steps = step_row.size
    at = np.where(origin == _core.NO_ORIGIN, steps, np.arange(steps))
    following = np.minimum.accumulate(at[::-1])[::-1]
    return np.append(step_row, -1)[following]


def calls_of_places(
    row: Integers,
    code: NDArray[Any],
    names: Sequence[str],
    count: int,
    times: Integers | None = None,
) -> list[dict[str, int]]:
    """MPI calls of each place, most frequent first.

    Args:
        row: the place of each call, or of each group of equal calls; −1 for none.
        code: index of the call's name.
        names: names of calls.
        count: number of places.
        times: size of each group; None for single calls.
    """
    known = row >= 0
    key = row[known] * len(names) + code[known]
    weights = None if times is None else times[known]
    made = np.bincount(key, weights=weights, minlength=count * len(names))
    made = made.reshape(count, len(names))
    found: list[dict[str, int]] = [{} for _ in range(count)]
    for place, called in np.argwhere(made).tolist():
        found[place][names[called]] = int(made[place, called])
    return [dict(sorted(calls.items(), key=lambda item: -item[1])) for calls in found]


def _senders(
    graph: _core.Graph, path: WholePath, rows: SiteRows, step_row: Integers, count: int
) -> dict[int, tuple[int, float]]:
    latencies = np.asarray(path.latencies)
    arrivals = (graph.kind[path.vertex] == _core.Kind.recv) & (latencies > 0)
    partner = graph.partner[path.vertex[arrivals]]
    sender = rows.of_vertices(graph.origin[partner]).astype(np.int64)
    return senders_of_places(step_row[arrivals], sender, latencies[arrivals], count)


def senders_of_places(
    received: Integers, sent: Integers, latencies: NDArray[Any], count: int
) -> dict[int, tuple[int, float]]:
    """Place → the place that sends most of its latencies, if another one, and their number.

    Args:
        received: the place where each message, or each group of equal messages, is received; −1 for
            none.
        sent: the place where the message is sent.
        latencies: latencies of each group on the path.
        count: number of places.
    """
    known = received >= 0
    key, each = np.unique(received[known] * (count + 1) + sent[known] + 1, return_inverse=True)
    weight = np.bincount(each, weights=latencies[known], minlength=key.size)
    best: dict[int, tuple[int, float]] = {}
    for k, w in sorted(zip(key.tolist(), weight.tolist(), strict=True), key=lambda item: item[1]):
        best[k // (count + 1)] = (k % (count + 1) - 1, w)  # the last one, the largest, stays
    return {row: found for row, found in best.items() if found[0] not in {row, -1}}


def _of_graph(context: GraphContext) -> list[CallSiteShare]:
    places, rows = context.places
    context.warnings += places.warnings
    if not places.shown:
        return []
    shares, context.site_of_step = call_sites_of(
        context.model.graph,
        context.path,
        places,
        rows,
        context.site_least_slack_ns,
        context.T_ns,
    )
    return shares


def _of_passes(context: PassesContext) -> list[CallSiteShare]:
    found, site = context.path, context.site
    used, places = context.places
    context.warnings += places.warnings
    count, sites = len(places.shown), context.trace.pieces.trace.site_module.size
    if not count:
        return []
    of_site = np.full(sites + 1, -1, dtype=np.int64)
    of_site[used] = places.of_used
    row = of_site[site]
    names = list(dict.fromkeys(found.place_call))
    code = np.array([names.index(name) for name in found.place_call])

    def of_sites(part: Integers) -> Floats:
        return np.bincount(site, weights=part, minlength=sites + 1).astype(np.float64)

    on_path = OnPath(
        vertices=total_of(row, count, found.place_steps),
        before_ns=total_of(row, count, found.place_before_ns),
        calc_ns=total_of(row, count, found.place_calc_ns),
        overhead_ns=total_of(row, count, context.overhead_ns),
        network_ns=total_of(row, count, found.place_latency_ns + found.place_gap_ns),
        latency_ns=total_of(row, count, found.place_latency_ns),
        latencies=total_of(row, count, found.place_latencies),
        bytes_sent=total_of(row, count, found.place_bytes_sent),
        bytes_received=total_of(row, count, found.place_bytes_received),
        calls=calls_of_places(row, code, names, count, found.place_calls),
        senders=senders_of_places(
            row[found.sender_received], row[found.sender_sent], found.sender_latencies, count
        ),
        paths=paths_of_places(
            of_site,
            dict(zip(used.tolist(), places.paths, strict=True)),
            of_sites(found.place_calls),
            of_sites(found.place_latencies),
            count,
        ),
    )
    slack = np.full(count + 1, np.inf)
    np.minimum.at(slack, of_site[:-1], context.site_least_slack_ns)  # the last entry has no place
    return [
        on_path.share(each, places, context.T_ns, float(slack[each])) for each in on_path.order()
    ]


COMPUTED = Computed(
    _of_graph, SectionCost(sweeps=3, operation_bytes=24), _of_passes, after=("slack",)
)
