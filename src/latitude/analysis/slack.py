"""Slack: the extra latency that single messages can take before T grows."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.analysis.pairs import Pairs, rank_of, whole, without_rounding

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WORLD = 0
"""Index of MPI_COMM_WORLD."""


@dataclass(frozen=True, slots=True)
class SlackGroup:
    """Messages that have something in common."""

    name: str
    messages: int
    critical: int
    """Messages without slack: any delay of one delays the program."""
    tight: int
    """Messages with less slack than one more latency L: critical ones too."""
    least_ns: float
    mean_ns: float

    def to_json(self) -> dict[str, Any]:
        """As in `slack` of `latitude.analysis/1`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Slack:
    """Slack of every message, and what messages of one call or communicator have."""

    receive: Integers
    """(messages,) the receive vertex of each message in the graph."""
    source: Integers
    """(messages,) rank."""
    destination: Integers
    """(messages,) rank."""
    slack_ns: Floats
    """(messages,)"""
    by_call: list[SlackGroup]
    """By the MPI call that posted the receive, the least mean slack first."""
    by_comm: list[SlackGroup]
    """By communicator."""

    def by_pair(self, pairs: Pairs, latency: float) -> tuple[Integers, Integers]:
        """Of each pair of ranks: messages without slack, and with less than `latency` ns."""
        ranks = int(max(pairs.source.max(initial=0), pairs.destination.max(initial=0))) + 1
        key = pairs.source * ranks + pairs.destination
        place = np.searchsorted(key, self.source * ranks + self.destination)

        def count(chosen: NDArray[np.bool_]) -> Integers:
            return np.bincount(place[chosen], minlength=key.size)

        return count(self.slack_ns == 0), count(self.slack_ns < latency)


def slack_of(model: _core.Model, runtime: float) -> Slack:
    """Slack of all messages at the network's latency; `runtime` is T there (ns)."""
    graph, network = model.graph, model.network
    dag = model.messages()
    receive = whole(dag.receive)
    slack = without_rounding(dag.slack(network.L), runtime)
    origin = graph.origin[receive].astype(np.int64)
    known = origin != _core.NO_ORIGIN
    call = np.full(receive.size, len(graph.call_name), dtype=np.int64)
    call[known] = graph.call_code[origin[known]]
    comm = np.full(receive.size, -1, dtype=np.int64)
    comm[known] = graph.call_comm[origin[known]]
    calls = [*graph.call_name, "recv"]
    communicators = sorted(set(comm.tolist()) - {-1})
    return Slack(
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
    )


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
