"""Which places in the source carry the critical path."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Integers
from latitude.notices.notice import Notice
from latitude.results.critical_path import CallSiteShare, Sender, Steps
from latitude.trace import symbols
from latitude.trace.symbols import Frame, Location, Module

_SYSTEM = "/usr/"
"""Headers of libraries: they say nothing of where the program's own sources lie."""


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
    graph: _core.Graph, path: Steps, least_slack_ns: Floats, runtime_ns: float
) -> CallSites:
    """The path's time by call site.

    A message's way is charged to the call that receives it, where the program waits, as `by_call`
    does; computation to the call that follows it.

    Args:
        graph: execution graph.
        path: its critical path.
        least_slack_ns: (sites,) of the messages sent or received at each site.
        runtime_ns: T.
    """
    places, rows, warnings = _located(graph)
    if not places:
        return CallSites([], np.full(path.vertex.size, -1, dtype=np.int64), {}, [])
    shares, of_step = _shares(graph, path, places, rows, least_slack_ns, runtime_ns)
    names = _names(places)
    of_site = {site: names[row] for site, row in enumerate(rows.of_site.tolist()) if row >= 0}
    return CallSites(shares, of_step, of_site, warnings)


def names_of_call_sites(
    graph: _core.Graph, vertex: Integers
) -> tuple[list[str], NDArray[np.int32], list[Notice]]:
    """Where messages are sent or received.

    Returns:
        names of places in the source, as people read them (none where the input records no call
        sites); the index of each vertex's place, −1 for none; what could not be found out.
    """
    places, rows, warnings = _located(graph)
    return _names(places), rows.of_vertices(graph.origin[vertex]), warnings


def _located(graph: _core.Graph) -> tuple[list[list[Location]], "_Rows", list[Notice]]:
    """The places where MPI is called, and which call and vertex belongs to which."""
    used = np.unique(graph.call_site)
    used = used[used != _core.NO_SITE].astype(np.int64)
    if not used.size:
        return [], _Rows(graph, used, used), []
    modules = list(map(Module, graph.module_path, graph.module_build_id))
    module, offset = graph.site_module[used].tolist(), graph.site_offset[used].tolist()
    locations, warnings = symbols.symbolise(modules, list(zip(module, offset, strict=True)))
    places, place_of_used = _merged(locations)
    return places, _Rows(graph, used, place_of_used), warnings


def _merged(locations: Sequence[Location]) -> tuple[list[list[Location]], Integers]:
    """Return addresses on the same source line, inlined the same way, are one place."""
    places: dict[Any, list[Location]] = {}
    index = np.zeros(len(locations), dtype=np.int64)
    numbers: dict[Any, int] = {}
    for i, location in enumerate(locations):
        has_line = bool(location.frames) and location.frames[0].line is not None
        key = (location.module, location.frames if has_line else location.offset)
        places.setdefault(key, []).append(location)
        index[i] = numbers.setdefault(key, len(numbers))
    return list(places.values()), index


class _Rows:
    """Sites, calls and vertices → index of their place, −1 for none."""

    def __init__(self, graph: _core.Graph, used: Integers, place_of_used: Integers) -> None:
        sites = graph.site_module.size
        self.of_site = np.full(sites + 1, -1, dtype=np.int32)
        self.of_site[used] = place_of_used
        calls = graph.call_site.size
        self.of_call = np.full(calls + 1, -1, dtype=np.int32)
        self.of_call[:calls] = self.of_site[np.minimum(graph.call_site, sites)]

    def of_vertices(self, origin: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Places of vertices, by their `origin`."""
        return self.of_call[np.minimum(origin, self.of_call.size - 1)]


def _shares(
    graph: _core.Graph,
    path: Steps,
    places: list[list[Location]],
    rows: _Rows,
    least_slack_ns: Floats,
    runtime_ns: float,
) -> tuple[list[CallSiteShare], Integers]:
    count = len(places)
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
    names = _names(places)

    def sender(row: int) -> Sender | None:
        if row not in senders:
            return None
        other, weight = senders[row]
        frame = _innermost(places[other][0])
        return Sender(
            where=names[other],
            function=frame.function,
            file=frame.file,
            line=frame.line,
            lambda_L=weight,
        )

    def share(row: int) -> CallSiteShare:
        place = places[row]
        frame = _innermost(place[0])
        return CallSiteShare(
            where=names[row],
            function=frame.function,
            file=frame.file,
            line=frame.line,
            inlined_into=place[0].frames[1:],
            module=place[0].module,
            offsets=tuple(sorted(location.offset for location in place)),
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
        )

    order = np.lexsort((-vertices, -overhead, -network, -latency))
    position = np.full(count + 1, -1, dtype=np.int64)
    position[order] = np.arange(count)
    return [share(row) for row in order.tolist()], position[step_row]


def _innermost(location: Location) -> Frame:
    return location.frames[0] if location.frames else Frame(None, None, None)


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


def _names(places: list[list[Location]]) -> list[str]:
    short = _short([frame.file for place in places for frame in place[0].frames if frame.file])
    return [_where(place[0], short) for place in places]


def _where(location: Location, short: dict[str, str]) -> str:
    frame = _innermost(location)
    if frame.file and frame.line:
        return f"{short[frame.file]}:{frame.line}"
    if frame.function and location.into_function is not None:
        return f"{frame.function}+{location.into_function:#x}"
    return f"{Path(location.module).name}+{location.offset:#x}"


def _short(files: Iterable[str]) -> dict[str, str]:
    """Paths without the directory that all of the program's sources share."""
    every = set(files)
    own = [file for file in every if not file.startswith(_SYSTEM)] or list(every)
    absolute = [os.path.dirname(file) for file in own if file.startswith("/")]  # noqa: PTH120
    shared = os.path.commonpath(absolute).rstrip("/") + "/" if absolute else "/"
    if shared == "/":
        return {file: file for file in every}
    return {file: file.removeprefix(shared) for file in every}
