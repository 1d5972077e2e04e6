"""Messages, critical path and tolerance by link rule."""

import numpy as np

from latitude._types import Floats
from latitude.analysis.answer import tolerances_of
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.model.rules import brief_name
from latitude.model.theta import TOLERANCES, theta_of
from latitude.sections.link_rules.result import LinkRule, RuleTolerance


def _of_graph(context: GraphContext) -> list[LinkRule]:
    """Each rule that has links, in order; none where all links cost the same."""
    links, pairs = context.links, context.pairs
    if len(links.classes) == 1 or links.place_of_rank is None or links.class_of is None:
        return []
    rules = list(links.rules)
    at = links.place_of_rank
    link_of_pair = links.class_of[at[pairs.source], at[pairs.destination]]
    rule_of_pair = np.array([rules.index(link.rule) for link in links.classes])[link_of_pair]
    latency, per_byte = (
        np.array([(link.L, link.G) for link in links.classes])[link_of_pair].reshape(-1, 2).T
    )

    def by_rule(values: Floats) -> list[float]:
        sums: list[float] = np.bincount(rule_of_pair, values, minlength=len(rules)).tolist()
        return sums

    messages = by_rule(pairs.messages.astype(np.float64))
    sizes = by_rule(pairs.bytes.astype(np.float64))
    latencies, on_path = by_rule(pairs.lambda_L), by_rule(pairs.lambda_G)
    latency_ns = by_rule(pairs.lambda_L * latency)
    bandwidth_ns = by_rule(pairs.lambda_G * per_byte)
    return [
        LinkRule(
            rule=rule,
            L_ns=min(link.L for link in links.classes if link.rule == rule),
            rank_pairs=sum(link.pairs for link in links.classes if link.rule == rule),
            messages=int(messages[i]),
            bytes=int(sizes[i]),
            lambda_L=latencies[i],
            lambda_G=on_path[i],
            latency_ns=latency_ns[i],
            bandwidth_ns=bandwidth_ns[i],
            tolerance=_tolerance(context, rule, used=messages[i] > 0),
        )
        for i, rule in enumerate(rules)
    ]


def _tolerance(context: GraphContext, rule: str, *, used: bool) -> list[RuleTolerance]:
    if not used or not context.T_ns:
        return [RuleTolerance(degradation=each, delta_ns=np.inf) for each in TOLERANCES]
    theta = theta_of(f"L:{brief_name(rule)}", context.network, context.links)
    found = tolerances_of(theta.along(context.model), theta, context.T_ns, TOLERANCES, ())
    return [RuleTolerance(degradation=each.degradation, delta_ns=each.delta) for each in found]


def _steps(context: GraphContext) -> float:
    """Each rule's tolerance takes a compiled graph of its own."""
    rules = len(context.links.rules)
    return float(rules * context.model.graph.vertices) if rules > 1 else 0.0


COMPUTED = Computed(_of_graph, SectionCost(steps=_steps, most_steps=1e8), after=("pairs",))
