"""Slack: what single messages can take on each of their latencies before T grows."""

from collections.abc import Sequence

import numpy as np

from latitude import _core
from latitude._types import Floats, Integers
from latitude.analysis.messages import rank_of, whole, without_rounding
from latitude.results.messages import Pairs, Slack, SlackGroup

WORLD = 0
"""Index of MPI_COMM_WORLD."""


def slack_of(
    model: _core.Model, core_path: _core.CriticalPath, runtime: float, pairs: Pairs
) -> Slack:
    """Slack of all messages at the network's latency.

    Args:
        model: the program on the network.
        core_path: its critical path there, with the messages' slack.
        runtime: T there, ns.
        pairs: of its ranks, with their slack.
    """
    graph, network = model.graph, model.network
    receive = whole(core_path.message_receive)
    slack = without_rounding(core_path.message_slack_ns, runtime)
    origin = graph.origin[receive].astype(np.int64)
    known = origin != _core.NO_ORIGIN
    call = np.full(receive.size, len(graph.call_name), dtype=np.int64)
    call[known] = graph.call_code[origin[known]]
    comm = np.full(receive.size, -1, dtype=np.int64)
    comm[known] = graph.call_comm[origin[known]]
    calls = [*graph.call_name, "recv"]
    communicators = sorted(set(comm.tolist()) - {-1})
    messages = int(pairs.messages.sum())
    total = float(np.dot(pairs.mean_slack_ns, pairs.messages)) if messages else np.inf
    return Slack(
        pairs=pairs.source.size,
        critical_pairs=int(np.sum(pairs.least_slack_ns == 0)),
        least_ns=float(pairs.least_slack_ns.min(initial=np.inf)),
        mean_ns=total / max(messages, 1),
        receive=receive,
        source=rank_of(graph, whole(graph.partner[receive])),
        destination=rank_of(graph, receive),
        slack_ns=slack,
        by_call=_groups(calls, call, slack, network.L),
        by_comm=_groups(
            [_communicator(number) for number in communicators],
            np.searchsorted(communicators, comm[known]),
            slack[known],
            network.L,
        ),
        by_size=_by_size(graph.value[graph.partner[receive]], slack, network.L),
    )


def _by_size(size: Integers, slack: Floats, latency: float) -> list[SlackGroup]:
    most = np.array([0, *(2**power for power in range(64))], dtype=np.uint64)
    group = np.searchsorted(most, size.astype(np.uint64))
    found = _groups([str(each) for each in most], group, slack, latency)
    return sorted(found, key=lambda row: int(row.name))


def _communicator(number: int) -> str:
    return "MPI_COMM_WORLD" if number == WORLD else f"communicator {number}"


def _groups(
    names: Sequence[str], group: Integers, slack: Floats, latency: float
) -> list[SlackGroup]:
    """One row a group that has messages."""
    size = len(names)

    def total(weights: Floats | None) -> Floats:
        return np.bincount(group, weights=weights, minlength=size).astype(np.float64)

    messages, sums = total(None), total(slack)
    critical, tight = (total(chosen.astype(float)) for chosen in (slack == 0, slack < latency))
    least = np.full(size, np.inf)
    np.minimum.at(least, group, slack)
    rows = [
        SlackGroup(
            name=name,
            messages=int(messages[i]),
            critical=int(critical[i]),
            tight=int(tight[i]),
            least_ns=float(least[i]),
            mean_ns=float(sums[i] / messages[i]),
        )
        for i, name in enumerate(names)
        if messages[i]
    ]
    return sorted(rows, key=lambda row: (row.mean_ns, row.name))
