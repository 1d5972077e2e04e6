"""The critical path, read for people: stays on ranks, and what each MPI call adds to it."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.model.network import Network

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_STAYS = 20_000
"""A longer path is merged to that many stretches: beyond it pages and files only get slow."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The critical path vertex by vertex, as arrays of equal length; times in ns.

    Each step begins where the one before ends. A receive's step holds the message's way to it.
    """

    vertex: Integers
    rank: Integers
    start: Floats
    end: Floats
    calc: Floats
    overhead: Floats
    """o, and what g and O cost."""
    network: Floats
    """Latency and bandwidth."""
    latency: Floats
    """Of that, latency."""
    latencies: Floats
    """Message latencies in the step; their sum is λ_L."""


def steps(graph: _core.Graph, network: Network, path: _core.CriticalPath) -> Steps:
    """The core's path with its counts turned into times."""
    vertex = path.vertex.astype(np.int64)
    is_calc = graph.kind[vertex] == _core.Kind.calc
    return Steps(
        vertex=vertex,
        rank=path.rank.astype(np.int64),
        start=path.start_ns,
        end=path.end_ns,
        calc=np.where(is_calc, path.step_calc_ns, 0.0),
        overhead=path.step_overheads * network.o + np.where(is_calc, 0.0, path.step_calc_ns),
        network=path.step_latency_ns + path.step_gap_ns,
        latency=path.step_latency_ns,
        latencies=path.step_latencies,
    )


@dataclass(frozen=True, slots=True)
class Stay:
    """A stretch of the critical path on one rank, and how it got there; times in ns."""

    rank: int
    start_ns: float
    end_ns: float
    calc_ns: float
    overhead_ns: float
    network_ns: float
    """Latency and bandwidth on the way here (and inside, where stays were merged)."""
    vertices: int

    def to_json(self) -> dict[str, Any]:
        """As in `critical_path` of `latitude.analysis/1`."""
        return asdict(self)


def stays(path: Steps) -> list[Stay]:
    """The path as consecutive stays on ranks; more than MAX_STAYS are merged evenly."""
    if path.vertex.size == 0:
        return []
    first = np.flatnonzero(np.concatenate([[True], path.rank[1:] != path.rank[:-1]]))
    merge = -(-first.size // MAX_STAYS)
    first = first[::merge]
    last = np.concatenate([first[1:], [path.vertex.size]]) - 1
    sums = [np.add.reduceat(part, first) for part in (path.calc, path.overhead, path.network)]
    rank = path.rank[first] if merge == 1 else _longest(path, first)
    return [
        Stay(int(r), float(s), float(e), float(c), float(o), float(n), int(v))
        for r, s, e, c, o, n, v in zip(
            rank, path.start[first], path.end[last], *sums, last - first + 1, strict=True
        )
    ]


def _longest(path: Steps, first: Integers) -> Integers:
    """The rank that holds most of each stretch's time."""
    ranks = int(path.rank.max()) + 1
    stretch = np.zeros(path.vertex.size, dtype=np.int64)
    stretch[first[1:]] = 1
    key, each = np.unique(np.cumsum(stretch) * ranks + path.rank, return_inverse=True)
    time = np.bincount(each, weights=path.end - path.start)
    order = np.lexsort((time, key // ranks))
    last = np.append(np.flatnonzero(np.diff(key[order] // ranks)), key.size - 1)
    longest: Integers = key[order][last] % ranks
    return longest


@dataclass(frozen=True, slots=True)
class CallShare:
    """What one MPI call has on the critical path; times in ns."""

    call: str
    count: int | None
    """How often the program called it, all ranks together; None when not recorded."""
    path_vertices: int
    calc_ns: float
    overhead_ns: float
    network_ns: float
    """Latency and bandwidth of the messages that arrive in this call."""
    lambda_L: float
    """Latencies of these messages: this call's part of λ_L."""

    def to_json(self) -> dict[str, Any]:
        """As in `by_call` of `latitude.analysis/1`."""
        return asdict(self)


def by_call(graph: _core.Graph, path: Steps, counts: dict[str, int]) -> list[CallShare]:
    """The path's time by MPI call, the costliest first; computation between calls apart.

    A message's way is charged to the call that receives it, where the program waits.
    """
    kind = graph.kind[path.vertex]
    origin = graph.origin[path.vertex].astype(np.int64)
    names = [*graph.call_name, "computation", "send", "recv"]
    computation, send, recv = range(len(graph.call_name), len(names))
    code = np.choose(kind, [computation, send, recv]).astype(np.int64)
    known = origin != _core.NO_ORIGIN
    code[known] = graph.call_code[origin[known]]

    def total(part: Floats | None) -> Floats:
        return np.bincount(code, weights=part, minlength=len(names)).astype(np.float64)

    vertices, calc, overhead = total(None), total(path.calc), total(path.overhead)
    network, latencies = total(path.network), total(path.latencies)
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
        for i in np.flatnonzero(vertices)
    ]
    return sorted(rows, key=lambda r: -(r.calc_ns + r.overhead_ns + r.network_ns))
