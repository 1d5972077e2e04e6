"""Sensitivity and slack by pair of ranks (λ_ij, λ_G,ij of Shen et al. 2024, §VI)."""

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Integers
from latitude.sections.pairs.result import Pairs

ROUNDING = 1e-12
"""Differences of instants up to this share of T count as 0, because they are rounding errors."""


def rank_pairs(found: _core.MessageSlack, runtime: float) -> Pairs:
    """Pairs of ranks, by source, then destination; `runtime` is T, ns."""
    return Pairs(
        source=found.pair_source,
        destination=found.pair_destination,
        messages=found.pair_messages,
        bytes=found.pair_bytes,
        lambda_L=found.pair_lambda_L,
        lambda_G=found.pair_lambda_G,
        least_slack_ns=without_rounding(found.pair_least_slack_ns, runtime),
        mean_slack_ns=without_rounding(found.pair_mean_slack_ns, runtime),
    )


def crossing(graph: _core.Graph) -> Integers:
    """Sends whose message crosses the network; a message of a rank to itself does not."""
    send = np.flatnonzero(graph.kind == _core.Kind.send)
    other = rank_of(graph, whole(graph.partner[send])) != rank_of(graph, send)
    crosses: Integers = send[other]
    return crosses


def rank_of(graph: _core.Graph, vertex: Integers) -> Integers:
    """The rank of each vertex."""
    rank: Integers = np.searchsorted(graph.rank_begin, vertex, side="right") - 1
    return rank


def rank_of_calls(graph: _core.Graph) -> Integers:
    """The rank of each call. Calls are in the order of ranks, and some have no vertex."""
    begin = graph.call_begin()
    return np.repeat(np.arange(graph.ranks), begin[1:] - begin[:-1])


def whole(values: NDArray[np.integer]) -> Integers:
    """The values as signed 64-bit integers, which can be subtracted."""
    return values.astype(np.int64)


def without_rounding(slack: Floats, runtime: float) -> Floats:
    """Slack, with rounding errors of T replaced by 0."""
    return np.where(slack <= ROUNDING * runtime, 0.0, slack)
