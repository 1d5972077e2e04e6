"""Messages, critical path and tolerances by link rule."""

import numpy as np

from latitude._types import Floats, Integers
from latitude.analysis.answer import tolerances_of
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.model.rules import brief_name
from latitude.model.theta import TOLERANCES, Theta, theta_of
from latitude.sections.link_rules.result import LinkRule, RuleTolerance

_OF_RULE = ("L", "G", "o")
"""Parameters for which the critical path's counts are found."""


def _of_graph(context: GraphContext) -> list[LinkRule]:
    """Each rule that has links, in order; empty if all links cost the same."""
    links = context.links
    if len(links.classes) == 1 or links.place_of_rank is None or links.class_of is None:
        return []
    rules = list(links.rules)
    classes, messages, sizes = _sent(context)
    rule_of_class = np.array([rules.index(link.rule) for link in links.classes])

    rule_of_each = rule_of_class[classes]
    sent, carried = (np.bincount(rule_of_each, each, len(rules)) for each in (messages, sizes))
    counts = _on_path(context)
    costs = {
        name: counts[name] * [getattr(link, name) for link in links.classes] for name in _OF_RULE
    }

    def total(values: Floats, i: int) -> float:
        return float(values[rule_of_class == i].sum())

    found = []
    for i, rule in enumerate(rules):
        own = [link for link in links.classes if link.rule == rule]
        found.append(
            LinkRule(
                rule=rule,
                L_ns=min(link.L for link in own),
                o_ns=own[0].o,
                rank_pairs=sum(link.pairs for link in own),
                messages=round(sent[i]),
                bytes=round(carried[i]),
                lambda_L=total(counts["L"], i),
                lambda_G=total(counts["G"], i),
                lambda_o=total(counts["o"], i),
                latency_ns=total(costs["L"], i),
                bandwidth_ns=total(costs["G"], i),
                overhead_ns=total(costs["o"], i),
                tolerance=_tolerance(context, rule),
            )
        )
    return found


def _sent(context: GraphContext) -> tuple[Integers, Floats, Floats]:
    """Messages and bytes of each pair of ranks, or of each hop of a job's transfers, with class."""
    if context.program.job is None:
        pairs = context.pairs
        found = context.links.classes_of(pairs.source, pairs.destination)
        messages, sizes = pairs.messages.astype(np.float64), pairs.bytes.astype(np.float64)
    else:
        source, destination, messages, sizes = context.model.graph.hops()
        found = context.links.classes_of(source, destination)
    return found, messages, sizes


def _on_path(context: GraphContext) -> dict[str, Floats]:
    """(classes,) number of latencies, bytes and overheads of each class on one critical path."""
    count = len(context.links.classes)
    unit = np.zeros((len(_OF_RULE) * count, 4 * count + 1))
    np.fill_diagonal(unit, 1.0)  # the core has latencies, bytes and overheads first
    network = context.network.core_of(context.links)
    _, slopes = context.model.planes().at(network, unit)
    return dict(zip(_OF_RULE, slopes.reshape(len(_OF_RULE), count), strict=True))


def _tolerance(context: GraphContext, rule: str) -> list[RuleTolerance]:
    def of(parameter: str) -> list[float]:
        theta = theta_of(f"{parameter}:{brief_name(rule)}", context.network, context.links)
        return _extra(context, theta)

    return [
        RuleTolerance(degradation=degradation, delta_ns=L, delta_o_ns=o)
        for degradation, L, o in zip(TOLERANCES, of("L"), of("o"), strict=True)
    ]


def _extra(context: GraphContext, theta: Theta) -> list[float]:
    if not context.T_ns:
        return [np.inf] * len(TOLERANCES)
    found = tolerances_of(theta.along(context.model), theta, context.T_ns, TOLERANCES, ())
    return [each.delta for each in found]


def _steps(context: GraphContext) -> float:
    """Number of steps; each tolerance, in L and in o, needs its own compiled graph."""
    rules = len(context.links.rules)
    return 2.0 * rules * context.model.graph.vertices if rules > 1 else 0.0


COMPUTED = Computed(
    _of_graph, SectionCost(steps=_steps, most_steps=2e8), of_slack=True, of_job=True
)
