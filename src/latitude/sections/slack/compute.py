"""Slack: extra time that each latency of a single message can take before T grows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Booleans, Integers
from latitude.analysis.context import GraphContext, PassesContext
from latitude.analysis.messages import ROUNDING, without_rounding
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.pairs.result import LISTED, Pairs
from latitude.sections.slack.result import PairSlack, SiteSlack, Slack, SlackGroup
from latitude.trace.places import places_of
from latitude.trace.wrappers import Wrappers

WORLD = 0
"""Index of MPI_COMM_WORLD."""
_BLOCK = 1 << 18
"""Number of messages to count together, because there may be tens of millions of messages."""
_Sums = Mapping[int, _core.SlackSums]


def _of_graph(context: GraphContext) -> Slack:
    model, found, runtime = context.model, context.messages, context.T_ns
    ends = found.message_source, found.message_destination
    slack_ns = without_rounding(found.message_slack_ns, runtime)
    least = without_rounding(found.site_least_slack_ns, runtime)
    slack = _slack(
        model.slack_groups(ROUNDING * runtime, model.network.L),
        [*model.graph.call_name, "recv"],
        _pairs_of_messages(context.pairs, ends, slack_ns, model.network.L),
        ((name, float(least[site])) for site, name in context.where.items()),
        receive=found.message_receive,
        source=ends[0],
        destination=ends[1],
        slack_ns=slack_ns,
    )
    context.site_least_slack_ns = least
    return slack


def _of_passes(context: PassesContext) -> Slack:
    found, trace = context.messages, context.trace.pieces.trace
    sites = found.by_site()
    used = np.array(list(sites), dtype=np.int64)
    places = places_of(trace, used, Wrappers([]))
    least = [each.least_ns for each in sites.values()]
    names = (places.names[place] for place in places.of_used.tolist())
    slack = _slack(
        found.groups(),
        _core.call_names(),
        _pairs_of_sums(found.by_pair()),
        zip(names, least, strict=True),
    )
    context.site_least_slack_ns = np.full(trace.site_module.size, np.inf)
    context.site_least_slack_ns[used] = least
    return slack


def _slack(
    groups: Sequence[_Sums],
    calls: Sequence[str],
    pairs: PairSlack,
    sites: Iterable[tuple[str, float]],
    **messages: NDArray[Any],
) -> Slack:
    """The section's result.

    Args:
        groups: groups of messages by call, by communicator, and by size.
        calls: names of calls.
        pairs: all pairs of ranks.
        sites: name of the place, and least slack, for each call site.
        messages: fields of single messages, if these are known.
    """
    by_call, by_comm, by_size = groups
    count = int(pairs.messages.sum())
    total = float(np.dot(pairs.mean_slack_ns, pairs.messages)) if count else np.inf
    least: dict[str, float] = {}
    for name, ns in sites:
        least[name] = min(ns, least.get(name, np.inf))
    rows = [SiteSlack(call_site=name, least_ns=ns) for name, ns in least.items() if ns < np.inf]
    order = np.lexsort((-pairs.messages, pairs.least_slack_ns))[:LISTED]
    return Slack(
        pairs=len(pairs),
        critical_pairs=int(np.sum(pairs.least_slack_ns == 0)),
        least_ns=float(pairs.least_slack_ns.min(initial=np.inf)),
        mean_ns=total / max(count, 1),
        by_call=_groups(by_call, lambda code: calls[code]),
        by_comm=_groups(by_comm, _communicator),
        by_size=sorted(_groups(by_size, _most_bytes), key=lambda row: int(row.name)),
        by_call_site=sorted(rows, key=lambda row: (row.least_ns, row.call_site)),
        by_pair=pairs.at(np.sort(order)),
        **messages,
    )


def _pairs_of_messages(
    pairs: Pairs,
    ends: tuple[NDArray[np.uint32], NDArray[np.uint32]],
    slack_ns: NDArray[np.float64],
    latency: float,
) -> PairSlack:
    """Slack of all pairs; `latency` is L in ns."""
    ranks = int(max(pairs.source.max(initial=0), pairs.destination.max(initial=0))) + 1
    key = pairs.source * ranks + pairs.destination
    critical, tight = np.zeros((2, key.size), dtype=np.int64)

    def count(chosen: Booleans, place: Integers) -> Integers:
        counts: Integers = np.bincount(place[chosen], minlength=key.size)
        return counts

    for first in range(0, slack_ns.size, _BLOCK):
        source, destination, slack = (each[first : first + _BLOCK] for each in (*ends, slack_ns))
        place = np.searchsorted(key, source.astype(np.int64) * ranks + destination)
        critical += count(slack == 0, place)
        tight += count(slack < latency, place)
    return PairSlack(
        source=pairs.source,
        destination=pairs.destination,
        messages=pairs.messages,
        critical=critical,
        tight=tight,
        least_slack_ns=pairs.least_slack_ns,
        mean_slack_ns=pairs.mean_slack_ns,
    )


def _pairs_of_sums(sums: _Sums) -> PairSlack:
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


def _communicator(number: int) -> str:
    return "MPI_COMM_WORLD" if number == WORLD else f"communicator {number}"


def _most_bytes(size: int) -> str:
    return str(2 ** (size - 1) if size else 0)


def _groups(
    groups: Mapping[int, _core.SlackSums], name_of: Callable[[int], str]
) -> list[SlackGroup]:
    """One row per group, the least mean slack first."""
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


COMPUTED = Computed(_of_graph, SectionCost(sweeps=5, operation_bytes=60), _of_passes, of_slack=True)
