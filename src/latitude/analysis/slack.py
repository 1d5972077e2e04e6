"""Slack: what single messages can take on each of their latencies before T grows."""

from collections.abc import Callable

import numpy as np

from latitude import _core
from latitude.analysis.messages import ROUNDING, without_rounding
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
    calls = [*model.graph.call_name, "recv"]
    by_call, by_comm, by_size = model.slack_groups(ROUNDING * runtime, model.network.L)
    messages = int(pairs.messages.sum())
    total = float(np.dot(pairs.mean_slack_ns, pairs.messages)) if messages else np.inf
    source, destination = model.message_ends()
    return Slack(
        pairs=pairs.source.size,
        critical_pairs=int(np.sum(pairs.least_slack_ns == 0)),
        least_ns=float(pairs.least_slack_ns.min(initial=np.inf)),
        mean_ns=total / max(messages, 1),
        receive=core_path.message_receive,
        source=source,
        destination=destination,
        slack_ns=without_rounding(core_path.message_slack_ns, runtime),
        by_call=_groups(by_call, lambda code: calls[code]),
        by_comm=_groups(by_comm, _communicator),
        by_size=sorted(_groups(by_size, _most_bytes), key=lambda row: int(row.name)),
    )


def _communicator(number: int) -> str:
    return "MPI_COMM_WORLD" if number == WORLD else f"communicator {number}"


def _most_bytes(size: int) -> str:
    return str(2 ** (size - 1) if size else 0)


def _groups(groups: list[_core.SlackGroup], name_of: Callable[[int], str]) -> list[SlackGroup]:
    """One row a group, the least mean slack first."""
    rows = [
        SlackGroup(
            name=name_of(group.key),
            messages=group.messages,
            critical=group.critical,
            tight=group.tight,
            least_ns=group.least_ns,
            mean_ns=group.sum_ns / group.messages,
        )
        for group in groups
    ]
    return sorted(rows, key=lambda row: (row.mean_ns, row.name))
