"""Slack: what single messages can take on each of their latencies before T grows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from latitude import _core
from latitude._types import Floats
from latitude.analysis.messages import ROUNDING, rank_pairs, without_rounding
from latitude.results.messages import (
    LISTED,
    Pairs,
    PairSlack,
    SiteSlack,
    Slack,
    SlackGroup,
    StreamedSlack,
)
from latitude.trace.places import places_of
from latitude.trace.wrappers import Wrappers

WORLD = 0
"""Index of MPI_COMM_WORLD."""


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """The messages of a program, by pair of ranks, and what they can take."""

    pairs: Pairs
    slack: Slack | None
    """None: not known."""
    site_least_slack_ns: Floats
    """(sites,) of the messages sent or received at each; one infinite number where not known."""


_NONE = np.empty(0)
_NOBODY = np.empty(0, np.int64)
NO_MESSAGES = Messages(
    Pairs(
        source=_NOBODY,
        destination=_NOBODY,
        messages=_NOBODY,
        bytes=_NOBODY,
        lambda_L=_NONE,
        lambda_G=_NONE,
        least_slack_ns=_NONE,
        mean_slack_ns=_NONE,
    ),
    slack=None,
    site_least_slack_ns=np.array(np.inf),
)
"""Stands for messages that were left out."""


def messages_of(model: _core.Model, paths: int) -> Messages:
    """All messages at the network's latency.

    Args:
        model: the program on the network.
        paths: longest paths that will be asked for: both come from one compiled graph.
    """
    found, runtime = model.slack(paths), model.critical_path().T_ns
    pairs = rank_pairs(found, runtime)
    calls = [*model.graph.call_name, "recv"]
    by_call, by_comm, by_size = model.slack_groups(ROUNDING * runtime, model.network.L)
    messages = int(pairs.messages.sum())
    total = float(np.dot(pairs.mean_slack_ns, pairs.messages)) if messages else np.inf
    source, destination = model.message_ends()
    slack = Slack(
        pairs=pairs.source.size,
        critical_pairs=int(np.sum(pairs.least_slack_ns == 0)),
        least_ns=float(pairs.least_slack_ns.min(initial=np.inf)),
        mean_ns=total / max(messages, 1),
        receive=found.message_receive,
        source=source,
        destination=destination,
        slack_ns=without_rounding(found.message_slack_ns, runtime),
        by_call=_groups(by_call, lambda code: calls[code]),
        by_comm=_groups(by_comm, _communicator),
        by_size=sorted(_groups(by_size, _most_bytes), key=lambda row: int(row.name)),
    )
    return Messages(pairs, slack, without_rounding(found.site_least_slack_ns, runtime))


def streamed_slack(found: _core.StreamSlack, trace: _core.Trace) -> StreamedSlack:
    """What a pass over a trace, and the way back over what it has written, have found."""
    calls = _core.call_names()
    by_call, by_comm, by_size = found.groups()
    pairs = _pairs(found.by_pair())
    messages, slack = pairs.messages, pairs.mean_slack_ns
    order = np.lexsort((-messages, pairs.least_slack_ns))[:LISTED]
    return StreamedSlack(
        pairs=len(pairs),
        critical_pairs=int(np.count_nonzero(pairs.critical)),
        least_ns=float(pairs.least_slack_ns.min(initial=np.inf)),
        mean_ns=float(np.dot(slack, messages)) / int(messages.sum()) if len(pairs) else np.inf,
        by_call=_groups(by_call, lambda code: calls[code]),
        by_comm=_groups(by_comm, _communicator),
        by_size=sorted(_groups(by_size, _most_bytes), key=lambda row: int(row.name)),
        by_call_site=_sites(found.by_site(), trace),
        listed_pairs=pairs.at(np.sort(order)),
        written_bytes=found.written,
    )


def _pairs(sums: Mapping[int, _core.SlackSums]) -> PairSlack:
    ends = np.array(list(sums), dtype=np.int64)
    each = sums.values()
    count = np.array([sum_.messages for sum_ in each], dtype=np.int64)
    total = np.array([sum_.sum_ns for sum_ in each], dtype=np.float64)
    return PairSlack(
        source=ends >> 32,
        destination=ends & 0xFFFFFFFF,
        messages=count,
        critical=np.array([sum_.critical for sum_ in each], dtype=np.int64),
        tight=np.array([sum_.tight for sum_ in each], dtype=np.int64),
        least_slack_ns=np.array([sum_.least_ns for sum_ in each], dtype=np.float64),
        mean_slack_ns=total / count,
    )


def _sites(sums: Mapping[int, _core.SlackSums], trace: _core.Trace) -> list[SiteSlack]:
    """By place in the source: several sites may be of one."""
    used = np.array(list(sums), dtype=np.int64)
    places = places_of(trace, used, Wrappers([]))
    least = np.full(len(places.shown), np.inf)
    np.minimum.at(least, places.of_used, [each.least_ns for each in sums.values()])
    rows = [
        SiteSlack(call_site=name, least_ns=ns)
        for name, ns in zip(places.names, least.tolist(), strict=True)
    ]
    return sorted(rows, key=lambda row: (row.least_ns, row.call_site))


def _communicator(number: int) -> str:
    return "MPI_COMM_WORLD" if number == WORLD else f"communicator {number}"


def _most_bytes(size: int) -> str:
    return str(2 ** (size - 1) if size else 0)


def _groups(
    groups: Mapping[int, _core.SlackSums], name_of: Callable[[int], str]
) -> list[SlackGroup]:
    """One row a group, the least mean slack first."""
    rows = [
        SlackGroup(
            name=name_of(key),
            messages=group.messages,
            critical=group.critical,
            tight=group.tight,
            least_ns=group.least_ns,
            mean_ns=group.sum_ns / group.messages,
        )
        for key, group in groups.items()
    ]
    return sorted(rows, key=lambda row: (row.mean_ns, row.name))
