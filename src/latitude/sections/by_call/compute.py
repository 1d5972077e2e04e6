"""Each MPI call's share of the critical path."""

from collections.abc import Mapping, Sequence

import numpy as np

from latitude import _core
from latitude._types import Floats
from latitude.analysis.context import GraphContext, PassesContext
from latitude.analysis.section import Computed, SectionCost
from latitude.analysis.totals import total_of
from latitude.results.critical_path import WholePath
from latitude.sections.by_call.result import CallShare


def by_call(graph: _core.Graph, path: WholePath, counts: dict[str, int]) -> list[CallShare]:
    """The path's time by MPI call, the costliest first; computation between calls is separate.

    The time of a message is charged to the call that receives it, in which the program waits.
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
    """Shares of calls, the costliest first, without calls that are not on the path.

    Args:
        names: (calls,) names of calls, and of other activities.
        counts: number of the program's calls, by name.
        vertices: (calls,) number of vertices on the path.
        calc: (calls,) computation of these vertices on the path, ns.
        overhead: (calls,) their overhead, ns.
        network: (calls,) their time on the network, ns.
        latencies: (calls,) their number of message latencies.
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


def _of_graph(context: GraphContext) -> list[CallShare]:
    return by_call(context.model.graph, context.path, context.program.trace.calls)


def _of_passes(context: PassesContext) -> list[CallShare]:
    found = context.path
    names = list(dict.fromkeys(found.place_call))
    code = np.array([names.index(name) for name in found.place_call])
    parts = (
        found.place_steps,
        found.place_calc_ns,
        context.overhead_ns,
        found.place_latency_ns + found.place_gap_ns,
        found.place_latencies,
    )
    return call_shares(
        [name or "computation" for name in names],
        context.trace.info().calls,
        *(total_of(code, len(names), part) for part in parts),
    )


COMPUTED = Computed(_of_graph, SectionCost(sweeps=1, operation_bytes=8), _of_passes)
