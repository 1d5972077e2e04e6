"""Messages by communicator."""

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Integers
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import BLOCK, WholePath
from latitude.sections.communicators.result import Communicators


def communicators_of(graph: _core.Graph, path: WholePath) -> Communicators | None:
    """Messages, bytes, and latencies on the critical path, for communicators with messages.

    Args:
        graph: the program.
        path: its critical path.

    Returns:
        None if the input records no communicators (GOAL), or no message has one.
    """
    count = graph.communicators
    comm_of, origin_of, kind_of, value_of = graph.call_comm, graph.origin, graph.kind, graph.value

    def communicator(origin: NDArray[np.uint32]) -> Integers:
        """(vertices,) the communicator of each vertex; `count` if it has none."""
        known = np.append(comm_of, count)
        at = np.minimum(origin.astype(np.int64), comm_of.size)
        return np.minimum(known[at].astype(np.int64), count)

    messages, sizes = np.zeros((2, count + 1), dtype=np.int64)
    for first in range(0, kind_of.size, BLOCK):
        part = slice(first, first + BLOCK)
        received = kind_of[part] == _core.Kind.recv
        own = communicator(origin_of[part][received])
        messages += np.bincount(own, minlength=count + 1)
        np.add.at(sizes, own, value_of[part][received])
    latencies, network = np.zeros((2, count + 1))
    for _, steps in path.blocks():
        own = communicator(origin_of[steps.vertex])
        np.add.at(latencies, own, steps.latencies)
        np.add.at(network, own, steps.network)
    used = np.flatnonzero(messages[:count])
    if not used.size:
        return None
    return Communicators(
        communicator=used,
        messages=messages[used],
        bytes=sizes[used],
        lambda_L=latencies[used],
        network_ns=network[used],
    )


def _of_graph(context: GraphContext) -> Communicators | None:
    return communicators_of(context.model.graph, context.path)


COMPUTED = Computed(_of_graph, SectionCost(sweeps=2, operation_bytes=24))
