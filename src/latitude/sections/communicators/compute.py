"""Messages by communicator."""

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Integers
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import WholePath
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
    comm_of, origin_of = graph.call_comm, graph.origin

    known = np.append(comm_of, count)

    def communicator(origin: NDArray[np.uint32]) -> Integers:
        """(vertices,) the communicator of each vertex; `count` if it has none."""
        at = np.minimum(origin.astype(np.int64), comm_of.size)
        return np.minimum(known[at].astype(np.int64), count)

    messages, sizes = graph.received_by_communicator()
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
