"""S where MPI_Send and MPI_Isend have limits of their own, as Open MPI's have over UCX.

The model has one S: that of the calls with which the program sends most of the messages in between.
"""

from dataclasses import replace

import numpy as np

from latitude import _core
from latitude.analysis.messages import crossing
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.trace.program import Program

_NONBLOCKING = frozenset(
    f"MPI_{name}"
    for name in ("Isend", "Irsend", "Ibsend", "Send_init", "Rsend_init", "Start", "Startall")
)


def fitting(network: Network, program: Program, S_nonblocking: int) -> tuple[Network, list[Notice]]:
    """`network`, whose S is that of MPI_Send, with the S that the program needs."""
    if S_nonblocking == network.S:
        return network, []
    between, nonblocking = _between(program.graph, *sorted((network.S, S_nonblocking)))
    blocking = between - nonblocking
    if nonblocking <= blocking:
        chosen, others, S = network, nonblocking, network.S
    else:
        chosen, others, S = replace(network, S=S_nonblocking), blocking, S_nonblocking
    if others == 0:
        return chosen, []
    return chosen, [
        Notice(
            "two-eager-limits",
            f"{others:,} of {between:,} messages between the eager limits of "
            f"MPI_Send ({network.S:,} B) and MPI_Isend ({S_nonblocking:,} B) are predicted with "
            f"the other's, {S:,} B",
            "make the limits equal, e.g. by UCX_RNDV_SEND_NBR_THRESH and UCX_RNDV_THRESH",
        )
    ]


def _between(graph: _core.Graph, low: int, high: int) -> tuple[int, int]:
    """Sends between ranks of more than `low`, up to `high` bytes: all, and those by MPI_Isend."""
    sends = crossing(graph)
    size = graph.value[sends]
    origin = graph.origin[sends[(size > low) & (size <= high)]]
    codes = graph.call_code[origin[origin != _core.NO_ORIGIN]]
    wanted = [code for code, name in enumerate(graph.call_name) if name in _NONBLOCKING]
    return origin.size, int(np.isin(codes, wanted).sum())
