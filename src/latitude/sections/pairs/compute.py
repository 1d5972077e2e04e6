"""Messages by pair of ranks."""

import numpy as np

from latitude.analysis.context import GraphContext, PassesContext
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.pairs.result import MessagePairs, Pairs


def _of_graph(context: GraphContext) -> MessagePairs:
    return MessagePairs.of(context.pairs, context.program.ranks, context.links)


def _of_passes(context: PassesContext) -> MessagePairs:
    found = context.path
    not_known = np.full(found.pair_source.size, np.inf)
    every = Pairs(
        source=found.pair_source,
        destination=found.pair_destination,
        messages=found.pair_messages,
        bytes=found.pair_bytes,
        lambda_L=found.pair_latencies.astype(np.float64),
        lambda_G=found.pair_path_bytes.astype(np.float64),
        least_slack_ns=not_known,
        mean_slack_ns=not_known,
    )
    return MessagePairs.of(every, context.trace.ranks, context.links)


COMPUTED = Computed(_of_graph, SectionCost(sweeps=5, operation_bytes=60), _of_passes, of_slack=True)
