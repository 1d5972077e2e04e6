"""The critical path, read for people: stays on ranks, and what each MPI call adds to it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Integers
from latitude.results.critical_path import ByRank, CallShare, FewValues, Stay, Values, WholePath

MAX_STAYS = 20_000
"""A longer path is merged to that many stretches: beyond it pages and files only get slow."""


def steps(path: _core.CriticalPath) -> WholePath:
    """The core's path; nothing of it is copied."""
    return WholePath(
        vertex=path.vertex,
        rank=path.rank,
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


def stays(path: WholePath) -> list[Stay]:
    """The path as consecutive stays on ranks; more than MAX_STAYS are merged evenly."""
    if path.vertex.size == 0:
        return []
    begin = np.flatnonzero(np.concatenate([[True], path.rank[1:] != path.rank[:-1]]))
    merge = -(-begin.size // MAX_STAYS)
    first = begin[::merge]
    last = np.concatenate([first[1:], [path.vertex.size]]) - 1
    sums = [
        np.add.reduceat(np.asarray(part), first)
        for part in (path.calc, path.overhead, path.network)
    ]
    rank = path.rank[first] if merge == 1 else _longest(path, begin, merge)
    columns = (rank, path.start[first], path.end[last], *sums, last - first + 1)
    return [
        Stay(rank=r, start_ns=s, end_ns=e, calc_ns=c, overhead_ns=o, network_ns=n, vertices=v)
        for r, s, e, c, o, n, v in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _longest(path: WholePath, begin: Integers, merge: int) -> Integers:
    """The rank that holds most of the time of each `merge` stays; `begin`: where these begin."""
    ranks = int(path.rank.max()) + 1
    stretch = np.arange(begin.size) // merge
    key, each = np.unique(stretch * ranks + path.rank[begin], return_inverse=True)
    end = path.end[np.append(begin[1:], len(path)) - 1]
    time = np.bincount(each, weights=end - path.start[begin])
    order = np.lexsort((time, key // ranks))
    last = np.append(np.flatnonzero(np.diff(key[order] // ranks)), key.size - 1)
    longest: Integers = key[order][last] % ranks
    return longest


def by_call(graph: _core.Graph, path: WholePath, counts: dict[str, int]) -> list[CallShare]:
    """The path's time by MPI call, the costliest first; computation between calls apart.

    A message's way is charged to the call that receives it, where the program waits.
    """
    names = [*graph.call_name, "computation", "send", "recv"]
    computation, send, recv = range(len(graph.call_name), len(names))
    vertices, calc, overhead, network, latencies = np.zeros((5, len(names)))
    kind_of, origin_of, code_of = graph.kind, graph.origin, graph.call_code
    for _, block in path.blocks():
        origin = origin_of[block.vertex].astype(np.int64)
        code = np.choose(kind_of[block.vertex], [computation, send, recv]).astype(np.int64)
        known = origin != _core.NO_ORIGIN
        code[known] = code_of[origin[known]]
        vertices += np.bincount(code, minlength=len(names))
        np.add.at(calc, code, block.calc)
        np.add.at(overhead, code, block.overhead)
        np.add.at(network, code, block.network)
        np.add.at(latencies, code, block.latencies)
    return call_shares(names, counts, vertices, calc, overhead, network, latencies)


def call_shares(
    names: Sequence[str],
    counts: Mapping[str, int],
    vertices: Floats,
    calc: Floats,
    overhead: Floats,
    network: Floats,
    latencies: Floats,
) -> list[CallShare]:
    """The costliest call first; those without a vertex on the path are left out.

    Args:
        names: (calls,) of calls, or of what is none.
        counts: how often the program called each, by name.
        vertices: (calls,) on the path.
        calc: (calls,) ns, and so on: what these vertices have on it.
        overhead: ns.
        network: ns.
        latencies: of messages.
    """
    rows = [
        CallShare(
            call=names[i],
            count=counts.get(names[i]),
            path_vertices=int(vertices[i]),
            calc_ns=float(calc[i]),
            overhead_ns=float(overhead[i]),
            network_ns=float(network[i]),
            lambda_L=float(latencies[i]),
        )
        for i in np.flatnonzero(vertices).tolist()
    ]
    return sorted(rows, key=lambda r: -(r.calc_ns + r.overhead_ns + r.network_ns))


def by_rank(core_path: _core.CriticalPath, path: WholePath) -> ByRank:
    """Where each rank's time goes."""
    end = core_path.rank_end_ns
    on_path = np.zeros(end.size)
    for place in path.places():
        np.add.at(on_path, path.rank[place], path.end[place] - path.start[place])
    return rank_times(core_path.rank_calc_ns, core_path.rank_overhead_ns, end, on_path)


def rank_times(calc: Floats, overhead: Floats, end: Floats, on_path: Floats) -> ByRank:
    """What is neither computation nor overhead is waiting; (ranks,) ns."""
    return ByRank(
        rank=np.arange(end.size),
        calc_ns=calc,
        overhead_ns=overhead,
        wait_ns=np.maximum(0.0, end - calc - overhead),
        end_ns=end,
        path_ns=on_path,
    )
