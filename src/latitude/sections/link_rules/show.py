"""Link rules as a table: their messages, their part of the critical path, their tolerance."""

import math

from latitude.render.document import Cell, Section
from latitude.render.shown import Shown
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.sections.link_rules.result import LinkRule
from latitude.units.quantities import format_share, format_time


def _parts(analysis: Analysis) -> list[Section]:
    rules = analysis.link_rules
    if not rules:
        return []
    runtime = analysis.T_ns or 1.0

    def share(each: LinkRule) -> Cell:
        of_runtime = (each.latency_ns + each.bandwidth_ns + each.overhead_ns) / runtime
        return Cell(format_share(of_runtime), share=of_runtime)

    slower = format_share(rules[0].tolerance[-1].degradation)
    shown = table(
        rules,
        "rule",
        "L_ns",
        "o_ns",
        "rank_pairs",
        "messages",
        "bytes",
        "lambda_L",
        "lambda_o",
        "latency_ns",
        "bandwidth_ns",
        "overhead_ns",
        ("of T", share),
        (f"{slower} slower at", _extra),
        (f"{slower} slower at", _extra_o),
        terminal=(0, 1, 2, 6, 7, 11, 12),
    )
    return [
        Section(
            "By link rule",
            [shown],
            reading=_reading(rules, runtime),
            note="The first rule that fits a message sets its price. Latencies λ, overheads λ_o, "
            "latency, bandwidth and overhead are on the critical path. The last columns are what L "
            "and o of one rule may gain while all others stay.",
        )
    ]


def _extra(rule: LinkRule) -> str:
    return _more("L", rule.tolerance[-1].delta_ns)


def _extra_o(rule: LinkRule) -> str:
    return _more("o", rule.tolerance[-1].delta_o_ns)


def _more(symbol: str, delta_ns: float) -> str:
    return "never" if math.isinf(delta_ns) else f"{symbol} +{format_time(delta_ns)}"


def _reading(rules: list[LinkRule], runtime: float) -> str:
    top = max(rules, key=lambda each: each.latency_ns)
    if not top.latency_ns:
        return "No latency of a message lies on the critical path."
    share = format_share(top.latency_ns / runtime)
    return f"Latency of links {top.rule} takes {share} of the runtime, the most of all rules."


SHOWN = Shown(_parts)
